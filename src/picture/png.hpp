// PNG files (ISO/IEC 15948) and data URIs of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "src/picture/image.hpp"

namespace kauri::picture {

/// The bytes of a PNG file: with a palette if the image has no more than 256 colours, else with four bytes a pixel.
std::string to_png(const Image& image);

/// Base64 (RFC 4648), padded.
std::string base64(std::string_view bytes);

/// "data:image/png;base64,...", for the href of an image.
std::string png_uri(std::string_view png);

}  // namespace kauri::picture

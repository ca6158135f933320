// PNG files (ISO/IEC 15948) and data URIs of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "src/picture/image.hpp"

namespace kauri::picture {

/// Returns the bytes of a PNG file: with a palette if the image has at most 256 colours, else with
/// four bytes a pixel.
std::string to_png(const Image& image);

/// Returns the bytes in base64 (RFC 4648), padded.
std::string base64(std::string_view bytes);

/// Returns the data URI of a PNG file, "data:image/png;base64,...", for the href of an image.
std::string png_uri(std::string_view png);

}  // namespace kauri::picture

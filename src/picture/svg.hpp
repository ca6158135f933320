// Elements of SVG and HTML.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "src/picture/image.hpp"

namespace kauri::picture {

/// Returns the text for use between tags or quotes: & < > " ' are escaped, and bytes that are not
/// UTF-8 or no character of XML become U+FFFD.
std::string escaped(std::string_view text);

/// Returns a coordinate with at most two decimals.
std::string coordinate(double x);

/// Returns the colour as "#rrggbb".
std::string hex(Colour colour);

/// Use of a picture: a separate file, with a white background, or part of an HTML page, whose
/// colours and fonts it inherits.
enum class PictureUse { file, page };

/// Returns the opening tag <svg ...> with a viewBox; for a file also with the size, the namespace
/// and the background. label: the description for screen readers.
std::string svg_begin(double width, double height, PictureUse use, std::string_view label);

}  // namespace kauri::picture

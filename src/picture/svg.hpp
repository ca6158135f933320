// Words of SVG and HTML.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "src/picture/image.hpp"

namespace kauri::picture {

/// Text between tags or quotes: & < > " ' replaced, and what is not UTF-8 or no character of XML by U+FFFD.
std::string escaped(std::string_view text);

/// A coordinate with at most two decimals.
std::string coordinate(double x);

/// "#rrggbb".
std::string hex(Colour colour);

/// What an SVG is for: a file of its own, with a white ground, or a page, whose colours and letters it takes.
enum class Place { file, page };

/// <svg ...> with a viewBox; of a file also with the size, the namespace and the ground. label: what it shows, for readers that do not see.
std::string svg_begin(double width, double height, Place place, std::string_view label);

}  // namespace kauri::picture

// Pictures of assembly trees.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "src/picture/image.hpp"
#include "src/picture/svg.hpp"
#include "src/picture/tree_layout.hpp"

namespace kauri::picture {

/// Returns the colour of a front that does this share of all operations, on a logarithmic scale:
/// pale for kLeastShare or less, dark red for 1.
Colour work_colour(double share);
inline constexpr double kLeastShare = 1e-6;

/// Returns an SVG with fronts as boxes and whole subtrees as triangles, coloured by work_colour(),
/// each with its figures as a tooltip; a file has a legend below.
std::string tree_svg(const TreeLayout& layout, PictureUse use, std::string_view label);

/// Returns the picture of tree_svg() as pixels, without texts.
Image tree_image(const TreeLayout& layout);

/// Returns work_colour() from kLeastShare to 1 as a gradient in CSS, "linear-gradient(...)".
std::string work_gradient();

}  // namespace kauri::picture

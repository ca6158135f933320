// Pictures of assembly trees.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "src/picture/image.hpp"
#include "src/picture/svg.hpp"
#include "src/picture/tree_layout.hpp"

namespace kauri::picture {

/// The colour of a share of all work, by its logarithm: from a millionth or less, pale, to all of it, dark red.
Colour work_colour(double share);
inline constexpr double kLeastShare = 1e-6;

/// Fronts as boxes, subtrees as triangles, with their figures as titles to point at; a file has a legend below.
std::string tree_svg(const TreeLayout& layout, Place place, std::string_view label);

/// The same without words.
Image tree_image(const TreeLayout& layout);

/// A strip of the colours from kLeastShare to 1 as CSS: "linear-gradient(...)".
std::string work_gradient();

}  // namespace kauri::picture

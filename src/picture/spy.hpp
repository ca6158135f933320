// Spy plots: pictures of the pattern of a matrix.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "src/picture/image.hpp"
#include "src/picture/raster.hpp"
#include "src/picture/svg.hpp"

namespace kauri::picture {

/// Most rows of a matrix whose entries spy_svg() draws one by one; of a larger matrix it embeds an
/// image.
inline constexpr Index kMostDrawnRows = 200;

/// Returns the raster as an image; a cell is a square of scale x scale pixels, scale >= 1. Empty
/// cells are white, or transparent for a page. The others are the darker the greater the logarithm
/// of their count; the lightest is still well visible.
Image spy_image(const Raster& raster, int scale, PictureUse use);

/// Returns the side of a cell in pixels with which the raster is at most `size` pixels wide, at
/// least 1 pixel: the scale for spy_image().
int spy_scale(const Raster& raster, int size);

/// Returns the raster as an SVG of about size x size pixels. label: its description for screen
/// readers.
std::string spy_svg(const Raster& raster, int size, PictureUse use, std::string_view label);

}  // namespace kauri::picture

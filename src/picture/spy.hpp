// Spy plots: where the entries of a matrix are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "src/picture/image.hpp"
#include "src/picture/raster.hpp"
#include "src/picture/svg.hpp"

namespace kauri::picture {

/// An SVG draws the entries themselves up to this many rows, beyond it embeds an image.
inline constexpr Index kMostDrawnRows = 200;

/// The raster as an image, a cell as a square of `scale` pixels, >= 1. Empty cells are ground: white, or transparent for a page; others
/// black by the logarithm of their entries, the lightest well apart from the ground.
Image spy_image(const Raster& raster, int scale, Place place);

/// Pixels for a cell so that small matrices make pictures of about `size` pixels too.
int spy_scale(const Raster& raster, int size);

std::string spy_svg(const Raster& raster, int size, Place place, std::string_view label);

}  // namespace kauri::picture

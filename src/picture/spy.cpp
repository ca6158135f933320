// Spy plots: pictures of the pattern of a matrix.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/picture/spy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/picture/png.hpp"

namespace kauri::picture {
namespace {

constexpr int kShades = 24;           // number of greys; an image of few colours is small
constexpr double kLeastShade = 0.22;  // lightest shade of a cell with entries; black is 1

/// Returns the shade of a cell of `count` entries, as a fraction of black, if the fullest cell has
/// `most`: 0 for an empty cell, else at least kLeastShade.
double shade(Offset count, Offset most) {
  if (count == 0) return 0;
  if (most <= 1) return 1;
  const double level = std::log(static_cast<double>(count)) / std::log(static_cast<double>(most));
  return kLeastShade + (1 - kLeastShade) * std::round(level * (kShades - 1)) / (kShades - 1);
}

Colour colour_of(double shade, PictureUse use) {
  const auto ink = static_cast<std::uint8_t>(std::lround(255 * shade));
  if (use == PictureUse::page) return {0, 0, 0, ink};
  const auto grey = static_cast<std::uint8_t>(255 - ink);
  return {grey, grey, grey, 255};
}

/// Returns an SVG path that has a unit square for each cell with entries; neighbours in a row form
/// one rectangle.
std::string squares(const Raster& raster) {
  std::string path;
  for (int i = 0; i < raster.size; ++i)
    for (int j = 0; j < raster.size; ++j) {
      const int begin = j;
      while (j < raster.size && raster.at(i, j) > 0) ++j;
      if (j > begin) path += fmt::format("M{} {}h{}v1h-{}z", begin, i, j - begin, j - begin);
    }
  return path;
}

}  // namespace

Image spy_image(const Raster& raster, int scale, PictureUse use) {
  const Offset most = *std::max_element(raster.count.begin(), raster.count.end());
  Image image(raster.size * scale, raster.size * scale, colour_of(0, use));
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      image.at(x, y) = colour_of(shade(raster.at(y / scale, x / scale), most), use);
  return image;
}

int spy_scale(const Raster& raster, int size) { return std::max(1, size / raster.size); }

std::string spy_svg(const Raster& raster, int size, PictureUse use, std::string_view label) {
  const double side = spy_scale(raster, size) * raster.size;
  std::string svg = svg_begin(side, side, use, label);
  if (raster.size == raster.n && raster.n <= kMostDrawnRows) {
    svg += fmt::format("<path transform=\"scale({})\" fill=\"{}\" d=\"{}\"/>\n",
                       spy_scale(raster, size), use == PictureUse::page ? "currentColor" : "#000",
                       squares(raster));
  } else {
    const std::string image = png_uri(to_png(spy_image(raster, 1, use)));
    svg += fmt::format(
        "<image class=\"ink\" width=\"{0}\" height=\"{0}\" style=\"image-rendering:pixelated\" "
        "href=\"{1}\"/>\n",
        coordinate(side), image);
  }
  return svg + fmt::format(
                   "<rect x=\"0.5\" y=\"0.5\" width=\"{0}\" height=\"{0}\" fill=\"none\" "
                   "stroke=\"#888\"/>\n</svg>\n",
                   coordinate(side - 1));
}

}  // namespace kauri::picture

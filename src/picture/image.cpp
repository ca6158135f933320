// Shapes painted on pixels.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/picture/image.hpp"

#include <algorithm>
#include <cmath>

namespace kauri::picture {
namespace {

/// Pixels first <= k < last whose centres k + 1/2 lie in [from, to), or one pixel if no centre
/// does; pixels outside [0, size) are left out.
struct PixelRange {
  PixelRange(double from, double to, int size) {
    const auto pixel = [size](double x) {
      return static_cast<int>(std::ceil(std::clamp(x, -1.0, size + 1.0) - 0.5));
    };
    first = pixel(from);
    last = std::max(pixel(to), std::min(first, size - 1) + 1);
    first = std::clamp(std::min(first, last - 1), 0, size);
    last = std::clamp(last, 0, size);
  }
  int first, last;
};

void fill_row(Image& image, int y, const PixelRange& columns, Colour colour) {
  for (int x = columns.first; x < columns.last; ++x) image.at(x, y) = colour;
}

}  // namespace

void fill_rectangle(Image& image, double x, double y, double width, double height, Colour colour) {
  const PixelRange rows(y, y + height, image.height), columns(x, x + width, image.width);
  for (int row = rows.first; row < rows.last; ++row) fill_row(image, row, columns, colour);
}

void fill_triangle(Image& image, double x, double y, double width, double height, Colour colour) {
  const PixelRange rows(y, y + height, image.height);
  for (int row = rows.first; row < rows.last; ++row) {
    const double share = height > 0 ? std::clamp((row + 0.5 - y) / height, 0.0, 1.0) : 1.0,
                 half = share * width / 2;
    fill_row(image, row, PixelRange(x + width / 2 - half, x + width / 2 + half, image.width),
             colour);
  }
}

}  // namespace kauri::picture

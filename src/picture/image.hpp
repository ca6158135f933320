// Pictures made of pixels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kauri::picture {

/// Red, green, blue and opacity, 0 to 255 each.
struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0, opacity = 255;
  friend bool operator==(const Colour&, const Colour&) = default;
};

inline constexpr Colour kWhite{255, 255, 255, 255};

/// An image of width x height pixels, row by row from the top.
struct Image {
  Image(int image_width, int image_height, Colour background)
      : width(image_width),
        height(image_height),
        pixel(static_cast<std::size_t>(image_width) * static_cast<std::size_t>(image_height),
              background) {}

  [[nodiscard]] Colour& at(int x, int y) {
    return pixel[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                 static_cast<std::size_t>(x)];
  }
  [[nodiscard]] const Colour& at(int x, int y) const {
    return pixel[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                 static_cast<std::size_t>(x)];
  }

  int width, height;
  std::vector<Colour> pixel;  ///< length width * height
};

/// Paints the pixels whose centres lie in [x, x + width) x [y, y + height), or at least one column
/// and one row of pixels if the rectangle contains no centres. Units are pixels.
void fill_rectangle(Image& image, double x, double y, double width, double height, Colour colour);

/// Paints, as fill_rectangle() does, the triangle inside that rectangle with its apex in the middle
/// of the upper edge and the lower edge as its base.
void fill_triangle(Image& image, double x, double y, double width, double height, Colour colour);

}  // namespace kauri::picture

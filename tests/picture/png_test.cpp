// PNG files decoded again, shapes on pixels, base64.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/picture/png.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/picture/read_png.hpp"

namespace kauri::picture {
namespace {

Image random_image(int width, int height, int colours, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Colour> palette(static_cast<std::size_t>(colours));
  for (Colour& c : palette) {
    const std::uint64_t bits = random();
    c = {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
         static_cast<std::uint8_t>(bits >> 16),
         static_cast<std::uint8_t>(seed % 2 == 0 ? 255 : bits >> 24)};
  }
  Image image(width, height, {});
  for (Colour& c : image.pixel) c = palette[random() % palette.size()];
  return image;
}

TEST(Png, GivesTheImageBack) {
  std::uint64_t seed = 0;
  for (const int colours : {1, 2, 24, 256, 257, 5000})
    for (const auto& [width, height] : {std::pair(1, 1), std::pair(3, 7), std::pair(90, 60)}) {
      const Image image = random_image(width, height, colours, ++seed),
                  again = test::read_png(to_png(image));
      EXPECT_EQ(again.width, width);
      EXPECT_EQ(again.height, height);
      EXPECT_TRUE(image.pixel == again.pixel)
          << colours << " colours, " << width << " x " << height;
    }
}

TEST(Png, HasAPaletteWhereColoursAreFew) {
  EXPECT_TRUE(test::png_chunks(to_png(random_image(50, 50, 24, 1))).contains("PLTE"));
  EXPECT_FALSE(test::png_chunks(to_png(random_image(50, 50, 2000, 1))).contains("PLTE"));
}

TEST(Png, Base64OfTheStandard) {  // RFC 4648, section 10
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
  EXPECT_EQ(png_uri("foo"), "data:image/png;base64,Zm9v");
}

constexpr Colour kBlack{0, 0, 0, 255};

std::string drawing(const Image& image) {
  std::string text;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) text += image.at(x, y) == kBlack ? '#' : '.';
    text += '\n';
  }
  return text;
}

TEST(Shapes, CoverThePixelsWhoseCentresTheyHold) {
  Image image(6, 4, kWhite);
  fill_rectangle(image, 1, 1, 2.4, 2, kBlack);
  EXPECT_EQ(drawing(image), "......\n.##...\n.##...\n......\n");
  fill_rectangle(image, 4.2, 0.1, 0.1, 0.1, kBlack);  // holds none
  EXPECT_EQ(drawing(image), "....#.\n.##...\n.##...\n......\n");
  Image triangle(7, 4, kWhite);
  fill_triangle(triangle, 0, 0, 7, 4, kBlack);
  EXPECT_EQ(drawing(triangle), "...#...\n..###..\n.#####.\n#######\n");
}

TEST(Shapes, StayInside) {
  Image image(3, 3, kWhite);
  fill_rectangle(image, -5, -5, 2, 2, kBlack);
  fill_rectangle(image, 7, 1e300, 2, 2, kBlack);
  fill_rectangle(image, -1, -1e18, 9, 2e18, kBlack);
  EXPECT_EQ(drawing(image), "###\n###\n###\n");
}

}  // namespace
}  // namespace kauri::picture

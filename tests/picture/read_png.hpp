// PNG files as to_png writes them, decoded by zlib alone; each chunk's checksum is compared.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <map>
#include <string>
#include <string_view>

#include "src/picture/image.hpp"

namespace kauri::test {

inline std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

inline std::map<std::string, std::string> png_chunks(std::string_view png) {
  std::map<std::string, std::string> chunks;
  EXPECT_TRUE(png.starts_with("\x89PNG\r\n\x1a\n"));
  for (png.remove_prefix(8); !png.empty();) {
    const std::size_t length = big_endian(png);
    const std::string_view covered = png.substr(4, 4 + length);
    EXPECT_EQ(crc32_z(0, reinterpret_cast<const Bytef*>(covered.data()), covered.size()),
              big_endian(png.substr(8 + length)));
    EXPECT_TRUE(chunks.emplace(covered.substr(0, 4), covered.substr(4)).second);
    png.remove_prefix(12 + length);
  }
  EXPECT_TRUE(chunks.contains("IEND"));
  return chunks;
}

inline picture::Image read_png(std::string_view png) {
  auto chunks = png_chunks(png);
  const std::string& head = chunks["IHDR"];
  const bool palette = head.at(9) == 3;
  picture::Image image(static_cast<int>(big_endian(head)),
                       static_cast<int>(big_endian(std::string_view(head).substr(4))), {});
  const std::size_t width = palette ? 1 : 4,
                    row = 1 + width * static_cast<std::size_t>(image.width);
  std::string data(row * static_cast<std::size_t>(image.height), '\0');
  uLongf size = static_cast<uLongf>(data.size());
  const std::string& packed = chunks["IDAT"];
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(data.data()), &size,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  EXPECT_EQ(size, data.size());
  const auto byte = [](const std::string& bytes, std::size_t at) {
    return static_cast<std::uint8_t>(bytes.at(at));
  };
  for (int y = 0; y < image.height; ++y) {
    EXPECT_EQ(data[row * static_cast<std::size_t>(y)], '\0') << "filter";
    for (int x = 0; x < image.width; ++x) {
      const std::size_t at =
          row * static_cast<std::size_t>(y) + 1 + width * static_cast<std::size_t>(x);
      picture::Colour& c = image.at(x, y);
      if (!palette) {
        c = {byte(data, at), byte(data, at + 1), byte(data, at + 2), byte(data, at + 3)};
        continue;
      }
      const std::size_t number = byte(data, at);
      const std::string &colours = chunks["PLTE"], &opacities = chunks["tRNS"];
      c = {byte(colours, 3 * number), byte(colours, 3 * number + 1), byte(colours, 3 * number + 2),
           opacities.empty() ? std::uint8_t{255} : byte(opacities, number)};
    }
  }
  return image;
}

}  // namespace kauri::test

// PNG files (ISO/IEC 15948): chunks that hold a zlib stream.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/picture/png.hpp"

#include <zlib.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace kauri::picture {
namespace {

constexpr char kPaletteType = 3, kColourType = 6, kDepth = 8;
constexpr std::size_t kMostColours = 256;

std::uint32_t key(Colour c) {
  return static_cast<std::uint32_t>(c.red) << 24 | static_cast<std::uint32_t>(c.green) << 16 |
         static_cast<std::uint32_t>(c.blue) << 8 | static_cast<std::uint32_t>(c.opacity);
}

void put32(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

const Bytef* bytes_of(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }

void put_chunk(std::string& out, std::string_view type, std::string_view data) {
  put32(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t start = out.size();
  out += type;
  out += data;
  const std::string_view covered = std::string_view(out).substr(start);
  put32(out, static_cast<std::uint32_t>(crc32_z(0, bytes_of(covered), covered.size())));
}

std::string deflated(const std::string& data) {
  uLongf size = compressBound(static_cast<uLong>(data.size()));
  std::string out(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, bytes_of(data),
                static_cast<uLong>(data.size()), Z_BEST_COMPRESSION) != Z_OK)
    throw std::bad_alloc();
  out.resize(size);
  return out;
}

/// Returns the palette: a number for each colour, in the order of first appearance; empty if there
/// are more than 256 colours.
std::map<std::uint32_t, int> palette_of(const Image& image) {
  std::map<std::uint32_t, int> palette;
  for (const Colour c : image.pixel) {
    palette.emplace(key(c), static_cast<int>(palette.size()));
    if (palette.size() > kMostColours) return {};
  }
  return palette;
}

std::string head_of(const Image& image, char type) {
  std::string head;
  put32(head, static_cast<std::uint32_t>(image.width));
  put32(head, static_cast<std::uint32_t>(image.height));
  head += kDepth;
  head += type;
  return head.append(3, '\0');  // deflate, the five filters (none is used), no interlacing
}

void put_palette(std::string& out, const std::map<std::uint32_t, int>& palette) {
  std::string colours(3 * palette.size(), '\0'), opacities(palette.size(), '\0');
  for (const auto& [colour, number] : palette) {
    const auto at = static_cast<std::size_t>(number);
    for (std::size_t k = 0; k < 3; ++k)
      colours[3 * at + k] = static_cast<char>(colour >> (24 - 8 * k) & 0xff);
    opacities[at] = static_cast<char>(colour & 0xff);
  }
  put_chunk(out, "PLTE", colours);
  if (opacities.find_first_not_of('\xff') != std::string::npos) put_chunk(out, "tRNS", opacities);
}

}  // namespace

std::string to_png(const Image& image) {
  const std::map<std::uint32_t, int> palette = palette_of(image);
  std::string data;
  for (int y = 0; y < image.height; ++y) {
    data += '\0';  // this row's filter: none
    for (int x = 0; x < image.width; ++x) {
      if (palette.empty())
        put32(data, key(image.at(x, y)));
      else
        data += static_cast<char>(palette.at(key(image.at(x, y))));
    }
  }
  std::string out = "\x89PNG\r\n\x1a\n";
  put_chunk(out, "IHDR", head_of(image, palette.empty() ? kColourType : kPaletteType));
  if (!palette.empty()) put_palette(out, palette);
  put_chunk(out, "IDAT", deflated(data));
  put_chunk(out, "IEND", "");
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t length = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < length ? static_cast<unsigned char>(bytes[at + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += k <= length ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string png_uri(std::string_view png) { return "data:image/png;base64," + base64(png); }

}  // namespace kauri::picture

// Reads arbitrary bytes as gzip, and packs them into gzip members: cut into members, some of them
// empty, they must be unpacked to the same bytes, within any bound.
// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/io/packed/gunzip.hpp"
#include "tests/fuzz/outcome.hpp"

namespace {

using kauri::fuzz::require;

/// Packs one member at the fastest compression level.
std::string member(std::string_view text) {
  z_stream stream{};
  require(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib only reads it
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  require(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// Packs the text into members, whose lengths come from the text's own bytes.
std::string in_members(std::string_view text) {
  std::string packed = text.empty() ? member("") : "";
  while (!text.empty()) {
    const std::size_t length =
        std::min<std::size_t>(static_cast<unsigned char>(text[0]) * 16, text.size());
    packed += member(text.substr(0, length));
    if (length > 0) text.remove_prefix(length);
    if (length == 0) packed += member(text.substr(0, 1)), text.remove_prefix(1);
  }
  return packed;
}

/// Checks that gunzip() returns all of the text, or throws an Error of kind memory if and only if
/// the text exceeds the bound.
void check_bound(const std::string& packed, std::size_t size, std::size_t most) {
  bool whole = false;
  try {
    whole = kauri::io::gunzip(packed, "f", most).size() == size;
  } catch (const kauri::Error& e) {
    require(e.kind() == kauri::ErrorKind::memory && size > most);
    return;
  }
  require(whole && size <= most);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kauri;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  std::string out;
  bool sound = false;
  fuzz::result_or_error([&] {
    out = io::gunzip(bytes, "f", std::size_t{1} << 28);
    sound = true;
  });
  const io::Bytes head = io::gunzip_head(bytes, 100);
  require(head.size() <= 100 && (!sound || out.starts_with(head.view())));
  const std::string packed = in_members(bytes);
  require(io::gunzip(packed, "f") == bytes);
  require(io::gunzip(packed + std::string(512, '\0'), "f") == bytes);
  require(io::gunzip_head(packed, 1000) == bytes.substr(0, 1000));
  for (const std::size_t most : {std::size_t{0}, size / 2, size, size + 1})
    check_bound(packed, size, most);
  return 0;
}

// Grows output around zlib's inflate.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/packed/gunzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>
#include <vector>

#include "src/io/file/file.hpp"

namespace kauri::io {
namespace {

constexpr int kGzip = 15 + 16, kRaw = -15;  // windowBits of zlib

class Inflater {
 public:
  Inflater(std::string_view input, std::string_view name, int window) : input_(input), name_(name) {
    if (inflateInit2(&stream_, window) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Appends the content of one gzip member (or raw stream) to `out`, up to `limit` bytes in all;
  /// returns false if there is more. Inflates into a chunk first: so an empty member costs only its
  /// own bytes, however long `out` is, and pages of `out` are taken only for known bytes.
  bool member(Bytes& out, std::size_t limit, const Watch& watch = {}) {
    for (;;) {
      const std::size_t room = std::min(limit - out.size(), chunk_.size());
      feed();
      stream_.next_out = reinterpret_cast<Bytef*>(chunk_.data());
      stream_.avail_out = static_cast<uInt>(room);
      const int code = inflate(&stream_, Z_NO_FLUSH);
      out.append({chunk_.data(), room - stream_.avail_out}, limit);
      if (watch) watch(out);
      if (code == Z_STREAM_END) return true;
      if (code == Z_MEM_ERROR) throw std::bad_alloc();
      if (code == Z_BUF_ERROR && out.size() == limit) return false;
      if (code == Z_BUF_ERROR)
        fail(name_, "the compressed data are cut short after " + std::to_string(input_.size()) +
                        " bytes; write or copy the file again");
      if (code != Z_OK)
        fail(name_, "the compressed data are damaged near byte " + std::to_string(position()) +
                        (stream_.msg != nullptr ? std::string(" (") + stream_.msg + ")" : "") +
                        "; write or copy the file again");
    }
  }

  [[nodiscard]] std::string_view rest() const { return input_.substr(position()); }
  void next_member() { inflateReset(&stream_); }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 16;

  [[nodiscard]] std::size_t position() const { return fed_ - stream_.avail_in; }

  void feed() {
    if (stream_.avail_in != 0) return;
    const std::size_t piece = std::min<std::size_t>(input_.size() - fed_, std::size_t{1} << 30);
    stream_.next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(input_.data() + fed_));  // zlib only reads it
    stream_.avail_in = static_cast<uInt>(piece);
    fed_ += piece;
  }

  std::string_view input_, name_;
  std::size_t fed_ = 0;
  z_stream stream_{};
  std::vector<char> chunk_ = std::vector<char>(kChunk);
};

}  // namespace

Bytes gunzip(std::string_view bytes, std::string_view name, std::size_t most, const Watch& watch) {
  Inflater inflater(bytes, name, kGzip);
  Bytes out;
  for (;;) {
    if (!inflater.member(out, most, watch))
      throw Error(ErrorKind::memory, shown(name) + ": holds more than the " + std::to_string(most) +
                                         " bytes that max_bytes leaves for what is unpacked");
    const std::string_view rest = inflater.rest();
    if (rest.find_first_not_of('\0') == std::string_view::npos)
      return out;  // some tapes and tools pad with zeros
    if (!is_gzip(rest))
      fail(name, std::to_string(rest.size()) + " bytes follow the end of the gzip data at byte " +
                     std::to_string(bytes.size() - rest.size()) + ", expected none");
    inflater.next_member();
  }
}

Bytes gunzip_head(std::string_view bytes, std::size_t most) {
  Bytes out;
  try {
    Inflater inflater(bytes, "", kGzip);
    while (inflater.member(out, most) && is_gzip(inflater.rest())) inflater.next_member();
  } catch (const Error&) {
    // `bytes`, the beginning of a file, may end anywhere. If they are damaged, gunzip() reports it.
  }
  return out;
}

Bytes inflate_raw(std::string_view bytes, std::size_t size, std::string_view name) {
  Inflater inflater(bytes, name, kRaw);
  Bytes out;
  if (!inflater.member(out, size))
    fail(name,
         "the compressed data give more than the " + std::to_string(size) + " bytes promised");
  if (out.size() != size)
    fail(name, "the compressed data give " + std::to_string(out.size()) + " bytes, " +
                   std::to_string(size) + " were promised");
  if (!inflater.rest().empty())
    fail(name, std::to_string(inflater.rest().size()) +
                   " bytes follow the end of the compressed data, expected none");
  return out;
}

}  // namespace kauri::io

// Collects output in pieces around zlib's deflate.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/packed/deflate.hpp"

#include <algorithm>
#include <new>

namespace kauri::io {
namespace {

constexpr int kGzipBits = 15 + 16, kRawBits = -15;  // windowBits of zlib
constexpr int kDeflateMemory = 8;                   // memLevel of zlib, its default
constexpr std::size_t kDeflateRoom = std::size_t{1} << 16, kDeflatePiece = std::size_t{1} << 30;

}  // namespace

Deflater::Deflater(Format format, std::function<void(std::string_view)> sink)
    : sink_(std::move(sink)), room_(kDeflateRoom, '\0') {
  if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                   format == Format::gzip ? kGzipBits : kRawBits, kDeflateMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

Deflater::~Deflater() { deflateEnd(&stream_); }

void Deflater::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t piece = std::min(bytes.size(), kDeflatePiece);
    stream_.next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib only reads it
    stream_.avail_in = static_cast<uInt>(piece);
    run(Z_NO_FLUSH);
    bytes.remove_prefix(piece);
  }
}

void Deflater::finish() { run(Z_FINISH); }

void Deflater::run(int flush) {
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(room_.data());
    stream_.avail_out = static_cast<uInt>(room_.size());
    deflate(&stream_, flush);  // cannot fail: the stream is valid and has room for output
    sink_(std::string_view(room_).substr(0, room_.size() - stream_.avail_out));
  } while (stream_.avail_out == 0);
}

}  // namespace kauri::io

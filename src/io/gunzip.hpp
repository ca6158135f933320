// Inflation: gzip files (RFC 1952) and raw deflate streams (RFC 1951), by zlib.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace kauri::io {

inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

/// All members of a gzip file. Memory grows as data arrive, never by a size the file claims. Throws Error(input) if the file is cut short
/// or damaged, or if bytes follow the last member.
std::string gunzip(std::string_view bytes, std::string_view name);

/// A raw deflate stream that must give exactly `size` bytes and use all of the input; `name` is used in errors.
std::string inflate_raw(std::string_view bytes, std::size_t size, std::string_view name);

}  // namespace kauri::io

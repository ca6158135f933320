// Inflation: gzip files (RFC 1952) and raw deflate streams (RFC 1951), by zlib.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <limits>
#include <string_view>

#include "src/io/file/bytes.hpp"

namespace kauri::io {

inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

/// Looks at all that is unpacked so far, each time that some more is, and throws where it is of no use.
using Watch = std::function<void(std::string_view so_far)>;

/// All members of a gzip file, in time that is linear in what they hold and in their bytes, however many they are. Memory grows as data
/// arrive, never by a size the file claims, and to no more than `most` bytes. Throws Error(input) if the file is cut short or damaged, or
/// if bytes follow the last member; Error(memory) if they hold more than `most` bytes; and what `watch` throws.
Bytes gunzip(std::string_view bytes, std::string_view name, std::size_t most = std::numeric_limits<std::size_t>::max(),
             const Watch& watch = {});

/// The first `most` bytes that a gzip file holds, or fewer: as many as its own first bytes give.
Bytes gunzip_head(std::string_view bytes, std::size_t most);

/// A raw deflate stream that must give exactly `size` bytes and use all of the input; `name` is used in errors.
Bytes inflate_raw(std::string_view bytes, std::size_t size, std::string_view name);

}  // namespace kauri::io

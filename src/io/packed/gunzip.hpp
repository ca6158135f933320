// Inflates gzip files (RFC 1952) and raw deflate streams (RFC 1951) by zlib.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <limits>
#include <string_view>

#include "src/io/file/bytes.hpp"

namespace kauri::io {

inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

/// Callback that gets all bytes unpacked so far, each time that there are more; it throws to end
/// the unpacking.
using Watch = std::function<void(std::string_view so_far)>;

/// Unpacks all members of a gzip file, in time linear in their content and their bytes, however
/// many there are. Memory grows as data arrive, never by a size the file claims, and to no more
/// than `most` bytes. Throws Error(input) if the file is cut short or damaged, or if bytes follow
/// the last member; Error(memory) if the content exceeds `most` bytes; and what `watch` throws.
Bytes gunzip(std::string_view bytes, std::string_view name,
             std::size_t most = std::numeric_limits<std::size_t>::max(), const Watch& watch = {});

/// Returns the first `most` bytes of the content of a gzip file, or fewer if `bytes`, the start of
/// the file, yield fewer.
Bytes gunzip_head(std::string_view bytes, std::size_t most);

/// Inflates a raw deflate stream that must yield exactly `size` bytes and use all of the input;
/// throws Error(input) that begins with `name` if it does not.
Bytes inflate_raw(std::string_view bytes, std::size_t size, std::string_view name);

}  // namespace kauri::io

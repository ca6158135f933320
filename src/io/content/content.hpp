// What a file holds once it is unpacked, told by its first bytes before the rest is read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "src/io/file/bytes.hpp"
#include "src/io/file/file.hpp"
#include "src/io/packed/gunzip.hpp"

namespace kauri::io {

/// What a file holds: bytes that were read or unpacked, or those that somebody else has.
struct Content {
  explicit Content(Bytes own) : held(std::move(own)), bytes(held.view()) {}
  explicit Content(std::string_view borrowed) : bytes(borrowed) {}
  Bytes held;
  std::string_view bytes;  ///< stays where it is when `held` moves
};

/// Makes a watch for what a file of so many bytes holds.
using MakeWatch = std::function<Watch(std::size_t packed)>;

/// The content of a file, or of its bytes, which are borrowed: gzip is unpacked, under the eyes of a watch. `look` gets the first 64 KB of
/// the content where there may be more, before more is read or unpacked. Throws Error(input) where there is nothing, and as read_file() and
/// gunzip().
Content content_of_file(const std::string& path, Allowance& allowance, const Look& look, const MakeWatch& watch = {});
Content content_of(std::string_view bytes, const std::string& name, Allowance& allowance, const Look& look, const MakeWatch& watch = {});

/// A text without what Windows puts around it: a byte order mark of UTF-8 in front; a Ctrl-Z at the end, and blanks and line ends beside
/// it. Throws Error(input) for text in UTF-16.
std::string_view plain_text(std::string_view bytes, std::string_view name);

}  // namespace kauri::io

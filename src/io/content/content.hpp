// Content of a file after unpacking; a callback checks its first bytes before the rest is read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "src/io/file/bytes.hpp"
#include "src/io/file/file.hpp"
#include "src/io/packed/gunzip.hpp"

namespace kauri::io {

/// Content of a file: bytes that were read or unpacked, or bytes borrowed from the caller.
struct Content {
  explicit Content(Bytes own) : held(std::move(own)), bytes(held.view()) {}
  explicit Content(std::string_view borrowed) : bytes(borrowed) {}
  Bytes held;
  std::string_view bytes;  ///< the content, in `held` or borrowed; valid also after `held` moved
};

/// Maker of the callback that gunzip() calls while it unpacks a file of `packed` bytes.
using MakeWatch = std::function<Watch(std::size_t packed)>;

/// Return the content of a file, or of the bytes of a file, which are borrowed; gzip is unpacked.
/// `look` gets the first 64 KB of the content, if there may be more, before the rest is read or
/// unpacked; it throws if they are no file of the format. Throws Error(input) for empty content,
/// and what read_file(), gunzip() and `look` throw.
Content content_of_file(const std::string& path, Allowance& allowance, const Look& look,
                        const MakeWatch& watch = {});
Content content_of(std::string_view bytes, const std::string& name, Allowance& allowance,
                   const Look& look, const MakeWatch& watch = {});

/// Returns a text without the additions of Windows: a byte order mark of UTF-8 in front, and a
/// Ctrl-Z at the end with the blanks, line ends and further Ctrl-Zs behind it. Throws Error(input)
/// for text in UTF-16.
std::string_view plain_text(std::string_view bytes, std::string_view name);

}  // namespace kauri::io

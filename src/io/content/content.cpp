// Content of a file after unpacking; a callback checks its first bytes before the rest is read.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/content/content.hpp"

#include <utility>

#include "src/io/packed/gunzip.hpp"

namespace kauri::io {
namespace {

/// Least number of unpacked bytes that `look` gets, enough to recognise a format. If the start of a
/// gzip file unpacks to fewer, `look` is not called, and the reader of the whole content reports
/// errors.
constexpr std::size_t kLeast = 1024;

/// Calls look(), unless it is empty, with the first bytes of the content, unpacked if they are
/// gzip. Does not call it if these bytes are the whole content, or if gzip yields too few of them
/// (kLeast). head: the first bytes of the file; whole: they are all of it.
void look_at(std::string_view head, bool whole, const Look& look) {
  if (!look) return;
  if (!is_gzip(head)) {
    if (!whole) look(head);
    return;
  }
  const Bytes inside = gunzip_head(head, kHead);
  if (inside.size() == kHead || (!whole && inside.size() >= kLeast)) look(inside);
}

/// Returns the content of a file, given its bytes: unpacked if they are gzip, else these bytes.
/// Throws Error(input) for empty content, and what gunzip() throws.
Content unpacked(Content packed, const std::string& name, Allowance& allowance,
                 const MakeWatch& watch) {
  if (packed.bytes.empty()) fail(name, "is empty");
  if (!is_gzip(packed.bytes)) return packed;
  Bytes inside =
      gunzip(packed.bytes, name, allowance.left(), watch ? watch(packed.bytes.size()) : Watch());
  allowance.take(name, inside.size(), 1, "bytes unpacked");
  if (inside.empty()) fail(name, "is empty inside its gzip wrapping");
  return Content(std::move(inside));
}

}  // namespace

Content content_of_file(const std::string& path, Allowance& allowance, const Look& look,
                        const MakeWatch& watch) {
  // read_file() calls its callback only for a file of more than kHead bytes. A shorter one may
  // unpack to much more, so look_at() is called below.
  bool looked = false;
  Content packed(read_file(path, allowance, [&](std::string_view head) {
    look_at(head, false, look);
    looked = true;
  }));
  if (!looked) look_at(packed.bytes, true, look);
  return unpacked(std::move(packed), path, allowance, watch);
}

Content content_of(std::string_view bytes, const std::string& name, Allowance& allowance,
                   const Look& look, const MakeWatch& watch) {
  look_at(bytes.substr(0, kHead), bytes.size() <= kHead, look);
  return unpacked(Content(bytes), name, allowance, watch);
}

std::string_view plain_text(std::string_view bytes, std::string_view name) {
  constexpr std::string_view kMark = "\xef\xbb\xbf", kBlanks = " \t\r\n\x1a";
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff"))
    fail(name, "is text in UTF-16 (by its byte order mark), expected ASCII or UTF-8");
  if (bytes.starts_with(kMark)) bytes.remove_prefix(kMark.size());
  const std::size_t end = bytes.find_last_not_of(kBlanks) + 1;  // npos + 1 is 0
  const std::size_t stop = bytes.find('\x1a', end);
  return bytes.substr(0, stop);
}

}  // namespace kauri::io

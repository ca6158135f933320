// Walks through the headers of a tar archive.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/content/tar.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "src/io/boeing/rutherford_boeing.hpp"
#include "src/io/content/content.hpp"
#include "src/io/file/file.hpp"
#include "src/io/market/matrix_market.hpp"
#include "src/io/numpy/npy.hpp"
#include "src/io/packed/zip.hpp"
#include "src/io/text/text.hpp"

namespace kauri::io {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kNameAt = 0, kNameSize = 100, kSizeAt = 124, kSizeSize = 12, kSumAt = 148,
                      kSumSize = 8, kTypeAt = 156;
constexpr std::size_t kMagicAt = 257, kPrefixAt = 345, kPrefixSize = 155;

constexpr std::size_t kLongestName = std::size_t{1} << 16;
/// Bytes of memory counted for each member besides its name, for its elements in the list of all
/// members and in the lists of find_tar_member(), which grow by doubling.
constexpr std::size_t kListed = 256;

/// Returns a field of a tar header up to its first zero byte.
std::string_view field(std::string_view header, std::size_t at, std::size_t size) {
  const std::string_view whole = header.substr(at, size);
  return whole.substr(0, whole.find('\0'));
}

/// Returns an octal number with blanks around it; -1 if it is not a number.
Offset octal(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  Offset value = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
  return code == std::errc() && end == text.data() + text.size() && value >= 0 ? value : -1;
}

class Walker {
 public:
  Walker(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::vector<TarMember> members(Allowance& allowance) {
    std::vector<TarMember> list;
    while (at_ < bytes_.size()) {
      const std::string_view header = take_header();
      if (header.find_first_not_of('\0') == std::string_view::npos)
        break;  // two zero blocks mark the end; what follows is padding
      const char type = header[kTypeAt];
      const std::string_view data = take_data(size_of(header));
      if (is_about_next(type)) {
        take_name(type, data);
      } else {
        if (is_file(type)) {
          std::string name = name_of(header);
          allowance.take(name_, name.size() + kListed, 1, "bytes for a member in the list of them");
          list.push_back({std::move(name), data});
        }
        if (type == 'S')
          fail(name_, "the member '" + printable(name_of(header)) +
                          "' is a sparse file of GNU tar, expected an ordinary one");
        forget_name(type);
      }
    }
    return list;
  }

  /// A member as its header describes it; its content may not be there yet.
  struct Head {
    std::string name;
    Offset size = 0;
    bool file = false;
    std::size_t begin = 0;  ///< offset of its content in the archive
  };
  /// Returns the next member of an archive whose first bytes are `so_far`, which must grow from
  /// call to call; nothing if its header is not complete yet, and at the end.
  std::optional<Head> next(std::string_view so_far) {
    bytes_ = so_far;
    while (!over_ && at_ < bytes_.size() && bytes_.size() - at_ >= kBlock) {
      const std::string_view header = take_header();
      over_ = header.find_first_not_of('\0') == std::string_view::npos;
      if (over_) break;
      const char type = header[kTypeAt];
      const Offset size = size_of(header);
      passed_ += kBlock;
      if (is_about_next(type)) {
        if (size > static_cast<Offset>(bytes_.size() - at_)) {
          awaited_ = static_cast<std::size_t>(size);
          at_ = header_at_, passed_ -= kBlock;
          break;
        }
        awaited_ = 0, passed_ += static_cast<std::size_t>(size);
        take_name(type, take_data(size));
        continue;
      }
      Head head{name_of(header), size, is_file(type), at_};
      forget_name(type);
      const std::size_t most = std::numeric_limits<std::size_t>::max() - 2 * kBlock - at_;
      at_ += std::min(most, static_cast<std::size_t>(size)) / kBlock * kBlock +
             (size % Offset{kBlock} != 0 ? kBlock : 0);
      return head;
    }
    return {};
  }
  /// Returns the number of bytes so far that are headers, names or behind the end of the archive; a
  /// long name counts in full as soon as its header promises it.
  [[nodiscard]] std::size_t bytes_beside_members() const {
    return passed_ + awaited_ + (over_ ? bytes_.size() - header_at_ : 0);
  }

 private:
  /// Returns true for a header that describes the next one: GNU's long name, or pax records.
  static bool is_about_next(char type) { return type == 'L' || type == 'x'; }
  static bool is_file(char type) { return type == '0' || type == '\0' || type == '7'; }
  void take_name(char type, std::string_view data) {
    if (type == 'L')
      set_name(data.substr(0, data.find('\0')));
    else
      read_pax(data);
  }
  void set_name(std::string_view name) {
    if (name.size() > kLongestName)
      fail_here("a name of " + std::to_string(name.size()) + " bytes, expected " +
                std::to_string(kLongestName) + " at most");
    next_name_ = name;
  }
  void forget_name(char type) {
    if (type != 'g' && type != 'K') next_name_.clear(), next_size_ = -1;
  }

  [[noreturn]] void fail_here(const std::string& what) const {
    fail(name_, "tar header at byte " + std::to_string(header_at_) + ": " + what);
  }

  std::string_view take_header() {
    header_at_ = at_;
    if (bytes_.size() - at_ < kBlock) fail_here("the archive is cut short, expected 512 bytes");
    const std::string_view header = bytes_.substr(at_, kBlock);
    at_ += kBlock;
    if (header.find_first_not_of('\0') == std::string_view::npos) return header;
    Offset sum = 0;
    for (std::size_t k = 0; k < kBlock; ++k)
      sum += k >= kSumAt && k < kSumAt + kSumSize ? ' ' : static_cast<unsigned char>(header[k]);
    if (octal(field(header, kSumAt, kSumSize)) != sum)
      fail_here("its checksum is wrong; write or copy the archive again");
    return header;
  }

  Offset size_of(std::string_view header) const {
    if (next_size_ >= 0 && header[kTypeAt] != 'x' && header[kTypeAt] != 'L') return next_size_;
    if (static_cast<unsigned char>(header[kSizeAt]) ==
        0x80) {  // GNU: binary, most significant byte first
      Offset size = 0;
      for (const char c : header.substr(kSizeAt + 1, kSizeSize - 1)) {
        if (size > std::numeric_limits<Offset>::max() >> 8)
          fail_here("its size does not fit 63 bits, expected that of a file");
        size = size << 8 | static_cast<unsigned char>(c);
      }
      return size;
    }
    const Offset size = octal(field(header, kSizeAt, kSizeSize));
    if (size < 0)
      fail_here("its size '" + printable(field(header, kSizeAt, kSizeSize)) +
                "' is not an octal number, expected the bytes of the member");
    return size;
  }

  std::string_view take_data(Offset size) {
    const auto left = static_cast<Offset>(bytes_.size() - at_);
    if (size > left)
      fail_here("a member of " + std::to_string(size) +
                " bytes is promised, but the archive ends after " + std::to_string(left));
    const std::string_view data = bytes_.substr(at_, static_cast<std::size_t>(size));
    const std::size_t padded = (data.size() + kBlock - 1) / kBlock * kBlock;
    at_ = std::min(bytes_.size(), at_ + padded);
    return data;
  }

  std::string name_of(std::string_view header) const {
    if (!next_name_.empty()) return next_name_;
    const std::string name(field(header, kNameAt, kNameSize));
    const std::string prefix(header.substr(kMagicAt, 6) == std::string_view("ustar\0", 6)
                                 ? field(header, kPrefixAt, kPrefixSize)
                                 : "");
    return prefix.empty() ? name : prefix + "/" + name;
  }

  /// Reads records "LENGTH KEY=VALUE\n" and takes path and size from them.
  void read_pax(std::string_view data) {
    while (!data.empty()) {
      std::size_t length = 0;
      const auto [end, code] = std::from_chars(data.data(), data.data() + data.size(), length);
      const auto digits = static_cast<std::size_t>(end - data.data());
      if (code != std::errc() || length <= digits + 1 || length > data.size() ||
          data[digits] != ' ' || data[length - 1] != '\n')
        fail_here("a pax record is broken, expected 'LENGTH KEY=VALUE'");
      const std::string_view record = data.substr(digits + 1, length - digits - 2);
      data.remove_prefix(length);
      if (record.starts_with("path=")) set_name(record.substr(5));
      if (!record.starts_with("size=")) continue;
      const std::string_view size = record.substr(5);
      const auto [last, good] = std::from_chars(size.data(), size.data() + size.size(), next_size_);
      if (good != std::errc() || last != size.data() + size.size() || next_size_ < 0)
        fail_here("the size '" + printable(size) +
                  "' of a pax record is not a number, expected 0 or more bytes");
    }
  }

  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 0, header_at_ = 0;
  bool over_ = false;  // the end was met; next() alone sets it and the next two
  std::size_t passed_ = 0, awaited_ = 0;
  std::string next_name_;  // name and size from a header that precedes the member's own
  Offset next_size_ = -1;
};

std::string_view last_part(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}  // npos + 1 is 0

std::string_view stem(std::string_view path) {
  const std::string_view last = last_part(path);
  return last.substr(0, last.find('.'));
}

std::string_view folder(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? std::string_view() : last_part(path.substr(0, slash));
}

bool is_text_matrix(std::string_view path) {
  return path.ends_with(".mtx") || has_boeing_ending(path);
}

std::string listing(const std::vector<const TarMember*>& members) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(kMost, members.size()); ++k)
    text += (k > 0 ? ", '" : "'") + printable(members[k]->name) + "'";
  return text + (members.size() > kMost ? ", ..." : "");
}

template <class Fits>
std::vector<const TarMember*> those(const std::vector<TarMember>& members, Fits&& fits) {
  std::vector<const TarMember*> list;
  for (const TarMember& member : members)
    if (fits(member.name)) list.push_back(&member);
  return list;
}

/// Returns true if a member begins with a sound Matrix Market or Rutherford-Boeing header. If it
/// was asked for by name, it may also be a zip archive or a .npy array.
bool begins_well(std::string_view head, const std::string& name, bool asked_for) {
  try {
    const std::string_view text = plain_text(head, name);
    if (is_matrix_market(text)) {
      TextCursor cursor(text, name);
      return read_market_header(cursor), true;
    }
    if (is_rutherford_boeing(text) || has_boeing_ending(name))
      return check_boeing_header(text, name), true;
    return asked_for && (is_zip(head) || is_npy(head));
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

class TarWatch::Members {
 public:
  Members(std::string name, std::string member, std::size_t most)
      : name_(std::move(name)), member_(std::move(member)), most_(most), walker_({}, name_) {}

  void look(std::string_view so_far) {
    while (!unknown_ || tell(so_far)) {
      auto head = walker_.next(so_far);
      if (!head) break;
      const bool asked_for =
          !member_.empty() && (head->name == member_ || last_part(head->name) == member_);
      if (head->file && (asked_for || is_text_matrix(head->name)))
        unknown_ = std::move(head);
      else
        add(*head);
    }
    require(walker_.bytes_beside_members(), "");
  }

 private:
  /// Counts the member unknown_ as of no use unless its first 64 KB begin a matrix file. Returns
  /// false if so_far does not hold these bytes yet.
  bool tell(std::string_view so_far) {
    const std::size_t needed = std::min(kHead, static_cast<std::size_t>(unknown_->size));
    if (so_far.size() < unknown_->begin || so_far.size() - unknown_->begin < needed) return false;
    if (!begins_well(so_far.substr(unknown_->begin, needed), unknown_->name, !member_.empty()))
      add(*unknown_);
    unknown_.reset();
    return true;
  }
  void add(const Walker::Head& head) {
    beside_ += std::min(static_cast<std::size_t>(head.size),
                        std::numeric_limits<std::size_t>::max() / 4 - beside_);
    require(0, ", with the member '" + printable(head.name) + "'");
  }
  void require(std::size_t more, const std::string& what) const {
    if (beside_ + more <= most_) return;
    fail(name_, "holds " + std::to_string(beside_ + more) + " bytes or more beside matrices" +
                    what + ", expected " + std::to_string(most_) +
                    " at most: 64 MB, or 16 times the bytes of the file");
  }

  std::string name_, member_;
  std::size_t most_, beside_ = 0;
  Walker walker_;
  std::optional<Walker::Head> unknown_;
};

TarWatch::TarWatch(std::string name, std::string member, std::size_t most)
    : members_(std::make_unique<Members>(std::move(name), std::move(member), most)) {}
TarWatch::~TarWatch() = default;
void TarWatch::operator()(std::string_view so_far) { members_->look(so_far); }

bool is_tar(std::string_view bytes) {
  return bytes.size() >= kBlock && bytes.substr(kMagicAt, 5) == "ustar";
}

std::vector<TarMember> tar_members(std::string_view bytes, const std::string& name,
                                   Allowance& allowance) {
  return Walker(bytes, name).members(allowance);
}

TarMember find_tar_member(const std::vector<TarMember>& members, const std::string& name,
                          const std::string& member, TarWanted wanted) {
  const auto all = those(members, [](const std::string&) { return true; });
  if (!member.empty()) {
    for (const TarMember& m : members)
      if (m.name == member) return m;
    const auto called =
        those(members, [&](const std::string& path) { return last_part(path) == member; });
    if (called.size() == 1) return *called[0];
    fail(name, "holds " + std::string(called.empty() ? "no" : "more than one") + " member '" +
                   printable(member) + "'; there are " + (all.empty() ? "no files" : listing(all)));
  }
  const auto texts = those(members, is_text_matrix);
  if (texts.empty())
    fail(name, "the archive holds no matrix, expected a .mtx, .rb, .rsa or .psa file; there are " +
                   (all.empty() ? "no files" : listing(all)));
  if (texts.size() == 1) return *texts[0];
  const auto fit = those(members, [&](const std::string& path) {
    if (!is_text_matrix(path)) return false;
    if (wanted == TarWanted::dense) return stem(path).ends_with("_b");
    return stem(path) == folder(path) || stem(path) == stem(name);
  });
  if (fit.size() == 1) return *fit[0];
  fail(name, "holds several matrices, expected the name of one as FILE:MEMBER: " + listing(texts));
}

}  // namespace kauri::io

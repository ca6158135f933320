// Reads headers and sections from a file or from memory. Nothing is trusted before its checksum is
// verified.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/save/reader.hpp"

#include <cstdio>
#include <cstring>
#include <limits>

#include "kauri/core/plan.hpp"
#include "kauri/extras/save.hpp"
#include "src/io/text/text.hpp"
#include "src/save/checksum.hpp"

namespace kauri::save {
namespace {

std::string in_hex(std::uint32_t x) {
  std::array<char, 9> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x", x);
  return digits.data();
}

}  // namespace

std::size_t Source::read(std::byte* to, std::size_t count) {
  if (file_) return file_->read(reinterpret_cast<char*>(to), count);
  const std::size_t some = std::min(count, bytes_.size());
  std::copy_n(bytes_.begin(), some, to);
  bytes_ = bytes_.subspan(some);
  return some;
}

void Reader::fail(const std::string& what) const {
  io::fail(source_.name(), section_ + " at byte " + std::to_string(section_at_) + ": " + what);
}

void Reader::fetch(std::size_t count) {
  const std::size_t rest = end_ - next_,
                    most = static_cast<std::size_t>(std::min<Offset>(kBuffer, left_));
  std::memmove(buffer_.data(), buffer_.data() + next_, rest);
  const std::size_t got = source_.read(buffer_.data() + rest, most - rest);
  next_ = 0, end_ = rest + got;
  if (end_ < count)
    fail("the file is cut: it ends at byte " + std::to_string(at_ + end_) + ", expected " +
         std::to_string(at_ + count) + " or more");
  checksum_ = checksum(checksum_, {buffer_.data() + rest, got});
}

void Reader::check_sum() {
  const std::uint32_t mine = checksum_;
  left_ = kChecksum;
  const auto stored = number<std::uint32_t>();
  if (stored != mine)
    fail("damaged: its checksum is " + in_hex(mine) + ", expected " + in_hex(stored));
}

/// Reads the header. Magic and format number are at these offsets in all formats; the other fields
/// are those of the current format.
Header Reader::header() {
  std::array<std::byte, kMagic.size()> magic{};
  const std::size_t got = source_.read(magic.data(), magic.size());
  if (std::memcmp(magic.data(), kMagic.data(), got) != 0 || got == 0)
    io::fail(source_.name(),
             "not a plan or factor that kauri saved: it does not begin with \\x89kauri");
  at_ = got;
  checksum_ = checksum(0, {magic.data(), got});
  left_ = static_cast<Offset>(kHeaderBytes - kChecksum - got);
  if (got < magic.size()) fetch(magic.size() - got);  // throws, since the file ends here
  Header header;
  header.format = number<std::uint32_t>();
  if (header.format > static_cast<std::uint32_t>(kSaveFormat))
    io::fail(source_.name(), "written by a newer kauri (format " + std::to_string(header.format) +
                                 "; this one reads up to " + std::to_string(kSaveFormat) + ")");
  for (char& c : header.kind) c = static_cast<char>(number<std::uint8_t>());
  header.scalar_bytes = number<std::uint32_t>();
  header.n = number<std::uint32_t>();
  header.nnz = number<std::uint64_t>();
  header.supernodes = number<std::uint32_t>();
  header.last = number<std::uint32_t>();
  header.bytes = number<std::uint64_t>();
  header.reserved = number<std::uint64_t>();
  header.sections = number<std::uint32_t>();
  check_sum();
  check_header(header);
  size_ = static_cast<std::size_t>(header.bytes);
  return header;
}

void Reader::check_header(const Header& header) const {
  if (header.format == 0) fail("format 0, expected 1 to " + std::to_string(kSaveFormat));
  if (header.kind_name() != kPlanKind && header.kind_name() != kFactorKind)
    fail("it holds a \"" + io::printable(std::string(header.kind_name())) +
         "\", expected a plan or a factor");
  if (header.reserved != 0)
    fail("bytes 48 to 55 are not 0: a kauri from before 0.1.0 wrote it; save it anew");
  const bool scalar = header.is_factor() ? header.scalar_bytes == 4 || header.scalar_bytes == 8
                                         : header.scalar_bytes == 0;
  if (!scalar)
    fail("a scalar of " + std::to_string(header.scalar_bytes) +
         " bytes, expected 4 or 8 for a factor and 0 for a plan");
  constexpr std::uint32_t kMostRows = std::numeric_limits<Index>::max();
  if (header.n > kMostRows)
    fail(std::to_string(header.n) + " rows, expected at most " + std::to_string(kMostRows));
  if (header.nnz < header.n || header.nnz > static_cast<std::uint64_t>(kMostEntries))
    fail(std::to_string(header.nnz) + " entries, expected " + std::to_string(header.n) + " to " +
         std::to_string(kMostEntries));
  if (header.supernodes > header.n || header.last > header.n ||
      (header.n > 0 && header.supernodes == 0))
    fail(std::to_string(header.supernodes) + " supernodes and " + std::to_string(header.last) +
         " columns that come last, of " + std::to_string(header.n));
  if (header.sections != (header.is_factor() ? kFactorSections : kPlanSections))
    fail(std::to_string(header.sections) + " sections, expected " +
         std::to_string(header.is_factor() ? kFactorSections : kPlanSections));
  const std::size_t size = source_.size().value_or(header.bytes);
  if (size < header.bytes)
    io::fail(source_.name(), "the file is cut: " + std::to_string(size) +
                                 " bytes are there, expected " + std::to_string(header.bytes));
  if (size > header.bytes)
    io::fail(source_.name(), "the file goes on behind its end: " + std::to_string(size) +
                                 " bytes are there, expected " + std::to_string(header.bytes));
}

Offset Reader::begin(std::string_view name, std::optional<Offset> bytes) {
  section_ = "section \"" + std::string(name) + "\"";
  section_at_ = at_;
  checksum_ = 0;
  left_ = static_cast<Offset>(kSectionHead);
  std::string there;
  for (std::size_t k = 0; k < name.size(); ++k) there += static_cast<char>(number<std::uint8_t>());
  if (there != name) fail("a section \"" + io::printable(there) + "\" is in its place");
  const auto length = number<std::uint64_t>();
  const std::size_t most = size_ - at_;
  if (length > most || most - length < kChecksum)
    fail(std::to_string(length) + " bytes are said to follow, " + std::to_string(most) +
         " are there");
  if (bytes && length != static_cast<std::uint64_t>(*bytes))
    fail(std::to_string(length) + " bytes, expected " + std::to_string(*bytes));
  return left_ = static_cast<Offset>(length);
}

std::string Reader::text() {
  std::string text(number<std::uint8_t>(), '\0');
  for (char& c : text) c = static_cast<char>(number<std::uint8_t>());
  return text;
}

void Reader::end() {
  if (left_ != 0) fail(std::to_string(left_) + " bytes more than expected");
  check_sum();
}

void Reader::finish() {
  if (at_ != size_)
    io::fail(source_.name(),
             std::to_string(size_ - at_) + " bytes behind the last section, expected none");
  std::byte more{};
  if (!source_.size() && source_.read(&more, 1) > 0)
    io::fail(source_.name(), "the file goes on behind its end");
}

}  // namespace kauri::save

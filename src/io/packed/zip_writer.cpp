// Writes zip archives with deflated members.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/packed/zip_writer.hpp"

#include <zlib.h>

#include <algorithm>

#include "src/io/packed/deflate.hpp"
#include "src/io/packed/zip_format.hpp"

namespace kauri::io {
namespace {

using namespace zip_format;

constexpr std::uint16_t kVersion = 20, kVersion64 = 45;
constexpr std::uint16_t kDate = 0x21;  // 1 January 1980, so that equal matrices give equal bytes

/// Little-endian numbers, collected one after another as bytes.
class Record {
 public:
  template <class T>
  Record& put(T value) {
    for (std::size_t k = 0; k < sizeof(T); ++k)
      bytes_ += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * k) & 0xff);
    return *this;
  }
  Record& put(const std::string& bytes) {
    bytes_ += bytes;
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::uint32_t capped(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, kAll32));
}

/// Returns the zip64 field, which holds the sizes and the header offset that do not fit 32 bits;
/// empty if all fit. The field of a local header has both sizes or none, and no offset.
std::string zip64_field(const ZipMember& member, bool local) {
  Record numbers;
  const bool both = local && (member.size >= kAll32 || member.compressed >= kAll32);
  if (both || member.size >= kAll32) numbers.put(member.size);
  if (both || member.compressed >= kAll32) numbers.put(member.compressed);
  if (!local && member.header >= kAll32) numbers.put(member.header);
  if (numbers.bytes().empty()) return {};
  return Record()
      .put(kZip64Field)
      .put(static_cast<std::uint16_t>(numbers.bytes().size()))
      .put(numbers.bytes())
      .bytes();
}

/// Returns the part that the local header and the directory share: from the version needed to the
/// lengths of name and field.
Record common(const ZipMember& member, const std::string& name, const std::string& field,
              bool local) {
  const bool both = local && !field.empty();
  Record record;
  record.put(field.empty() ? kVersion : kVersion64)
      .put(std::uint16_t{0})
      .put(kDeflated)
      .put(std::uint16_t{0})
      .put(kDate)
      .put(member.crc);
  record.put(both ? kAll32 : capped(member.compressed));
  record.put(both ? kAll32 : capped(member.size));
  record.put(static_cast<std::uint16_t>(name.size())).put(static_cast<std::uint16_t>(field.size()));
  return record;
}

}  // namespace

void ZipWriter::write(std::string_view bytes) {
  file_.write(bytes);
  written_ += bytes.size();
}

void ZipWriter::add(const std::string& name, std::initializer_list<std::string_view> parts) {
  ZipMember member;
  member.header = written_;
  std::string packed;
  Deflater deflater(Deflater::Format::raw, [&](std::string_view bytes) { packed += bytes; });
  for (const std::string_view part : parts) {
    if (part.empty())
      continue;  // its data may be null, for which zlib returns the initial checksum, not the
                 // running one
    member.crc = static_cast<std::uint32_t>(
        crc32_z(member.crc, reinterpret_cast<const Bytef*>(part.data()), part.size()));
    member.size += part.size();
    deflater.write(part);
  }
  deflater.finish();
  member.compressed = packed.size();
  const std::string local = zip64_field(member, true), central = zip64_field(member, false);
  write(Record()
            .put(kLocal)
            .put(common(member, name, local, true).bytes())
            .put(name)
            .put(local)
            .bytes());
  write(packed);
  Record entry;
  entry.put(kCentral).put(kVersion64).put(common(member, name, central, false).bytes());
  entry.put(std::uint16_t{0})
      .put(std::uint16_t{0})
      .put(std::uint16_t{0})
      .put(std::uint32_t{0});  // comment, disk, attributes
  directory_ += entry.put(capped(member.header)).put(name).put(central).bytes();
  ++count_;
}

void ZipWriter::close() {
  const std::uint64_t place = written_, size = directory_.size();
  write(directory_);
  if (place >= kAll32) {
    const std::uint64_t end = written_;
    Record record;
    record.put(kEnd64)
        .put(std::uint64_t{44})
        .put(kVersion64)
        .put(kVersion64)
        .put(std::uint32_t{0})
        .put(std::uint32_t{0});
    record.put(count_).put(count_).put(size).put(place);
    write(record.put(kLocator64).put(std::uint32_t{0}).put(end).put(std::uint32_t{1}).bytes());
  }
  const auto count = static_cast<std::uint16_t>(count_);
  Record record;
  record.put(kEnd).put(std::uint16_t{0}).put(std::uint16_t{0}).put(count).put(count);
  write(record.put(capped(size)).put(capped(place)).put(std::uint16_t{0}).bytes());
  file_.close();
}

}  // namespace kauri::io

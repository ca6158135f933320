// Reads zip archives from memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/packed/zip.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "src/io/file/file.hpp"
#include "src/io/packed/gunzip.hpp"
#include "src/io/packed/zip_format.hpp"
#include "src/io/text/text.hpp"

namespace kauri::io {
namespace {

using namespace zip_format;

constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kEnd64Size = 56,
                      kLocator64Size = 20;
/// Bytes of one node of the map of members, with the allocator's overhead.
constexpr std::size_t kNode = 128;
constexpr std::uint16_t kAll16 = 0xffff, kEncrypted = 1;

/// Reads a little-endian number. The caller has checked that bytes[place] to its end exist.
template <class T>
T at(std::string_view bytes, std::size_t place) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value |=
        static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes[place + i])) << (8 * i));
  return value;
}

bool fits(std::string_view bytes, std::uint64_t place, std::uint64_t length) {
  return place <= bytes.size() && length <= bytes.size() - place;
}

/// Replaces sizes and header offset of the member that are 0xffffffff by the 64-bit numbers in the
/// zip64 field of `extra`, which holds one for each of them, in this order.
void apply_zip64(std::string_view extra, ZipMember& member, std::string_view name) {
  for (std::size_t place = 0; fits(extra, place, 4);) {
    const auto id = at<std::uint16_t>(extra, place), length = at<std::uint16_t>(extra, place + 2);
    if (!fits(extra, place + 4, length)) break;
    std::string_view field = extra.substr(place + 4, length);
    place += 4U + length;
    if (id != kZip64Field) continue;
    for (std::uint64_t* value : {&member.size, &member.compressed, &member.header}) {
      if (*value != kAll32) continue;
      if (field.size() < 8)
        fail(name, "zip directory: a zip64 field is too short, expected 8 bytes for each size");
      *value = at<std::uint64_t>(field, 0);
      field.remove_prefix(8);
    }
    return;
  }
}

}  // namespace

ZipArchive::ZipArchive(std::string_view bytes, std::string name, Allowance& allowance)
    : bytes_(bytes), name_(std::move(name)) {
  read_directory(allowance);
}

std::size_t ZipArchive::find_end() const {
  // The record is at the end, followed only by a comment of up to 65535 bytes.
  if (bytes_.size() >= kEndSize) {
    const std::size_t last = bytes_.size() - kEndSize,
                      first = last - std::min<std::size_t>(last, kAll16);
    for (std::size_t place = last + 1; place-- > first;)
      if (at<std::uint32_t>(bytes_, place) == kEnd) return place;
  }
  fail(name_, "the zip directory at the end of the file is missing (is the file cut short?)");
}

void ZipArchive::read_directory(Allowance& allowance) {
  const std::size_t end = find_end();
  std::uint64_t count = at<std::uint16_t>(bytes_, end + 10),
                size = at<std::uint32_t>(bytes_, end + 12),
                place = at<std::uint32_t>(bytes_, end + 16);
  const bool large = count == kAll16 || size == kAll32 || place == kAll32;
  if (large && end >= kLocator64Size &&
      at<std::uint32_t>(bytes_, end - kLocator64Size) == kLocator64) {
    const auto end64 = at<std::uint64_t>(bytes_, end - kLocator64Size + 8);
    if (!fits(bytes_, end64, kEnd64Size) || at<std::uint32_t>(bytes_, end64) != kEnd64)
      fail(name_,
           "zip directory: the zip64 record is not where it should be, expected it at byte " +
               std::to_string(end64));
    count = at<std::uint64_t>(bytes_, end64 + 32);
    size = at<std::uint64_t>(bytes_, end64 + 40);
    place = at<std::uint64_t>(bytes_, end64 + 48);
  }
  if (!fits(bytes_, place, size))
    fail(name_, "zip directory: it should lie at byte " + std::to_string(place) +
                    ", beyond the file; expected a file that is whole");
  const std::size_t most = (bytes_.size() - place) / kCentralSize;
  if (count > most)
    fail(name_, "zip directory: " + std::to_string(count) +
                    " entries are promised, but the file has room for " + std::to_string(most));
  allowance.take(name_, count, kNode, "entries of the zip directory");
  for (std::uint64_t k = 0; k < count; ++k) place = read_entry(place);
}

std::size_t ZipArchive::read_entry(std::size_t place) {
  if (!fits(bytes_, place, kCentralSize) || at<std::uint32_t>(bytes_, place) != kCentral)
    fail(name_, "zip directory: no entry at byte " + std::to_string(place) + ", one was promised");
  ZipMember member;
  member.flags = at<std::uint16_t>(bytes_, place + 8);
  member.method = at<std::uint16_t>(bytes_, place + 10);
  member.crc = at<std::uint32_t>(bytes_, place + 16);
  member.compressed = at<std::uint32_t>(bytes_, place + 20);
  member.size = at<std::uint32_t>(bytes_, place + 24);
  member.header = at<std::uint32_t>(bytes_, place + 42);
  const std::size_t name = at<std::uint16_t>(bytes_, place + 28),
                    extra = at<std::uint16_t>(bytes_, place + 30),
                    comment = at<std::uint16_t>(bytes_, place + 32);
  if (!fits(bytes_, place + kCentralSize, name + extra + comment))
    fail(name_, "zip directory: it runs beyond the file; expected a file that is whole");
  apply_zip64(bytes_.substr(place + kCentralSize + name, extra), member, name_);
  const std::string_view key = bytes_.substr(place + kCentralSize, name);
  if (!members_.emplace(key, member).second)
    fail(name_, "zip directory: '" + printable(key) + "' occurs twice, expected once");
  return place + kCentralSize + name + extra + comment;
}

Bytes ZipArchive::extract(const std::string& key) const {
  const ZipMember& member = members_.at(key);
  const std::string name = name_ + ": '" + key + "'";
  if (member.flags & kEncrypted) fail(name, "is encrypted, expected a file without a password");
  if (!fits(bytes_, member.header, kLocalSize) ||
      at<std::uint32_t>(bytes_, member.header) != kLocal)
    fail(name, "no local header at byte " + std::to_string(member.header) + ", expected one there");
  const std::uint64_t data = member.header + kLocalSize +
                             at<std::uint16_t>(bytes_, member.header + 26) +
                             at<std::uint16_t>(bytes_, member.header + 28);
  if (!fits(bytes_, data, member.compressed))
    fail(name, std::to_string(member.compressed) + " bytes at byte " + std::to_string(data) +
                   " lie beyond the file; expected a file that is whole");
  const std::string_view packed = bytes_.substr(data, member.compressed);
  Bytes out;
  if (member.method == kStored) {
    if (member.size != member.compressed)
      fail(name, "is stored, but its two sizes differ, expected equal ones");
    out.append(packed, packed.size());
  } else if (member.method == kDeflated) {
    out = inflate_raw(packed, member.size, name);
  } else {
    fail(name, "has compression method " + std::to_string(member.method) +
                   ", expected stored (0) or deflated (8)");
  }
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(out.view().data()), out.size());
  if (crc != member.crc)
    fail(name, "is damaged: its checksum is wrong; write or copy the file again");
  return out;
}

}  // namespace kauri::io

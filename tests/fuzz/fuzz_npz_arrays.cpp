// Makes a .npz file with a sound archive whose arrays are arbitrary bytes, so that inputs pass the
// checksums that stop fuzz_npz.
// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/io/numpy/npz.hpp"
#include "tests/fuzz/outcome.hpp"

namespace {

std::string number(std::uint64_t value, int width) {
  std::string text;
  for (; width > 0; --width, value >>= 8) text += static_cast<char>(value & 0xff);
  return text;
}

/// Reads the input's bytes, then zeros.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  std::uint8_t next() { return at_ == end_ ? std::uint8_t{0} : *at_++; }
  /// Returns a size, small except in one of 64 cases, when it is 2^31 - 1 or 2^62.
  std::int64_t size() {
    const int word = next();
    return word == 255                  ? std::int64_t{1} << 62
           : word == 254                ? 2147483647
           : word == 253 || word == 252 ? -1
                                        : word % 8;
  }

 private:
  const std::uint8_t *at_, *end_;
};

std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                bool fortran = false) {
  const std::string head = "{'descr': '" + type +
                           "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': (" +
                           shape + "), }\n";
  return std::string("\x93NUMPY\x01\0", 8) + number(head.size(), 2) + head + data;
}

/// Makes one of the arrays: its type, shape and elements come from the bytes. The elements fill the
/// shape, except in one of eight arrays.
std::string array(Bytes& bytes, bool reals) {
  const std::uint8_t kind = bytes.next();
  const int dimensions = reals ? kind % 4 : 1;
  std::string shape, data;
  std::int64_t count = 1;
  for (int d = 0; d < dimensions; ++d) {
    const std::int64_t length = bytes.next() % 8;
    shape += std::to_string(length) + ",";
    count *= length;
  }
  for (std::int64_t k = 0; k < count + (kind >= 224 ? 1 : 0); ++k) {
    if (reals) {
      const double value = static_cast<std::int8_t>(bytes.next());
      data.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      data += number(static_cast<std::uint64_t>(bytes.size()), 8);
    }
  }
  return npy(reals ? "<f8" : "<i8", shape, data, kind / 4 % 2 == 1);
}

/// An archive of stored members with correct sizes and checksums.
class Zip {
 public:
  void add(const std::string& name, const std::string& data) {
    const std::string file = name + ".npy", size = number(data.size(), 4);
    const std::string sums =
        number(crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()), 4) + size +
        size;
    const std::string common =
        number(20, 2) + number(0, 8) + sums + number(file.size(), 2) + number(0, 2);
    directory_ +=
        "PK\x01\x02" + number(20, 2) + common + number(0, 10) + number(members_.size(), 4) + file;
    members_ += "PK\x03\x04" + common + file + data;
    ++count_;
  }
  [[nodiscard]] std::string bytes() const {
    return members_ + directory_ + "PK\x05\x06" + number(0, 4) + number(count_, 2) +
           number(count_, 2) + number(directory_.size(), 4) + number(members_.size(), 4) +
           number(0, 2);
  }

 private:
  std::string members_, directory_;
  std::uint64_t count_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kauri;
  const std::vector<std::vector<const char*>> indices = {{"indices", "indptr"},
                                                         {"indices", "indptr"},
                                                         {"row", "col"},
                                                         {"indices", "indptr"},
                                                         {"offsets"}};
  constexpr const char* kFormats[] = {"csc", "csr", "coo", "bsr", "dia"};
  Bytes bytes(data, size);
  const int format = bytes.next() % 5;
  Zip zip;
  zip.add("format", npy("|S3", "", kFormats[format]));
  const std::string n = number(static_cast<std::uint64_t>(bytes.size()), 8);
  zip.add("shape", npy("<i8", "2,", n + n));
  zip.add("data", array(bytes, true));
  for (const char* name : indices[static_cast<std::size_t>(format)])
    zip.add(name, array(bytes, false));
  const std::string archive = zip.bytes();
  fuzz::result_or_error_within(
      archive.size(), [&](io::Allowance most) { return io::parse_npz(archive, "f", {}, most); });
  return 0;
}

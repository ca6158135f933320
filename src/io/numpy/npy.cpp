// Reads the elements of NumPy arrays.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/numpy/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "src/io/file/file.hpp"
#include "src/io/numpy/npy_header.hpp"
#include "src/io/text/text.hpp"

namespace kauri::io {
namespace {

template <class T>
T load(const char* from, bool swapped) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if (swapped) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

/// IEEE 754 binary16, as stored.
struct Half {
  std::uint16_t bits;

  explicit operator double() const {
    const int exponent = bits >> 10 & 31, digits = bits & 1023;
    double size = std::numeric_limits<double>::infinity();
    if (exponent == 31 && digits != 0) size = std::numeric_limits<double>::quiet_NaN();
    if (exponent < 31)
      size = exponent == 0 ? std::ldexp(digits, -24) : std::ldexp(1024 + digits, exponent - 25);
    return bits >> 15 != 0 ? -size : size;
  }
};

}  // namespace

NpyArray::NpyArray(std::string_view bytes, std::string name) : name_(std::move(name)) {
  NpyHeader header = read_npy_header(bytes, name_);
  data_ = bytes.substr(header.data);
  fortran_order_ = header.fortran_order;
  shape_ = std::move(header.shape);
  set_type(header.descr);
  check_size();
}

void NpyArray::set_type(const std::string& descr) {
  const auto unsupported = [&] {
    fail(name_,
         "type '" + printable(descr) +
             "', expected float64, float32, float16, integers of up to 64 bits, bool or text");
  };
  if (descr.size() < 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
    unsupported();
  kind_ = descr[1];
  const auto [end, code] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), width_);
  if (code != std::errc() || end != descr.data() + descr.size() || width_ < 0) unsupported();
  if (kind_ == 'c') fail(name_, "the values are complex, expected real ones");
  const bool integer =
      (kind_ == 'i' || kind_ == 'u') && (width_ == 1 || width_ == 2 || width_ == 4 || width_ == 8);
  const bool real = kind_ == 'f' && (width_ == 2 || width_ == 4 || width_ == 8),
             truth = kind_ == 'b' && width_ == 1;
  const bool text = (kind_ == 'S' || kind_ == 'U') && width_ <= 1000;
  if (!integer && !real && !truth && !text) unsupported();
  if (kind_ == 'U') width_ *= 4;
  constexpr bool kLittle = std::endian::native == std::endian::little;
  swapped_ = width_ > 1 && ((descr[0] == '>' && kLittle) || (descr[0] == '<' && !kLittle));
}

void NpyArray::check_size() {
  const auto bytes = static_cast<Offset>(data_.size());
  const bool empty = width_ == 0 || std::find(shape_.begin(), shape_.end(), 0) != shape_.end();
  for (const Offset length : shape_) {
    // Each factor is at least 1 here, so a product that exceeds the bytes at hand stays above them.
    if (!empty && length > bytes / size_)
      fail(name_, "shape and type ask for more than the " + std::to_string(bytes) +
                      " bytes that are there");
    size_ = empty ? 0 : size_ * length;
  }
  if (width_ == 0) return;
  if (size_ > bytes / width_)
    fail(name_,
         "shape and type ask for more than the " + std::to_string(bytes) + " bytes that are there");
  if (size_ * width_ != bytes)
    fail(name_, "shape and type ask for " + std::to_string(size_ * width_) + " bytes, there are " +
                    std::to_string(bytes));
}

template <class Use>
void NpyArray::visit(Use&& use) const {
  const auto each = [&]<class T>(T) {
    for (Offset k = 0; k < size_; ++k)
      use(k, load<T>(data_.data() + k * static_cast<Offset>(sizeof(T)), swapped_));
  };
  const char code = kind_ == 'b' ? 'u' : kind_;
  if (code == 'f') return width_ == 8 ? each(double{}) : width_ == 4 ? each(float{}) : each(Half{});
  if (code == 'i')
    return width_ == 8   ? each(std::int64_t{})
           : width_ == 4 ? each(std::int32_t{})
           : width_ == 2 ? each(std::int16_t{})
                         : each(std::int8_t{});
  if (code == 'u')
    return width_ == 8   ? each(std::uint64_t{})
           : width_ == 4 ? each(std::uint32_t{})
           : width_ == 2 ? each(std::uint16_t{})
                         : each(std::uint8_t{});
  fail(name_, "holds text, expected numbers");
}

std::vector<double> NpyArray::reals() const {
  std::vector<double> values(static_cast<std::size_t>(size_));
  visit([&](Offset k, auto x) {
    values[k] = static_cast<double>(x);
    if (!std::isfinite(values[k]))
      fail(name_, "entry " + std::to_string(k) + " is " + std::to_string(values[k]) +
                      ", expected finite numbers");
  });
  return values;
}

std::vector<double> NpyArray::reals_by_rows() const {
  std::vector<double> stored = reals();
  if (!fortran_order_ || shape_.size() < 2) return stored;
  std::vector<double> values(stored.size());
  std::vector<Offset> index(shape_.size(), 0);
  for (const double x : stored) {
    Offset place = 0;
    for (std::size_t d = 0; d < shape_.size(); ++d) place = place * shape_[d] + index[d];
    values[place] = x;
    for (std::size_t d = 0; d < shape_.size() && ++index[d] == shape_[d]; ++d)
      index[d] = 0;  // the first index runs fastest
  }
  return values;
}

template <class Int>
std::vector<Int> NpyArray::integers(Offset least, Offset most) const {
  if (kind_ == 'f') fail(name_, "holds floating-point numbers, expected integers");
  std::vector<Int> values(static_cast<std::size_t>(size_));
  visit([&](Offset k, auto x) {
    if constexpr (std::is_integral_v<decltype(x)>) {
      if (std::cmp_less(x, least) || std::cmp_greater(x, most))
        fail(name_, "entry " + std::to_string(k) + " is " + std::to_string(x) + ", expected " +
                        std::to_string(least) + " to " + std::to_string(most));
      values[k] = static_cast<Int>(x);
    }
  });
  return values;
}

template std::vector<Index> NpyArray::integers<Index>(Offset, Offset) const;
template std::vector<Offset> NpyArray::integers<Offset>(Offset, Offset) const;

std::string NpyArray::text() const {
  if ((kind_ != 'S' && kind_ != 'U') || !shape_.empty()) fail(name_, "expected a single text");
  std::string value;
  const std::size_t step = kind_ == 'U' ? 4 : 1;
  for (std::size_t k = 0; k < data_.size(); k += step) {
    const auto c = step == 1 ? static_cast<unsigned char>(data_[k])
                             : load<std::uint32_t>(data_.data() + k, swapped_);
    if (c != 0) value += c < 0x7f ? static_cast<char>(c) : '?';
  }
  return value;
}

}  // namespace kauri::io

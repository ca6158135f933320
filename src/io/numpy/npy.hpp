// NumPy arrays in memory: the .npy format, versions 1 to 3 (NEP 1; numpy.lib.format).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri::io {

inline bool is_npy(std::string_view bytes) { return bytes.starts_with("\x93NUMPY"); }

/// An array whose bytes are borrowed. The constructor has compared its size with the bytes given.
class NpyArray {
 public:
  /// Throws Error(input) naming `name` for a broken header, an unsupported type, or fewer or more
  /// bytes than shape and type require.
  NpyArray(std::string_view bytes, std::string name);

  [[nodiscard]] const std::vector<Offset>& shape() const { return shape_; }
  [[nodiscard]] bool fortran_order() const { return fortran_order_; }
  [[nodiscard]] Offset size() const { return size_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Returns the eps of the element type, the step from 1 to the next number; 0 if elements are not
  /// floating-point numbers.
  [[nodiscard]] double eps() const {
    return kind_ != 'f' ? 0 : width_ == 2 ? 0x1p-10 : width_ == 4 ? 0x1p-23 : 0x1p-52;
  }

  /// Returns the elements as double, in the order stored, from float64, float32, float16, integers
  /// and bool. Throws Error(input) naming the place of a NaN or infinity, and for text.
  [[nodiscard]] std::vector<double> reals() const;
  /// Returns the elements as reals() does, but with the last index running fastest, in whichever
  /// order they are stored.
  [[nodiscard]] std::vector<double> reals_by_rows() const;
  /// Returns the elements as integers, in the order stored, from integers of any width and bool.
  /// Throws Error(input) naming the place of one outside [least, most], and for floating-point
  /// numbers and text.
  template <class Int>
  [[nodiscard]] std::vector<Int> integers(Offset least, Offset most) const;
  /// Returns the single text of an array of shape () and type bytes or str. Throws Error(input) for
  /// any other array.
  [[nodiscard]] std::string text() const;

 private:
  void set_type(const std::string& descr);
  void check_size();
  template <class Use>
  void visit(Use&& use) const;

  std::string name_;
  std::string_view data_;
  char kind_ = 0;         // NumPy's letter of the type: f, i, u, b, S or U
  Offset width_ = 0;      // bytes of an element
  bool swapped_ = false;  // stored in the other byte order
  bool fortran_order_ = false;
  std::vector<Offset> shape_;
  Offset size_ = 1;
};

}  // namespace kauri::io

// Reads dense matrices from NumPy arrays.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/numpy/dense.hpp"

#include <bit>
#include <limits>

#include "src/io/file/file.hpp"
#include "src/io/numpy/npy.hpp"
#include "src/io/numpy/npy_header.hpp"

namespace kauri::io {

DenseMatrix parse_npy_dense(std::string_view bytes, const std::string& name, Index rows,
                            Allowance allowance) {
  const NpyArray array(bytes, name);
  const auto& shape = array.shape();
  if (shape.empty() || shape.size() > 2)
    fail(name, "has " + std::to_string(shape.size()) + " dimensions, expected 1 or 2");
  for (const Offset length : shape)
    if (length > std::numeric_limits<Index>::max())
      fail(name, "length " + std::to_string(length) + " is too large, expected at most " +
                     std::to_string(std::numeric_limits<Index>::max()));
  if (rows != kNone && shape[0] != rows)
    fail(name, "has " + std::to_string(shape[0]) + " rows, expected " + std::to_string(rows));
  const Index cols = shape.size() == 2 ? static_cast<Index>(shape[1]) : 1;
  expect_some_columns(name, static_cast<Index>(shape[0]), cols);
  allowance.take(name, static_cast<std::size_t>(array.size()), 2 * sizeof(double),
                 "values, in two orders");
  DenseMatrix x{static_cast<Index>(shape[0]), cols, array.reals()};
  if (array.fortran_order() || x.cols <= 1 || x.rows <= 1) return x;
  std::vector<double> columns(x.value.size());
  const auto height = static_cast<std::size_t>(x.rows), width = static_cast<std::size_t>(x.cols);
  for (std::size_t i = 0; i < height; ++i)
    for (std::size_t j = 0; j < width; ++j) columns[i + j * height] = x.value[i * width + j];
  x.value = std::move(columns);
  return x;
}

std::string npy_header(Index rows, Index cols) {
  return to_bytes(
      NpyHeader{std::endian::native == std::endian::little ? "<f8" : ">f8", true, {rows, cols}});
}

}  // namespace kauri::io

// Dense matrices as NumPy arrays.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/dense_file.hpp"

#include <bit>
#include <limits>

#include "src/io/file.hpp"
#include "src/io/npy.hpp"
#include "src/io/npy_header.hpp"

namespace kauri::io {

DenseMatrix parse_npy_dense(std::string_view bytes, const std::string& name) {
  const NpyArray array(bytes, name);
  const auto& shape = array.shape();
  if (shape.empty() || shape.size() > 2) fail(name, "has " + std::to_string(shape.size()) + " dimensions, expected 1 or 2");
  for (const Offset length : shape)
    if (length > std::numeric_limits<Index>::max()) fail(name, "length " + std::to_string(length) + " is too large");
  DenseMatrix x{static_cast<Index>(shape[0]), shape.size() == 2 ? static_cast<Index>(shape[1]) : 1, array.reals()};
  if (array.fortran_order() || x.cols <= 1 || x.rows <= 1) return x;
  std::vector<double> columns(x.value.size());
  const auto rows = static_cast<std::size_t>(x.rows), cols = static_cast<std::size_t>(x.cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) columns[i + j * rows] = x.value[i * cols + j];
  x.value = std::move(columns);
  return x;
}

std::string npy_header(Index rows, Index cols) {
  return to_bytes(NpyHeader{std::endian::native == std::endian::little ? "<f8" : ">f8", true, {rows, cols}});
}

}  // namespace kauri::io

// Entries of a matrix in the order of a file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "kauri/core/types.hpp"

namespace kauri::io {

/// Coordinates and values: entry k is (row[k], col[k], value[k]), counted from 0. The arrays have
/// equal lengths.
struct Triplets {
  Array<Index> row, col;
  Array<double> value;

  void resize(std::size_t size) {
    row.resize(size);
    col.resize(size);
    value.resize(size);
  }
  void reserve(std::size_t size) {
    row.reserve(size);
    col.reserve(size);
    value.reserve(size);
  }
  void add(Index i, Index j, double x) {
    row.push_back(i);
    col.push_back(j);
    value.push_back(x);
  }
};

}  // namespace kauri::io

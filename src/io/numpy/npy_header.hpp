// The header of a .npy file: a Python dictionary literal with the keys descr, fortran_order and
// shape.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri::io {

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<Offset> shape;
  std::size_t data = 0;  ///< offset of the first element in the bytes
};

/// Parses a header. Throws Error(input) naming `name` and what was expected.
NpyHeader read_npy_header(std::string_view bytes, const std::string& name);

/// Returns the header as NumPy writes it, version 1.0, padded to 64 bytes; ignores `data`.
std::string to_bytes(const NpyHeader& header);

}  // namespace kauri::io

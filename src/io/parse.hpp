// Readers from memory, with the format told from the content: what the public functions do after they have read the file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kauri/io.hpp"

namespace kauri::io {

/// The rules of kauri::read_matrix and kauri::read_dense for the bytes of a file; `name` stands in the errors.
SymmetricMatrix<double> parse_matrix(std::string bytes, const std::string& name);
DenseMatrix parse_dense(std::string bytes, const std::string& name);

}  // namespace kauri::io

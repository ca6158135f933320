// Readers from memory, with the format told from the content: what the public functions do after they have read the file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "kauri/io.hpp"
#include "src/io/file/allowance.hpp"
#include "src/io/matrix/assemble.hpp"

namespace kauri::io {

/// The rules of kauri::read_matrix and kauri::read_dense for the bytes of a file; `name` stands in the errors. `member` is the file that is
/// asked for in a tar archive, or empty; `rows` how many there must be, or kNone; `allowance` what may still be taken.
SymmetricMatrix<double> parse_matrix(std::string_view bytes, const std::string& name, const std::string& member = {},
                                     const BothHalves& both = {}, Allowance allowance = {});
DenseMatrix parse_dense(std::string_view bytes, const std::string& name, const std::string& member = {}, Index rows = kNone,
                        Allowance allowance = {});

/// FILE:MEMBER as its two parts, where there is no file of the whole name and one of the part before a colon; else the whole and nothing.
struct FileAndMember {
  std::string file, member;
};
FileAndMember split_member(const std::string& path);

}  // namespace kauri::io

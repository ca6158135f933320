// Readers from memory that recognise the format by its content; the public functions call them with
// the bytes of a file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "kauri/extras/io.hpp"
#include "src/io/file/allowance.hpp"
#include "src/io/matrix/assemble.hpp"

namespace kauri::io {

/// Parse the bytes of a file as kauri::read_matrix and kauri::read_dense do; `name` is used in
/// errors. `member`: the file asked for in a tar archive, or empty; `rows`: required number of
/// rows, or kNone; `allowance`: limit of memory.
SymmetricMatrix<double> parse_matrix(std::string_view bytes, const std::string& name,
                                     const std::string& member = {}, const BothHalves& both = {},
                                     Allowance allowance = {});
DenseMatrix parse_dense(std::string_view bytes, const std::string& name,
                        const std::string& member = {}, Index rows = kNone,
                        Allowance allowance = {});

/// Result of split_member(): FILE and MEMBER of "FILE:MEMBER", if no file has the whole name but
/// one has the part before a colon; else the whole name and an empty string.
struct FileAndMember {
  std::string file, member;
};
FileAndMember split_member(const std::string& path);

}  // namespace kauri::io

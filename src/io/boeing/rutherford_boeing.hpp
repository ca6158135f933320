// Rutherford-Boeing files (Duff, Grimes & Lewis, RAL-TR-97-031, 1997) and, as far as they are the same, Harwell-Boeing files (Duff, Grimes
// & Lewis, RAL-92-086, 1992): assembled matrices that are symmetric, parsed from memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "kauri/matrix.hpp"
#include "src/io/file/allowance.hpp"
#include "src/io/matrix/assemble.hpp"

namespace kauri::io {

/// True if line 3 starts with a type such as "rsa" and line 4 with a Fortran format: neither format has a magic number.
bool is_rutherford_boeing(std::string_view bytes);

/// True for names that end in .rb or a type, .rsa, .psa, .isa, .rua, .pua, .iua: what is wrong with such a file is told by the reader
/// below.
bool has_boeing_ending(std::string_view name);

/// Real, integer or pattern (values by set_pattern_values), assembled: of a symmetric one (rsa, psa, isa) the lower half by columns, of an
/// unsymmetric one (rua, pua, iua) both halves, which must agree; numbers in the fixed fields of the Fortran formats in line 4. Right-hand
/// sides behind a Harwell-Boeing matrix are not read. Throws Error(input) naming line and columns of what is wrong; memory is taken after
/// the claims of the header are compared with the bytes there are, and counted.
SymmetricMatrix<double> parse_rutherford_boeing(std::string_view bytes, std::string_view name, const BothHalves& both = {},
                                                Allowance allowance = {});

/// Throws what the reader throws of the header; `bytes` begin with it.
void check_boeing_header(std::string_view bytes, std::string_view name);

}  // namespace kauri::io

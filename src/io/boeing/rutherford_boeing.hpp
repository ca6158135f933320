// Rutherford-Boeing files (Duff, Grimes & Lewis, RAL-TR-97-031, 1997) and, as far as they agree,
// Harwell-Boeing files (Duff, Grimes & Lewis, RAL-92-086, 1992): parses assembled symmetric
// matrices from memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "kauri/core/matrix.hpp"
#include "src/io/file/allowance.hpp"
#include "src/io/matrix/assemble.hpp"

namespace kauri::io {

/// Returns true if line 3 has a type such as "rsa" and three integers, and line 4 a "(" in its
/// first 16 columns, where a Fortran format begins; neither format has a magic number.
bool is_rutherford_boeing(std::string_view bytes);

/// Returns true for names that end in .rb or a type, .rsa, .psa, .isa, .rua, .pua, .iua, perhaps
/// with .gz behind it. For a file so named parse_rutherford_boeing() reports what is wrong with it.
bool has_boeing_ending(std::string_view name);

/// Parses a real, integer or pattern matrix (values by set_pattern_values), assembled: the lower
/// half by columns of a symmetric one (rsa, psa, isa), both halves of an unsymmetric one (rua, pua,
/// iua), which must agree; numbers stand in the fixed fields of the Fortran formats in line 4.
/// Right-hand sides after a Harwell-Boeing matrix are not read. Throws Error(input) naming line and
/// columns of what is wrong. Memory is counted, and taken only after the header's claims are
/// compared with the bytes given.
SymmetricMatrix<double> parse_rutherford_boeing(std::string_view bytes, std::string_view name,
                                                const BothHalves& both = {},
                                                Allowance allowance = {});

/// Throws Error(input) as parse_rutherford_boeing() does if the header is wrong. bytes: the
/// beginning of a file, with all header lines.
void check_boeing_header(std::string_view bytes, std::string_view name);

}  // namespace kauri::io

// Fortran's fixed fields: formats such as (16I5) or (1P,4E20.12), and the numbers in their columns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kauri/types.hpp"

namespace kauri::io {

/// So many fields of one kind in each line.
struct FortranFormat {
  int repeat = 1;    ///< fields in a line
  int width = 0;     ///< columns of a field
  int decimals = 0;  ///< digits behind a point that is not written
  int scale = 0;     ///< of nP: a number without exponent stands for 10^-n of what is written
  bool integer = false;
};

/// One edit descriptor with a repeat count, in parentheses: [nP[,]] [r] I|E|D|F|G w [.d [Ee]]; nothing if the text is not of that form.
std::optional<FortranFormat> parse_fortran_format(std::string_view text);

/// A number as Fortran reads it: blanks around it, exponents as 1D3 and 1+3, a point implied by the format. Nothing if it is none, or
/// blank. Infinite if it is too large.
std::optional<Offset> fortran_integer(std::string_view field);
std::optional<double> fortran_real(std::string_view field, const FortranFormat& format);

}  // namespace kauri::io

// Fortran's fixed fields: formats such as (16I5), (1X,8I9) or (3(1P,E24.16)), and the numbers in
// their columns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri::io {

/// Layout of lines of fixed fields, which all have one width and one kind of number.
struct FortranFormat {
  int repeat = 1;    ///< fields in each line but the first
  int width = 0;     ///< characters of a field
  int decimals = 0;  ///< digits after an implied decimal point
  int scale = 0;     ///< n of nP: a number without exponent stands for 10^-n of what is written
  bool integer = false;
  std::vector<int> later =
      {};  ///< start columns of the fields of a line, counted from 0: length `repeat`
  /// Start columns of the fields of the first line. They differ from `later` if the format has
  /// groups: later lines begin with the last group of the outermost level.
  std::vector<int> first = {};

  /// The position of field k, counted from 0 over all lines.
  struct Place {
    Offset line = 0;  ///< line of the section, counted from 0
    int column = 0;   ///< start column of the field
  };
  [[nodiscard]] Place place(Offset k) const;
};

/// Parses a format in parentheses: [r] I|E|ES|EN|D|F|G w [.d [Ee]], [n]X, nP and groups [r](...) of
/// them. All fields must be integers, or all reals, and have one width, one number of digits and,
/// if reals, one scale factor. Returns nothing if the text does not have this form, or expands to
/// more than 10000 items.
std::optional<FortranFormat> parse_fortran_format(std::string_view text);

/// Parse a number as Fortran reads it: blanks around it, exponents as 1D3 and 1+3, a point implied
/// by the format. Return nothing if the field is not a number, or blank. For a number that is too
/// large fortran_integer() returns nothing (beyond 63 bits), fortran_real() infinity.
std::optional<Offset> fortran_integer(std::string_view field);
std::optional<double> fortran_real(std::string_view field, const FortranFormat& format);

}  // namespace kauri::io

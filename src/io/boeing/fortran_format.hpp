// Fortran's fixed fields: formats such as (16I5), (1X,8I9) or (3(1P,E24.16)), and the numbers in their columns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kauri/types.hpp"

namespace kauri::io {

/// The fields of lines, all of one kind.
struct FortranFormat {
  int repeat = 1;    ///< fields in a line, but for the first one
  int width = 0;     ///< columns of a field
  int decimals = 0;  ///< digits behind a point that is not written
  int scale = 0;     ///< of nP: a number without exponent stands for 10^-n of what is written
  bool integer = false;
  std::vector<int> later = {};  ///< columns, counted from 0, in which the fields of a line begin: length `repeat`
  std::vector<int> first =
      {};  ///< those of the first line, which differ where the format ends in a group: later lines have that group alone

  /// Where field k, counted from 0 over all lines, stands.
  struct Place {
    Offset line = 0;  ///< from the first one on
    int column = 0;   ///< where it begins
  };
  [[nodiscard]] Place place(Offset k) const;
};

/// A format in parentheses: [r] I|E|ES|EN|D|F|G w [.d [Ee]], [n]X, nP and groups [r](...) of them. All fields have one width, one number of
/// digits and one scale factor. Nothing if the text is not of that form, or means more than 10000 items.
std::optional<FortranFormat> parse_fortran_format(std::string_view text);

/// A number as Fortran reads it: blanks around it, exponents as 1D3 and 1+3, a point implied by the format. Nothing if it is none, or
/// blank. Infinite if it is too large.
std::optional<Offset> fortran_integer(std::string_view field);
std::optional<double> fortran_real(std::string_view field, const FortranFormat& format);

}  // namespace kauri::io

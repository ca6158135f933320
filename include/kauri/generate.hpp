// Named test systems made from formulas: the same words give the same matrix, bit for bit, on every platform; the values of tri2d and rgg3d
// pass through the C library's hypot and cbrt, so theirs repeat where it rounds those alike.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "kauri/matrix.hpp"

namespace kauri {

/// The matrix of a specification such as "poisson3d 60" or "elast3d 24 --holes 7 0.2 --shuffle 3"; see generator_help().
/// Throws Error(usage) naming the word that is wrong.
SymmetricMatrix<double> generate(std::string_view spec);

/// A line per kind, for --help.
std::string generator_help();

}  // namespace kauri

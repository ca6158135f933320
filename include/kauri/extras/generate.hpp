// Generators of named test systems. A specification gives the same matrix, bit for bit, on every
// platform; the values of tri2d and rgg3d use hypot and cbrt of the C library, so that they are the
// same only if it rounds these alike.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "kauri/core/matrix.hpp"

namespace kauri {

/// Returns the matrix of a specification such as "poisson3d 60" or "elast3d 24 --holes 7 0.2
/// --shuffle 3"; see generator_help(). Throws Error: usage (naming the word that is wrong), memory.
SymmetricMatrix<double> generate(std::string_view spec);

/// Returns one line for each kind of system, for --help.
std::string generator_help();

}  // namespace kauri

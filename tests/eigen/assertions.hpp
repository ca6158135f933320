// Turns Eigen's assertions into exceptions, in any build, including its check of allocations.
// Include it before Eigen in every source of the program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

#undef EIGEN_NO_DEBUG
#define EIGEN_RUNTIME_NO_MALLOC
#define eigen_assert(condition)                             \
  do {                                                      \
    if (!(condition)) throw std::runtime_error(#condition); \
  } while (false)

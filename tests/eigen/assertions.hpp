// Eigen's assertions as exceptions, in any build, its check of memory among them. Included before
// Eigen, by all sources of a program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

#undef EIGEN_NO_DEBUG
#define EIGEN_RUNTIME_NO_MALLOC
#define eigen_assert(condition)                             \
  do {                                                      \
    if (!(condition)) throw std::runtime_error(#condition); \
  } while (false)

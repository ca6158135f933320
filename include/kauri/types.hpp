// Integer and scalar types shared by every phase.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>

namespace kauri {

/// Row and column numbers, zero-based. A matrix has at most 2^31 - 1 rows.
using Index = std::int32_t;

/// Positions in arrays and counts of entries; never overflows silently: counts beyond 2^63 - 1 are an Error of kind overflow.
using Offset = std::int64_t;

/// "No such row, column, parent or supernode".
inline constexpr Index kNone = -1;

/// The scalars kauri factorises in.
template <class T>
concept Scalar = std::same_as<T, float> || std::same_as<T, double>;

}  // namespace kauri

// L as sections of a file, after those of its plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "kauri/solve/factor.hpp"
#include "src/save/reader.hpp"
#include "src/save/writer.hpp"

namespace kauri::save {

/// Returns the bytes of the sections, names and checksums included.
template <Scalar T>
Offset factor_bytes(const Factor<T>& factor);
template <Scalar T>
void write_factor(const Factor<T>& factor, Writer& writer);

/// Throws Error(input) if the file is too short for L, by the counts of its fronts. Called before
/// memory is allocated for L or for lists of rows.
void check_factor_bytes(std::span<const Index> pivots, std::span<const Index> order,
                        const Header& header, const Reader& reader);
/// Reads L into a factor of the file's plan. Throws Error(input) for a pivot that is not positive
/// and for an entry that is not finite, once the checksum is known to be right.
template <Scalar T>
void read_factor(Factor<T>& factor, Reader& reader);

}  // namespace kauri::save

// L as sections of a file, which follow the sections of its plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "kauri/solve/factor.hpp"
#include "src/save/reader.hpp"
#include "src/save/writer.hpp"

namespace kauri::save {

/// Returns the number of bytes of the sections, names and checksums included.
template <Scalar T>
Offset factor_bytes(const Factor<T>& factor);
template <Scalar T>
void write_factor(const Factor<T>& factor, Writer& writer);

/// Throws Error(input) if the file is too short for L, whose size follows from the numbers of
/// pivots and rows of its fronts. It needs no memory for L or for lists of rows.
void check_factor_bytes(std::span<const Index> pivots, std::span<const Index> order,
                        const Header& header, const Reader& reader);
/// Reads L into a factor of the file's plan. Throws Error(input) for a wrong checksum and, if it is
/// right, for a pivot that is not positive, an entry that is not finite, and a block of section
/// "dinv" that is not the inverse of its block of L.
template <Scalar T>
void read_factor(Factor<T>& factor, Reader& reader);

}  // namespace kauri::save

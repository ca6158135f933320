// L as sections of a file, behind its plan's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "kauri/factor.hpp"
#include "src/save/reader.hpp"
#include "src/save/writer.hpp"

namespace kauri::save {

/// Bytes of the sections, their names and checksums among them.
template <Scalar T>
Offset factor_bytes(const Factor<T>& factor);
template <Scalar T>
void write_factor(const Factor<T>& factor, Writer& writer);

/// The file has the bytes of L, by the counts of its fronts: known before there is room for L or for lists of rows. Throws Error(input).
void check_factor_bytes(std::span<const Index> pivots, std::span<const Index> order, const Header& header, const Reader& reader);
/// Into a factor of the file's plan. A pivot that is not positive, or an entry that is no number, is refused, once the checksum is right.
template <Scalar T>
void read_factor(Factor<T>& factor, Reader& reader);

}  // namespace kauri::save

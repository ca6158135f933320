// A plan as sections of a file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "src/save/reader.hpp"
#include "src/save/writer.hpp"
#include "symbolic/plan/restore.hpp"

namespace kauri::save {

/// Returns the number of bytes of the sections, names and checksums included.
Offset plan_bytes(const symbolic::PlanCore& core);
void write_plan(const symbolic::PlanCore& core, Writer& writer);

/// Reads the sections. Checks their lengths and checksums, the ordering and the number of workers;
/// restore_plan() checks the rest.
symbolic::PlanCore read_plan(const Header& header, Reader& reader);

}  // namespace kauri::save

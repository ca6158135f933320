// A plan as sections of a file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "src/save/reader.hpp"
#include "src/save/writer.hpp"
#include "symbolic/plan/restore.hpp"

namespace kauri::save {

/// Bytes of the sections, their names and checksums among them.
Offset plan_bytes(const symbolic::PlanCore& core);
void write_plan(const symbolic::PlanCore& core, Writer& writer);

/// As they stand there: restore_plan() looks at what they say.
symbolic::PlanCore read_plan(const Header& header, Reader& reader);

}  // namespace kauri::save

// Removal of unfinished files when a signal ends the program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kauri::cli {

/// Installs handlers that remove unfinished files when a signal ends the program, after which the
/// signal's default action ends it. SIGKILL and signals of faults are left alone; ignored signals,
/// as under nohup, stay ignored.
void remove_files_on_signals();

}  // namespace kauri::cli

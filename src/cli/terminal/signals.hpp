// What is left undone when a signal ends the program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kauri::cli {

/// From now on signals that end a program, but for SIGKILL and those of faults, remove files that are not finished before they end it as
/// they would have. Those that are ignored, as by nohup, stay so.
void remove_files_on_signals();

}  // namespace kauri::cli

// What is left undone when a signal ends the program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kauri::cli {

/// From now on SIGHUP, SIGINT, SIGTERM, SIGXCPU and SIGXFSZ remove files that are not finished before they end the program as they would
/// have. Those that are ignored, as by nohup, stay so.
void remove_files_on_signals();

}  // namespace kauri::cli

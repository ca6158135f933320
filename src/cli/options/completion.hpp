// Shell completion, generated from the commands and options.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace kauri::cli {

/// Returns a bash script that completes commands, options, and the values of options that accept
/// fixed words; elsewhere it completes file names.
std::string bash_completion(const CLI::App& app);
/// Return scripts for zsh and fish that complete as bash_completion() and also show the
/// descriptions of commands and options.
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace kauri::cli

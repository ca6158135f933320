// Shell completion, made from the commands and options themselves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace kauri::cli {

/// A script for bash that completes commands, options, and the values of options that take one of several words; else file names.
std::string bash_completion(const CLI::App& app);
/// The same for zsh and for fish, which show what commands and options are for as well.
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace kauri::cli

// The manual page, generated from the commands and options. docs/kauri.1 is a copy, which a test
// compares.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace kauri::cli {

/// Returns the manual page in the language of man(7).
std::string manual(const CLI::App& app);

}  // namespace kauri::cli

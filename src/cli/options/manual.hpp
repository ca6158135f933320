// The manual page, made from the commands and options themselves. docs/kauri.1 is what it prints, and a test compares them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace kauri::cli {

/// In the language of man(7).
std::string manual(const CLI::App& app);

}  // namespace kauri::cli

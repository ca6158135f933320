// The page of kauri compare --html.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "src/cli/commands/compare_report.hpp"

namespace kauri::cli {

/// All about one system: table, bars, and a card with pictures for each ordering that has a plan. O(n + nnz + rows of all fronts) each.
std::string page_section(const Comparison& comparison);

/// In place of one: why there is nothing to show.
std::string failed_section(const std::string& name, const std::string& why);

/// The page round the sections.
std::string whole_page(const std::string& sections, const Backend& backend, const JobOptions& options);

}  // namespace kauri::cli

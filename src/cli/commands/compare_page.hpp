// The page of kauri compare --html.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "src/cli/commands/compare_report.hpp"

namespace kauri::cli {

/// Returns the section of one system: table, bars, and a card with pictures for each ordering that
/// has a plan. O(n + nnz + rows of all fronts) for each ordering.
std::string page_section(const Comparison& comparison);

/// Returns the section of a system that failed: its name and the reason.
std::string failed_section(const std::string& name, const std::string& why);

/// Returns the page that holds the sections.
std::string whole_page(const std::string& sections, const Backend& backend,
                       const JobOptions& options);

}  // namespace kauri::cli

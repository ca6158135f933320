// The report of kauri compare on one system: as JSON, as text, and as cells of a table for its
// page.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kauri/core/analysis.hpp"
#include "src/cli/report/report.hpp"
#include "src/cli/report/trial.hpp"

namespace kauri::cli {

/// A candidate, with its measurement if --factor is given and the limits allow it.
struct Row {
  const Analysis::Candidate* candidate;
  std::optional<Trial> trial;
  std::string note;  ///< reason why the plan or the measurement is missing, or empty
};

/// One system, its orderings and their figures. The objects pointed to must outlive it.
struct Comparison {
  const System* system;
  const JobOptions* job;
  const Backend* backend;
  const Analysis* analysis;
  bool measured;  ///< true if --factor is given: rows may have trials
  std::vector<Row> rows;
};

/// Returns the name of the row's ordering, as "amd", "nd (best)".
std::string label_of(const Comparison& comparison, const Row& row);

/// Return the head of the table, and the cells of a row whose candidate has a plan; the label of
/// the chosen ordering ends in a star.
std::vector<std::string> table_head(const Comparison& comparison);
std::vector<std::string> table_cells(const Comparison& comparison, const Row& row);

Json to_json(const Comparison& comparison);
std::string to_text(const Comparison& comparison);

}  // namespace kauri::cli

// What kauri compare says of one system: as JSON, as text, and in parts that its page takes too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kauri/plan.hpp"
#include "src/cli/report/report.hpp"
#include "src/cli/report/trial.hpp"

namespace kauri::cli {

/// A candidate, and its measurement where one was asked for and allowed.
struct Row {
  const Candidate* candidate;
  std::optional<Trial> trial;
  std::string note;  ///< why something is missing, or empty
};

/// One system, its orderings and their figures. What is pointed to outlives it.
struct Comparison {
  const System* system;
  const JobOptions* job;
  const Backend* backend;
  const Analysis* analysis;
  bool measured;  ///< --factor
  std::vector<Row> rows;
};

/// "amd", "nd (best)".
std::string label_of(const Comparison& comparison, const Row& row);

/// The columns of the table, and a row of it, for a candidate with a plan; the chosen one has a star.
std::vector<std::string> table_head(const Comparison& comparison);
std::vector<std::string> table_cells(const Comparison& comparison, const Row& row);

Json to_json(const Comparison& comparison);
std::string to_text(const Comparison& comparison);

}  // namespace kauri::cli

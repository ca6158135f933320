// Options of an analysis whose plan a given backend runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "kauri/core/analysis.hpp"
#include "kauri/core/backend.hpp"

namespace kauri {

/// Returns the options with an empty target replaced by that of the backend, and workers of 0 by
/// its number of threads.
inline AnalyzeOptions for_backend(AnalyzeOptions options, const Backend& backend) {
  if (options.target.empty()) options.target = backend.target();
  if (options.workers == 0) options.workers = backend.threads();
  return options;
}

}  // namespace kauri

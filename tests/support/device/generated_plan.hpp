// Plans of generated systems for a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "kauri/core/analysis.hpp"
#include "kauri/extras/generate.hpp"

namespace kauri::test {

inline std::shared_ptr<const Plan> generated_plan(const std::string& spec,
                                                  const char* target = "sm_90",
                                                  OrderingMethod method = OrderingMethod::amd) {
  AnalyzeOptions options;
  options.target = target;
  options.ordering.method = method;
  return analyze(generate(spec).pattern(), options);
}

}  // namespace kauri::test

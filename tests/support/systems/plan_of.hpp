// Functions that make plans, for bodies of tests that hold for every backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

#include "kauri/core/plan.hpp"

namespace kauri::test {

/// Returns a plan for the backend that runs the body.
using PlanOf = std::function<std::shared_ptr<const Plan>(const Pattern&)>;
/// Returns a plan in a given order for the backend that runs the body.
using PlanInOrder = std::function<std::shared_ptr<const Plan>(const Pattern&, const Permutation&)>;

}  // namespace kauri::test

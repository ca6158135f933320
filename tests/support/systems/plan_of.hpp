// Plans for bodies of tests that hold for every backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

#include "kauri/core/plan.hpp"

namespace kauri::test {

/// A plan for the backend that the body is run on.
using PlanOf = std::function<std::shared_ptr<const Plan>(const Pattern&)>;
/// The same in a given order.
using PlanInOrder = std::function<std::shared_ptr<const Plan>(const Pattern&, const Permutation&)>;

}  // namespace kauri::test

// Plans whose panels leave the device, for tests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kauri/core/error.hpp"
#include "kauri/core/plan.hpp"
#include "symbolic/plan/spill.hpp"

namespace kauri::test {

/// Returns the least device bytes for which a plan can be spilled, which the error of a limit of one
/// byte names.
inline Offset least_device_bytes(const Plan& plan, int scalar_bytes) {
  try {
    Plan other = plan;
    symbolic::spill(other, 1, scalar_bytes);
  } catch (const Error& error) {
    const std::string text = error.what(), before = "with all of L there, and ";
    const std::size_t at = text.find(before);
    if (error.kind() == ErrorKind::memory && at != std::string::npos)
      return std::stoll(text.substr(at + before.size()));
    throw;
  }
  throw std::logic_error("a plan within one byte");
}

/// Returns the plan within so many device bytes.
inline std::shared_ptr<const Plan> within(const Plan& plan, Offset device_bytes, int scalar_bytes) {
  auto other = std::make_shared<Plan>(plan);
  symbolic::spill(*other, device_bytes, scalar_bytes);
  return other;
}

/// Returns the plan within all its bytes but one, within less and less, and within the least that
/// will do.
inline std::vector<std::shared_ptr<const Plan>> spilled_plans(const Plan& plan, int scalar_bytes) {
  const Offset all = plan.peak_bytes(scalar_bytes), least = least_device_bytes(plan, scalar_bytes);
  std::vector<std::shared_ptr<const Plan>> out;
  for (const Offset bytes : {all - 1, (all + least) / 2, least + (all - least) / 8, least})
    out.push_back(within(plan, bytes, scalar_bytes));
  return out;
}

}  // namespace kauri::test

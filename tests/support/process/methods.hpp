// The orderings that most tests iterate over. Tests that need others, as `automatic` or fewer, have
// lists of their own (CONTRIBUTING.md, "An ordering").
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/core/ordering.hpp"

namespace kauri::test {

/// Returns every method of this build except automatic.
inline std::vector<OrderingMethod> methods() {
  std::vector<OrderingMethod> all{OrderingMethod::natural,
                                  OrderingMethod::rcm,
                                  OrderingMethod::amd,
                                  OrderingMethod::parallel_amd,
                                  OrderingMethod::minimum_degree,
                                  OrderingMethod::nested_dissection};
  if (ordering_available(OrderingMethod::metis)) all.push_back(OrderingMethod::metis);
  return all;
}

}  // namespace kauri::test

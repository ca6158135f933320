// The targets of this machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "kauri/core/backend.hpp"

namespace kauri::test {

/// Returns the targets whose kernels this machine's CPU can run, from "cpu-generic" on.
inline std::vector<std::string> targets() {
  std::vector<std::string> all{"cpu-generic"};
  if (host_target() != "cpu-generic") all.emplace_back("cpu-avx2");
  if (host_target() == "cpu-avx512") all.emplace_back("cpu-avx512");
  return all;
}

}  // namespace kauri::test

// Memory of this process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <fstream>

#include "kauri/core/types.hpp"

namespace kauri::test {

/// Returns the resident bytes of this process (/proc/self/statm).
inline Offset resident_bytes() {
  Offset size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace kauri::test

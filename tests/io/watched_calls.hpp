// What is asked of the system while files are written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace kauri::test {

/// What this process asked of the system, where it is watched.
struct Calls {
  bool watched = false;
  std::vector<mode_t> modes;       ///< of files as they are made, and as they are changed
  std::vector<std::string> order;  ///< of what makes a file safe
};
extern Calls calls;

struct Watch {
  Watch() { calls = {true, {}, {}}; }
  ~Watch() { calls.watched = false; }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
};

}  // namespace kauri::test

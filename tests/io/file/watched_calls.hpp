// Records system calls while files are written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace kauri::test {

/// System calls of this process while it is watched.
struct Calls {
  bool watched = false;
  std::vector<mode_t> modes;       ///< modes of files when they are made or changed
  std::vector<std::string> order;  ///< calls that make a file durable, in order
};
extern Calls calls;

struct Watch {
  Watch() { calls = {true, {}, {}}; }
  ~Watch() { calls.watched = false; }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
};

}  // namespace kauri::test

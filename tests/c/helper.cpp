// Callbacks that throw.
// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include <new>
#include <stdexcept>

void throwing_message(void* user, int32_t /*level*/, int32_t /*phase*/, double /*fraction*/,
                      const char* /*text*/) {
  const int what = *static_cast<const int*>(user);
  if (what == 0) throw std::bad_alloc();
  if (what == 1) throw std::runtime_error("thrown by a callback");
  throw what;
}

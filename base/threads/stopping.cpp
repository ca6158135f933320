// Throws the error of a cancelled call.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/threads/stopping.hpp"

#include "kauri/core/error.hpp"

namespace kauri::stopping {

void throw_cancelled() {
  throw Error(ErrorKind::cancelled, "cancelled: the stop token of the call was asked to stop");
}

}  // namespace kauri::stopping

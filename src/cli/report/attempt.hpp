// Runs work that may fail, and turns its error into an exit code and a message.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <new>

#include "kauri/core/error.hpp"
#include "src/cli/job/limits.hpp"
#include "src/cli/report/report.hpp"

namespace kauri::cli {

/// Returns f(), an exit code. If f throws an Error or std::bad_alloc, calls told(message) and
/// returns the exit code of the exception. Other exceptions pass through.
template <class F, class Told>
int attempt(F&& f, Told&& told) {
  try {
    return f();
  } catch (const Error& error) {
    told(error.what());
    return exit_code_of(error);
  } catch (const std::bad_alloc&) {
    told(out_of_memory());
    return kResources;
  }
}

}  // namespace kauri::cli

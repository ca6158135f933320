// Work that may fail without ending the program: its exit code, and the reason told.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <new>

#include "kauri/error.hpp"
#include "src/cli/job/limits.hpp"
#include "src/cli/report/report.hpp"

namespace kauri::cli {

/// The exit code of f(), or that of what it throws, after told(why). Throws what is neither an Error nor std::bad_alloc.
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

// Gives every backend of a test program that does not ask for a number of multiprocessors the
// number that the environment's KAURI_TEST_MULTIPROCESSORS says, so that all tests can run on a
// part of a device (bench/device/run, step parts). The linker puts limited() in place of
// make_executor() (--wrap in tests/CMakeLists.txt).
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "numeric/cuda/executor.hpp"

namespace kauri::numeric::cuda {

std::unique_ptr<Executor> unlimited(const CudaOptions& options) asm(
    "__real__ZN5kauri7numeric4cuda13make_executorERKNS_11CudaOptionsE");
std::unique_ptr<Executor> limited(const CudaOptions& options) asm(
    "__wrap__ZN5kauri7numeric4cuda13make_executorERKNS_11CudaOptionsE");

std::unique_ptr<Executor> limited(const CudaOptions& options) {
  const char* given = std::getenv("KAURI_TEST_MULTIPROCESSORS");
  if (given == nullptr || options.multiprocessors != 0) return unlimited(options);
  CudaOptions some = options;
  some.multiprocessors = std::atoi(given);
  if (some.multiprocessors < 1)
    throw std::runtime_error("KAURI_TEST_MULTIPROCESSORS is " + std::string(given) +
                             ", expected 1 or more");
  return unlimited(some);
}

}  // namespace kauri::numeric::cuda

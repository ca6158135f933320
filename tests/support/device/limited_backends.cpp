// Gives backends of a test program what the environment says, so that all tests can run so:
// - KAURI_TEST_MULTIPROCESSORS: the number of multiprocessors, unless the test asks for one, for
//   tests on a part of a device (bench/device/run, step parts);
// - KAURI_TEST_PORTABLE=1: the kernels that all devices run, except in backends that ask for
//   kernels that are Hopper's alone (bench/device/run, step ptx80).
// The linker puts limited() in place of make_executor() (--wrap in tests/CMakeLists.txt).
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

namespace {

bool is_of_hopper_alone(CudaCompute compute) {
  return compute == CudaCompute::hopper || compute == CudaCompute::fp16x3;
}

}  // namespace

std::unique_ptr<Executor> limited(const CudaOptions& options) {
  CudaOptions some = options;
  if (const char* given = std::getenv("KAURI_TEST_PORTABLE")) {
    if (given != std::string("1"))
      throw std::runtime_error("KAURI_TEST_PORTABLE is " + std::string(given) + ", expected 1");
    if (!is_of_hopper_alone(some.compute)) some.portable = true;
  }
  const char* given = std::getenv("KAURI_TEST_MULTIPROCESSORS");
  if (given == nullptr || options.multiprocessors != 0) return unlimited(some);
  some.multiprocessors = std::atoi(given);
  if (some.multiprocessors < 1)
    throw std::runtime_error("KAURI_TEST_MULTIPROCESSORS is " + std::string(given) +
                             ", expected 1 or more");
  return unlimited(some);
}

}  // namespace kauri::numeric::cuda

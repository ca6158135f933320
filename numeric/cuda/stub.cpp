// Replaces the CUDA backend in a build without CUDA: no device exists.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/executor.hpp"

namespace kauri::numeric::cuda {

std::unique_ptr<Executor> make_executor(const CudaOptions&) {
  throw Error(ErrorKind::device,
              "the CUDA backend is not part of this build of kauri; use the CPU backend");
}

bool available() { return false; }
std::optional<Survey> survey(int, std::string* why_not) {
  if (why_not != nullptr) *why_not = "there is no CUDA device: kauri was built without CUDA";
  return {};
}

}  // namespace kauri::numeric::cuda

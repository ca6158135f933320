// host_target(): the name of the fastest CPU kernels that this machine can run.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/core/backend.hpp"

namespace kauri {

std::string host_target() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    return "cpu-avx512";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "cpu-avx2";
#endif
  return "cpu-generic";
}

}  // namespace kauri

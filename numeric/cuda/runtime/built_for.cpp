// The architectures of this build, as CMake names them.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/runtime/architectures.hpp"

namespace kauri::numeric::cuda {

std::string_view built_for() { return KAURI_CUDA_ARCHITECTURES; }

}  // namespace kauri::numeric::cuda

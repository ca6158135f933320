// The first factorisation of a backend, made when the backend is made.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "numeric/cuda/plan/device_plan.hpp"

namespace kauri::numeric::cuda {

/// Takes work that CUDA does once in a process, at the first copy, launch and graph of each kind,
/// out of the caller's first factor. Factorises, for each new backend, a matrix of three dense
/// blocks: a narrow, a small and a tiled front; twice, since the second run makes the graph.
/// Ignores Error(memory), so that a backend does not fail for lack of it.
void run_once(DeviceContext context, const std::string& target);

}  // namespace kauri::numeric::cuda

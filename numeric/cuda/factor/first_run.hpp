// The first factorisation of a backend, made when the backend is made.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "numeric/cuda/plan/device_plan.hpp"

namespace kauri::numeric::cuda {

/// Factorises a matrix of three dense blocks: a narrow, a small and a tiled front. Work that
/// happens once in a process, at the first copy, launch and graph of each kind, is then not part of
/// the caller's first factor. Ignores Error(memory), so that a backend does not fail for lack of
/// it.
void run_once(DeviceContext context, const std::string& target);

}  // namespace kauri::numeric::cuda

// The header of AMD devices, as hipcc compiles it, on the emulated one: above the emulated machine
// (machine_amd.cuh beside this file).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/kernel/ptx_amd.cuh"

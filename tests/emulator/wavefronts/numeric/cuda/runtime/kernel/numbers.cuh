// The header of AMD devices on the emulated one, as ptx.cuh beside this file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/kernel/numbers_amd.cuh"

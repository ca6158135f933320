// What kauri names of the CUDA driver, for the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

using CUdevice = int;
enum CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_UNKNOWN = 999 };

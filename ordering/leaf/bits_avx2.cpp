// Minimum degree on a bit matrix, compiled for avx2.
// SPDX-License-Identifier: BSD-3-Clause
#define KAURI_ISA avx2
#include "ordering/leaf/bits_impl.hpp"

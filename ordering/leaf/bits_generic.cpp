// Minimum degree on a bit matrix, compiled for any processor.
// SPDX-License-Identifier: BSD-3-Clause
#define KAURI_ISA generic
#include "ordering/leaf/bits_impl.hpp"

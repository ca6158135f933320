// Includes the whole boundary between kauri and its backends: about one virtual call for each
// phase. Threads, streams, graphs and batching stay inside a backend's folder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/batch_impl.hpp"
#include "numeric/executor.hpp"
#include "numeric/factor_impl.hpp"
#include "numeric/inverse_impl.hpp"
#include "numeric/matrix_impl.hpp"
#include "numeric/memory_impl.hpp"
#include "numeric/solve_impl.hpp"

// Includes the boundary between kauri and its backends, but for numeric/mixed_impl.hpp: about one
// virtual call for a factorisation, a solve or another operation. Threads, streams, graphs and
// batching stay inside a backend's folder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/batch_impl.hpp"
#include "numeric/executor.hpp"
#include "numeric/factor_impl.hpp"
#include "numeric/inverse_impl.hpp"
#include "numeric/matrix_impl.hpp"
#include "numeric/memory_impl.hpp"
#include "numeric/solve_impl.hpp"

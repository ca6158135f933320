// All public headers of kauri: A x = b for sparse symmetric positive definite A, by P A P^T = L
// L^T.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Core: matrices, graphs, orderings, plans, backends, errors.
#include "kauri/core/analysis.hpp"     // IWYU pragma: export
#include "kauri/core/backend.hpp"      // IWYU pragma: export
#include "kauri/core/breakdown.hpp"    // IWYU pragma: export
#include "kauri/core/error.hpp"        // IWYU pragma: export
#include "kauri/core/graph.hpp"        // IWYU pragma: export
#include "kauri/core/matrix.hpp"       // IWYU pragma: export
#include "kauri/core/message.hpp"      // IWYU pragma: export
#include "kauri/core/ordering.hpp"     // IWYU pragma: export
#include "kauri/core/permutation.hpp"  // IWYU pragma: export
#include "kauri/core/plan.hpp"         // IWYU pragma: export
#include "kauri/core/roofline.hpp"     // IWYU pragma: export
#include "kauri/core/types.hpp"        // IWYU pragma: export
#include "kauri/core/verdict.hpp"      // IWYU pragma: export
#include "kauri/core/version.hpp"      // IWYU pragma: export

// Solve: factors, refinement, the solver that does it all, its options and report.
#include "kauri/solve/condition.hpp"      // IWYU pragma: export
#include "kauri/solve/factor.hpp"         // IWYU pragma: export
#include "kauri/solve/fused_solve.hpp"    // IWYU pragma: export
#include "kauri/solve/mixed.hpp"          // IWYU pragma: export
#include "kauri/solve/named_options.hpp"  // IWYU pragma: export
#include "kauri/solve/refine.hpp"         // IWYU pragma: export
#include "kauri/solve/refinement.hpp"     // IWYU pragma: export
#include "kauri/solve/refiner.hpp"        // IWYU pragma: export
#include "kauri/solve/report.hpp"         // IWYU pragma: export
#include "kauri/solve/solver.hpp"         // IWYU pragma: export

// Device: arrays and plans in a device's memory.
#include "kauri/device/device_matrix.hpp"   // IWYU pragma: export
#include "kauri/device/device_values.hpp"   // IWYU pragma: export
#include "kauri/device/prepared_plan.hpp"   // IWYU pragma: export
#include "kauri/device/sparse_product.hpp"  // IWYU pragma: export

// Extras: files, batches, measured devices, entries of L and of the inverse, Schur complements,
// saved plans and factors, scaling, separator trees, test systems.
#include "kauri/extras/batch.hpp"             // IWYU pragma: export
#include "kauri/extras/card.hpp"              // IWYU pragma: export
#include "kauri/extras/generate.hpp"          // IWYU pragma: export
#include "kauri/extras/io.hpp"                // IWYU pragma: export
#include "kauri/extras/lower_factor.hpp"      // IWYU pragma: export
#include "kauri/extras/save.hpp"              // IWYU pragma: export
#include "kauri/extras/scaling.hpp"           // IWYU pragma: export
#include "kauri/extras/schur.hpp"             // IWYU pragma: export
#include "kauri/extras/selected_inverse.hpp"  // IWYU pragma: export
#include "kauri/extras/separators.hpp"        // IWYU pragma: export

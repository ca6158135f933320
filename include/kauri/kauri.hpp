// All public headers of kauri: A x = b for sparse symmetric positive definite A, by P A P^T = L
// L^T.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/backend.hpp"           // IWYU pragma: export
#include "kauri/batch.hpp"             // IWYU pragma: export
#include "kauri/condition.hpp"         // IWYU pragma: export
#include "kauri/device_matrix.hpp"     // IWYU pragma: export
#include "kauri/device_values.hpp"     // IWYU pragma: export
#include "kauri/error.hpp"             // IWYU pragma: export
#include "kauri/factor.hpp"            // IWYU pragma: export
#include "kauri/fused_solve.hpp"       // IWYU pragma: export
#include "kauri/generate.hpp"          // IWYU pragma: export
#include "kauri/graph.hpp"             // IWYU pragma: export
#include "kauri/io.hpp"                // IWYU pragma: export
#include "kauri/lower_factor.hpp"      // IWYU pragma: export
#include "kauri/matrix.hpp"            // IWYU pragma: export
#include "kauri/message.hpp"           // IWYU pragma: export
#include "kauri/mixed.hpp"             // IWYU pragma: export
#include "kauri/named_options.hpp"     // IWYU pragma: export
#include "kauri/ordering.hpp"          // IWYU pragma: export
#include "kauri/permutation.hpp"       // IWYU pragma: export
#include "kauri/plan.hpp"              // IWYU pragma: export
#include "kauri/prepared_plan.hpp"     // IWYU pragma: export
#include "kauri/refine.hpp"            // IWYU pragma: export
#include "kauri/refinement.hpp"        // IWYU pragma: export
#include "kauri/refiner.hpp"           // IWYU pragma: export
#include "kauri/report.hpp"            // IWYU pragma: export
#include "kauri/roofline.hpp"          // IWYU pragma: export
#include "kauri/save.hpp"              // IWYU pragma: export
#include "kauri/scaling.hpp"           // IWYU pragma: export
#include "kauri/schur.hpp"             // IWYU pragma: export
#include "kauri/selected_inverse.hpp"  // IWYU pragma: export
#include "kauri/separators.hpp"        // IWYU pragma: export
#include "kauri/solver.hpp"            // IWYU pragma: export
#include "kauri/sparse_product.hpp"    // IWYU pragma: export
#include "kauri/types.hpp"             // IWYU pragma: export
#include "kauri/verdict.hpp"           // IWYU pragma: export
#include "kauri/version.hpp"           // IWYU pragma: export

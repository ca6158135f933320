// LLT: kauri behind the interface of Eigen's solvers, in place of Eigen::SimplicialLLT or
// Eigen::CholmodSupernodalLLT. This is the only public header that needs Eigen (3.4 or newer);
// kauri/kauri.hpp does not include it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/eigen/llt.hpp"
#include "kauri/eigen/llt_factorize.hpp"
#include "kauri/eigen/llt_solve.hpp"

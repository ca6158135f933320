// Names that snippets of the documents use. They are declared and never defined, since snippets are
// compiled and not run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kauri/kauri.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace host {

extern kauri::SymmetricMatrix<double> a;
extern const kauri::Index n, columns, i, j, count;
extern std::vector<double> b, x, y, z, s, g, x2, y2;
extern std::vector<kauri::Index> interface;
extern kauri::SolverOptions options;
extern kauri::Solver<double> solver;
extern kauri::Factor<double> factor;
extern kauri::Workspace<double> workspace;
extern const kauri::Refinement refined;
extern const std::span<const std::int32_t> ptr, index;
extern const std::span<const double> value;
extern int *ia, *ja, nonzeros;
extern double *values, *device_x;
void log(std::string_view what, const std::string& text);

}  // namespace host

namespace schur {

extern kauri::AnalyzeOptions options;
extern std::vector<kauri::Index> interface;
extern const kauri::Index count;
extern kauri::Factor<double> factor;
extern kauri::Workspace<double> workspace;
extern const kauri::MatrixView<const double> b;
extern const kauri::MatrixView<double> s, x, y, g, x2, y2;

}  // namespace schur

namespace device {

extern kauri::SymmetricMatrix<double> a, m;
extern const kauri::Index n, count;
extern kauri::Backend backend;
extern kauri::Factor<double> factor;
extern kauri::Workspace<double> workspace;
extern kauri::SelectedInverse<double> inverse;
extern const kauri::DeviceValues<double> values;
extern const kauri::DeviceMatrixView<const double> b, rhs_given;
extern const kauri::DeviceMatrixView<double> x, y, g, u, r, rhs;
extern const kauri::MatrixView<const double> host_x;
extern const kauri::MatrixView<double> host_y;
extern double* there;
extern const std::span<double> variance, gradient;
extern const kauri::StreamHandle stream;

}  // namespace device

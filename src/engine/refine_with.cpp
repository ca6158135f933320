// Refinement with an existing residual operator, for loops that reuse it.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/engine/refine_with.hpp"

#include "base/progress/phase_range.hpp"
#include "base/threads/stopping.hpp"
#include "numeric/host_refine.hpp"

namespace kauri {

template <Scalar T>
Refinement refine_with(const numeric::ResidualImpl<T>& residual, const SymmetricView<T>& a,
                       const Factor<T>& factor, MatrixView<const T> b, MatrixView<T> x,
                       Workspace<T>& workspace, const RefineOptions& options) {
  const StopScope scope(options.stop);
  stop_here();
  const PhaseRange range(Phase::refine);
  const Offset n = x.rows, size = n * x.cols;
  // Arrays are not initialised: zeros would cost a pass over all of them.
  Array<T> correction(static_cast<std::size_t>(size)), better(static_cast<std::size_t>(size));
  const MatrixView<T> r{correction.data(), x.rows, x.cols, n}, y{better.data(), x.rows, x.cols, n};
  return numeric::refine_on_host(
      x, r, y, numeric::limits_of<T>(options), [&] { factor.solve(r, workspace, options.stop); },
      [&](const MatrixView<T>& of, numeric::ValuesAre values) {
        return residual.residual(a, of, b, r, values);
      });
}

template Refinement refine_with(const numeric::ResidualImpl<float>&, const SymmetricView<float>&,
                                const Factor<float>&, MatrixView<const float>, MatrixView<float>,
                                Workspace<float>&, const RefineOptions&);
template Refinement refine_with(const numeric::ResidualImpl<double>&, const SymmetricView<double>&,
                                const Factor<double>&, MatrixView<const double>, MatrixView<double>,
                                Workspace<double>&, const RefineOptions&);

}  // namespace kauri

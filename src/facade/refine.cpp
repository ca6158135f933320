// Iterative refinement: x += A^-1 (b - A x) while the backward error shrinks (Skeel 1980; Arioli,
// Demmel & Duff 1989).
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/solve/refine.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "base/common/digits.hpp"
#include "base/progress/phase_range.hpp"
#include "base/threads/stopping.hpp"
#include "numeric/backend.hpp"
#include "src/checks/dense_shape.hpp"
#include "src/checks/misuse.hpp"
#include "src/checks/refine_options.hpp"
#include "src/checks/same_pattern.hpp"
#include "src/engine/engine.hpp"

namespace kauri {
namespace {

/// Throws Error(usage) unless x and `a` have n rows, sound strides and as many columns. x_name,
/// name: call and matrix in the text, as "residual: x".
template <class T>
void require_alike(const MatrixView<const T>& x, const char* x_name, const MatrixView<const T>& a,
                   const char* name, Index n) {
  require_dense(x, x_name, n);
  require_dense(a, name, n);
  if (a.cols != x.cols)
    misuse(std::string(name) + " has " + std::to_string(a.cols) + " columns, x has " +
           std::to_string(x.cols));
}

template <class T>
std::unique_ptr<numeric::ResidualImpl<T>> residual_store(const SymmetricView<T>& a,
                                                         numeric::Executor& executor,
                                                         const char* call) {
  check(a.pattern);
  if (static_cast<Offset>(a.value.size()) != a.pattern.nnz())
    misuse(std::string(call) + ": " + std::to_string(a.value.size()) + " values, the pattern has " +
           std::to_string(a.pattern.nnz()) + " entries");
  return executor.of<T>().make_residual(a.pattern);
}

}  // namespace

std::string in_words(const BackwardError& error, double bound) {
  if (!std::isfinite(error.normwise) || !std::isfinite(error.componentwise))
    return "x or its residual is not finite";
  return "the backward error is " + digits(error.normwise) + ", componentwise " +
         digits(error.componentwise) + ", expected at most " + digits(bound);
}

std::string_view name_of(SolveStatus status) {
  switch (status) {
    case SolveStatus::none:
      break;
    case SolveStatus::ok:
      return "ok";
    case SolveStatus::not_converged:
      return "not_converged";
    case SolveStatus::not_finite:
      return "not_finite";
  }
  return "none";
}

template <Scalar T>
void residual(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<const T> b,
              MatrixView<T> y, Backend& backend) {
  require_alike(x, "residual: x", b, "residual: b", a.pattern.n);
  require_alike<T>(x, "residual: x", y, "residual: y", a.pattern.n);
  if (overlap(x, y)) misuse("residual: y overlaps x; give it memory of its own");
  if (overlap(b, y) && (b.data != y.data || overlaps_from_the_first<T>(b, y)))
    misuse("residual: y overlaps b; give it that of b or memory of its own");
  const PhaseRange range("residual");
  residual_store(a, backend.executor(), "residual")
      ->residual(a, x, b, y, numeric::ValuesAre::fresh);
}

template <Scalar T>
void multiply(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<T> y, Backend& backend) {
  require_alike<T>(x, "multiply: x", y, "multiply: y", a.pattern.n);
  if (overlap(x, y)) misuse("multiply: y overlaps x; give it memory of its own");
  const PhaseRange range("product");
  residual_store(a, backend.executor(), "multiply")->multiply(a, x, y);
}

template <Scalar T>
BackwardError backward_error(const SymmetricView<T>& a, MatrixView<const T> x,
                             MatrixView<const T> b, Backend& backend) {
  require_alike(x, "backward_error: x", b, "backward_error: b", a.pattern.n);
  std::vector<T> r(static_cast<std::size_t>(x.rows) * static_cast<std::size_t>(x.cols));
  const PhaseRange range("residual");
  return residual_store(a, backend.executor(), "backward_error")
      ->residual(a, x, b, {r.data(), x.rows, x.cols, x.rows}, numeric::ValuesAre::fresh);
}

template <Scalar T>
Refinement refine(const SymmetricView<T>& a, const Factor<T>& factor, MatrixView<const T> b,
                  MatrixView<T> x, Workspace<T>& workspace, const RefineOptions& options) {
  require_alike<T>(x, "refine: x", b, "refine: b", a.pattern.n);
  if (overlap(b, x)) misuse("refine: x overlaps b; give it memory of its own");
  require_refine_options(options, "refine");
  const StopScope scope(options.stop);
  const auto residual = residual_store(a, factor.executor(), "refine");
  require_pattern(a.pattern, factor.plan(),
                  "refine: the factor belongs to a matrix of another pattern");
  return refine_with<T>(*residual, a, factor, b, x, workspace, options);
}

#define KAURI_INSTANTIATE(T)                                                                     \
  template void multiply(const SymmetricView<T>&, MatrixView<const T>, MatrixView<T>, Backend&); \
  template void residual(const SymmetricView<T>&, MatrixView<const T>, MatrixView<const T>,      \
                         MatrixView<T>, Backend&);                                               \
  template BackwardError backward_error(const SymmetricView<T>&, MatrixView<const T>,            \
                                        MatrixView<const T>, Backend&);                          \
  template Refinement refine(const SymmetricView<T>&, const Factor<T>&, MatrixView<const T>,     \
                             MatrixView<T>, Workspace<T>&, const RefineOptions&);
KAURI_INSTANTIATE(float)
KAURI_INSTANTIATE(double)
#undef KAURI_INSTANTIATE

}  // namespace kauri

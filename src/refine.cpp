// Iterative refinement: x += A^-1 (b - A x) while the backward error shrinks (Skeel 1980; Arioli, Demmel & Duff 1989).
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/refine.hpp"

#include <string>
#include <vector>

#include "numeric/backend.hpp"
#include "numeric/host_refine.hpp"
#include "src/base/stopping.hpp"
#include "src/dense_shape.hpp"
#include "src/refine_with.hpp"

namespace kauri {
namespace {

template <class T>
void require_shape(const Pattern& a, MatrixView<const T> x, MatrixView<const T> b, const char* call) {
  if (x.rows == a.n && b.rows == a.n && x.cols == b.cols && !(has_room(x) && has_room(b)))
    throw Error(ErrorKind::usage, std::string(call) + ": the leading dimensions of x (" + std::to_string(x.ld) + in_words(x.layout) +
                                      ") and b (" + std::to_string(b.ld) + in_words(b.layout) + ") do not fit " + std::to_string(x.rows) +
                                      " rows and " + std::to_string(x.cols) + " columns");
  if (x.rows != a.n || b.rows != a.n || x.cols != b.cols)
    throw Error(ErrorKind::usage, std::string(call) + ": x is " + std::to_string(x.rows) + " x " + std::to_string(x.cols) + " and b " +
                                      std::to_string(b.rows) + " x " + std::to_string(b.cols) + ", A has n = " + std::to_string(a.n));
}

template <class T>
std::unique_ptr<numeric::ResidualStore<T>> residual_store(const SymmetricView<T>& a, numeric::Executor& executor, const char* call) {
  check(a.pattern);
  if (static_cast<Offset>(a.value.size()) != a.pattern.nnz())
    throw Error(ErrorKind::usage, std::string(call) + ": " + std::to_string(a.value.size()) + " values, the pattern has " +
                                      std::to_string(a.pattern.nnz()) + " entries");
  return executor.make_residual(a.pattern, T{});
}

}  // namespace

template <Scalar T>
Refinement refine_with(const numeric::ResidualStore<T>& residual, const SymmetricView<T>& a, const Factor<T>& factor, MatrixView<const T> b,
                       MatrixView<T> x, Workspace<T>& workspace, const RefineOptions& options) {
  const StopScope scope(options.stop);
  stop_here();
  const Offset n = x.rows, size = n * x.cols;
  Array<T> correction(static_cast<std::size_t>(size)), better(static_cast<std::size_t>(size));  // unset: zeros would be a look at all of it
  const MatrixView<T> r{correction.data(), x.rows, x.cols, n}, y{better.data(), x.rows, x.cols, n};
  return numeric::refine_on_host(
      x, r, y, numeric::limits_of<T>(options), [&] { factor.solve(r, workspace, options.stop); },
      [&](const MatrixView<T>& of, numeric::ValuesAre values) { return residual.residual(a, of, b, r, values); });
}

template <Scalar T>
void residual(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<const T> b, MatrixView<T> y, Backend& backend) {
  require_shape(a.pattern, x, b, "residual");
  require_shape<T>(a.pattern, y, b, "residual");
  residual_store(a, backend.executor(), "residual")->residual(a, x, b, y, numeric::ValuesAre::fresh);
}

template <Scalar T>
void multiply(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<T> y, Backend& backend) {
  require_shape<T>(a.pattern, x, y, "multiply");
  residual_store(a, backend.executor(), "multiply")->multiply(a, x, y);
}

template <Scalar T>
BackwardError backward_error(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<const T> b, Backend& backend) {
  require_shape(a.pattern, x, b, "backward_error");
  std::vector<T> r(static_cast<std::size_t>(x.rows) * static_cast<std::size_t>(x.cols));
  return residual_store(a, backend.executor(), "backward_error")
      ->residual(a, x, b, {r.data(), x.rows, x.cols, x.rows}, numeric::ValuesAre::fresh);
}

template <Scalar T>
Refinement refine(const SymmetricView<T>& a, const Factor<T>& factor, MatrixView<const T> b, MatrixView<T> x, Workspace<T>& workspace,
                  const RefineOptions& options) {
  require_shape<T>(a.pattern, x, b, "refine");
  const StopScope scope(options.stop);
  const auto residual = residual_store(a, factor.executor(), "refine");
  if (fingerprint(a.pattern) != factor.plan().fingerprint)
    throw Error(ErrorKind::usage, "refine: the factor belongs to a matrix of another pattern");
  return refine_with<T>(*residual, a, factor, b, x, workspace, options);
}

#define KAURI_INSTANTIATE(T)                                                                                                        \
  template Refinement refine_with(const numeric::ResidualStore<T>&, const SymmetricView<T>&, const Factor<T>&, MatrixView<const T>, \
                                  MatrixView<T>, Workspace<T>&, const RefineOptions&);                                              \
  template void multiply(const SymmetricView<T>&, MatrixView<const T>, MatrixView<T>, Backend&);                                    \
  template void residual(const SymmetricView<T>&, MatrixView<const T>, MatrixView<const T>, MatrixView<T>, Backend&);               \
  template BackwardError backward_error(const SymmetricView<T>&, MatrixView<const T>, MatrixView<const T>, Backend&);               \
  template Refinement refine(const SymmetricView<T>&, const Factor<T>&, MatrixView<const T>, MatrixView<T>, Workspace<T>&,          \
                             const RefineOptions&);
KAURI_INSTANTIATE(float)
KAURI_INSTANTIATE(double)
#undef KAURI_INSTANTIATE

}  // namespace kauri

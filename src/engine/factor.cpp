// Factor and Workspace: checks the public calls before a backend does the work. store_ of a Factor
// is a CpuFactor or a CudaFactor: factor/factor.cpp in numeric/cpu or numeric/cuda has its
// refactorize(), solve/solve.cpp its solve().
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/solve/factor.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/progress/phase_range.hpp"
#include "base/threads/stopping.hpp"
#include "numeric/backend.hpp"
#include "src/checks/dense_shape.hpp"
#include "src/checks/entry_place.hpp"
#include "src/checks/misuse.hpp"
#include "src/checks/same_pattern.hpp"

namespace kauri {
namespace {

std::shared_ptr<const Plan> require_plan(std::shared_ptr<const Plan> plan) {
  if (!plan) misuse("the plan is null; pass that of an analysis");
  return plan;
}

void require_nrhs(Index nrhs) {
  if (nrhs < 1)
    misuse("Workspace::create: nrhs is " + std::to_string(nrhs) + ", expected 1 or more");
}

/// Throws Error(input) that names the first value that is not finite. After a failed factorisation
/// this tells bad input from a matrix that is not positive definite.
template <class T>
void require_finite(const Plan& plan, std::span<const T> value) {
  require_all_finite<T>(value, [&](Offset k) {
    return "value " + std::to_string(k) + " of A, entry " + in_words(place_of(plan, k)) + ",";
  });
}

/// Throws Error(usage) unless there is one value for each entry and the shift is finite.
template <class T>
void require_call(const Plan& plan, std::span<const T> value, T shift) {
  if (static_cast<Offset>(value.size()) != plan.nnz)
    misuse("refactorize: " + std::to_string(value.size()) + " values, the pattern has " +
           std::to_string(plan.nnz) + " entries");
  if (!std::isfinite(shift))
    misuse("refactorize: the shift is " + std::to_string(shift) + ", expected a finite number");
}

void require_solvable(bool factor_is_there) {
  if (!factor_is_there)
    misuse(
        "solve: the factor is not valid (no successful factorisation yet, or the last one broke "
        "down): call refactorize() first");
}

/// Factorises A + shift I. values: `fresh`, or `unchanged` if they are those of the factor's last
/// filling. after: the caller's stream, whose work at the time of the call writes the values on the
/// device; none: they have been written.
template <class T>
Result<void, Breakdown> fill(Factor<T>& factor, std::span<const T> value, T shift,
                             numeric::ValuesAre values, const std::stop_token& stop,
                             std::optional<StreamHandle> after = std::nullopt) {
  require_call(factor.plan(), value, shift);
  const OneCall call(factor.store().fillings, "refactorize", "factor");
  if (after) factor.store().stream_calls().begin_after(*after);
  const StopScope scope(stop);
  stop_here();
  const PhaseRange range(Phase::factor);
  const DeviceVerdict& verdict = factor.store().refactorize(value, shift, values);
  if (verdict.status == VerdictStatus::positive_definite) return {};
  if (!std::isfinite(
          verdict.pivot)) {  // a finite pivot cannot come from a value that is not finite
    std::vector<T> room;
    require_finite(factor.plan(), factor.store().on_host(value, room));
  }
  return Breakdown{verdict.column, verdict.pivot};
}

/// Returns true for L^T and false for L in a product; throws Error(usage) for other systems.
bool is_transposed(System system) {
  if (system != System::L && system != System::Lt) misuse("multiply: the system must be L or Lt");
  return system == System::Lt;
}

numeric::SolveSteps steps_of(System system) {
  switch (system) {
    case System::A:
      return {};
    case System::B:
      return {.permute = false, .back = false};
    case System::L:
      return {.permute = false, .backward = false, .back = false};
    case System::Lt:
      return {.permute = false, .forward = false, .back = false};
    case System::P:
      return {.forward = false, .backward = false, .back = false};
    case System::Pt:
      return {.permute = false, .forward = false, .backward = false};
  }
  misuse("solve: unknown System " + std::to_string(static_cast<int>(system)) +
         "; expected A, B, L, Lt, P or Pt (0 to 5)");
}

}  // namespace

PreparedPlan::PreparedPlan(std::shared_ptr<const numeric::PreparedPlanImpl> store,
                           numeric::Executor& executor)
    : store_(std::move(store)), executor_(&executor) {}

PreparedPlan PreparedPlan::create(std::shared_ptr<const Plan> plan, Backend& backend) {
  const PhaseRange range(Phase::prepare);
  return {backend.executor().prepare(require_plan(std::move(plan))), backend.executor()};
}

const Plan& PreparedPlan::plan() const { return *store_->plan(); }
const std::shared_ptr<const Plan>& PreparedPlan::shared_plan() const { return store_->plan(); }

template <Scalar T>
Workspace<T>::Workspace(std::unique_ptr<numeric::WorkspaceImpl<T>> store,
                        const numeric::Executor& executor)
    : store_(std::move(store)), executor_(&executor) {}
template <Scalar T>
Workspace<T>::Workspace(Workspace&&) noexcept = default;
template <Scalar T>
Workspace<T>& Workspace<T>::operator=(Workspace&&) noexcept = default;
template <Scalar T>
Workspace<T>::~Workspace() = default;

template <Scalar T>
Workspace<T> Workspace<T>::create(std::shared_ptr<const Plan> plan, Index nrhs, Backend& backend) {
  require_nrhs(nrhs);
  const PhaseRange range(Phase::prepare);
  return Workspace(backend.executor().of<T>().make_workspace(require_plan(std::move(plan)), nrhs),
                   backend.executor());
}

template <Scalar T>
Workspace<T> Workspace<T>::create(const Factor<T>& factor, Index nrhs) {
  require_nrhs(nrhs);
  const PhaseRange range(Phase::prepare);
  return Workspace(factor.executor().template of<T>().make_workspace(factor.shared_plan(), nrhs),
                   factor.executor());
}

template <Scalar T>
Index Workspace<T>::nrhs() const {
  return store_->nrhs();
}

template <Scalar T>
Factor<T>::Factor(std::unique_ptr<numeric::FactorImpl<T>> store, numeric::Executor& executor)
    : store_(std::move(store)), executor_(&executor) {}
template <Scalar T>
Factor<T>::Factor(Factor&&) noexcept = default;
template <Scalar T>
Factor<T>& Factor<T>::operator=(Factor&&) noexcept = default;
template <Scalar T>
Factor<T>::~Factor() = default;

template <Scalar T>
Factor<T> Factor<T>::create(std::shared_ptr<const Plan> plan, Backend& backend) {
  plan = require_plan(std::move(plan));
  backend.executor().of<T>().require_memory(*plan);
  return create(PreparedPlan::create(std::move(plan), backend));
}

template <Scalar T>
Factor<T> Factor<T>::create(const PreparedPlan& plan) {
  const PhaseRange range(Phase::prepare);
  return Factor(plan.executor_->of<T>().make_factor(plan.store_), *plan.executor_);
}

template <Scalar T>
const Plan& Factor<T>::plan() const {
  return *store_->plan();
}
template <Scalar T>
std::shared_ptr<const Plan> Factor<T>::shared_plan() const {
  return store_->plan();
}
template <Scalar T>
const DeviceVerdict& Factor<T>::verdict() const {
  return store_->verdict();
}
template <Scalar T>
const DeviceVerdict& Factor<T>::fetch_verdict(StreamHandle stream) {
  return store_->stream_calls().fetch_verdict(stream);
}
template <Scalar T>
const DeviceVerdict* Factor<T>::verdict_address() const {
  return store_->stream_calls().verdict_address();
}

template <Scalar T>
void Factor<T>::require_fit(const MatrixView<const T>& b, const MatrixView<const T>& x,
                            const Workspace<T>& workspace) const {
  require_dense(x, "solve: x", plan().n);
  require_dense(b, "solve: b", plan().n);
  if (b.cols != x.cols)
    misuse("solve: b has " + std::to_string(b.cols) + " columns, x has " + std::to_string(x.cols));
  if (overlaps_from_the_first(b, x))
    misuse(
        "solve: x begins where b does, with another leading dimension or layout; give both the "
        "same, or x memory of its own");
  require_fit(workspace);
}

template <Scalar T>
void Factor<T>::require_fit(const Workspace<T>& workspace) const {
  if (&workspace.store_->plan() != &plan())
    misuse("solve: the workspace was made for another plan; make one for this factor");
  if (workspace.executor_ != executor_ && executor_->kind() != BackendKind::cpu)
    misuse("solve: the workspace was made for another device's backend; make one for this factor");
}

template <Scalar T>
const numeric::DeviceSolves<T>& Factor<T>::device_solves() const {
  const numeric::DeviceSolves<T>* solves = store_->device_solves();
  if (!solves)
    misuse(
        "solve: b and x are marked as device memory, but the factor is on the CPU; pass views of "
        "the host's memory");
  return *solves;
}

template <Scalar T>
void Factor<T>::solve(MatrixView<T> x, Workspace<T>& workspace, const std::stop_token& stop) const {
  solve(x, x, workspace, stop);
}

template <Scalar T>
void Factor<T>::solve(MatrixView<const T> b, MatrixView<T> x, Workspace<T>& workspace,
                      const std::stop_token& stop) const {
  solve(System::A, b, x, workspace, stop);
}

template <Scalar T>
void Factor<T>::solve(System system, MatrixView<const T> b, MatrixView<T> x,
                      Workspace<T>& workspace, const std::stop_token& stop) const {
  require_solvable(valid());
  require_fit(b, x, workspace);
  if (x.rows == 0 || x.cols == 0) return;
  const OneCall call(workspace.store_->calls, "Factor::solve", "workspace");
  const StopScope scope(stop);
  stop_here();
  const PhaseRange range(Phase::solve);
  store_->solve(b, x, *workspace.store_, steps_of(system));
}

template <Scalar T>
void Factor<T>::multiply(System system, MatrixView<const T> b, MatrixView<T> x,
                         Workspace<T>& workspace, const std::stop_token& stop) const {
  const bool transposed = is_transposed(system);
  require_solvable(valid());
  require_fit(b, x, workspace);
  if (x.rows == 0 || x.cols == 0) return;
  const OneCall call(workspace.store_->calls, "Factor::multiply", "workspace");
  const StopScope scope(stop);
  stop_here();
  const PhaseRange range("product");
  store_->multiply(b, x, *workspace.store_, transposed);
}

template <Scalar T>
void Factor<T>::multiply(System system, DeviceMatrixView<const T> b, DeviceMatrixView<T> x,
                         Workspace<T>& workspace) const {
  const numeric::DeviceSolves<T>& device = device_solves();
  const bool transposed = is_transposed(system);
  require_solvable(valid());
  require_fit(b.view(), x.view(), workspace);
  if (x.view().rows == 0 || x.view().cols == 0) return;
  const OneCall call(workspace.store_->calls, "Factor::multiply", "workspace");
  const PhaseRange range("product");
  device.multiply_on_device(b.view(), x.view(), *workspace.store_, transposed);
}

template <Scalar T>
void Factor<T>::enqueue_multiply(System system, DeviceMatrixView<const T> b, DeviceMatrixView<T> x,
                                 Workspace<T>& workspace, StreamHandle stream) const {
  const numeric::DeviceSolves<T>& device = device_solves();
  const bool transposed = is_transposed(system);
  require_solvable(valid() || device.awaits_verdict());
  require_fit(b.view(), x.view(), workspace);
  if (x.view().rows == 0 || x.view().cols == 0) return;
  const OneCall call(workspace.store_->calls, "Factor::enqueue_multiply", "workspace");
  const PhaseRange range("product");
  device.enqueue_multiply(b.view(), x.view(), *workspace.store_, transposed, stream);
}

template <Scalar T>
void Factor<T>::solve(DeviceMatrixView<T> x, Workspace<T>& workspace) const {
  solve(x, x, workspace);
}

template <Scalar T>
void Factor<T>::solve(DeviceMatrixView<const T> b, DeviceMatrixView<T> x,
                      Workspace<T>& workspace) const {
  solve(System::A, b, x, workspace);
}

template <Scalar T>
void Factor<T>::solve(System system, DeviceMatrixView<const T> b, DeviceMatrixView<T> x,
                      Workspace<T>& workspace) const {
  const numeric::DeviceSolves<T>& solves = device_solves();
  require_solvable(valid());
  require_fit(b.view(), x.view(), workspace);
  if (x.view().rows == 0 || x.view().cols == 0) return;
  const OneCall call(workspace.store_->calls, "Factor::solve", "workspace");
  const PhaseRange range(Phase::solve);
  solves.solve_on_device(b.view(), x.view(), *workspace.store_, steps_of(system));
}

template <Scalar T>
void Factor<T>::enqueue_solve(DeviceMatrixView<T> x, Workspace<T>& workspace,
                              StreamHandle stream) const {
  enqueue_solve(x, x, workspace, stream);
}

template <Scalar T>
void Factor<T>::enqueue_solve(DeviceMatrixView<const T> b, DeviceMatrixView<T> x,
                              Workspace<T>& workspace, StreamHandle stream) const {
  enqueue_solve(System::A, b, x, workspace, stream);
}

template <Scalar T>
void Factor<T>::enqueue_solve(System system, DeviceMatrixView<const T> b, DeviceMatrixView<T> x,
                              Workspace<T>& workspace, StreamHandle stream) const {
  const numeric::DeviceSolves<T>& solves = device_solves();
  require_solvable(valid() || solves.awaits_verdict());
  require_fit(b.view(), x.view(), workspace);
  if (x.view().rows == 0 || x.view().cols == 0) return;
  const OneCall call(workspace.store_->calls, "Factor::enqueue_solve", "workspace");
  const PhaseRange range(Phase::solve);
  solves.enqueue_solve(b.view(), x.view(), *workspace.store_, steps_of(system), stream);
}

template <Scalar T>
void Factor<T>::enqueue_log_determinant(double* there, Workspace<T>& workspace,
                                        StreamHandle stream) const {
  const numeric::DeviceSolves<T>* device = store_->device_solves();
  if (!device)
    misuse("enqueue_log_determinant: the factor is on the CPU, expected one on a device");
  if (!valid() && !device->awaits_verdict())
    misuse(
        "enqueue_log_determinant: the factor is not valid (no successful factorisation yet, or the "
        "last one broke down): call refactorize() first");
  if (!there)
    misuse("enqueue_log_determinant: the place of the number is null, expected an address");
  require_fit(workspace);
  const OneCall call(workspace.store_->calls, "enqueue_log_determinant", "workspace");
  device->enqueue_log_determinant(there, *workspace.store_, stream);
}

template <Scalar T>
std::unique_ptr<numeric::NormEstimator<T>> Factor<T>::make_norm_estimator(
    Workspace<T>& workspace) const {
  require_solvable(valid());
  require_fit(workspace);
  const numeric::DeviceSolves<T>* device = store_->device_solves();
  return device ? device->make_norm_estimator(*workspace.store_) : nullptr;
}

template <Scalar T>
T Factor<T>::entry(Index row, Index col) const {
  if (row < 0 || row >= plan().n || col < 0 || col >= plan().n)
    misuse("entry (" + std::to_string(row) + ", " + std::to_string(col) +
           ") of a factor with n = " + std::to_string(plan().n) + ", expected 0 to " +
           std::to_string(plan().n - 1));
  return store_->host_access().entry(row, col);
}

template <Scalar T>
Result<void, Breakdown> refactorize(Factor<T>& factor, std::span<const T> value,
                                    std::type_identity_t<T> shift, const std::stop_token& stop) {
  return fill(factor, value, shift, numeric::ValuesAre::fresh, stop);
}

template <Scalar T>
Result<void, Breakdown> refactorize_shifted(Factor<T>& factor, std::span<const T> value,
                                            std::type_identity_t<T> shift,
                                            const std::stop_token& stop) {
  return fill(factor, value, shift, numeric::ValuesAre::unchanged, stop);
}

template <Scalar T>
void enqueue_refactorize(Factor<T>& factor, const DeviceValues<T>& value,
                         std::type_identity_t<T> shift, StreamHandle stream) {
  require_call<T>(factor.plan(), value.span(), shift);
  const OneCall call(factor.store().fillings, "enqueue_refactorize", "factor");
  const PhaseRange range(Phase::factor);
  factor.store().stream_calls().enqueue_refactorize(value.span(), shift, stream);
}

template <Scalar T>
Result<void, Breakdown> refactorize(Factor<T>& factor, const DeviceValues<T>& value,
                                    std::type_identity_t<T> shift, const std::stop_token& stop) {
  return refactorize<T>(factor, value.span(), shift, stop);
}

template <Scalar T>
Result<void, Breakdown> refactorize(Factor<T>& factor, const DeviceValues<T>& value,
                                    std::type_identity_t<T> shift, StreamHandle stream,
                                    const std::stop_token& stop) {
  return fill(factor, value.span(), shift, numeric::ValuesAre::fresh, stop, stream);
}

template <Scalar T>
Result<void, Breakdown> refactorize(Factor<T>& factor, const SymmetricView<T>& a,
                                    std::type_identity_t<T> shift, const std::stop_token& stop) {
  require_pattern(a.pattern, factor.plan(),
                  "refactorize: the matrix has another pattern than the one analysed");
  return refactorize<T>(factor, a.value, shift, stop);
}

template <Scalar T>
Result<Factor<T>, Breakdown> factorize(std::shared_ptr<const Plan> plan, std::span<const T> value,
                                       Backend& backend, std::type_identity_t<T> shift,
                                       const std::stop_token& stop) {
  Factor<T> factor = Factor<T>::create(std::move(plan), backend);
  if (auto result = refactorize(factor, value, shift, stop); !result) return result.error();
  return factor;
}

template class Workspace<float>;
template class Workspace<double>;
template class Factor<float>;
template class Factor<double>;
template Result<void, Breakdown> refactorize(Factor<float>&, std::span<const float>, float,
                                             const std::stop_token&);
template Result<void, Breakdown> refactorize(Factor<double>&, std::span<const double>, double,
                                             const std::stop_token&);
template Result<void, Breakdown> refactorize_shifted(Factor<float>&, std::span<const float>, float,
                                                     const std::stop_token&);
template Result<void, Breakdown> refactorize_shifted(Factor<double>&, std::span<const double>,
                                                     double, const std::stop_token&);
template void enqueue_refactorize(Factor<float>&, const DeviceValues<float>&, float, StreamHandle);
template void enqueue_refactorize(Factor<double>&, const DeviceValues<double>&, double,
                                  StreamHandle);
template Result<void, Breakdown> refactorize(Factor<float>&, const DeviceValues<float>&, float,
                                             const std::stop_token&);
template Result<void, Breakdown> refactorize(Factor<double>&, const DeviceValues<double>&, double,
                                             const std::stop_token&);
template Result<void, Breakdown> refactorize(Factor<float>&, const DeviceValues<float>&, float,
                                             StreamHandle, const std::stop_token&);
template Result<void, Breakdown> refactorize(Factor<double>&, const DeviceValues<double>&, double,
                                             StreamHandle, const std::stop_token&);
template Result<void, Breakdown> refactorize(Factor<float>&, const SymmetricView<float>&, float,
                                             const std::stop_token&);
template Result<void, Breakdown> refactorize(Factor<double>&, const SymmetricView<double>&, double,
                                             const std::stop_token&);
template Result<Factor<float>, Breakdown> factorize(std::shared_ptr<const Plan>,
                                                    std::span<const float>, Backend&, float,
                                                    const std::stop_token&);
template Result<Factor<double>, Breakdown> factorize(std::shared_ptr<const Plan>,
                                                     std::span<const double>, Backend&, double,
                                                     const std::stop_token&);

}  // namespace kauri

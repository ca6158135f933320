// Runs all calls of kauri that work on a device, one after another, with memory from kauri; the
// caller checks the state of its thread after each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/device/front_tasks.hpp"
#include "tests/support/device/device_plans.hpp"

namespace kauri::test {

class DeviceCalls {
 public:
  using After = std::function<void(const char* call)>;

  DeviceCalls(int device, After after)
      : device_(device), after_(std::move(after)), a_(generate("poisson3d 6")) {
    for (Index i = 0; i < a_.n(); ++i) b_.push_back(1.0 + i % 7);
  }

  /// Makes the backend, and the objects that use it.
  void make() {
    if (device_ == 0) call("cuda_available", [&] { EXPECT_TRUE(cuda_available()); });
    call("cuda_backend", [&] { backend_.emplace(cuda_backend(device_)); });
    AnalyzeOptions options;
    options.target = backend_->target();
    call("Backend::roofline",
         [&] { EXPECT_GT(backend_->roofline(sizeof(double)).flops_per_s, 0); });
    const Analysis analysis = analyze_with_report(a_.pattern(), options);
    call("report_of", [&] { EXPECT_EQ(report_of(analysis, *backend_, sizeof(double)).n, a_.n()); });
    const auto plan = run_by(*analysis.plan, symbolic::kFewestEver);
    call("PreparedPlan::create", [&] { prepared_.emplace(PreparedPlan::create(plan, *backend_)); });
    call("Factor::create", [&] { factor_.emplace(Factor<double>::create(*prepared_)); });
    call("Workspace::create", [&] { workspace_.emplace(Workspace<double>::create(*factor_, 1)); });
    call("Workspace::create, of a plan",
         [&] { EXPECT_EQ(Workspace<double>::create(plan, 2, *backend_).nrhs(), 2); });
    call("DeviceValues::copy_of",
         [&] { values_.emplace(DeviceValues<double>::copy_of(a_.value(), *backend_)); });
    call("DeviceValues::copy_of",
         [&] { b_there_.emplace(DeviceValues<double>::copy_of(b_, *backend_)); });
    call("DeviceValues::copy_of",
         [&] { x_there_.emplace(DeviceValues<double>::copy_of(b_, *backend_)); });
    call("Refiner::create",
         [&] { refiner_.emplace(Refiner<double>::create(a_.pattern(), *factor_, 1)); });
    call("SelectedInverse::bytes", [&] { EXPECT_GT(SelectedInverse<double>::bytes(*factor_), 0); });
    call("SelectedInverse::create",
         [&] { inverse_.emplace(SelectedInverse<double>::create(*factor_)); });
    call("SparseProduct::create",
         [&] { product_.emplace(SparseProduct<double>::create(a_.view(), *backend_)); });
    call("MixedFactor::create",
         [&] { mixed_.emplace(MixedFactor::create(a_.pattern(), plan, *backend_)); });
    call("FusedSolve::create",
         [&] { fused_.emplace(FusedSolve<double>::create(a_.pattern(), plan, *backend_)); });
    call("BatchFactor::create",
         [&] { batch_.emplace(BatchFactor<double>::create(*prepared_, 2)); });
    call("BatchFactor::bytes", [&] { EXPECT_GT(BatchFactor<double>::bytes(*prepared_, 2), 0); });
    call("BatchWorkspace::bytes", [&] { EXPECT_GT(BatchWorkspace<double>::bytes(*batch_, 1), 0); });
    call("BatchWorkspace::create",
         [&] { batch_room_.emplace(BatchWorkspace<double>::create(*batch_, 1)); });
  }

  /// Runs the calls that work on these objects. stream: of the backend's context.
  void use(StreamHandle stream) {
    fill(stream);
    solve(stream);
    read();
    others(stream);
    products(stream);
    complements(stream);
    batches(stream);
  }

  void end() {
    call("~BatchWorkspace", [&] { batch_room_.reset(); });
    call("~BatchFactor", [&] { batch_.reset(); });
    call("~FusedSolve", [&] { fused_.reset(); });
    call("~MixedFactor", [&] { mixed_.reset(); });
    call("~SparseProduct", [&] { product_.reset(); });
    call("~SelectedInverse", [&] { inverse_.reset(); });
    call("~Refiner", [&] { refiner_.reset(); });
    call("~DeviceValues", [&] { x_there_.reset(), b_there_.reset(), values_.reset(); });
    call("~Workspace", [&] { workspace_.reset(); });
    call("~Factor", [&] { factor_.reset(); });
    call("~PreparedPlan", [&] { prepared_.reset(); });
    call("~Backend", [&] { backend_.reset(); });
  }

  void run(StreamHandle stream) {
    make();
    use(stream);
    end();
  }

 private:
  template <class F>
  void call(const char* name, const F& f) {
    SCOPED_TRACE(name);
    f();
    after_(name);
  }

  [[nodiscard]] MatrixView<const double> b() const { return {b_.data(), a_.n(), 1, a_.n()}; }
  [[nodiscard]] DeviceMatrixView<const double> device_b() const {
    return DeviceMatrixView<const double>({b_there_->span().data(), a_.n(), 1, a_.n()});
  }
  /// Returns numbers that this object owns and may write.
  [[nodiscard]] double* there() { return numbers_of(*x_there_).data(); }
  [[nodiscard]] DeviceMatrixView<double> device_x() {
    return DeviceMatrixView<double>({there(), a_.n(), 1, a_.n()});
  }
  /// Expects that x solves A x = b.
  void expect_solution(const std::vector<double>& x) {
    ASSERT_EQ(x.size(), b_.size());
    Backend cpu = cpu_backend(1);
    const BackwardError error =
        backward_error(a_.view(), MatrixView<const double>{x.data(), a_.n(), 1, a_.n()}, b(), cpu);
    EXPECT_LE(error.componentwise, 1e-12);
  }

  void fill(StreamHandle stream) {
    auto& f = *factor_;
    call("refactorize, of the host's",
         [&] { EXPECT_TRUE(refactorize<double>(f, a_.value()).ok()); });
    call("refactorize, of the device's", [&] { EXPECT_TRUE(refactorize(f, *values_).ok()); });
    call("refactorize, after a stream",
         [&] { EXPECT_TRUE(refactorize(f, *values_, 0, stream).ok()); });
    call("refactorize, of a view", [&] { EXPECT_TRUE(refactorize(f, a_.view()).ok()); });
    call("refactorize_shifted",
         [&] { EXPECT_TRUE(refactorize_shifted<double>(f, a_.value(), 1.0).ok()); });
    call("refactorize, a Breakdown", [&] { EXPECT_FALSE(refactorize(f, *values_, -100).ok()); });
    std::vector<double> spoilt(a_.value().begin(), a_.value().end());
    spoilt.back() = std::numeric_limits<double>::quiet_NaN();
    call("refactorize, a NaN", [&] { EXPECT_THROW((void)refactorize<double>(f, spoilt), Error); });
    call("DeviceValues::assign", [&] { values_->assign(spoilt); });
    call("refactorize, a NaN of the device's",
         [&] { EXPECT_THROW((void)refactorize(f, *values_), Error); });
    call("DeviceValues::assign", [&] { values_->assign(a_.value()); });
    call("enqueue_refactorize", [&] { enqueue_refactorize(f, *values_, 0, stream); });
    call("Factor::fetch_verdict",
         [&] { EXPECT_EQ(f.fetch_verdict(stream).status, VerdictStatus::positive_definite); });
  }

  void solve(StreamHandle stream) {
    std::vector<double> x(b_.size());
    const MatrixView<double> x_here{x.data(), a_.n(), 1, a_.n()};
    call("Factor::solve, of the host's", [&] { factor_->solve(b(), x_here, *workspace_); });
    expect_solution(x);
    call("Factor::solve, of the device's",
         [&] { factor_->solve(device_b(), device_x(), *workspace_); });
    call("Factor::enqueue_solve",
         [&] { factor_->enqueue_solve(device_b(), device_x(), *workspace_, stream); });
    call("Factor::enqueue_log_determinant",
         [&] { factor_->enqueue_log_determinant(there(), *workspace_, stream); });
    call("Factor::enqueue_multiply", [&] {
      factor_->enqueue_multiply(System::L, device_b(), device_x(), *workspace_, stream);
    });
    call("Factor::fetch_verdict", [&] {
      EXPECT_TRUE(factor_->fetch_verdict(stream).status == VerdictStatus::positive_definite);
    });
    call("Factor::multiply, of the host's",
         [&] { factor_->multiply(System::Lt, b(), x_here, *workspace_); });
    call("Factor::multiply, of the device's",
         [&] { factor_->multiply(System::L, device_b(), device_x(), *workspace_); });
  }

  void read() {
    const auto& f = *factor_;
    call("Factor::entry", [&] { EXPECT_GT(f.entry(0, 0), 0); });
    call("log_determinant", [&] { EXPECT_GT(log_determinant(f), 0); });
    call("determinant", [&] { EXPECT_GT(determinant(f), 0); });
    call("lower_factor", [&] { EXPECT_GT(lower_factor(f).value.size(), b_.size()); });
    call("lower_diagonal", [&] { EXPECT_EQ(lower_diagonal(f).size(), b_.size()); });
    call("estimate_condition",
         [&] { EXPECT_GT(estimate_condition(a_.view(), f, *workspace_).condition(), 1); });
    call("worst_pivot", [&] { EXPECT_FALSE(worst_pivot(a_.view(), f).nearly_singular()); });
    call("backward_error", [&] { (void)backward_error(a_.view(), b(), b(), *backend_); });
    std::vector<std::byte> saved;
    call("save_factor", [&] { saved = save_factor(f); });
    call("factorize", [&] {
      EXPECT_TRUE(factorize<double>(prepared_->shared_plan(), a_.value(), *backend_).ok());
    });
    call("load_factor", [&] { EXPECT_TRUE(load_factor<double>(saved, *backend_).valid()); });
  }

  void others(StreamHandle stream) {
    std::vector<double> x(b_.size());
    const MatrixView<double> x_here{x.data(), a_.n(), 1, a_.n()};
    call("Refiner::set_values", [&] { refiner_->set_values(*values_); });
    call("Refiner::enqueue_values", [&] { refiner_->enqueue_values(*values_, stream); });
    call("Refiner::refine",
         [&] { (void)refiner_->refine(*factor_, device_b(), device_x(), *workspace_); });
    call("Refiner::enqueue_refine",
         [&] { refiner_->enqueue_refine(*factor_, device_b(), device_x(), *workspace_, stream); });
    call("Refiner::fetch_report", [&] { (void)refiner_->fetch_report(stream); });
    call("SelectedInverse::compute", [&] { inverse_->compute(*factor_); });
    call("SelectedInverse::entry", [&] { EXPECT_GT(inverse_->entry(0, 0).value_or(0), 0); });
    call("SelectedInverse::diagonal", [&] { EXPECT_GT(inverse_->diagonal().at(0), 0); });
    call("SelectedInverse::enqueue_compute", [&] { inverse_->enqueue_compute(*factor_, stream); });
    call("SelectedInverse::enqueue_diagonal", [&] {
      inverse_->enqueue_diagonal({there(), b_.size()}, stream);
    });
    call("SelectedInverse::fetch_verdict", [&] { (void)inverse_->fetch_verdict(stream); });
    call("SparseProduct::multiply, of the host's", [&] { product_->multiply(1, b(), 0, x_here); });
    call("SparseProduct::multiply, of the device's",
         [&] { product_->multiply(1, device_b(), 0, device_x()); });
    call("SparseProduct::set_values", [&] { product_->set_values(*values_); });
    call("MixedFactor::refactorize",
         [&] { EXPECT_TRUE(mixed_->refactorize(*values_, stream).ok()); });
    call("MixedFactor::reserve", [&] { mixed_->reserve(2); });
    call("MixedFactor::in_double", [&] { EXPECT_FALSE(mixed_->in_double()); });
    call("MixedFactor::solve", [&] { EXPECT_TRUE(mixed_->solve(b(), x_here).ok()); });
    expect_solution(x);
    call("FusedSolve::solve", [&] { EXPECT_TRUE(fused_->solve(a_.value(), b(), x_here).ok()); });
    expect_solution(x);
    call("FusedSolve::solve, of the device's",
         [&] { EXPECT_TRUE(fused_->solve(*values_, device_b(), device_x()).ok()); });
    call("refactorize of a batch", [&] { refactorize<double>(*batch_, a_.value(), 0); });
    call("refactorize of a batch, after a stream",
         [&] { refactorize(*batch_, *values_, 0, 0.0, stream); });
    SolverOptions options;
    options.backend = BackendChoice::cuda;
    options.cuda.device = device_;
    options.threads = 1;
    std::optional<Solver<double>> solver;
    call("Solver", [&] { solver.emplace(options); });
    call("Solver::compute", [&] { EXPECT_TRUE(solver->compute(a_.view()).ok()); });
    call("Solver::refactorize", [&] { EXPECT_TRUE(solver->refactorize(a_.value()).ok()); });
    call("Solver::refactorize_shifted", [&] { EXPECT_TRUE(solver->refactorize_shifted(0).ok()); });
    call("Solver::solve", [&] { x = solver->solve(b_); });
    expect_solution(x);
    call("~Solver", [&] { solver.reset(); });
    std::vector<double> two(2 * b_.size(), 1.0);
    call("BatchFactor::solve", [&] { batch_->solve(two_of(two.data()), *batch_room_); });
    call("BatchFactor::entry", [&] { EXPECT_GT(batch_->entry(1, 0, 0), 0); });
    call("MixedFactor::refactorize, of the host's",
         [&] { EXPECT_TRUE(mixed_->refactorize(a_.value()).ok()); });
    call("MixedFactor::solve, of the device's",
         [&] { EXPECT_TRUE(mixed_->solve(device_b(), device_x()).ok()); });
    call("FusedSolve::enqueue_solve",
         [&] { fused_->enqueue_solve(*values_, device_b(), device_x(), stream); });
    call("FusedSolve::fetch_verdict", [&] {
      EXPECT_EQ(fused_->fetch_verdict(stream).status, VerdictStatus::positive_definite);
    });
  }

  void products(StreamHandle stream) {
    std::vector<double> x(b_.size()), y(b_.size());
    const MatrixView<double> x_here{x.data(), a_.n(), 1, a_.n()},
        y_here{y.data(), a_.n(), 1, a_.n()};
    call("SparseProduct::set_values, of the host's", [&] { product_->set_values(a_.value()); });
    call("SparseProduct::enqueue_values", [&] { product_->enqueue_values(*values_, stream); });
    call("SparseProduct::enqueue_multiply",
         [&] { product_->enqueue_multiply(1, device_b(), 0, device_x(), stream); });
    call("multiply", [&] { multiply(a_.view(), b(), y_here, *backend_); });
    call("SparseProduct::multiply",
         [&] { product_->multiply(1, b(), 0, x_here); });  // waits for the values
    for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], y[k], 1e-12);
    factor_->solve(b(), x_here, *workspace_);
    call("residual",
         [&] { residual(a_.view(), MatrixView<const double>(x_here), b(), y_here, *backend_); });
    call("refine", [&] { (void)refine(a_.view(), *factor_, b(), x_here, *workspace_); });
    expect_solution(x);
    call("DeviceValues::borrow", [&] {
      EXPECT_TRUE(refactorize(*factor_, DeviceValues<double>::borrow(values_->span())).ok());
    });
    call("SelectedInverse::compute", [&] { inverse_->compute(*factor_); });
    call("SelectedInverse::on_pattern_of",
         [&] { EXPECT_EQ(inverse_->on_pattern_of(a_.pattern()).size(), a_.value().size()); });
    auto entries = DeviceValues<double>::copy_of(a_.value(), *backend_);
    call("SelectedInverse::enqueue_on_pattern",
         [&] { inverse_->enqueue_on_pattern(numbers_of(entries), stream); });
    call("SelectedInverse::fetch_verdict", [&] { (void)inverse_->fetch_verdict(stream); });
  }

  void complements(StreamHandle stream) {
    constexpr Index kCount = 3;
    const Index n = a_.n();
    auto y_numbers = DeviceValues<double>::copy_of(b_, *backend_),
         small_numbers = DeviceValues<double>::copy_of(b_, *backend_);
    double* const y_data = numbers_of(y_numbers).data();
    double* const small_data = numbers_of(small_numbers).data();
    const DeviceMatrixView<double> y({y_data, n, 1, n}), g({small_data, kCount, 1, kCount}),
        s({small_data, kCount, kCount, kCount}), x2({small_data + kCount, kCount, 1, kCount});
    std::optional<SchurComplement<double>> copied;
    call("SchurComplement", [&] { copied.emplace(*factor_, kCount); });
    std::optional<SchurComplement<double>> there;
    call("SchurComplement::on_device",
         [&] { there.emplace(SchurComplement<double>::on_device(*factor_, kCount)); });
    const SchurComplement<double>& schur = *there;
    call("SchurComplement::write", [&] { schur.write(*factor_, s); });
    call("SchurComplement::enqueue_write", [&] { schur.enqueue_write(*factor_, s, stream); });
    call("SchurComplement::condense",
         [&] { schur.condense(*factor_, device_b(), y, g, *workspace_); });
    call("SchurComplement::enqueue_condense",
         [&] { schur.enqueue_condense(*factor_, device_b(), y, g, *workspace_, stream); });
    call("SchurComplement::expand", [&] {
      schur.expand(*factor_, y, DeviceMatrixView<const double>(g.view()), device_x(), *workspace_);
    });
    call("SchurComplement::enqueue_expand", [&] {
      schur.enqueue_expand(*factor_, y, DeviceMatrixView<const double>(g.view()), device_x(),
                           *workspace_, stream);
    });
    call("SchurComplement::solve", [&] {
      schur.solve(*factor_, DeviceMatrixView<const double>(g.view()), x2, y, *workspace_);
    });
    call("SchurComplement::enqueue_solve", [&] {
      schur.enqueue_solve(*factor_, DeviceMatrixView<const double>(g.view()), x2, y, *workspace_,
                          stream);
    });
    call("Factor::fetch_verdict", [&] {
      EXPECT_EQ(factor_->fetch_verdict(stream).status, VerdictStatus::positive_definite);
    });  // waits
    std::vector<double> host(b_.size()), small(kCount), solved(kCount);
    const MatrixView<double> y_here{host.data(), n, 1, n}, g_here{small.data(), kCount, 1, kCount},
        x2_here{solved.data(), kCount, 1, kCount};
    call("SchurComplement::condense, of the host's",
         [&] { copied->condense(*factor_, b(), y_here, g_here, *workspace_); });
    call("SchurComplement::solve, of the host's", [&] {
      copied->solve(*factor_, MatrixView<const double>(g_here), x2_here, y_here, *workspace_);
    });
  }

  void batches(StreamHandle stream) {
    std::vector<double> two(2 * b_.size(), 1.0);
    auto numbers = DeviceValues<double>::copy_of(two, *backend_);
    const DeviceBatchView<double> x(two_of(numbers_of(numbers).data()));
    call("BatchFactor::solve, of the device's", [&] { batch_->solve(x, *batch_room_); });
    call("enqueue_refactorize of a batch",
         [&] { enqueue_refactorize(*batch_, *values_, 0, 0.0, stream); });
    call("BatchFactor::enqueue_solve", [&] { batch_->enqueue_solve(x, *batch_room_, stream); });
    call("BatchFactor::fetch_verdicts", [&] {
      EXPECT_EQ(batch_->fetch_verdicts(stream)[1].status, VerdictStatus::positive_definite);
    });
  }

  [[nodiscard]] BatchView<double> two_of(double* numbers) const {
    return {numbers, 2, a_.n(), 1, a_.n(), Offset{a_.n()}};
  }
  /// Returns the numbers for writing; this object owns them.
  static std::span<double> numbers_of(DeviceValues<double>& values) {
    return {const_cast<double*>(values.span().data()), values.span().size()};
  }

  int device_;
  After after_;
  SymmetricMatrix<double> a_;
  std::vector<double> b_;
  std::optional<Backend> backend_;
  std::optional<PreparedPlan> prepared_;
  std::optional<Factor<double>> factor_;
  std::optional<Workspace<double>> workspace_;
  std::optional<DeviceValues<double>> values_, b_there_, x_there_;
  std::optional<Refiner<double>> refiner_;
  std::optional<SelectedInverse<double>> inverse_;
  std::optional<SparseProduct<double>> product_;
  std::optional<MixedFactor> mixed_;
  std::optional<FusedSolve<double>> fused_;
  std::optional<BatchFactor<double>> batch_;
  std::optional<BatchWorkspace<double>> batch_room_;
};

}  // namespace kauri::test

// Tests the C interface on a device: device pointers, the caller's stream, graphs and allocator.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "kauri/kauri.h"
#include "tests/numeric/cuda/runtime/hook.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/device/cuda_ways.hpp"

namespace kauri {
namespace {

using test::CallerArray;
using test::CallerGraph;
using test::CallerStream;

// A call that fails prints its error message.
#define EXPECT_DONE(call) EXPECT_EQ(call, KAURI_OK) << kauri_error_message()
#define EXPECT_MISUSE(part, call)                                             \
  EXPECT_EQ(call, KAURI_ERROR_USAGE);                                         \
  EXPECT_NE(std::string(kauri_error_message()).find(part), std::string::npos) \
      << kauri_error_message()

/// Holds a factor made from C with all its objects; rows of A are counted from 1.
template <class T>
class CDevice : public ::testing::Test {
 protected:
  static constexpr std::int32_t kScalar = std::is_same_v<T, float> ? KAURI_FLOAT : KAURI_DOUBLE;

  void SetUp() override {
    if (!test::has_device()) GTEST_SKIP() << "no CUDA device";
    EXPECT_DONE(kauri_options_create(&options_));
    EXPECT_DONE(kauri_options_set(options_, "backend", "cuda"));
    EXPECT_DONE(kauri_options_set(options_, "ordering.method", "amd"));
    take_matrix("poisson3d 6");
  }
  void TearDown() override {
    drop();
    kauri_matrix_destroy(matrix_);
    kauri_options_destroy(options_);
  }

  void take_matrix(const char* spec) {
    const auto a = generate(spec);
    value_ = test::cast<T>(a.value());
    col_ptr_.assign(a.pattern().col_ptr.begin(), a.pattern().col_ptr.end());
    std::vector<std::int64_t> ptr(col_ptr_.begin(), col_ptr_.end());
    std::vector<std::int32_t> index(a.pattern().row.begin(), a.pattern().row.end());
    for (auto& p : ptr) ++p;
    for (auto& i : index) ++i;
    kauri_compressed c = KAURI_COMPRESSED_INIT;
    c.n = n_ = a.n(), c.entries = a.nnz(), c.ptr = ptr.data(), c.index = index.data(),
    c.value = value_.data();
    c.ptr_type = KAURI_INT64, c.scalar = kScalar, c.base = 1;
    kauri_matrix_destroy(matrix_);
    EXPECT_DONE(kauri_matrix_from_compressed(&c, &matrix_));
  }
  void make() {
    EXPECT_DONE(kauri_backend_create(options_, &backend_));
    EXPECT_DONE(kauri_plan_analyze(matrix_, options_, backend_, &plan_));
    EXPECT_DONE(kauri_factor_create(plan_, backend_, kScalar, &factor_));
    EXPECT_DONE(kauri_workspace_create(factor_, 3, &workspace_));
  }
  void drop() {
    kauri_backend_destroy(backend_);
    kauri_plan_destroy(plan_);
    kauri_factor_destroy(factor_);
    kauri_workspace_destroy(workspace_);
    backend_ = nullptr, plan_ = nullptr, factor_ = nullptr, workspace_ = nullptr;
  }
  [[nodiscard]] std::int64_t nnz() const { return static_cast<std::int64_t>(value_.size()); }
  [[nodiscard]] std::vector<T> random_rhs(Index columns) const {
    std::mt19937_64 random(5);
    std::vector<T> b(static_cast<std::size_t>(n_) * static_cast<std::size_t>(columns));
    for (T& v : b) v = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
    return b;
  }
  [[nodiscard]] kauri_dense dense(T* data, Index columns, std::int32_t memory) const {
    kauri_dense d = KAURI_DENSE_INIT;
    d.data = data, d.rows = d.ld = n_, d.cols = columns, d.memory = memory;
    return d;
  }
  /// Solves with b and x in the host's memory.
  std::vector<T> solution(const std::vector<T>& b, Index columns) {
    std::vector<T> x = b;
    const kauri_dense to = dense(x.data(), columns, KAURI_HOST);
    EXPECT_DONE(kauri_factor_solve(factor_, KAURI_SYSTEM_A, nullptr, &to, workspace_));
    return x;
  }

  Index n_ = 0;
  std::vector<T> value_;
  std::vector<Offset> col_ptr_;
  kauri_options* options_ = nullptr;
  kauri_matrix* matrix_ = nullptr;
  kauri_backend* backend_ = nullptr;
  kauri_plan* plan_ = nullptr;
  kauri_factor* factor_ = nullptr;
  kauri_workspace* workspace_ = nullptr;
};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CDevice, Scalars);

/// Values, right-hand sides and solutions on the device give the bits of those in the host's
/// memory.
TYPED_TEST(CDevice, PointersOfTheDevice) {
  using T = TypeParam;
  this->make();
  const auto b = this->random_rhs(3);
  EXPECT_DONE(
      kauri_factor_refactorize(this->factor_, this->value_.data(), this->nnz(), KAURI_HOST, 0.5));
  const auto expected = this->solution(b, 3);
  EXPECT_DONE(
      kauri_factor_refactorize(this->factor_, this->value_.data(), this->nnz(), KAURI_HOST, 0));
  const CallerArray<T> value(this->value_), from(b), to(std::vector<T>(b.size(), T(7)));
  EXPECT_DONE(
      kauri_factor_refactorize(this->factor_, value.data(), this->nnz(), KAURI_DEVICE, 0.5));
  EXPECT_EQ(this->solution(b, 3), expected);
  kauri_dense rhs = this->dense(from.data(), 3, KAURI_DEVICE),
              x = this->dense(to.data(), 3, KAURI_DEVICE);
  EXPECT_DONE(kauri_factor_solve(this->factor_, KAURI_SYSTEM_A, &rhs, &x, this->workspace_));
  EXPECT_EQ(to.fetch(), expected);
  EXPECT_EQ(from.fetch(), b);
  x.layout = KAURI_ROW_MAJOR, x.ld = 3;
  EXPECT_DONE(kauri_factor_solve(this->factor_, KAURI_SYSTEM_A, &rhs, &x, this->workspace_));
  const auto by_rows = to.fetch();
  for (Index i = 0; i < this->n_; ++i)
    for (Index j = 0; j < 3; ++j) ASSERT_EQ(by_rows[3 * i + j], expected[i + this->n_ * j]);
  // The test multiplies with L, too, and names memory spaces that the pointers are not in.
  x.layout = KAURI_COLUMN_MAJOR, x.ld = this->n_;
  EXPECT_DONE(kauri_factor_multiply(this->factor_, KAURI_SYSTEM_LT, &rhs, &x, this->workspace_));
  EXPECT_DONE(kauri_factor_solve(this->factor_, KAURI_SYSTEM_LT, nullptr, &x, this->workspace_));
  const auto back = to.fetch();
  for (std::size_t k = 0; k < b.size(); ++k) ASSERT_NEAR(back[k], b[k], 1e-4);
  std::vector<T> host = b;
  x.data = host.data();
  EXPECT_MISUSE("",
                kauri_factor_solve(this->factor_, KAURI_SYSTEM_A, nullptr, &x, this->workspace_));
  x.memory = KAURI_HOST;
  EXPECT_MISUSE("not in the same memory",
                kauri_factor_solve(this->factor_, KAURI_SYSTEM_A, &rhs, &x, this->workspace_));
}

TYPED_TEST(CDevice, StreamsAndGraphs) {
  using T = TypeParam;
  this->make();
  const CallerStream stream;
  const auto b = this->random_rhs(2);
  CallerArray<T> value(this->value_);
  const CallerArray<T> from(b), to(b);
  const CallerArray<double> log_determinant({0.0});
  const kauri_dense rhs = this->dense(from.data(), 2, KAURI_DEVICE),
                    x = this->dense(to.data(), 2, KAURI_DEVICE);
  kauri_verdict verdict = KAURI_VERDICT_INIT;
  const auto enqueue = [&](void* at) {
    EXPECT_DONE(
        kauri_factor_enqueue_refactorize(this->factor_, value.data(), this->nnz(), 0.5, at));
    EXPECT_DONE(
        kauri_factor_enqueue_solve(this->factor_, KAURI_SYSTEM_A, &rhs, &x, this->workspace_, at));
    EXPECT_DONE(kauri_factor_enqueue_log_determinant(this->factor_, log_determinant.data(),
                                                     this->workspace_, at));
  };
  EXPECT_DONE(
      kauri_factor_refactorize(this->factor_, this->value_.data(), this->nnz(), KAURI_HOST, 0.5));
  const auto solution = this->solution(b, 2);
  double expected = 0;
  EXPECT_DONE(kauri_factor_log_determinant(this->factor_, &expected));
  EXPECT_DONE(
      kauri_factor_refactorize(this->factor_, this->value_.data(), this->nnz(), KAURI_HOST, 0));
  enqueue(stream.get());
  EXPECT_DONE(kauri_factor_fetch_verdict(this->factor_, stream.get(), &verdict));
  EXPECT_EQ(verdict.status, KAURI_VERDICT_POSITIVE_DEFINITE);
  EXPECT_EQ(to.fetch(), solution);
  EXPECT_EQ(log_determinant.fetch()[0], expected);

  const CallerGraph graph(stream, enqueue);
  auto broken = this->value_;
  broken[static_cast<std::size_t>(this->col_ptr_[7])] = T(-2);
  value.assign(broken);
  graph.launch(stream);
  EXPECT_EQ(kauri_factor_fetch_verdict(this->factor_, stream.get(), &verdict),
            KAURI_NOT_POSITIVE_DEFINITE);
  EXPECT_NE(std::string(kauri_error_message()).find("not positive definite: column "),
            std::string::npos);
  EXPECT_EQ(verdict.status, KAURI_VERDICT_NOT_POSITIVE_DEFINITE);
  EXPECT_GE(verdict.column, 1);
  EXPECT_TRUE(std::isnan(to.fetch()[0]) && std::isnan(log_determinant.fetch()[0]));
  value.assign(this->value_);
  graph.launch(stream);
  EXPECT_DONE(kauri_factor_fetch_verdict(this->factor_, stream.get(), nullptr));
  EXPECT_EQ(to.fetch(), solution);
  EXPECT_EQ(log_determinant.fetch()[0], expected);
}

/// The verdict counts columns in the caller's numbering; the failing column has no entry off the
/// diagonal.
TYPED_TEST(CDevice, BreakdownsAreCountedAsTheMatrixWas) {
  using T = TypeParam;
  this->take_matrix("blockdiag 300 1");
  this->make();
  auto broken = this->value_;
  broken[static_cast<std::size_t>(this->col_ptr_[7])] = T(-2);
  EXPECT_EQ(kauri_factor_refactorize(this->factor_, broken.data(), this->nnz(), KAURI_HOST, 0),
            KAURI_NOT_POSITIVE_DEFINITE);
  EXPECT_STREQ(kauri_error_message(), "not positive definite: column 8 met the pivot -2");
  kauri_verdict verdict = KAURI_VERDICT_INIT;
  EXPECT_DONE(kauri_factor_verdict(this->factor_, &verdict));
  EXPECT_EQ(verdict.column, 8);
  EXPECT_DONE(kauri_factor_refactorize_shifted(this->factor_, broken.data(), this->nnz(), 3));
}

/// All other results of a factor on a device equal those of a factor on the CPU up to rounding.
TYPED_TEST(CDevice, OtherAnswersAreThoseOfTheCpu) {
  using T = TypeParam;
  std::vector<T> diagonal[2], inverse[2];
  double log_determinant[2];
  for (const int k : {0, 1}) {
    EXPECT_DONE(kauri_options_set(this->options_, "backend", k == 0 ? "cpu" : "cuda"));
    this->make();
    EXPECT_DONE(kauri_factor_refactorize_matrix(this->factor_, this->matrix_, 0));
    diagonal[k].resize(static_cast<std::size_t>(this->n_));
    inverse[k].resize(static_cast<std::size_t>(this->n_));
    EXPECT_DONE(kauri_factor_diagonal(this->factor_, diagonal[k].data(), this->n_));
    EXPECT_DONE(kauri_factor_inverse_diagonal(this->factor_, inverse[k].data(), this->n_));
    EXPECT_DONE(kauri_factor_log_determinant(this->factor_, &log_determinant[k]));
    kauri_condition condition = KAURI_CONDITION_INIT;
    EXPECT_DONE(kauri_factor_condition(this->factor_, this->matrix_, this->workspace_, &condition));
    EXPECT_EQ(condition.norm, 12);
    const auto b = this->random_rhs(1);
    auto from = b, x = this->solution(b, 1);
    const kauri_dense rhs = this->dense(from.data(), 1, KAURI_HOST),
                      to = this->dense(x.data(), 1, KAURI_HOST);
    kauri_refinement refinement = KAURI_REFINEMENT_INIT;
    EXPECT_DONE(kauri_factor_refine(this->factor_, this->matrix_, nullptr, &rhs, &to,
                                    this->workspace_, &refinement));
    EXPECT_LE(refinement.componentwise, 8 * std::numeric_limits<T>::epsilon());
    this->drop();
  }
  for (Index i = 0; i < this->n_; ++i) ASSERT_NEAR(inverse[1][i], inverse[0][i], 1e-4);
  EXPECT_NEAR(log_determinant[1], log_determinant[0], 1e-3 * std::abs(log_determinant[0]));
}

TYPED_TEST(CDevice, TheCallersAllocator) {
  test::Hook hook;
  const CudaOptions::Allocator functions = hook.allocator();
  EXPECT_DONE(kauri_options_set_allocator(this->options_, functions.allocate, functions.release,
                                          functions.user));
  this->make();
  EXPECT_GT(hook.alive(), 0u);
  std::int64_t in_use = 0;
  EXPECT_DONE(kauri_backend_bytes(this->backend_, &in_use, nullptr));
  EXPECT_EQ(in_use, hook.bytes());
  hook.fail_at(0);
  kauri_factor* second = nullptr;
  EXPECT_EQ(kauri_factor_create(this->plan_, this->backend_, this->kScalar, &second),
            KAURI_ERROR_MEMORY);
  EXPECT_EQ(second, nullptr);
  hook.fail_at(std::numeric_limits<long>::max());
  this->drop();
  EXPECT_EQ(hook.alive(), 0u);
  EXPECT_TRUE(hook.sound());
}

/// SolverOptions::cuda passes the allocator and the choice of kernels to the device's backend.
TYPED_TEST(CDevice, SolversTakeTheDevicesOptions) {
  test::Hook hook;
  const CudaOptions::Allocator functions = hook.allocator();
  EXPECT_DONE(kauri_options_set_allocator(this->options_, functions.allocate, functions.release,
                                          functions.user));
  EXPECT_DONE(kauri_options_set(this->options_, "cuda.compute", "fma"));
  kauri_solver* solver = nullptr;
  ASSERT_EQ(kauri_solver_create(this->options_, this->kScalar, &solver), KAURI_OK)
      << kauri_error_message();
  EXPECT_DONE(kauri_solver_compute(solver, this->matrix_));
  EXPECT_GT(hook.alive(), 0u);
  std::int32_t kind = -1;
  EXPECT_DONE(kauri_solver_backend_kind(solver, &kind));
  EXPECT_EQ(kind, KAURI_BACKEND_CUDA);
  std::string report(8192, '\0');
  EXPECT_DONE(kauri_solver_report_json(solver, report.data(), report.size(), nullptr));
  EXPECT_NE(report.find("\"kernels\": \"fma\""), std::string::npos) << report.c_str();
  auto x = this->random_rhs(2);
  const kauri_dense dense = this->dense(x.data(), 2, KAURI_HOST);
  EXPECT_DONE(kauri_solver_solve(solver, nullptr, &dense));
  kauri_refinement refinement = KAURI_REFINEMENT_INIT;
  EXPECT_DONE(kauri_solver_refinement(solver, &refinement));
  EXPECT_LE(refinement.componentwise, 8 * std::numeric_limits<TypeParam>::epsilon());
  kauri_solver_destroy(solver);
  EXPECT_EQ(hook.alive(), 0u);
  EXPECT_TRUE(hook.sound());
}

/// A saved device factor that is loaded on the device gives the same bits; loaded on the CPU, it
/// gives a solution equal up to rounding.
TYPED_TEST(CDevice, FactorsAreSavedAndLoaded) {
  using T = TypeParam;
  this->make();
  EXPECT_DONE(kauri_factor_refactorize_matrix(this->factor_, this->matrix_, 0));
  const std::vector<T> b = this->random_rhs(1), expected = this->solution(b, 1);
  kauri_saved* saved = nullptr;
  const void* bytes = nullptr;
  std::size_t count = 0;
  EXPECT_DONE(kauri_factor_save_bytes(this->factor_, &saved));
  EXPECT_DONE(kauri_saved_bytes(saved, &bytes, &count));
  for (const char* kind : {"cuda", "cpu"}) {
    EXPECT_DONE(kauri_options_set(this->options_, "backend", kind));
    kauri_backend* backend = nullptr;
    EXPECT_DONE(kauri_backend_create(this->options_, &backend));
    kauri_factor_destroy(this->factor_);
    kauri_workspace_destroy(this->workspace_);
    this->factor_ = nullptr, this->workspace_ = nullptr;
    EXPECT_DONE(kauri_factor_load_bytes(bytes, count, backend, nullptr, 1, &this->factor_));
    EXPECT_DONE(kauri_workspace_create(this->factor_, 1, &this->workspace_));
    kauri_backend_destroy(backend);
    const std::vector<T> x = this->solution(b, 1);
    if (std::string(kind) == "cuda") {
      EXPECT_EQ(x, expected);
    }
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(x[i], expected[i], 1e3 * std::numeric_limits<T>::epsilon()) << kind << " " << i;
    kauri_verdict verdict = KAURI_VERDICT_INIT;
    EXPECT_EQ(kauri_factor_refactorize_matrix(this->factor_, this->matrix_, -1e6),
              KAURI_NOT_POSITIVE_DEFINITE);
    EXPECT_DONE(kauri_factor_verdict(this->factor_, &verdict));
    EXPECT_GE(verdict.column, 1);
  }
  kauri_saved_destroy(saved);
}

}  // namespace
}  // namespace kauri

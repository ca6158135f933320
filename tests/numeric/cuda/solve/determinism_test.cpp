// Tests that results have the same bits each time: many solves at once on one stream and on
// several, beside factorisations that load the device. Every result is compared, not only the last.
// The emulated device runs the tests as well, with few solves and factorisations.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "symbolic/device/front_tasks.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/bodies/batch.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"

namespace kauri::test {
namespace {

/// Holds room on the device for the results of many rounds. All bits are set initially.
template <class T>
class Slots {
 public:
  Slots(std::size_t entries, int rounds)
      : entries_(entries), there_(std::vector<T>(entries * static_cast<std::size_t>(rounds))) {
    require(cudaMemsetAsync(there_.data(), 0xff,
                            entries * static_cast<std::size_t>(rounds) * sizeof(T), nullptr));
    require(cudaDeviceSynchronize());
  }
  [[nodiscard]] T* of(int round) const {
    return there_.data() + entries_ * static_cast<std::size_t>(round);
  }
  /// Returns the contents after all work on the device is done.
  [[nodiscard]] std::vector<T> fetch() const { return there_.fetch(); }
  /// Waits as fetch() does and returns the number of results that differ from `expected`.
  [[nodiscard]] int wrong(const std::vector<T>& expected) const {
    const std::vector<T> found = fetch();
    if (expected.size() != entries_) return static_cast<int>(found.size());
    int count = 0;
    for (std::size_t at = 0; at < found.size(); at += entries_)
      count += std::memcmp(&found[at], expected.data(), entries_ * sizeof(T)) == 0 ? 0 : 1;
    return count;
  }

 private:
  std::size_t entries_;
  CallerArray<T> there_;
};

/// Holds a factorisation that is enqueued repeatedly on its own stream.
template <class T>
class Load {
 public:
  Load(std::shared_ptr<const Plan> plan, const std::vector<T>& value, Backend& backend)
      : factor_(Factor<T>::create(std::move(plan), backend)),
        there_(DeviceValues<T>::copy_of(value, backend)) {
    EXPECT_TRUE(refactorize(factor_, there_, T(0.5)).ok());
    verdict_ = factor_.verdict();
  }
  void enqueue() { enqueue_refactorize(factor_, there_, T(0.5), stream_.get()); }
  /// Expects the same verdict of the last factorisation.
  void check() { EXPECT_EQ(factor_.fetch_verdict(stream_.get()), verdict_); }

 private:
  Factor<T> factor_;
  DeviceValues<T> there_;
  DeviceVerdict verdict_;
  CallerStream stream_;
};

/// Results of a factor other than solutions: L b; y and g of a Schur complement S, and S; the
/// diagonal of the inverse; the logarithm of the determinant.
template <class T>
struct OtherReads {
  std::vector<T> product, y, g, s, diagonal{};
  std::vector<double> determinant{};
};

/// Computes OtherReads in each round on its own stream.
template <class T>
class ReadsInRounds {
 public:
  ReadsInRounds(const Factor<T>& factor, Index cols, Index order, int rounds)
      : n_(factor.plan().n),
        cols_(cols),
        order_(order),
        workspace_(Workspace<T>::create(factor, cols)),
        inverse_(SelectedInverse<T>::create(factor)),
        product_(size(n_, cols), rounds),
        y_(size(n_, cols), rounds),
        g_(size(order, cols), rounds),
        s_(size(order, order), rounds),
        diagonal_(size(n_, 1), rounds),
        determinant_(1, rounds) {}
  void enqueue(const Factor<T>& factor, const SchurComplement<T>& schur,
               const DeviceMatrixView<const T>& b, int round) {
    const cudaStream_t stream = stream_.get();
    const DeviceMatrixView<T> g({g_.of(round), order_, cols_, order_}),
        s({s_.of(round), order_, order_, order_});
    factor.enqueue_multiply(System::L, b, DeviceMatrixView<T>({product_.of(round), n_, cols_, n_}),
                            workspace_, stream);
    factor.enqueue_log_determinant(determinant_.of(round), workspace_, stream);
    inverse_.enqueue_compute(factor, stream);
    inverse_.enqueue_diagonal(std::span<T>(diagonal_.of(round), size(n_, 1)), stream);
    schur.enqueue_write(factor, s, stream);
    schur.enqueue_condense(factor, b, DeviceMatrixView<T>({y_.of(round), n_, cols_, n_}), g,
                           workspace_, stream);
  }
  void expect(const OtherReads<T>& expected) const {
    EXPECT_EQ(product_.wrong(expected.product), 0) << "L b";
    EXPECT_EQ(y_.wrong(expected.y), 0) << "y";
    EXPECT_EQ(g_.wrong(expected.g), 0) << "g";
    EXPECT_EQ(s_.wrong(expected.s), 0) << "S";
    EXPECT_EQ(diagonal_.wrong(expected.diagonal), 0) << "of the inverse";
    EXPECT_EQ(determinant_.wrong(expected.determinant), 0) << "the determinant";
  }

 private:
  static std::size_t size(Index rows, Index cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  }

  Index n_, cols_, order_;
  Workspace<T> workspace_;
  SelectedInverse<T> inverse_;
  Slots<T> product_, y_, g_, s_, diagonal_;
  Slots<double> determinant_;
  CallerStream stream_;
};

template <class W>
class Determinism : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;
  /// Returns whether the device is the emulated one, which is slow.
  bool emulated() { return this->backend().device() == "emulated"; }
  /// Sweeps solve several columns of doubles together; otherwise a solve of many columns takes many
  /// launches.
  static constexpr bool kWide = sizeof(Value) == 8 && !W::by_level;
  int rounds(Index width) {
    if (emulated()) return width == 32 ? 1 : 2;
    return width == 32 && !kWide ? 25 : 100;
  }
  std::vector<std::string> systems() {
    if (emulated()) return {"poisson2d 5"};
    return kWide ? std::vector<std::string>{"poisson3d 12", "elast3d 6"}
                 : std::vector<std::string>{"elast3d 6"};
  }
  std::vector<int> stream_counts() {
    return emulated() ? std::vector<int>{2} : std::vector<int>{1, 2, 4};
  }

  /// Returns two loads: one factorisation that fills the device, and one by few blocks, which
  /// leaves room for others.
  std::vector<std::unique_ptr<Load<Value>>> loads() {
    std::vector<std::unique_ptr<Load<Value>>> out;
    const auto a = generate(emulated() ? "poisson2d 4" : "poisson3d 14");
    const auto made = this->plan(a.pattern());
    out.push_back(std::make_unique<Load<Value>>(made, this->values(a), this->backend()));
    out.push_back(std::make_unique<Load<Value>>(run_by(*made, symbolic::kFewestEver),
                                                this->values(a), this->backend()));
    return out;
  }
  /// Calls work(k, round) for all streams in turn, while the loads keep the device busy.
  template <class Work>
  void beside_loads(std::vector<std::unique_ptr<Load<Value>>>& loads, int streams, int rounds,
                    const Work& work) {
    for (int round = 0; round < rounds; ++round) {
      if (round % 8 == 0)
        for (auto& load : loads) load->enqueue();
      for (int k = 0; k < streams; ++k) work(k, round);
    }
    for (auto& load : loads) load->check();
  }
  Factor<Value> filled(const SymmetricMatrix<double>& a) {
    auto out = Factor<Value>::create(this->plan(a.pattern()), this->backend());
    EXPECT_TRUE(refactorize<Value>(out, this->values(a)).ok());
    return out;
  }
};
/// The types cover each kind of solve: plain ones, and sweeps in float and in double, by Hopper's
/// kernels and by portable ones.
using SolveKinds =
    ::testing::Types<Way<float, CudaCompute::fma>, LevelByLevel<double>,
                     Way<double, CudaCompute::hopper>, Way<float, CudaCompute::fma, true>,
                     Way<double, CudaCompute::tensor, true>>;
TYPED_TEST_SUITE(Determinism, SolveKinds);

TYPED_TEST(Determinism, SolvesAndTheirParts) {
  using T = typename TypeParam::T;
  auto loads = this->loads();
  for (const std::string& spec : this->systems()) {
    const auto a = generate(spec);
    const auto factor = this->filled(a);
    const Index n = a.n();
    for (const Index width : {1, 5, 32}) {
      const CallerArray<T> b(this->random_rhs(n, width, 1));
      const DeviceMatrixView<T> bs({b.data(), n, width, n});
      const int rounds = this->rounds(width);
      for (const System system : {System::A, System::P, System::L, System::Lt}) {
        const Slots<T> alone(static_cast<std::size_t>(n) * width, 1);
        auto workspace = Workspace<T>::create(factor, width);
        factor.solve(system, bs, DeviceMatrixView<T>({alone.of(0), n, width, n}), workspace);
        std::vector<T> expected(static_cast<std::size_t>(n) * width);
        require(cudaMemcpy(expected.data(), alone.of(0), expected.size() * sizeof(T),
                           cudaMemcpyDeviceToHost));
        for (const int count : this->stream_counts()) {
          std::vector<std::unique_ptr<Slots<T>>> found;
          std::vector<Workspace<T>> workspaces;
          const std::vector<CallerStream> streams(static_cast<std::size_t>(count));
          for (int k = 0; k < count; ++k) {
            found.push_back(std::make_unique<Slots<T>>(expected.size(), rounds));
            workspaces.push_back(Workspace<T>::create(factor, width));
          }
          this->beside_loads(loads, count, rounds, [&](int k, int round) {
            factor.enqueue_solve(system, bs,
                                 DeviceMatrixView<T>({found[k]->of(round), n, width, n}),
                                 workspaces[k], streams[k].get());
          });
          for (int k = 0; k < count; ++k)
            EXPECT_EQ(found[k]->wrong(expected), 0)
                << spec << ", " << width << " columns, system " << static_cast<int>(system)
                << ", stream " << k << " of " << count;
        }
      }
    }
  }
}

/// The test compares solutions and reports of each round.
TYPED_TEST(Determinism, Refinements) {
  using T = typename TypeParam::T;
  auto loads = this->loads();
  const auto a = generate(this->emulated() ? "poisson2d 5" : "elast3d 6");
  const Index n = a.n(), width = 3;
  const int rounds = this->rounds(5);
  auto factor = Factor<T>::create(this->plan(a.pattern()), this->backend());
  ASSERT_TRUE(
      refactorize<T>(factor, this->values(a), T(0.05)).ok());  // gives refinement something to do
  const auto value = DeviceValues<T>::copy_of(this->values(a), this->backend());
  const CallerArray<T> b(this->random_rhs(n, width, 1));
  const DeviceMatrixView<T> bs({b.data(), n, width, n});
  const RefineOptions options{.max_steps = 4};
  std::vector<T> expected(static_cast<std::size_t>(n) * width, T(0));
  const CallerArray<T> x(expected);
  auto workspace = Workspace<T>::create(factor, 2);
  auto alone = Refiner<T>::create(a.pattern(), factor, width);
  alone.set_values(value);
  const Refinement told =
      alone.refine(factor, bs, DeviceMatrixView<T>({x.data(), n, width, n}), workspace, options);
  EXPECT_GT(told.steps, 0);
  expected = x.fetch();
  for (const int count : this->stream_counts()) {
    std::vector<std::unique_ptr<Slots<T>>> found;
    std::vector<std::unique_ptr<Slots<DeviceRefinement>>> reports;
    std::vector<Workspace<T>> workspaces;
    std::vector<Refiner<T>> refiners;
    const std::vector<CallerStream> streams(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k) {
      found.push_back(std::make_unique<Slots<T>>(expected.size(), rounds));
      reports.push_back(std::make_unique<Slots<DeviceRefinement>>(1, rounds));
      workspaces.push_back(Workspace<T>::create(factor, 2));
      refiners.push_back(Refiner<T>::create(a.pattern(), factor, width));
      refiners.back().set_values(value);
    }
    this->beside_loads(loads, count, rounds, [&](int k, int round) {
      const cudaStream_t stream = streams[k].get();
      T* to = found[k]->of(round);
      require(cudaMemsetAsync(to, 0, expected.size() * sizeof(T), stream));
      refiners[k].enqueue_refine(factor, bs, DeviceMatrixView<T>({to, n, width, n}), workspaces[k],
                                 stream, options);
      require(cudaMemcpyAsync(reports[k]->of(round), refiners[k].report_address(),
                              sizeof(DeviceRefinement), cudaMemcpyDefault, stream));
    });
    for (int k = 0; k < count; ++k) {
      EXPECT_EQ(found[k]->wrong(expected), 0) << "stream " << k << " of " << count;
      for (const DeviceRefinement& report : reports[k]->fetch()) {
        EXPECT_EQ(report.status, VerdictStatus::positive_definite);
        EXPECT_EQ(std::pair(report.refinement.steps, report.refinement.tried),
                  std::pair(told.steps, told.tried));
        EXPECT_EQ(report.refinement.final_error.normwise, told.final_error.normwise);
        EXPECT_EQ(report.refinement.final_error.componentwise, told.final_error.componentwise);
        EXPECT_EQ(report.refinement.unrefined.componentwise, told.unrefined.componentwise);
      }
    }
  }
}

/// The test compares factorisations and solves of batches.
TYPED_TEST(Determinism, Batches) {
  using T = typename TypeParam::T;
  auto loads = this->loads();
  const Index items = this->emulated() ? 2 : 12;
  for (const BatchWay way : {BatchWay::together, BatchWay::one_by_one})
    for (const Index width : {1, 5}) {
      const auto a = generate(this->emulated() ? "poisson2d 3" : "poisson2d 16");
      const Index n = a.n();
      const auto system = batch_system<T>(a, this->plan(a.pattern()), items, 0);
      const auto value = DeviceValues<T>::copy_of(system.value, this->backend());
      auto batch = BatchFactor<T>::create(system.plan, items, this->backend(), way);
      const auto fill = [&](BatchFactor<T>& of) {
        for (const DeviceVerdict& verdict : refactorize(of, value, system.stride, T(0)))
          ASSERT_EQ(verdict.status, VerdictStatus::positive_definite);
      };
      fill(batch);
      const std::size_t entries = static_cast<std::size_t>(items) * static_cast<std::size_t>(n) *
                                  static_cast<std::size_t>(width);
      const CallerArray<T> b(this->random_rhs(n, items * width, 1)),
          x(std::vector<T>(entries, T(0)));
      const auto view = [&](T* data) {
        return DeviceBatchView<T>({data, items, n, width, n, Offset{n} * width});
      };
      auto workspace = BatchWorkspace<T>::create(batch, width);
      batch.solve(view(b.data()), view(x.data()), workspace);
      const std::vector<T> expected = x.fetch();
      const int rounds = way == BatchWay::together ? this->rounds(5) : this->emulated() ? 1 : 25;
      for (const int count : this->stream_counts()) {
        std::vector<std::unique_ptr<Slots<T>>> found;
        std::vector<BatchFactor<T>> batches;
        std::vector<BatchWorkspace<T>> workspaces;
        const std::vector<CallerStream> streams(static_cast<std::size_t>(count));
        for (int k = 0; k < count; ++k) {
          found.push_back(std::make_unique<Slots<T>>(entries, rounds));
          batches.push_back(BatchFactor<T>::create(system.plan, items, this->backend(), way));
          workspaces.push_back(BatchWorkspace<T>::create(batches.back(), width));
        }
        this->beside_loads(loads, count, rounds, [&](int k, int round) {
          enqueue_refactorize(batches[k], value, system.stride, T(0), streams[k].get());
          batches[k].enqueue_solve(view(b.data()), view(found[k]->of(round)), workspaces[k],
                                   streams[k].get());
        });
        for (int k = 0; k < count; ++k)
          EXPECT_EQ(found[k]->wrong(expected), 0)
              << (way == BatchWay::together ? "together, " : "one by one, ") << width
              << " columns, stream " << k << " of " << count;
      }
    }
}

TYPED_TEST(Determinism, OtherReadsOfAFactor) {
  using T = typename TypeParam::T;
  auto loads = this->loads();
  const auto a = generate(this->emulated() ? "poisson2d 4" : "elast3d 6");
  const Index n = a.n(), width = 3, last = 4;
  AnalyzeOptions options;
  options.target = this->backend().target();
  options.ordering.last = {3, 0, 7, 5};
  auto factor = Factor<T>::create(this->plan(a.pattern(), options), this->backend());
  ASSERT_TRUE(refactorize<T>(factor, this->values(a)).ok());
  const std::vector<T> dense = this->random_rhs(n, width, 1);
  const CallerArray<T> b(dense);
  const DeviceMatrixView<const T> bs(MatrixView<const T>{b.data(), n, width, n});
  auto workspace = Workspace<T>::create(factor, width);
  const SchurComplement<T> schur(factor, last);
  auto inverse = SelectedInverse<T>::create(factor);
  inverse.compute(factor);
  OtherReads<T> expected{.product = dense,
                         .y = dense,
                         .g = std::vector<T>(last * width),
                         .s = std::vector<T>(last * last)};
  factor.multiply(System::L, MatrixView<const T>{dense.data(), n, width, n},
                  {expected.product.data(), n, width, n}, workspace);
  std::memset(expected.s.data(), 0xff,
              expected.s.size() * sizeof(T));  // the call leaves the upper triangle unchanged
  schur.write({expected.s.data(), last, last, last});
  const CallerArray<T> y(expected.y), g(expected.g);
  schur.condense(factor, bs, DeviceMatrixView<T>({y.data(), n, width, n}),
                 DeviceMatrixView<T>({g.data(), last, width, last}), workspace);
  expected.y = y.fetch(), expected.g = g.fetch(), expected.diagonal = inverse.diagonal();
  expected.determinant = {log_determinant(factor)};
  const int rounds = this->rounds(5);
  for (const int count : this->stream_counts()) {
    std::vector<std::unique_ptr<ReadsInRounds<T>>> found;
    for (int k = 0; k < count; ++k)
      found.push_back(std::make_unique<ReadsInRounds<T>>(factor, width, last, rounds));
    this->beside_loads(loads, count, rounds, [&](int k, int round) {
      found[static_cast<std::size_t>(k)]->enqueue(factor, schur, bs, round);
    });
    for (int k = 0; k < count; ++k) {
      SCOPED_TRACE("stream " + std::to_string(k) + " of " + std::to_string(count));
      found[static_cast<std::size_t>(k)]->expect(expected);
    }
  }
}

/// Mixed solves consult the host between steps, so several threads run them, each with its own
/// factor.
TYPED_TEST(Determinism, MixedSolves) {
  if (sizeof(typename TypeParam::T) == 4) GTEST_SKIP() << "in double";
  Backend backend = cuda_backend();  // this backend has kernels for floats, too
  auto loads = this->loads();
  const auto a = generate(this->emulated() ? "poisson2d 4" : "elast3d 6");
  const Index n = a.n(), width = 3;
  const std::vector<double> value(a.value().begin(), a.value().end());
  const auto numbers = this->random_rhs(n, width, 1);
  const CallerArray<double> b(std::vector<double>(numbers.begin(), numbers.end()));
  const DeviceMatrixView<double> bs({b.data(), n, width, n});
  const auto solve = [&](MixedFactor& mixed, double* x) {
    auto report = mixed.solve(bs, DeviceMatrixView<double>({x, n, width, n}));
    EXPECT_TRUE(report.ok() && report.value().converged());
    return std::pair(report.value().steps, report.value().error.componentwise);
  };
  const auto made = [&] {
    auto mixed = MixedFactor::create(a.pattern(), this->plan(a.pattern()), backend, 2);
    EXPECT_TRUE(mixed.refactorize(value).ok());
    return mixed;
  };
  const CallerArray<double> x(std::vector<double>(static_cast<std::size_t>(n) * width, 0));
  auto alone = made();
  const auto told = solve(alone, x.data());
  const std::vector<double> expected = x.fetch();
  const int rounds = this->rounds(1) / 2;
  for (const int count : this->emulated() ? std::vector<int>{1} : std::vector<int>{1, 2, 4}) {
    std::vector<std::unique_ptr<Slots<double>>> found;
    std::vector<MixedFactor> factors;
    for (int k = 0; k < count; ++k) {
      found.push_back(std::make_unique<Slots<double>>(expected.size(), rounds));
      factors.push_back(made());
    }
    std::atomic<int> wrong = 0, done = 0;
    const auto work = [&](int k) {
      for (int round = 0; round < rounds; ++round) {
        if (!factors[k].refactorize(value).ok()) ++wrong;
        if (solve(factors[k], found[k]->of(round)) != told) ++wrong;
      }
      ++done;
    };
    if (count == 1) {
      this->beside_loads(loads, 1, 1, [&](int, int) { work(0); });
    } else {
      std::vector<std::thread> threads;
      for (int k = 0; k < count; ++k) threads.emplace_back(work, k);
      while (done < count) this->beside_loads(loads, 0, 8, [](int, int) {});
      for (std::thread& thread : threads) thread.join();
    }
    EXPECT_EQ(wrong, 0) << count;
    for (int k = 0; k < count; ++k)
      EXPECT_EQ(found[k]->wrong(expected), 0) << "thread " << k << " of " << count;
  }
}

}  // namespace
}  // namespace kauri::test

// Tests batches on a CUDA device and on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/bodies/batch.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/systems/block_tree.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {
namespace {

/// kInFloat: no sum is in double, as on a card whose FP64 is slow.
template <class Scalar, BatchWay kWay, bool kInFloat = false>
struct BatchOnDevice {
  using T = Scalar;
  static constexpr BatchWay way = kWay;
  static constexpr bool in_float = kInFloat;
};

template <class B>
class DeviceBatches : public ::testing::Test {
 protected:
  using Value = typename B::T;
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
    CudaOptions options;
    if (B::in_float) options.compute = CudaCompute::fma, options.portable = true;
    backend_.emplace(cuda_backend(options));
  }
  Backend& backend() { return *backend_; }
  [[nodiscard]] bool emulated() const { return backend_->device() == "emulated"; }
  AnalyzeOptions options(OrderingMethod method) {
    AnalyzeOptions out;
    out.ordering.method = method;
    out.target = backend().target();
    return out;
  }
  BatchSystem<Value> system(const std::string& spec, Index items, Offset gap,
                            OrderingMethod method = OrderingMethod::amd) {
    SymmetricMatrix<double> a = generate(spec);
    auto plan = analyze(a.pattern(), options(method));
    return batch_system<Value>(std::move(a), std::move(plan), items, gap);
  }
  /// Returns the small systems of `specs` on the emulated device, which is slow, above all if each
  /// item is many launches; all of them on a real device.
  [[nodiscard]] std::vector<std::string> here(const std::vector<std::string>& specs) const {
    std::vector<std::string> out;
    for (const std::string& spec : specs)
      if (!emulated() || generate(spec).n() <= (B::way == BatchWay::together ? 500 : 90))
        out.push_back(spec);
    return out;
  }

 private:
  std::optional<Backend> backend_;
};
using DeviceBatchKinds = ::testing::Types<
    BatchOnDevice<double, BatchWay::together>, BatchOnDevice<float, BatchWay::together>,
    BatchOnDevice<double, BatchWay::one_by_one>, BatchOnDevice<float, BatchWay::together, true>>;
TYPED_TEST_SUITE(DeviceBatches, DeviceBatchKinds);

/// The systems have narrow fronts of up to 64 rows and larger ones, with padding and without.
TYPED_TEST(DeviceBatches, ExactFactors) {
  using T = typename TypeParam::T;
  for (const bool amalgamate : {false, true}) {
    AnalyzeOptions options = this->options(OrderingMethod::natural);
    options.amalgamate = amalgamate;
    for (const Index n : {1, 16, 17, 33, 64})
      expect_exact_items<T>(this->backend(), TypeParam::way, n, 2, n, options,
                            5);  // one front, or few
    expect_exact_items<T>(this->backend(), TypeParam::way, 150, 2, 9, options, 3);
    expect_exact_items<T>(this->backend(), TypeParam::way, 90, 1, 0, options, 4);
  }
}

/// The fronts exceed shared memory, lie below one another and have many children.
TYPED_TEST(DeviceBatches, LargeFronts) {
  using T = typename TypeParam::T;
  BlockTree tree({100, 70, 20}, 5);
  const auto exact = dense_exact_system(tree.with_leaves(80, 1, 8));
  AnalyzeOptions options = this->options(OrderingMethod::natural);
  options.amalgamate = false;
  expect_exact_items<T>(this->backend(), TypeParam::way, exact, options, 2);
  const Pattern& pattern = exact.a.pattern();
  std::vector<Index> row, col;
  for (Index j = 0; j < pattern.n; ++j)
    for (Offset e = pattern.col_ptr[j]; e < pattern.col_ptr[j + 1]; ++e)
      row.push_back(pattern.row[e]), col.push_back(j);
  auto a = SymmetricMatrix<double>::from_triplets(
      pattern.n, row, col, random_dominant<double>(pattern, 5), Storage::lower);
  auto plan = analyze(a.pattern(), options);
  ASSERT_GT(plan->cost.largest_front, 64);
  const auto system = batch_system<T>(std::move(a), std::move(plan), 3, 1);
  expect_solved_items(this->backend(), TypeParam::way, system, 2, 1, 2);
}

TYPED_TEST(DeviceBatches, AreSolvedToTheSinglePathsBound) {
  for (const std::string& spec :
       this->here({"poisson2d 1", "blockdiag 60 1", "tree 300 1", "arrow 80 1", "blockdiag 90 90",
                   "poisson2d 17", "elast3d 4", "rgg3d 400 12 1", "poisson2d 32", "elast3d 8",
                   "poisson2d 100", "poisson3d 14"}))
    for (const Index items : {1, 5}) {
      SCOPED_TRACE(spec + " " + std::to_string(items));
      expect_solved_items(this->backend(), TypeParam::way, this->system(spec, items, 3), 3, 4, 2);
    }
}

TYPED_TEST(DeviceBatches, FailingItemsLeaveTheOthersAlone) {
  const int rounds = !this->emulated() ? 20 : TypeParam::way == BatchWay::together ? 4 : 1;
  for (const char* spec : {"blockdiag 40 1", "poisson2d 9", "arrow 30 2", "tree 60 1"})
    expect_failures(this->backend(), TypeParam::way, this->system(spec, 15, 2), rounds);
  // The subtrees have unequal heights, the higher one first, so an earlier column fails on a later
  // level.
  expect_failures(this->backend(), TypeParam::way,
                  this->system("tree 60 1", 15, 0, OrderingMethod::natural), rounds);
  expect_failures(this->backend(), TypeParam::way, this->system("blockdiag 80 80", 9, 0), rounds);
  // Several fronts have more rows than a warp takes.
  if (!this->emulated() || TypeParam::way == BatchWay::together)
    expect_failures(this->backend(), TypeParam::way, this->system("elast3d 4", 7, 0), rounds);
}

TYPED_TEST(DeviceBatches, ItemsDoNotSeeOneAnother) {
  expect_independent_items(this->backend(), TypeParam::way, this->system("poisson2d 9", 5, 1));
  if (!this->emulated())
    expect_independent_items(this->backend(), TypeParam::way,
                             this->system("poisson2d 32", 1500, 0));
}

/// If the vectors of a solve do not fit into shared memory, each block has its vectors in global
/// memory.
TYPED_TEST(DeviceBatches, LongVectors) {
  if (this->emulated() && TypeParam::way != BatchWay::together)
    GTEST_SKIP() << "thousands of fronts one by one take long there";
  expect_solved_items(this->backend(), TypeParam::way, this->system("tree 3200 1", 2, 0), 1, 0, 1);
}

/// Each item adds the shift to its diagonal, which is gathered first.
TYPED_TEST(DeviceBatches, AreShifted) {
  using T = typename TypeParam::T;
  const auto system = this->system("poisson2d 5", 3, 1);
  auto shifted = system;
  const Pattern& pattern = system.a.pattern();
  for (Index k = 0; k < 3; ++k)
    for (Index j = 0; j < pattern.n; ++j)
      shifted.value[static_cast<std::size_t>(k * system.stride + pattern.col_ptr[j])] += T(0.75);
  auto batch = BatchFactor<T>::create(system.plan, 3, this->backend(), TypeParam::way);
  auto workspace = BatchWorkspace<T>::create(batch, 1);
  BatchColumns<T> x(3, pattern.n, 1, 0, 2), y = x;
  EXPECT_EQ(refactorize<T>(batch, system.value, system.stride, T(0.75)).size(), 3u);
  batch.solve(x.view(), workspace);
  EXPECT_EQ(refactorize<T>(batch, shifted.value, system.stride).size(), 3u);
  batch.solve(y.view(), workspace);
  EXPECT_TRUE(same_bits(x.data, y.data));
}

TYPED_TEST(DeviceBatches, TakeTheBytesTold) {
  using T = typename TypeParam::T;
  for (const Index items : {0, 1, 6}) {
    const auto system = this->system("poisson2d 60", items, 0);
    const auto prepared = PreparedPlan::create(system.plan, this->backend());
    const Offset before = this->backend().bytes_in_use();
    auto batch = BatchFactor<T>::create(prepared, items, TypeParam::way);
    EXPECT_EQ(batch.way(), TypeParam::way);
    EXPECT_EQ(this->backend().bytes_in_use() - before,
              BatchFactor<T>::bytes(prepared, items, TypeParam::way));
    const Offset with_batch = this->backend().bytes_in_use();
    auto workspace = BatchWorkspace<T>::create(batch, 3);
    EXPECT_EQ(this->backend().bytes_in_use() - with_batch, BatchWorkspace<T>::bytes(batch, 3));
  }
}

/// Enqueued, captured and replayed calls with other numbers give the bits of synchronous calls.
TYPED_TEST(DeviceBatches, InStreamsAndGraphs) {
  using T = typename TypeParam::T;
  const bool few = this->emulated() && TypeParam::way != BatchWay::together;
  const auto first = this->system(few ? "poisson2d 4" : "poisson2d 14", 4, 0);
  BatchSystem<T> second = first;
  for (T& v : second.value) v *= T(3);
  second.value[static_cast<std::size_t>(second.stride)] = T(-1);  // item 1 fails
  const Index n = first.a.n();
  const BatchColumns<T> b(4, n, 2, 1, 8);
  std::vector<std::vector<T>> expected;
  std::vector<std::vector<DeviceVerdict>> verdicts;
  auto batch = BatchFactor<T>::create(first.plan, 4, this->backend(), TypeParam::way);
  auto workspace = BatchWorkspace<T>::create(batch, 2);
  BatchColumns<T> x(4, n, 2, 3, 9);
  const CallerArray<T> there(b.data), out(x.data);
  const DeviceBatchView<T> from({there.data(), 4, n, 2, b.ld, b.stride}),
      to({out.data(), 4, n, 2, x.ld, x.stride});
  auto values = DeviceValues<T>::copy_of(first.value, this->backend());
  for (const BatchSystem<T>* system :
       std::initializer_list<const BatchSystem<T>*>{&first, &second}) {
    values.assign(system->value);
    const auto seen = refactorize(batch, values, system->stride, T(0.25));
    verdicts.emplace_back(seen.begin(), seen.end());
    batch.solve(from, to, workspace);
    expected.push_back(out.fetch());
    auto host = b;
    batch.solve(host.view(), workspace);
    x.data = expected.back();
    for (Index k = 0; k < 4; ++k)
      for (Index c = 0; c < 2; ++c)
        EXPECT_TRUE(same_bits(host.column(k, c), x.column(k, c))) << "the host's";
  }
  EXPECT_EQ(verdicts[1][1].status, VerdictStatus::not_positive_definite);
  const CallerStream stream;
  const auto work = [&](cudaStream_t on) {
    enqueue_refactorize(batch, values, first.stride, T(0.25), on);
    batch.enqueue_solve(from, to, workspace, on);
  };
  const CallerGraph graph(stream, work);
  for (const bool captured : {false, true, false, true})
    for (const int which : {0, 1}) {
      values.assign((which == 0 ? first : second).value);
      require(cudaDeviceSynchronize());
      captured ? graph.launch(stream) : work(stream.get());
      const auto seen = batch.fetch_verdicts(stream.get());
      EXPECT_EQ(std::vector<DeviceVerdict>(seen.begin(), seen.end()),
                verdicts[static_cast<std::size_t>(which)])
          << captured;
      EXPECT_TRUE(same_bits(out.fetch(), expected[static_cast<std::size_t>(which)]))
          << captured << " " << which;
      DeviceVerdict last;
      require(cudaMemcpy(&last, batch.verdict_address(3), sizeof last, cudaMemcpyDeviceToHost));
      EXPECT_EQ(last, verdicts[static_cast<std::size_t>(which)][3]);
    }
}

/// A captured graph that was not launched has left no verdict, so a call that needs the verdict
/// still refuses.
TYPED_TEST(DeviceBatches, VerdictsAreAwaitedUntilTheyAreThere) {
  using T = typename TypeParam::T;
  const auto system = this->system("poisson2d 3", 2, 0);
  auto batch = BatchFactor<T>::create(system.plan, 2, this->backend(), TypeParam::way);
  auto workspace = BatchWorkspace<T>::create(batch, 1);
  const auto values = DeviceValues<T>::copy_of(system.value, this->backend());
  const CallerArray<T> x(std::vector<T>(18, T(1)));
  const DeviceBatchView<T> there({x.data(), 2, 9, 1, 9, 9});
  const CallerStream stream;
  const auto enqueued = [&] {
    return error_text(ErrorKind::usage,
                      [&] { batch.enqueue_solve(there, workspace, stream.get()); });
  };
  EXPECT_EQ(enqueued(), "solve: the batch has not been factorised: call refactorize() first");
  const CallerGraph graph(stream, [&](cudaStream_t on) {
    enqueue_refactorize(batch, values, system.stride, T(0), on);
  });
  for (const DeviceVerdict& verdict : batch.fetch_verdicts(stream.get()))
    EXPECT_EQ(verdict.status, VerdictStatus::none);
  EXPECT_EQ(enqueued(), "no Error");
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { batch.solve(there, workspace); }),
            "solve: the verdicts have not been fetched since enqueue_refactorize(): call "
            "fetch_verdicts() first");
  graph.launch(stream);
  for (const DeviceVerdict& verdict : batch.fetch_verdicts(stream.get()))
    EXPECT_EQ(verdict.status, VerdictStatus::positive_definite);
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { batch.solve(there, workspace); }), "no Error");
}

/// Values in the memory of another device are copied over, as for a factor.
TYPED_TEST(DeviceBatches, ValuesOfAnotherDevice) {
  using T = typename TypeParam::T;
  int devices = 0;
  require(cudaGetDeviceCount(&devices));
  if (devices < 2) GTEST_SKIP() << "one device alone";
  const auto system = this->system("poisson2d 4", 3, 2);
  auto batch = BatchFactor<T>::create(system.plan, 3, this->backend(), TypeParam::way);
  require(cudaSetDevice(1));
  const CallerArray<T> there(system.value);
  require(cudaSetDevice(0));
  for (const Offset stride : {system.stride, Offset{0}}) {
    const auto filled = [&](const T* value) {
      const auto seen =
          refactorize<T>(batch, std::span<const T>(value, system.value.size()), stride);
      std::vector<DeviceVerdict> out(seen.begin(), seen.end());
      std::vector<T> corner;
      for (Index k = 0; k < 3; ++k) corner.push_back(batch.entry(k, 15, 15));
      return std::pair(out, corner);
    };
    const auto expected = filled(system.value.data());
    EXPECT_EQ(expected.first[2].status, VerdictStatus::positive_definite);
    EXPECT_EQ(filled(there.data()), expected) << stride;
  }
}

TYPED_TEST(DeviceBatches, NothingToDo) {
  using T = typename TypeParam::T;
  const auto none = this->system("poisson2d 3", 0, 0);
  auto batch = BatchFactor<T>::create(none.plan, 0, this->backend(), TypeParam::way);
  auto workspace = BatchWorkspace<T>::create(batch, 1);
  EXPECT_TRUE(refactorize<T>(batch, std::span<const T>{}, 0).empty());
  batch.solve(BatchView<T>{nullptr, 0, 9, 1, 9, 9}, workspace);
  const std::vector<Offset> ptr{0};
  const auto empty = analyze(Pattern{0, ptr, {}}, this->options(OrderingMethod::natural));
  auto of_empty = BatchFactor<T>::create(empty, 3, this->backend(), TypeParam::way);
  for (const DeviceVerdict& v : refactorize<T>(of_empty, std::span<const T>{}, 0))
    EXPECT_EQ(v.status, VerdictStatus::positive_definite);
}

TYPED_TEST(DeviceBatches, RefuseHostsMemoryAsTheDevices) {
  using T = typename TypeParam::T;
  const auto system = this->system("poisson2d 3", 2, 0);
  auto batch = BatchFactor<T>::create(system.plan, 2, this->backend(), TypeParam::way);
  auto workspace = BatchWorkspace<T>::create(batch, 1);
  EXPECT_NE(error_text(ErrorKind::usage,
                       [&] {
                         enqueue_refactorize(batch, DeviceValues<T>::borrow(system.value),
                                             system.stride, T(0), nullptr);
                       })
                .find("host"),
            std::string::npos);
  EXPECT_EQ(refactorize<T>(batch, system.value, system.stride).size(), 2u);
  std::vector<T> x(18, T(1));
  EXPECT_NE(error_text(ErrorKind::usage,
                       [&] {
                         batch.solve(DeviceBatchView<T>({x.data(), 2, 9, 1, 9, 9}), workspace);
                       })
                .find("host"),
            std::string::npos);
}

/// The k-th allocation on the device fails: no memory is held after that, and the next attempt
/// succeeds.
TYPED_TEST(DeviceBatches, FailingAllocations) {
  using T = typename TypeParam::T;
  struct Rationed {
    long left = -1;
    long alive = 0;
  } ration;
  CudaOptions options;
  options.allocator = {[](std::size_t bytes, void* user) -> void* {
                         auto& r = *static_cast<Rationed*>(user);
                         if (r.left >= 0 && r.left-- == 0) return nullptr;
                         void* out = nullptr;
                         require(cudaMalloc(&out, bytes));
                         ++r.alive;
                         return out;
                       },
                       [](void* memory, std::size_t, void* user) {
                         --static_cast<Rationed*>(user)->alive;
                         require(cudaFree(memory));
                       },
                       &ration};
  Backend backend = cuda_backend(options);
  const auto system = this->system("poisson2d 5", 3, 0);
  long failures = 0;
  for (bool done = false; !done; ++failures) {
    ration.left = failures;
    try {
      auto batch = BatchFactor<T>::create(system.plan, 3, backend, TypeParam::way);
      auto workspace = BatchWorkspace<T>::create(batch, 1);
      done = true;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::memory) << error.what();
    }
    ration.left = -1;
    EXPECT_EQ(ration.alive, 0) << failures;
    EXPECT_EQ(backend.bytes_in_use(), 0) << failures;
  }
  EXPECT_GE(failures, 4);  // plan, batch and workspace fail in turn; the last attempt succeeds
}

class DeviceBatch : public DeviceBatches<BatchOnDevice<double, BatchWay::automatic>> {};

TEST_F(DeviceBatch, AutomaticGoesByThePlanAlone) {
  const auto way = [&](const char* spec, Index items) {
    const auto plan =
        analyze(generate(spec).pattern(), this->options(OrderingMethod::nested_dissection));
    return BatchFactor<double>::create(plan, items, this->backend()).way();
  };
  for (const Index items : {1, 3}) {
    EXPECT_EQ(way("poisson2d 32", items), BatchWay::together);
    EXPECT_EQ(way("rgg3d 1000 12 1", items), BatchWay::together);
    EXPECT_EQ(way("poisson3d 30", items), BatchWay::one_by_one);
  }
}

TEST_F(DeviceBatch, FrontsOfTooManyRowsAreRefusedTogether) {
  const auto plan =
      analyze(generate("blockdiag 721 721").pattern(), this->options(OrderingMethod::natural));
  EXPECT_NE(error_text(ErrorKind::usage,
                       [&] {
                         static_cast<void>(BatchFactor<double>::create(plan, 1, this->backend(),
                                                                       BatchWay::together));
                       })
                .find("721 rows"),
            std::string::npos);
  EXPECT_EQ(BatchFactor<double>::create(plan, 1, this->backend()).way(), BatchWay::one_by_one);
}

}  // namespace
}  // namespace kauri::test

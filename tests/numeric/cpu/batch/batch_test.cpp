// Tests batches on the CPU.
// SPDX-License-Identifier: BSD-3-Clause
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/bodies/batch.hpp"

namespace kauri::test {
namespace {

template <class Scalar, BatchWay kWay, int kThreads>
struct BatchOnCpu {
  using T = Scalar;
  static constexpr BatchWay way = kWay;
  static constexpr int threads = kThreads;
};

template <class B>
class CpuBatches : public ::testing::Test {
 protected:
  using Value = typename B::T;
  BatchSystem<Value> system(const std::string& spec, Index items, Offset gap) {
    SymmetricMatrix<double> a = generate(spec);
    auto plan = analyze(a.pattern());
    return batch_system<Value>(std::move(a), std::move(plan), items, gap);
  }
  Backend backend_ = cpu_backend(B::threads);
};
using CpuBatchKinds = ::testing::Types<
    BatchOnCpu<double, BatchWay::together, 4>, BatchOnCpu<double, BatchWay::one_by_one, 4>,
    BatchOnCpu<float, BatchWay::together, 4>, BatchOnCpu<double, BatchWay::together, 1>>;
TYPED_TEST_SUITE(CpuBatches, CpuBatchKinds);

TYPED_TEST(CpuBatches, ExactFactors) {
  for (const Index n : {1, 5, 40, 120})
    for (const Index items : {1, 7})
      expect_exact_items<typename TypeParam::T>(this->backend_, TypeParam::way, n, 2, 12, {},
                                                items);
}

TYPED_TEST(CpuBatches, AreSolvedToTheSinglePathsBound) {
  for (const char* spec : {"poisson2d 1", "blockdiag 60 1", "tree 300 1", "arrow 80 1",
                           "blockdiag 90 90", "poisson2d 17", "elast3d 4"})
    for (const Index items : {1, 9}) {
      SCOPED_TRACE(std::string(spec) + " " + std::to_string(items));
      expect_solved_items(this->backend_, TypeParam::way, this->system(spec, items, 3), 5, 4, 2);
    }
}

/// A batch gives the bits of single factors and holds as many bytes as it reports.
TYPED_TEST(CpuBatches, HaveTheBitsOfSingleFactorsAndTheBytesTold) {
  using T = typename TypeParam::T;
  const auto system = this->system("poisson2d 20", 6, 0);
  const Index n = system.a.n();
  const Offset before = this->backend_.bytes_in_use();
  const auto prepared = PreparedPlan::create(system.plan, this->backend_);
  auto batch = BatchFactor<T>::create(prepared, system.items, TypeParam::way);
  EXPECT_EQ(batch.way(), TypeParam::way);
  EXPECT_EQ(this->backend_.bytes_in_use() - before,
            BatchFactor<T>::bytes(prepared, system.items, TypeParam::way));
  const Offset with_batch = this->backend_.bytes_in_use();
  auto workspace = BatchWorkspace<T>::create(batch, 2);
  EXPECT_EQ(this->backend_.bytes_in_use() - with_batch, BatchWorkspace<T>::bytes(batch, 2));
  auto values = DeviceValues<T>::copy_of(system.value, this->backend_);
  enqueue_refactorize(batch, values, system.stride, T(0.5), nullptr);
  const auto verdicts = batch.fetch_verdicts(nullptr);
  BatchColumns<T> x(system.items, n, 2, 0, 5);
  const auto b = x;
  batch.solve(x.view(), workspace);
  auto factor = Factor<T>::create(system.plan, this->backend_);
  auto single = Workspace<T>::create(factor, 2);
  for (Index k = 0; k < system.items; ++k) {
    ASSERT_TRUE(refactorize<T>(factor, system.of(k), T(0.5)).ok());
    EXPECT_EQ(verdicts[static_cast<std::size_t>(k)], factor.verdict());
    EXPECT_EQ(*batch.verdict_address(k), factor.verdict());
    auto expected = b;
    const BatchView<T> view = expected.view();
    factor.solve(view.item(k), single);
    for (Index c = 0; c < 2; ++c)
      EXPECT_TRUE(same_bits(x.column(k, c), expected.column(k, c))) << k << " " << c;
  }
}

TYPED_TEST(CpuBatches, FailingItemsLeaveTheOthersAlone) {
  for (const char* spec : {"blockdiag 40 1", "poisson2d 9", "arrow 30 2"})
    expect_failures(this->backend_, TypeParam::way, this->system(spec, 15, 2), 3);
}

TYPED_TEST(CpuBatches, ItemsDoNotSeeOneAnother) {
  expect_independent_items(this->backend_, TypeParam::way, this->system("poisson2d 12", 5, 1));
}

TYPED_TEST(CpuBatches, NothingToDo) {
  using T = typename TypeParam::T;
  const auto none = this->system("poisson2d 3", 0, 0);
  auto batch = BatchFactor<T>::create(none.plan, 0, this->backend_, TypeParam::way);
  auto workspace = BatchWorkspace<T>::create(batch, 1);
  EXPECT_TRUE(refactorize<T>(batch, std::span<const T>{}, 0).empty());
  batch.solve({nullptr, 0, 9, 1, 9, 9}, workspace);
  const std::vector<Offset> ptr{0};
  const auto empty = analyze(Pattern{0, ptr, {}});
  auto of_empty = BatchFactor<T>::create(empty, 3, this->backend_, TypeParam::way);
  for (const DeviceVerdict& v : refactorize<T>(of_empty, std::span<const T>{}, 0))
    EXPECT_EQ(v.status, VerdictStatus::positive_definite);
  EXPECT_EQ(of_empty.verdicts().size(), 3u);
}

TEST(CpuBatch, AutomaticGoesByThePlanAlone) {
  Backend backend = cpu_backend(2);
  for (const Index items : {1, 100}) {
    EXPECT_EQ(
        BatchFactor<double>::create(analyze(generate("poisson2d 30").pattern()), items, backend)
            .way(),
        BatchWay::together);
    EXPECT_EQ(BatchFactor<double>::create(analyze(generate("poisson3d 36").pattern()),
                                          std::min(items, Index{2}), backend)
                  .way(),
              BatchWay::one_by_one);
  }
}

TEST(CpuBatch, MisuseIsAnError) {
  Backend backend = cpu_backend(1);
  const auto plan = analyze(generate("poisson2d 3").pattern());
  auto batch = BatchFactor<double>::create(plan, 2, backend);
  auto workspace = BatchWorkspace<double>::create(batch, 1);
  const auto a = generate("poisson2d 3");
  std::vector<double> value(a.value().begin(), a.value().end()), x(18, 1.0);
  const auto says = [&](const auto& f) { return error_text(ErrorKind::usage, f); };
  EXPECT_NE(says([&] {
              static_cast<void>(BatchFactor<double>::create(plan, -1, backend));
            }).find("items is -1"),
            std::string::npos);
  EXPECT_NE(
      says([&] { static_cast<void>(BatchWorkspace<double>::create(batch, 0)); }).find("nrhs is 0"),
      std::string::npos);
  EXPECT_NE(says([&] { refactorize<double>(batch, value, 1); }).find("too few"), std::string::npos);
  EXPECT_NE(says([&] { refactorize<double>(batch, value, -1); }).find("stride"), std::string::npos);
  EXPECT_NE(says([&] {
              refactorize<double>(batch, value, 0, std::numeric_limits<double>::infinity());
            }).find("shift"),
            std::string::npos);
  EXPECT_NE(says([&] {
              batch.solve({x.data(), 2, 9, 1, 9, 9}, workspace);
            }).find("not been factorised"),
            std::string::npos);
  EXPECT_EQ(refactorize<double>(batch, value, 0).size(), 2u);
  EXPECT_EQ(says([&] { batch.solve({x.data(), 2, 9, 1, 9, 9}, workspace); }), "no Error");
}

TEST(CpuBatch, MisuseOfSolveIsAnError) {
  Backend backend = cpu_backend(1);
  const auto a = generate("poisson2d 3");
  const auto plan = analyze(a.pattern());
  auto batch = BatchFactor<double>::create(plan, 2, backend),
       other = BatchFactor<double>::create(plan, 2, backend);
  auto workspace = BatchWorkspace<double>::create(batch, 1),
       of_other = BatchWorkspace<double>::create(other, 1);
  ASSERT_EQ(refactorize<double>(batch, a.value(), 0).size(), 2u);
  std::vector<double> x(18, 1.0);
  const auto says = [&](const auto& f) { return error_text(ErrorKind::usage, f); };
  EXPECT_NE(says([&] {
              batch.solve({x.data(), 3, 9, 1, 9, 9}, workspace);
            }).find("3 items"),
            std::string::npos);
  EXPECT_NE(says([&] {
              batch.solve({x.data(), 2, 8, 1, 9, 9}, workspace);
            }).find("8 rows"),
            std::string::npos);
  EXPECT_NE(says([&] {
              batch.solve({x.data(), 2, 9, 1, 8, 9}, workspace);
            }).find("leading"),
            std::string::npos);
  EXPECT_NE(says([&] {
              batch.solve({x.data(), 2, 9, 1, 9, 8}, workspace);
            }).find("overlap"),
            std::string::npos);
  EXPECT_NE(says([&] {
              batch.solve({nullptr, 2, 9, 1, 9, 9}, workspace);
            }).find("null"),
            std::string::npos);
  EXPECT_NE(says([&] {
              batch.solve({x.data(), 2, 9, 1, 9, 9}, of_other);
            }).find("another batch"),
            std::string::npos);
  EXPECT_NE(says([&] {
              batch.solve(DeviceBatchView<double>({x.data(), 2, 9, 1, 9, 9}), workspace);
            }).find("on the CPU"),
            std::string::npos);
  EXPECT_NE(says([&] { static_cast<void>(batch.entry(2, 0, 0)); }).find("item 2"),
            std::string::npos);
  EXPECT_NE(says([&] { static_cast<void>(batch.verdict_address(2)); }).find("item 2"),
            std::string::npos);
  // Columns of one item may lie between columns of another, if they do not overlap.
  std::vector<double> wide(36, 1.0);
  EXPECT_EQ(says([&] { batch.solve({wide.data(), 2, 9, 2, 18, 9}, workspace); }), "no Error");
}

TEST(CpuBatch, BIsXItselfOrBeginsElsewhere) {
  Backend backend = cpu_backend(1);
  const auto a = generate("poisson2d 3");
  auto batch = BatchFactor<double>::create(analyze(a.pattern()), 2, backend);
  ASSERT_EQ(refactorize<double>(batch, a.value(), 0).size(), 2u);
  auto workspace = BatchWorkspace<double>::create(batch, 1);
  std::vector<double> x(54, 1.0);
  const std::vector<double> before = x;
  const auto said = [&](Index cols, Offset ld, Offset stride, Layout layout,
                        const BatchView<double>& to) {
    return error_text(ErrorKind::usage, [&] {
      batch.solve(BatchView<const double>{x.data(), 2, 9, cols, ld, stride, layout}, to, workspace);
    });
  };
  const BatchView<double> one{x.data(), 2, 9, 1, 9, 9}, two{x.data(), 2, 9, 2, 18, 9};
  constexpr Layout by_columns = Layout::column_major, by_rows = Layout::row_major;
  const std::string together =
      "solve: x begins where b does, with another leading dimension, stride or layout; give both "
      "the same, or x memory of its own";
  EXPECT_EQ(said(1, 9, 18, by_columns, one), together);
  EXPECT_EQ(said(1, 9, 0, by_columns, one), together);
  EXPECT_EQ(said(1, 2, 9, by_rows, one), together);
  EXPECT_EQ(said(2, 9, 9, by_columns, two), together);
  EXPECT_EQ(said(2, 18, 27, by_columns, two), together);
  EXPECT_EQ(x, before);
  EXPECT_EQ(said(1, 9, 9, by_columns, one), "no Error");
  EXPECT_EQ(said(1, 1, 9, by_rows, one), "no Error") << "one column";
  EXPECT_EQ(said(2, 18, 9, by_columns, two), "no Error");
}

/// A workspace is refused for another batch, even one that lies at the address of the destroyed own
/// one.
TEST(CpuBatch, AWorkspaceIsTakenForItsOwnBatchAlone) {
  Backend backend = cpu_backend(1);
  const auto small = generate("poisson2d 3"), large = generate("poisson2d 20");
  const auto small_plan = analyze(small.pattern()), large_plan = analyze(large.pattern());
  std::vector<double> x(2 * 400, 1.0);
  for (int round = 0; round < 20; ++round) {
    std::optional<BatchFactor<double>> batch(BatchFactor<double>::create(small_plan, 2, backend));
    auto workspace = BatchWorkspace<double>::create(*batch, 1);
    batch.reset();
    batch.emplace(BatchFactor<double>::create(large_plan, 2, backend));
    ASSERT_EQ(refactorize<double>(*batch, large.value(), 0).size(), 2u);
    ASSERT_EQ(error_text(ErrorKind::usage,
                         [&] {
                           batch->solve({x.data(), 2, 400, 1, 400, 400}, workspace);
                         }),
              "solve: the workspace was made for another batch; make one for this batch");
  }
  auto batch = BatchFactor<double>::create(small_plan, 2, backend);
  auto workspace = BatchWorkspace<double>::create(batch, 1);
  auto moved = std::move(batch);
  ASSERT_EQ(refactorize<double>(moved, small.value(), 0).size(), 2u);
  EXPECT_EQ(error_text(ErrorKind::usage,
                       [&] {
                         moved.solve({x.data(), 2, 9, 1, 9, 9}, workspace);
                       }),
            "no Error")
      << "moved";
}

TEST(CpuBatch, IsCancelled) {
  Backend backend = cpu_backend(2);
  const auto a = generate("poisson2d 10");
  auto batch = BatchFactor<double>::create(analyze(a.pattern()), 4, backend);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_NE(error_text(ErrorKind::cancelled,
                       [&] { refactorize<double>(batch, a.value(), 0, 0, stop.get_token()); }),
            "no Error");
  EXPECT_EQ(refactorize<double>(batch, a.value(), 0).size(), 4u);
}

}  // namespace
}  // namespace kauri::test

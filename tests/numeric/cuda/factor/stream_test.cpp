// Tests refactorisations on the caller's streams, in the caller's graphs, of several factors at
// once, and the verdicts they leave.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/meeting.hpp"

namespace kauri {
namespace {

using test::CallerGraph;
using test::CallerStream;
using test::require;

template <class W>
class Streams : public test::OnCuda<W> {
 protected:
  using Value = typename test::OnCuda<W>::Value;
  /// Holds a factor, its values on the device, and the solution that they give when nothing else
  /// runs.
  struct Job {
    Factor<Value> factor;
    DeviceValues<Value> there;
    std::vector<Value> expected;
  };
  Job job(const std::string& spec) {
    const auto a = generate(spec);
    const auto value = this->values(a);
    Job out{Factor<Value>::create(this->plan(a.pattern()), this->backend()),
            DeviceValues<Value>::copy_of(value, this->backend()),
            {}};
    EXPECT_TRUE(refactorize(out.factor, out.there, Value(0.25)).ok()) << spec;
    out.expected = this->solution(out.factor);
    EXPECT_TRUE(refactorize(out.factor, out.there, Value(7)).ok())
        << spec;  // leaves other numbers in the factor
    return out;
  }
  std::vector<Job> jobs(std::size_t count) {
    std::vector<Job> out;
    for (const char* spec : {"poisson3d 20", "elast3d 7", "poisson2d 120"})
      if (out.size() < count) out.push_back(job(spec));
    return out;
  }
  static DeviceVerdict on_device(const Factor<Value>& factor) {
    DeviceVerdict verdict;
    require(cudaMemcpy(&verdict, factor.verdict_address(), sizeof verdict, cudaMemcpyDeviceToHost));
    return verdict;
  }
};
TYPED_TEST_SUITE(Streams, test::Ways);

TYPED_TEST(Streams, FactorsOnAsManyThreadsAndStreamsHaveTheSameBitsAsAlone) {
  using T = typename TypeParam::T;
  for (const std::size_t count : {2u, 3u}) {
    auto jobs = this->jobs(count);
    test::Meeting start(static_cast<int>(count));
    std::vector<int> wrong(count, 0);
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < count; ++k)
      threads.emplace_back([&, k] {
        auto& job = jobs[k];
        const CallerStream stream;
        for (int round = 0; round < 20; ++round) {
          if (!start.meet()) {
            wrong[k] = -1;
            return;
          }
          enqueue_refactorize(job.factor, job.there, T(0.25), stream.get());
          if (job.factor.fetch_verdict(stream.get()).status != VerdictStatus::positive_definite ||
              this->solution(job.factor) != job.expected)
            ++wrong[k];
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(count, 0));
  }
}

TYPED_TEST(Streams, SynchronousCallsFromSeveralThreadsToo) {
  using T = typename TypeParam::T;
  auto jobs = this->jobs(3);
  std::vector<int> wrong(jobs.size(), 0);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < jobs.size(); ++k)
    threads.emplace_back([&, k] {
      for (int round = 0; round < 20; ++round)
        if (!refactorize(jobs[k].factor, jobs[k].there, T(0.25)).ok() ||
            this->solution(jobs[k].factor) != jobs[k].expected)
          ++wrong[k];
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(jobs.size(), 0));
}

/// The host does not wait between the calls, so whole factorisations overlap on the device.
TYPED_TEST(Streams, ManyEnqueuedAtOnce) {
  using T = typename TypeParam::T;
  auto jobs = this->jobs(3);
  const CallerStream streams[3];
  for (int round = 0; round < 50; ++round)
    for (std::size_t k = 0; k < jobs.size(); ++k)
      enqueue_refactorize(jobs[k].factor, jobs[k].there, T(round % 2 == 0 ? 7 : 0.25),
                          streams[k].get());
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    EXPECT_FALSE(jobs[k].factor.valid());
    EXPECT_EQ(jobs[k].factor.fetch_verdict(streams[k].get()).status,
              VerdictStatus::positive_definite);
    EXPECT_EQ(this->solution(jobs[k].factor), jobs[k].expected);
  }
}

TYPED_TEST(Streams, ACapturedRefactorisationReplaysWithTheValuesOfTheDay) {
  using T = typename TypeParam::T;
  const CallerStream stream;
  for (const char* spec : {"poisson3d 16", "elast3d 6", "tree 2000 1", "blockdiag 90 30"}) {
    const auto a = generate(spec);
    const auto plan = this->plan(a.pattern());
    auto factor = Factor<T>::create(plan, this->backend()),
         alone = Factor<T>::create(plan, this->backend());
    auto there = DeviceValues<T>::copy_of(this->values(a), this->backend());
    const CallerGraph graph(stream,
                            [&](cudaStream_t s) { enqueue_refactorize(factor, there, T(0.5), s); });
    EXPECT_EQ(this->on_device(factor).status, VerdictStatus::none) << "the capture ran";
    for (int round = 0; round < 100; ++round) {
      auto value = this->values(a);
      for (T& v : value) v *= T(1 + round % 13);
      const bool broken = round % 10 == 7;
      if (broken) value[a.pattern().col_ptr[round % a.n()]] = T(-3);
      there.assign(value);
      graph.launch(stream);
      const DeviceVerdict seen = factor.fetch_verdict(stream.get());
      const auto expected = refactorize<T>(alone, value, T(0.5));
      ASSERT_EQ(seen, alone.verdict()) << spec << " " << round;
      ASSERT_EQ(expected.ok(), !broken) << spec << " " << round;
      if (broken) continue;
      ASSERT_EQ(this->solution(factor), this->solution(alone)) << spec << " " << round;
    }
  }
}

/// The first runs are launches, later ones a graph: all have the same bits, whichever call comes
/// first and in whatever order.
TYPED_TEST(Streams, TheFirstRunsAndAllLaterOnesHaveTheSameBits) {
  using T = typename TypeParam::T;
  const CallerStream stream;
  for (const char* spec : {"poisson3d 14", "elast3d 6", "tree 2000 1"}) {
    const auto a = generate(spec);
    const auto plan = this->plan(a.pattern());
    const auto value = this->values(a);
    const auto there = DeviceValues<T>::copy_of(value, this->backend());
    std::vector<std::vector<T>> expected;
    for (const T shift : {T(0), T(1), T(2)}) {
      auto fresh = Factor<T>::create(plan, this->backend());
      ASSERT_TRUE(refactorize<T>(fresh, value, shift).ok());
      expected.push_back(this->solution(fresh));
    }
    const std::string calls = "sec";  // synchronous, enqueued, captured
    for (std::size_t order = 0; order < 81; ++order) {
      auto factor = Factor<T>::create(plan, this->backend());
      std::size_t digits = order;
      for (std::size_t k = 0; k < 4; ++k, digits /= 3) {
        const auto shift = static_cast<T>(k % 3);
        const char call = calls[digits % 3];
        if (call == 's') {
          ASSERT_TRUE(refactorize(factor, there, shift).ok());
        } else if (call == 'e') {
          enqueue_refactorize(factor, there, shift, stream.get());
          ASSERT_EQ(factor.fetch_verdict(stream.get()).status, VerdictStatus::positive_definite);
        } else {
          const CallerGraph graph(
              stream, [&](cudaStream_t s) { enqueue_refactorize(factor, there, shift, s); });
          graph.launch(stream);
          ASSERT_EQ(factor.fetch_verdict(stream.get()).status, VerdictStatus::positive_definite);
        }
        ASSERT_EQ(this->solution(factor), expected[k % 3]) << spec << " " << order << " " << k;
      }
    }
  }
}

/// The second run creates a graph; this must not invalidate a capture in another thread.
TYPED_TEST(Streams, GraphsAreMadeBesideCapturesOfOtherThreads) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson3d 12");
  const auto plan = this->plan(a.pattern());
  const auto there = DeviceValues<T>::copy_of(this->values(a), this->backend());
  auto captured = Factor<T>::create(plan, this->backend());
  std::vector<Factor<T>> factors;
  for (int k = 0; k < 10; ++k) factors.push_back(Factor<T>::create(plan, this->backend()));
  const CallerStream stream, other;
  const CallerGraph graph(stream, [&](cudaStream_t s) {
    enqueue_refactorize(captured, there, T(1), s);
    std::thread([&] {
      for (int round = 0; round < 3; ++round)
        for (auto& factor : factors) enqueue_refactorize(factor, there, T(1), other.get());
    }).join();
  });
  graph.launch(stream);
  ASSERT_EQ(captured.fetch_verdict(stream.get()).status, VerdictStatus::positive_definite);
  const auto expected = this->solution(captured);
  for (auto& factor : factors) {
    ASSERT_EQ(factor.fetch_verdict(other.get()).status, VerdictStatus::positive_definite);
    EXPECT_EQ(this->solution(factor), expected);
  }
}

TYPED_TEST(Streams, GraphsOfSeveralFactorsReplayAtOnce) {
  using T = typename TypeParam::T;
  auto jobs = this->jobs(3);
  const CallerStream streams[3];
  std::vector<std::unique_ptr<CallerGraph>> graphs;
  for (std::size_t k = 0; k < jobs.size(); ++k)
    graphs.push_back(std::make_unique<CallerGraph>(streams[k], [&](cudaStream_t s) {
      enqueue_refactorize(jobs[k].factor, jobs[k].there, T(0.25), s);
    }));
  for (int round = 0; round < 100; ++round)
    for (std::size_t k = 0; k < jobs.size(); ++k) graphs[k]->launch(streams[k]);
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    EXPECT_EQ(jobs[k].factor.fetch_verdict(streams[k].get()).status,
              VerdictStatus::positive_definite);
    EXPECT_EQ(this->solution(jobs[k].factor), jobs[k].expected);
  }
}

/// The stream may be the default one; the verdict on the device equals that of the synchronous
/// call.
TYPED_TEST(Streams, TheVerdictLiesOnTheDevice) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson3d 11");
  auto factor = Factor<T>::create(this->plan(a.pattern()), this->backend());
  const DeviceVerdict* place = factor.verdict_address();
  EXPECT_EQ(this->on_device(factor), DeviceVerdict{});
  const auto good = this->values(a);
  auto indefinite = good, broken = good;
  for (const Index j : {3, 500, 1000}) indefinite[a.pattern().col_ptr[j]] = T(-1);
  broken[broken.size() / 2] = std::numeric_limits<T>::quiet_NaN();
  const std::vector<const std::vector<T>*> all{&good, &indefinite, &broken, &good};
  auto there = DeviceValues<T>::copy_of(good, this->backend());
  ASSERT_TRUE(refactorize(factor, there).ok());
  for (const auto* value : all) {
    there.assign(*value);
    enqueue_refactorize(factor, there, T(0), nullptr);
    EXPECT_FALSE(factor.valid());
    EXPECT_EQ(factor.verdict(), DeviceVerdict{});
    EXPECT_NE(test::error_text(ErrorKind::usage, [&] { (void)this->solution(factor); }),
              "no Error");
    const DeviceVerdict seen = factor.fetch_verdict(nullptr), there_too = this->on_device(factor);
    EXPECT_EQ(seen.status, there_too.status);
    EXPECT_EQ(seen.column, there_too.column);
    EXPECT_EQ(factor.valid(), value == &good);
    EXPECT_EQ(factor.verdict_address(), place);
    if (value == &broken) {
      EXPECT_EQ(seen.status, VerdictStatus::not_positive_definite);
      EXPECT_TRUE(std::isnan(seen.pivot) && std::isnan(seen.smallest_pivot));
      EXPECT_EQ(test::error_text(ErrorKind::input, [&] { (void)refactorize(factor, there); })
                    .substr(0, 5),
                "value");
      continue;
    }
    EXPECT_EQ(seen, there_too);
    const auto result = refactorize(factor, there);
    ASSERT_EQ(result.ok(), value == &good);
    EXPECT_EQ(factor.verdict(), seen);
    if (value != &indefinite) continue;
    EXPECT_EQ(result.error().column, seen.column);
    EXPECT_EQ(result.error().pivot, seen.pivot);
    EXPECT_EQ(seen.smallest_pivot, seen.pivot);
  }
}

TYPED_TEST(Streams, TheSmallestPivotIsThatOfTheEntriesAndOfTheCpu) {
  using T = typename TypeParam::T;
  for (const char* spec : {"poisson2d 1", "poisson2d 25", "poisson3d 11", "elast3d 5", "tree 900 2",
                           "blockdiag 500 250"}) {
    const auto a = generate(spec);
    auto factor = Factor<T>::create(this->plan(a.pattern()), this->backend());
    Backend cpu = cpu_backend(1);
    AnalyzeOptions same;
    same.permutation = factor.plan().perm;
    auto theirs = Factor<T>::create(analyze(a.pattern(), same), cpu);
    for (Index at = 0; at < a.n();
         at += 1 + a.n() / 7) {  // moves the least pivot from front to front
      auto value = this->values(a);
      for (Index j = 0; j < a.n(); ++j) value[a.pattern().col_ptr[j]] *= j == at ? T(1.01) : T(4);
      ASSERT_TRUE(refactorize<T>(factor, value).ok());
      double least = std::numeric_limits<double>::infinity();
      Index column = kNone;
      for (Index j = 0; j < a.n(); ++j) {
        const auto root = static_cast<double>(factor.entry(j, j));
        if (root * root < least) least = root * root, column = factor.plan().perm.old_of(j);
      }
      EXPECT_EQ(factor.verdict().smallest_pivot, least) << spec << " " << at;
      EXPECT_EQ(factor.verdict().smallest_column, column) << spec << " " << at;
      ASSERT_TRUE(refactorize<T>(theirs, value).ok());
      EXPECT_NEAR(least, theirs.verdict().smallest_pivot,
                  1000 * std::numeric_limits<T>::epsilon() * least)
          << spec << " " << at;
    }
  }
}

}  // namespace
}  // namespace kauri

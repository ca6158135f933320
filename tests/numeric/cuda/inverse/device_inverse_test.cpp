// Tests selected inverses on a caller's stream and in a caller's graph, read into memory of a CUDA
// device or of the emulated one; and norms of inverses computed from vectors on the device.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/bodies/inverse.hpp"
#include "tests/support/bodies/layout.hpp"
#include "tests/support/device/cuda_ways.hpp"

namespace kauri::test {
namespace {

template <class W>
class CudaInverseReads : public OnCuda<W> {
 protected:
  bool emulated() { return this->backend().device() == "emulated"; }
  std::vector<OwnedPattern> patterns() {
    std::vector<OwnedPattern> out{OwnedPattern{}, diagonal_pattern(1), grid_pattern(7, 6, 1),
                                  forked_pattern(2, 70, 40, 1)};
    if (!emulated()) out.push_back(grid_pattern(20, 19, 18));
    return out;
  }
};
TYPED_TEST_SUITE(CudaInverseReads, Ways, WayNumbers);

/// Holds the inverse's diagonal and its entries on the pattern of A on the device, with a guard
/// number at each end.
template <class T>
struct Reads {
  CallerArray<T> diagonal, entries;
  explicit Reads(const Pattern& a)
      : diagonal(std::vector<T>(static_cast<std::size_t>(a.n) + 2, T(7))),
        entries(std::vector<T>(static_cast<std::size_t>(a.nnz()) + 2, T(7))),
        n(static_cast<std::size_t>(a.n)),
        nnz(static_cast<std::size_t>(a.nnz())) {}
  std::size_t n, nnz;

  void enqueue(const SelectedInverse<T>& inverse, cudaStream_t stream) const {
    inverse.enqueue_diagonal(std::span<T>(diagonal.data() + 1, n), stream);
    inverse.enqueue_on_pattern(std::span<T>(entries.data() + 1, nnz), stream);
  }
  static std::vector<T> framed(const std::vector<T>& inside) {
    std::vector<T> out(inside.size() + 2, T(7));
    std::copy(inside.begin(), inside.end(), out.begin() + 1);
    return out;
  }
  void expect(const std::vector<T>& d, const std::vector<T>& e) {
    EXPECT_TRUE(is_same(diagonal.fetch(), framed(d)));
    EXPECT_TRUE(is_same(entries.fetch(), framed(e)));
    diagonal.assign(std::vector<T>(n + 2, T(7)));
    entries.assign(std::vector<T>(nnz + 2, T(7)));
  }
};

TYPED_TEST(CudaInverseReads, OnAStreamHaveTheBitsOfTheHosts) {
  using T = typename TypeParam::T;
  for (const OwnedPattern& a : this->patterns()) {
    SCOPED_TRACE(a.n());
    const Pattern pattern = a.view();
    const std::vector<T> value = random_dominant<T>(pattern, 1),
                         other = random_dominant<T>(pattern, 2);
    auto factor = Factor<T>::create(this->plan(pattern), this->backend());
    auto inverse = SelectedInverse<T>::create(factor);
    std::vector<T> d[2], e[2];
    for (const int k : {1, 0}) {
      ASSERT_TRUE(refactorize<T>(factor, k == 0 ? value : other).ok());
      inverse.compute(factor);
      d[k] = inverse.diagonal(), e[k] = inverse.on_pattern_of(pattern);
    }
    if (pattern.n <= 400) expect_inverse<T>(inverse, pattern, dense_inverse<T>(pattern, value));
    const CallerStream stream;
    Reads<T> reads(pattern);
    auto values = DeviceValues<T>::copy_of(other, this->backend());
    const Offset before = this->backend().bytes_in_use();
    reads.enqueue(inverse, stream.get());
    reads.expect(d[0], e[0]);
    const auto step = [&](cudaStream_t s) {
      enqueue_refactorize(factor, values, T(0), s);
      inverse.enqueue_compute(factor, s);
      reads.enqueue(inverse, s);
    };
    step(stream.get());
    EXPECT_FALSE(inverse.valid());
    reads.expect(d[1], e[1]);
    EXPECT_EQ(inverse.fetch_verdict(stream.get()), factor.fetch_verdict(stream.get()));
    EXPECT_TRUE(inverse.valid());
    EXPECT_TRUE(is_same(inverse.diagonal(), d[1]) && is_same(inverse.on_pattern_of(pattern), e[1]));
    const CallerGraph graph(stream, step);
    for (const int k : {0, 1}) {
      values.assign(k == 0 ? value : other);
      graph.launch(stream);
      reads.expect(d[k], e[k]);
    }
    EXPECT_EQ(this->backend().bytes_in_use(), before);
  }
}

/// All reads give NaN until an inverse exists again; entries already read remain those of the
/// factor that they were computed from.
TYPED_TEST(CudaInverseReads, OfAFactorThatThereIsNot) {
  using T = typename TypeParam::T;
  for (const OwnedPattern& a : this->patterns()) {
    const Pattern pattern = a.view();
    if (pattern.n == 0) continue;
    SCOPED_TRACE(pattern.n);
    const std::vector<T> value = random_dominant<T>(pattern, 1);
    std::vector<T> bad = value;
    bad[static_cast<std::size_t>(pattern.col_ptr[pattern.n / 2])] = T(-1);
    auto factor = Factor<T>::create(this->plan(pattern), this->backend());
    auto inverse = SelectedInverse<T>::create(factor);
    auto values = DeviceValues<T>::copy_of(bad, this->backend());
    const CallerStream stream;
    Reads<T> reads(pattern);
    const std::vector<T> no_diagonal(reads.n, std::numeric_limits<T>::quiet_NaN()),
        no_entries(reads.nnz, no_diagonal[0]);
    enqueue_refactorize(factor, values, T(0), stream.get());
    inverse.enqueue_compute(factor, stream.get());
    reads.enqueue(inverse, stream.get());
    reads.expect(no_diagonal, no_entries);
    enqueue_refactorize(factor, DeviceValues<T>::copy_of(value, this->backend()), T(0),
                        stream.get());  // the inverse was not computed from these
    reads.enqueue(inverse, stream.get());
    reads.expect(no_diagonal, no_entries);
    EXPECT_EQ(inverse.fetch_verdict(stream.get()).status, VerdictStatus::not_positive_definite);
    EXPECT_FALSE(inverse.valid());
    EXPECT_EQ(
        error_text(ErrorKind::usage, [&] { reads.enqueue(inverse, stream.get()); }),
        "selected inverse: it is not computed yet, or the last time failed: call compute() first");
    inverse.enqueue_compute(factor, stream.get());
    EXPECT_EQ(inverse.fetch_verdict(stream.get()).status, VerdictStatus::positive_definite);
    ASSERT_TRUE(refactorize<T>(factor, value).ok());
    auto fresh = SelectedInverse<T>::create(factor);
    fresh.compute(factor);
    reads.enqueue(inverse, stream.get());
    reads.expect(fresh.diagonal(), fresh.on_pattern_of(pattern));
  }
}

TYPED_TEST(CudaInverseReads, WhatTheyRefuse) {
  using T = typename TypeParam::T;
  const OwnedPattern a = grid_pattern(3, 3, 1);
  const std::vector<T> value = random_dominant<T>(a.view(), 1);
  auto factor = Factor<T>::create(this->plan(a.view()), this->backend());
  auto inverse = SelectedInverse<T>::create(factor);
  std::vector<T> host(100);
  const CallerArray<T> array(host);
  const std::span<T> nine(array.data(), 9), ten(array.data(), 10), here(host.data(), 9);
  const auto refused = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  const std::string none =
      "selected inverse: it is not computed yet, or the last time failed: call compute() first";
  EXPECT_EQ(refused([&] { inverse.enqueue_compute(factor, nullptr); }),
            "selected inverse: the factor is not valid (no successful factorisation yet, or the "
            "last one broke down): call refactorize() first");
  EXPECT_EQ(refused([&] { inverse.enqueue_diagonal(nine, nullptr); }), none);
  EXPECT_EQ(refused([&] { inverse.enqueue_on_pattern(nine, nullptr); }), none);
  ASSERT_TRUE(refactorize<T>(factor, value).ok());
  inverse.compute(factor);
  EXPECT_EQ(refused([&] { inverse.enqueue_diagonal(ten, nullptr); }),
            "selected inverse: the diagonal has 9 numbers, there is room for 10");
  EXPECT_EQ(refused([&] {
              inverse.enqueue_on_pattern(nine, nullptr);
            }).find("selected inverse: the pattern has "),
            0U);
  EXPECT_EQ(
      refused([&] { inverse.enqueue_diagonal(here, nullptr); }),
      "selected inverse: the diagonal is not in the memory of CUDA device 0 but in the host's");
  const auto twin = factor_of<T>(this->plan(a.view()), value, this->backend());
  EXPECT_EQ(refused([&] { inverse.enqueue_compute(twin, nullptr); }),
            "selected inverse: the factor has another plan, expected the plan this was made for");
  EXPECT_TRUE(inverse.valid());
}

/// The norms equal those of a factor on the CPU, whose vectors are on the host.
TYPED_TEST(CudaInverseReads, NormsAreThoseOfTheCpu) {
  using T = typename TypeParam::T;
  Backend cpu = cpu_backend(1);
  for (const Index n :
       {1, 2, 40, this->emulated() ? 1100 : 400'000}) {  // the largest takes several thread blocks
    SCOPED_TRACE(n);
    const OwnedPattern a = chain_pattern(n);
    const std::vector<T> value = random_dominant<T>(a.view(), 3);
    AnalyzeOptions options;
    options.target = this->backend().target();
    const auto factor = factor_of<T>(this->plan(a.view(), options), value, this->backend());
    options.permutation = factor.plan().perm;
    options.target.clear();
    const auto theirs = factor_of<T>(analyze(a.view(), options), value, cpu);
    auto workspace = Workspace<T>::create(factor, 1), of_theirs = Workspace<T>::create(theirs, 1);
    const Offset before = this->backend().bytes_in_use();
    const ConditionEstimate found = estimate_condition<T>({a.view(), value}, factor, workspace);
    const ConditionEstimate expected = estimate_condition<T>({a.view(), value}, theirs, of_theirs);
    EXPECT_EQ(found.norm, expected.norm);
    EXPECT_NEAR(found.inverse_norm, expected.inverse_norm,
                expected.inverse_norm * (sizeof(T) == 8 ? 1e-9 : 1e-3));
    EXPECT_EQ(found.solves > 0, expected.solves > 0);
    EXPECT_EQ(estimate_condition<T>({a.view(), value}, factor, workspace).inverse_norm,
              found.inverse_norm)
        << "again";
    EXPECT_EQ(this->backend().bytes_in_use(), before);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_NE(
        error_text(ErrorKind::cancelled,
                   [&] {
                     estimate_condition<T>({a.view(), value}, factor, workspace, stop.get_token());
                   }),
        "no Error");
    auto of_another = Workspace<T>::create(this->plan(a.view()), 1, this->backend());
    EXPECT_EQ(error_text(ErrorKind::usage,
                         [&] {
                           estimate_condition<T>({a.view(), value}, factor, of_another);
                         }),
              "solve: the workspace was made for another plan; make one for this factor");
  }
}

}  // namespace
}  // namespace kauri::test

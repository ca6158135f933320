// Tests Schur complements of matrices on a CUDA device and on the emulated one: the bits of the
// host's calls, on streams and in graphs.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/bodies/inverse.hpp"
#include "tests/support/bodies/layout.hpp"
#include "tests/support/device/cuda_ways.hpp"

namespace kauri::test {
namespace {

template <class W>
class CudaSchur : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;
  std::shared_ptr<const Plan> plan_with(const Pattern& pattern, Index count) {
    AnalyzeOptions options;
    options.target = this->backend().target();
    const Permutation order = random_order(pattern.n, 9);
    options.ordering.last.assign(order.old_of().begin(), order.old_of().begin() + count);
    return this->plan(pattern, options);
  }
  bool emulated() { return this->backend().device() == "emulated"; }
};
TYPED_TEST_SUITE(CudaSchur, Ways, WayNumbers);

/// Holds a matrix in host memory and its copy on the device; both have arbitrary numbers in places
/// that calls must not write.
template <class T>
struct Both {
  Laid<T> host;
  CallerArray<T> there;
  explicit Both(const Laid<T>& begin) : host(begin), there(begin.data) {}
  DeviceMatrixView<T> view() { return DeviceMatrixView<T>(host.at(there.data())); }
  [[nodiscard]] bool same() const { return is_same(there.fetch(), host.data); }
  void again(const Laid<T>& begin) {
    host = begin;
    there.assign(begin.data);
  }
};

/// Holds all arguments of the calls: b and g have one layout, the others the other one.
template <class T>
struct Matrices {
  Laid<T> b0, y0, g0, x0, given0, s0;
  Both<T> b, y, g, x, given, s, scratch, solved;

  Matrices(Index n, Index count, Index cols, Layout one, Layout other, Offset gap,
           std::uint64_t seed)
      : b0(Laid<T>(n, cols, gap, one).with(dense_numbers<T>(n, cols, seed))),
        y0(n, cols, gap + 1, other),
        g0(count, cols, gap, one),
        x0(n, cols, gap, other),
        given0(Laid<T>(count, cols, gap + 2, other).with(dense_numbers<T>(count, cols, seed + 1))),
        s0(count, count, gap, other),
        b(b0),
        y(y0),
        g(g0),
        x(x0),
        given(given0),
        s(s0),
        scratch(y0),
        solved(g0) {}

  /// Runs the host's calls.
  void of_host(const Factor<T>& factor, const SchurComplement<T>& schur, Workspace<T>& workspace) {
    schur.write(s.host.view());
    schur.condense(factor, b.host.view(), y.host.view(), g.host.view(), workspace);
    schur.solve(factor, g.host.view(), solved.host.view(), scratch.host.view(), workspace);
    schur.expand(factor, y.host.view(), given.host.view(), x.host.view(), workspace);
  }
  void now(const Factor<T>& factor, const SchurComplement<T>& schur, Workspace<T>& workspace) {
    schur.write(factor, s.view());
    schur.condense(factor, b.view(), y.view(), g.view(), workspace);
    schur.solve(factor, g.view(), solved.view(), scratch.view(), workspace);
    schur.expand(factor, y.view(), given.view(), x.view(), workspace);
  }
  void enqueue(const Factor<T>& factor, const SchurComplement<T>& schur, Workspace<T>& workspace,
               cudaStream_t stream) {
    schur.enqueue_write(factor, s.view(), stream);
    schur.enqueue_condense(factor, b.view(), y.view(), g.view(), workspace, stream);
    schur.enqueue_solve(factor, g.view(), solved.view(), scratch.view(), workspace, stream);
    schur.enqueue_expand(factor, y.view(), given.view(), x.view(), workspace, stream);
  }
  /// Runs the calls in place: y is b, x2 is g, and x is y.
  void expect_in_place(const Factor<T>& factor, const SchurComplement<T>& schur,
                       Workspace<T>& workspace, cudaStream_t stream) {
    const SchurComplement<T> of_host(factor, schur.order());
    y.again(y0.with(dense_numbers<T>(y0.rows, y0.cols, 8)));
    of_host.condense(factor, y.host.view(), y.host.view(), g.host.view(), workspace);
    of_host.solve(factor, g.host.view(), g.host.view(), scratch.host.view(), workspace);
    of_host.expand(factor, y.host.view(), g.host.view(), y.host.view(), workspace);
    schur.enqueue_condense(factor, y.view(), y.view(), g.view(), workspace, stream);
    schur.enqueue_solve(factor, g.view(), g.view(), scratch.view(), workspace, stream);
    schur.enqueue_expand(factor, y.view(), g.view(), y.view(), workspace, stream);
    EXPECT_TRUE(y.same() && g.same() && scratch.same())
        << "in place: " << y.same() << g.same() << scratch.same();
  }
  void expect_same(const std::string& how) {
    EXPECT_TRUE(b.same() && y.same() && g.same() && x.same() && given.same() && s.same() &&
                scratch.same() && solved.same())
        << how << ": " << b.same() << y.same() << g.same() << x.same() << given.same() << s.same()
        << scratch.same() << solved.same();
    for (Both<T>* m : {&y, &g, &x, &s, &scratch, &solved})
      m->there.assign(std::vector<T>(m->host.data.size(), T(7)));
    y.there.assign(y0.data), g.there.assign(g0.data), x.there.assign(x0.data),
        s.there.assign(s0.data);
    scratch.there.assign(y0.data), solved.there.assign(g0.data);
  }
};

/// Checks all calls in preallocated memory, with values that change.
template <class T>
void expect_device_complements(Backend& backend, const std::shared_ptr<const Plan>& plan,
                               const Pattern& pattern, Index count, Index cols, Index room) {
  auto factor = Factor<T>::create(plan, backend);
  const auto schur = SchurComplement<T>::on_device(factor, count);
  ASSERT_EQ(schur.order(), count);
  auto workspace = Workspace<T>::create(factor, room);
  const CallerStream stream;
  auto values = DeviceValues<T>::copy_of(random_dominant<T>(pattern, 1), backend);
  const Offset before = backend.bytes_in_use();
  for (const Layout one : kLayouts)
    for (const Layout other : kLayouts) {
      if (one == other && backend.device() == "emulated") continue;  // slow on the emulated device
      SCOPED_TRACE("layouts " + std::to_string(static_cast<int>(one)) +
                   std::to_string(static_cast<int>(other)));
      Matrices<T> m(pattern.n, count, cols, one, other, one == other ? 0 : 2, 3);
      ASSERT_TRUE(refactorize(factor, values).ok());
      m.of_host(factor, SchurComplement<T>(factor, count), workspace);
      m.now(factor, schur, workspace);
      m.expect_same("at once");
      m.enqueue(factor, schur, workspace, stream.get());
      m.expect_same("enqueued");
      const CallerGraph graph(stream, [&](cudaStream_t s) {
        enqueue_refactorize(factor, values, T(0), s);
        m.enqueue(factor, schur, workspace, s);
      });
      graph.launch(stream);
      m.expect_same("captured");
      values.assign(random_dominant<T>(pattern, 2));
      graph.launch(stream);
      ASSERT_EQ(factor.fetch_verdict(stream.get()).status, VerdictStatus::positive_definite);
      Matrices<T> later(pattern.n, count, cols, one, other, one == other ? 0 : 2, 3);
      later.of_host(factor, SchurComplement<T>(factor, count), workspace);
      EXPECT_TRUE(is_same(m.s.there.fetch(), later.s.host.data) &&
                  is_same(m.x.there.fetch(), later.x.host.data))
          << "with other values";
      EXPECT_TRUE(is_same(m.solved.there.fetch(), later.solved.host.data)) << "with other values";
      later.expect_in_place(factor, schur, workspace, stream.get());
      EXPECT_EQ(backend.bytes_in_use(), before);
      values.assign(random_dominant<T>(pattern, 1));
    }
}

TYPED_TEST(CudaSchur, OnTheDeviceHaveTheBitsOfTheHosts) {
  using T = typename TypeParam::T;
  std::vector<OwnedPattern> patterns{chain_pattern(1), grid_pattern(6, 5, 2), dense_pattern(70)};
  if (!this->emulated()) patterns.push_back(grid_pattern(14, 13, 12));
  for (const OwnedPattern& a : patterns)
    for (const Index count : {0, 1, 7, 66}) {
      if (count > a.n()) continue;
      if (this->emulated() && a.n() == 70 && (count != 66 || !TypeParam::by_level)) continue;
      SCOPED_TRACE(std::to_string(a.n()) + " " + std::to_string(count));
      const auto plan = this->plan_with(a.view(), count);
      expect_device_complements<T>(this->backend(), plan, a.view(), count, 1, 1);
      if (!this->emulated() || a.n() < 50)
        expect_device_complements<T>(this->backend(), plan, a.view(), count, 5, 3);
    }
}

/// The complement is of rows that were not ordered last for it: rows of many fronts, the first of
/// which begins before them, all rows, or none.
TYPED_TEST(CudaSchur, OfAnyCountOfRows) {
  using T = typename TypeParam::T;
  for (const OwnedPattern& a :
       {grid_pattern(5, 5, 1), caterpillar_pattern(31), diagonal_pattern(9), dense_pattern(70)})
    for (const Index count : {a.n() / 2, a.n() - 1, a.n()}) {
      SCOPED_TRACE(std::to_string(a.n()) + " " + std::to_string(count));
      if (this->emulated() && (a.n() == 70 ? !TypeParam::by_level : count == a.n() - 1)) continue;
      expect_device_complements<T>(this->backend(), this->plan(a.view()), a.view(), count, 2, 2);
    }
  const OwnedPattern nothing;
  expect_device_complements<T>(this->backend(), this->plan(nothing.view()), nothing.view(), 0, 2,
                               1);
  const OwnedPattern some = chain_pattern(5);
  expect_device_complements<T>(this->backend(), this->plan_with(some.view(), 2), some.view(), 2, 0,
                               1);
}

/// A complement enqueued directly after a refactorisation that fails writes NaN.
TYPED_TEST(CudaSchur, OfAFactorThatThereIsNot) {
  using T = typename TypeParam::T;
  const OwnedPattern a = grid_pattern(6, 5, 2);
  const Index count = 7;
  auto factor = Factor<T>::create(this->plan_with(a.view(), count), this->backend());
  const auto schur = SchurComplement<T>::on_device(factor, count);
  auto workspace = Workspace<T>::create(factor, 2);
  const CallerStream stream;
  std::vector<T> bad = random_dominant<T>(a.view(), 1);
  bad[static_cast<std::size_t>(a.view().col_ptr[3])] = T(-1);
  enqueue_refactorize(factor, DeviceValues<T>::copy_of(bad, this->backend()), T(0), stream.get());
  Matrices<T> m(a.n(), count, 2, Layout::column_major, Layout::row_major, 1, 3);
  m.enqueue(factor, schur, workspace, stream.get());
  const auto expect_nothing = [](const Both<T>& part, bool lower) {
    const std::vector<T> found = part.there.fetch();
    const Laid<T>& shape = part.host;
    for (Index j = 0; j < shape.cols; ++j)
      for (Index i = 0; i < shape.rows; ++i) {
        const auto at = static_cast<std::size_t>(shape.place(i, j));
        EXPECT_TRUE(lower && i < j ? found[at] == shape.data[at] : std::isnan(found[at]))
            << i << " " << j;
      }
  };
  expect_nothing(m.s, true);
  for (const Both<T>* part : {&m.y, &m.g, &m.x, &m.solved}) expect_nothing(*part, false);
  EXPECT_EQ(factor.fetch_verdict(stream.get()).status, VerdictStatus::not_positive_definite);
  const auto refused = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  EXPECT_EQ(refused([&] { schur.enqueue_write(factor, m.s.view(), stream.get()); }),
            "Schur complement: the factor is not valid (no successful factorisation yet, or the "
            "last one broke down): call refactorize() first");
  EXPECT_EQ(refused([&] { schur.write(factor, m.s.view()); }),
            "Schur complement: the factor is not valid (no successful factorisation yet, or the "
            "last one broke down): call refactorize() first");
  EXPECT_EQ(refused([&] { schur.condense(factor, m.b.view(), m.y.view(), m.g.view(), workspace); }),
            "Schur complement: the factor is not valid (no successful factorisation yet, or the "
            "last one broke down): call refactorize() first");
}

TYPED_TEST(CudaSchur, WhatTheyRefuse) {
  using T = typename TypeParam::T;
  const OwnedPattern a = chain_pattern(6);
  const auto value = random_dominant<T>(a.view(), 1);
  auto factor = Factor<T>::create(this->plan_with(a.view(), 3), this->backend());
  const auto refused = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  EXPECT_EQ(refused([&] { (void)SchurComplement<T>::on_device(factor, 7); }),
            "Schur complement: count is 7, expected 0 to 6");
  EXPECT_EQ(refused([&] { (void)SchurComplement<T>::on_device(factor, -1); }),
            "Schur complement: count is -1, expected 0 to 6");
  const auto schur = SchurComplement<T>::on_device(factor, 3);
  ASSERT_TRUE(refactorize<T>(factor, value).ok());
  auto workspace = Workspace<T>::create(factor, 1);
  std::vector<T> host(36, T(1));
  const CallerArray<T> array(host), others(host);
  const auto there = [&](Index rows, Index cols) {
    return DeviceMatrixView<T>({array.data(), rows, cols, rows});
  };
  const auto beside = [&](Index rows, Index cols) {
    return DeviceMatrixView<T>({others.data(), rows, cols, rows});
  };
  const auto here = [&](Index rows, Index cols) {
    return DeviceMatrixView<T>({host.data(), rows, cols, rows});
  };
  EXPECT_EQ(refused([&] { schur.write(here(3, 3).view()); }),
            "Schur complement: L22 was not copied to the host; make the complement from a factor, "
            "not by on_device()");
  EXPECT_EQ(refused([&] { schur.write(factor, there(3, 2)); }),
            "Schur complement: s is not a matrix of 3 x 3");
  EXPECT_EQ(refused([&] { schur.write(factor, here(3, 3)); }),
            "Schur complement: s is not in the memory of CUDA device 0 but in the host's");
  EXPECT_EQ(refused([&] {
              schur.enqueue_condense(factor, there(6, 1), there(6, 1), beside(2, 1), workspace,
                                     nullptr);
            }),
            "Schur complement: g is not a matrix of 3 x 1");
  EXPECT_EQ(refused([&] {
              schur.enqueue_condense(factor, there(6, 1), there(6, 1), here(3, 1), workspace,
                                     nullptr);
            }),
            "Schur complement: g is not in the memory of CUDA device 0 but in the host's");
  EXPECT_EQ(refused([&] {
              schur.enqueue_condense(factor, here(6, 1), there(6, 1), beside(3, 1), workspace,
                                     nullptr);
            }),
            "solve: b is not in the memory of CUDA device 0 but in the host's");
  EXPECT_EQ(
      refused([&] { schur.expand(factor, there(5, 1), beside(3, 1), there(6, 1), workspace); }),
      "Schur complement: y is not a matrix of 6 x 1");
  EXPECT_EQ(refused([&] { schur.expand(factor, there(6, 1), here(3, 1), there(6, 1), workspace); }),
            "Schur complement: x2 is not in the memory of CUDA device 0 but in the host's");
  EXPECT_EQ(refused([&] {
              schur.enqueue_solve(factor, beside(3, 1), beside(3, 2), there(6, 1), workspace,
                                  nullptr);
            }),
            "Schur complement: x2 is not a matrix of 3 x 1");
  EXPECT_EQ(
      refused([&] { schur.solve(factor, beside(3, 1), beside(3, 1), here(6, 1), workspace); }),
      "Schur complement: y is not in the memory of CUDA device 0 but in the host's");
}

TYPED_TEST(CudaSchur, RefuseFactorsOfAnotherPlanAndOfTheCpu) {
  using T = typename TypeParam::T;
  const OwnedPattern a = chain_pattern(6);
  const auto value = random_dominant<T>(a.view(), 1);
  const auto factor = factor_of<T>(this->plan_with(a.view(), 3), value, this->backend());
  const auto schur = SchurComplement<T>::on_device(factor, 3);
  auto workspace = Workspace<T>::create(factor, 1);
  const std::vector<T> host(36, T(1));
  const CallerArray<T> array(host), others(host);
  const auto there = [&](Index rows, Index cols) {
    return DeviceMatrixView<T>({array.data(), rows, cols, rows});
  };
  const auto beside = [&](Index rows, Index cols) {
    return DeviceMatrixView<T>({others.data(), rows, cols, rows});
  };
  const auto refused = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  const auto twin = factor_of<T>(this->plan_with(a.view(), 3), value, this->backend());
  EXPECT_EQ(refused([&] { schur.write(twin, there(3, 3)); }),
            "Schur complement: the factor has another plan, expected the plan this was made for");
  EXPECT_EQ(refused([&] {
              schur.enqueue_expand(twin, there(6, 1), beside(3, 1), there(6, 1), workspace,
                                   nullptr);
            }),
            "Schur complement: the factor has another plan, expected the plan this was made for");
  Backend cpu = cpu_backend(1);
  const auto on_cpu = factor_of<T>(analyze(a.view()), value, cpu);
  const std::string no_device =
      "Schur complement: matrices are marked as device memory, but the factor is on the CPU; pass "
      "views of the host's memory";
  EXPECT_EQ(refused([&] { (void)SchurComplement<T>::on_device(on_cpu, 3); }), no_device);
  EXPECT_EQ(refused([&] { SchurComplement<T>(on_cpu, 3).write(on_cpu, there(3, 3)); }), no_device);
}

}  // namespace
}  // namespace kauri::test

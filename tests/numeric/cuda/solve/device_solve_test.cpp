// Tests solves with right-hand sides and solutions on the device and in every kind of host memory,
// on streams and in graphs.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/oracles/backward_sums.hpp"
#include "tests/support/process/error_text.hpp"

namespace kauri {
namespace {

using test::CallerArray;
using test::CallerGraph;
using test::CallerStream;
using test::error_text;
using test::require;

template <class W>
class DeviceSolves : public test::OnCuda<W> {
 protected:
  using Value = typename test::OnCuda<W>::Value;
  using Values = std::vector<Value>;

  Factor<Value> factor(const SymmetricMatrix<double>& a) { return factor(a, this->backend()); }
  Factor<Value> factor(const SymmetricMatrix<double>& a, Backend& backend) {
    auto out = Factor<Value>::create(this->plan(a.pattern()), backend);
    EXPECT_TRUE(refactorize<Value>(out, this->values(a)).ok());
    return out;
  }
  /// Returns a view of `columns` columns of `n` rows of x on the device.
  static DeviceMatrixView<Value> view(const CallerArray<Value>& x, Index n, Index columns,
                                      Offset ld) {
    return DeviceMatrixView<Value>({x.data(), n, columns, ld});
  }
  /// Returns the solution from host memory, with `nrhs` columns solved together.
  static Values expected(const Factor<Value>& factor, const Values& b, Index columns, Offset ld,
                         Index nrhs) {
    auto workspace = Workspace<Value>::create(factor, nrhs);
    Values x = b;
    factor.solve({x.data(), factor.plan().n, columns, ld}, workspace);
    return x;
  }
  /// Returns the error of solve(), which enqueue_solve() must share.
  std::string refused(const Factor<Value>& factor, DeviceMatrixView<Value> b,
                      DeviceMatrixView<Value> x, Workspace<Value>& workspace) {
    const std::string text = error_text(ErrorKind::usage, [&] { factor.solve(b, x, workspace); });
    EXPECT_EQ(error_text(ErrorKind::usage, [&] { factor.enqueue_solve(b, x, workspace, nullptr); }),
              text);
    require(cudaDeviceSynchronize());
    return text;
  }
};
TYPED_TEST_SUITE(DeviceSolves, test::Ways);

/// Bounds the rounding errors of rows of L^T x = y, which run over the rows below the pivots too.
/// Fast sweeps of factors in float keep x in double until they write it, so a row shows the
/// rounding of x only; sweep_test.cpp compares them with L.
TYPED_TEST(DeviceSolves, KeepWhatSumsOfTheBackwardSweepRound) {
  for (const bool fast : {false, true}) {
    if (fast && std::is_same_v<typename TypeParam::T, float> && !TypeParam::by_level) continue;
    CudaOptions options;
    options.compute = TypeParam::compute, options.fast_solve = fast;
    Backend backend = cuda_backend(options);
    // Level by level, sums inside a block of 16 pivots lose their rounding errors. Fast sweeps
    // round the inverses of whole tiles, and products with them, once each.
    const double most = fast ? 64 : 4;
    for (const char* spec : {"poisson2d 60", "poisson3d 14", "elast3d 6", "tree 3000 1"}) {
      const double error = test::worst_backward_row(this->factor(generate(spec), backend));
      EXPECT_GT(error, 0) << spec << " " << fast;
      EXPECT_LE(error, most) << spec << " " << fast;
    }
  }
}

TYPED_TEST(DeviceSolves, HaveTheBitsOfTheHostsInAndOutOfPlace) {
  using T = typename TypeParam::T;
  const CallerStream stream;
  for (const char* spec : {"poisson2d 1", "poisson2d 60", "poisson3d 14", "elast3d 6",
                           "tree 3000 1", "blockdiag 300 100"}) {
    const auto a = generate(spec);
    const Index n = a.n();
    const auto factor = this->factor(a);
    for (const Index columns : {1, 5, 40})
      for (const Index nrhs : {1, 3, 32}) {
        SCOPED_TRACE(std::string(spec) + " " + std::to_string(columns) + " by " +
                     std::to_string(nrhs));
        auto workspace = Workspace<T>::create(factor, nrhs);
        const Offset ldb = n + 3, ldx = n + 6;
        const auto b = this->random_rhs(ldb, columns, 1),
                   before = this->random_rhs(ldx, columns, 2);
        const auto expected = this->expected(factor, b, columns, ldb, nrhs);
        auto apart = before;
        for (Index c = 0; c < columns; ++c)
          std::copy_n(expected.begin() + c * ldb, n, apart.begin() + c * ldx);
        CallerArray<T> device_b(b), device_x(before);
        const auto rhs = this->view(device_b, n, columns, ldb),
                   x = this->view(device_x, n, columns, ldx);
        factor.solve(rhs, x, workspace);
        EXPECT_EQ(device_x.fetch(), apart);
        for (const cudaStream_t s : {stream.get(), cudaStream_t{nullptr}}) {
          device_x.assign(before);
          factor.enqueue_solve(rhs, x, workspace, s);
          EXPECT_EQ(device_x.fetch(), apart);
        }
        EXPECT_EQ(device_b.fetch(), b);
        factor.solve(rhs, workspace);
        EXPECT_EQ(device_b.fetch(), expected);
        device_b.assign(b);
        factor.enqueue_solve(rhs, workspace, stream.get());
        EXPECT_EQ(device_b.fetch(), expected);
      }
  }
}

TYPED_TEST(DeviceSolves, NoColumnsAndNoRows) {
  using T = typename TypeParam::T;
  const auto nothing = SymmetricMatrix<double>::from_triplets(
      0, std::vector<Index>{}, std::vector<Index>{}, std::vector<double>{}, Storage::lower);
  for (const auto& a : {generate("poisson2d 5"), nothing}) {
    const auto factor = this->factor(a);
    auto workspace = Workspace<T>::create(factor, 2);
    const DeviceMatrixView<T> x({nullptr, a.n(), a.n() == 0 ? 3 : 0, a.n()});
    EXPECT_NO_THROW(factor.solve(x, workspace));
    EXPECT_NO_THROW(factor.enqueue_solve(x, x, workspace, nullptr));
  }
}

/// The vectors exceed the ring of chunks, have gaps between columns, and take several blocks; each
/// kind of memory gives the bits of device memory.
TYPED_TEST(DeviceSolves, TheSameBitsFromEveryKindOfTheHostsMemory) {
  using T = typename TypeParam::T;
  const auto a = generate("blockdiag 1400000 4");
  const Index n = a.n(), columns = 5;
  const Offset ld = n + 11;
  auto factor =
      Factor<T>::create(this->plan(a.pattern(), OrderingMethod::natural), this->backend());
  ASSERT_TRUE(refactorize<T>(factor, this->values(a)).ok());
  auto workspace = Workspace<T>::create(factor, 3);
  const auto b = this->random_rhs(ld, columns, 1);
  const std::size_t bytes = b.size() * sizeof(T);
  ASSERT_GT(bytes / 5 * 3, std::size_t{16} << 20);
  const CallerArray<T> there(b);
  factor.solve(this->view(there, n, columns, ld), workspace);
  const auto expected = there.fetch();
  EXPECT_NE(expected, b);
  T *pinned = nullptr, *managed = nullptr;
  require(cudaHostAlloc(reinterpret_cast<void**>(&pinned), bytes, cudaHostAllocDefault));
  require(cudaMallocManaged(reinterpret_cast<void**>(&managed), bytes));
  std::vector<T> pageable(b.size());
  for (T* from : {pageable.data(), pinned, managed})
    for (T* to : {pageable.data(), pinned, managed}) {
      std::fill_n(to, b.size(), T(7));
      std::copy(b.begin(), b.end(), from);
      for (Index c = 0; c < columns; ++c)
        std::copy_n(b.begin() + c * ld + n, ld - n, to + c * ld + n);
      factor.solve({from, n, columns, ld}, {to, n, columns, ld}, workspace);
      EXPECT_EQ(std::vector<T>(to, to + b.size()), expected);
      // Vectors without gaps take a single copy if the device can read their memory.
      const std::size_t one = static_cast<std::size_t>(n);
      std::copy_n(b.begin(), one, from);
      std::copy_n(b.begin() + ld, one, from + n);
      factor.solve({from, n, 2, n}, workspace);
      EXPECT_TRUE(std::equal(from, from + n, expected.begin()) &&
                  std::equal(from + n, from + 2 * one, expected.begin() + ld));
    }
  const auto in_managed = [&] {
    std::copy(b.begin(), b.end(), managed);
    factor.solve(DeviceMatrixView<T>({managed, n, columns, ld}), workspace);
    return std::vector<T>(managed, managed + b.size());
  };
  EXPECT_EQ(in_managed(), expected);
  require(cudaFreeHost(pinned));
  require(cudaFree(managed));
}

/// The host does not wait between the calls, so solves with one factor overlap on the device.
TYPED_TEST(DeviceSolves, OnTwoStreamsAtOnceWithTwoWorkspaces) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson3d 18");
  const Index n = a.n(), columns = 7;
  const auto factor = this->factor(a);
  const CallerStream streams[2];
  Workspace<T> workspaces[2] = {Workspace<T>::create(factor, 3), Workspace<T>::create(factor, 2)};
  const std::vector<T> b[2] = {this->random_rhs(n, columns, 1), this->random_rhs(n, columns, 2)};
  const CallerArray<T> there[2] = {CallerArray<T>(b[0]), CallerArray<T>(b[1])},
                       x[2] = {CallerArray<T>(b[1]), CallerArray<T>(b[0])};
  for (int round = 0; round < 20; ++round)
    for (int k = 0; k < 2; ++k)
      factor.enqueue_solve(this->view(there[k], n, columns, n), this->view(x[k], n, columns, n),
                           workspaces[k], streams[k].get());
  for (int k = 0; k < 2; ++k)
    EXPECT_EQ(x[k].fetch(), this->expected(factor, b[k], columns, n, 3 - k)) << k;
}

/// The test runs a time step: new values, new right-hand sides, the verdict read afterwards.
TYPED_TEST(DeviceSolves, FollowARefactorisationWhoseVerdictNobodyKnows) {
  using T = typename TypeParam::T;
  const CallerStream stream;
  for (const char* spec : {"poisson3d 16", "elast3d 6", "tree 2000 1"}) {
    const auto a = generate(spec);
    const Index n = a.n(), columns = 3;
    auto factor = this->factor(a), alone = this->factor(a);
    auto workspace = Workspace<T>::create(factor, 2);
    auto there = DeviceValues<T>::copy_of(this->values(a), this->backend());
    const auto b = this->random_rhs(n, columns, 5);
    const CallerArray<T> device_b(b), device_x(b);
    for (int round = 0; round < 12; ++round) {
      auto value = this->values(a);
      for (T& v : value) v *= T(1 + round);
      const bool broken = round % 4 == 2;
      if (broken) value[a.pattern().col_ptr[a.n() / 2]] = T(-3);
      there.assign(value);
      enqueue_refactorize(factor, there, T(0.5), stream.get());
      factor.enqueue_solve(this->view(device_b, n, columns, n), this->view(device_x, n, columns, n),
                           workspace, stream.get());
      EXPECT_EQ(factor.fetch_verdict(stream.get()).status,
                broken ? VerdictStatus::not_positive_definite : VerdictStatus::positive_definite);
      const auto x = device_x.fetch();
      ASSERT_EQ(refactorize<T>(alone, value, T(0.5)).ok(), !broken) << spec;
      if (broken)
        EXPECT_TRUE(std::all_of(x.begin(), x.end(), [](T v) { return std::isnan(v); }))
            << spec << " " << round;
      else
        EXPECT_EQ(x, this->expected(alone, b, columns, n, 2)) << spec << " " << round;
    }
  }
}

TYPED_TEST(DeviceSolves, AGraphOfRefactorisationAndSolveReplaysWithTheNumbersOfTheDay) {
  using T = typename TypeParam::T;
  const CallerStream stream;
  for (const char* spec : {"poisson3d 16", "elast3d 6", "tree 2000 1", "blockdiag 90 30"}) {
    const auto a = generate(spec);
    const Index n = a.n(), columns = 5;
    const Offset ld = n + 2;
    const auto plan = this->plan(a.pattern());
    auto factor = Factor<T>::create(plan, this->backend()),
         alone = Factor<T>::create(plan, this->backend());
    auto workspace = Workspace<T>::create(factor, 2);
    auto there = DeviceValues<T>::copy_of(this->values(a), this->backend());
    const std::vector<T> zeros(static_cast<std::size_t>(ld * columns));
    CallerArray<T> device_b(zeros), device_x(zeros);
    const CallerGraph graph(stream, [&](cudaStream_t s) {
      enqueue_refactorize(factor, there, T(0.5), s);
      factor.enqueue_solve(this->view(device_b, n, columns, ld),
                           this->view(device_x, n, columns, ld), workspace, s);
    });
    EXPECT_EQ(device_x.fetch(), zeros) << "the capture ran";
    for (int round = 0; round < 30; ++round) {
      auto value = this->values(a);
      for (T& v : value) v *= T(1 + round % 13);
      const bool broken = round % 10 == 7;
      if (broken) value[a.pattern().col_ptr[round % a.n()]] = T(-3);
      there.assign(value);
      const auto b = this->random_rhs(ld, columns, static_cast<std::uint64_t>(round));
      device_b.assign(b);
      device_x.assign(b);  // entries between columns stay unchanged
      graph.launch(stream);
      EXPECT_EQ(factor.fetch_verdict(stream.get()).status,
                broken ? VerdictStatus::not_positive_definite : VerdictStatus::positive_definite);
      const auto x = device_x.fetch();
      ASSERT_EQ(refactorize<T>(alone, value, T(0.5)).ok(), !broken) << spec << " " << round;
      if (!broken) {
        ASSERT_EQ(x, this->expected(alone, b, columns, ld, 2)) << spec << " " << round;
        continue;
      }
      for (Index c = 0; c < columns; ++c)
        for (Offset i = 0; i < ld; ++i)
          ASSERT_TRUE(i < n ? std::isnan(x[c * ld + i]) : x[c * ld + i] == b[c * ld + i])
              << spec << " " << i << " " << c;
    }
  }
}

/// A graph that contains only a solve reads the factor that host calls have refilled since.
TYPED_TEST(DeviceSolves, AGraphOfSolvesReadsTheFactorOfTheDay) {
  using T = typename TypeParam::T;
  const auto a = generate("elast3d 5");
  const Index n = a.n();
  auto factor = this->factor(a);
  auto workspace = Workspace<T>::create(factor, 1);
  const CallerStream stream;
  const auto b = this->random_rhs(n, 1, 3);
  CallerArray<T> device_x(b);
  const CallerGraph graph(stream, [&](cudaStream_t s) {
    factor.enqueue_solve(this->view(device_x, n, 1, n), workspace, s);
  });
  for (const T shift : {T(0), T(3), T(100)}) {
    ASSERT_TRUE(refactorize<T>(factor, this->values(a), shift).ok());
    device_x.assign(b);
    graph.launch(stream);
    EXPECT_EQ(device_x.fetch(), this->expected(factor, b, 1, n, 1));
  }
}

TYPED_TEST(DeviceSolves, FactorsThatAreRefused) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 12");
  const Index n = a.n();
  const auto value = this->values(a);
  auto factor = Factor<T>::create(this->plan(a.pattern()), this->backend());
  auto workspace = Workspace<T>::create(factor, 2);
  const CallerStream stream;
  const CallerArray<T> array(this->random_rhs(n, 2, 1));
  const auto x = this->view(array, n, 2, n);
  const std::string invalid =
      "solve: the factor is not valid (no successful factorisation yet, or the last one broke "
      "down): call refactorize() first";
  EXPECT_EQ(this->refused(factor, x, x, workspace), invalid);
  ASSERT_FALSE(refactorize<T>(factor, value, T(-100)).ok());
  EXPECT_EQ(this->refused(factor, x, x, workspace), invalid);
  const auto there = DeviceValues<T>::copy_of(value, this->backend());
  enqueue_refactorize(factor, there, T(-100), stream.get());
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { factor.solve(x, workspace); }), invalid)
      << "not known yet";
  EXPECT_NO_THROW(factor.enqueue_solve(x, workspace, stream.get()));
  factor.fetch_verdict(stream.get());
  EXPECT_EQ(this->refused(factor, x, x, workspace), invalid);
  ASSERT_TRUE(refactorize<T>(factor, value).ok());
  EXPECT_EQ(this->refused(factor, x, x, workspace), "no Error");
  workspace = Workspace<T>::create(this->plan(a.pattern()), 1, this->backend());
  EXPECT_EQ(this->refused(factor, x, x, workspace),
            "solve: the workspace was made for another plan; make one for this factor");
  Backend other = cuda_backend();
  auto theirs = Workspace<T>::create(factor.shared_plan(), 1, other);
  EXPECT_EQ(this->refused(factor, x, x, theirs),
            "solve: the workspace was made for another device's backend; make one for this factor");
}

TYPED_TEST(DeviceSolves, MatricesThatAreRefused) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 12");
  const Index n = a.n();
  const auto factor = this->factor(a);
  auto workspace = Workspace<T>::create(factor, 2);
  const std::vector<T> ones(static_cast<std::size_t>(n) * 3, T(1));
  const CallerArray<T> array(ones);
  const MatrixView<T> good{array.data(), n, 2, n + 1};
  const auto refused = [&](const MatrixView<T>& b, const MatrixView<T>& x) {
    return this->refused(factor, DeviceMatrixView<T>(b), DeviceMatrixView<T>(x), workspace);
  };
  const std::string needed = " is not in the memory of CUDA device 0 but in ";
  std::vector<T> host = ones;
  T* pinned = nullptr;
  require(cudaHostAlloc(reinterpret_cast<void**>(&pinned), ones.size() * sizeof(T),
                        cudaHostAllocMapped));
  for (T* data : {host.data(), pinned}) {
    EXPECT_EQ(refused({data, n, 2, n + 1}, good), "solve: b" + needed + "the host's");
    EXPECT_EQ(refused(good, {data, n, 2, n + 1}), "solve: x" + needed + "the host's");
  }
  require(cudaFreeHost(pinned));
  EXPECT_EQ(host, ones);
  int devices = 0;
  require(cudaGetDeviceCount(&devices));
  if (devices > 1) {
    require(cudaSetDevice(1));
    const auto far = std::make_unique<CallerArray<T>>(ones);
    require(cudaSetDevice(0));
    EXPECT_EQ(refused({far->data(), n, 2, n}, good), "solve: b" + needed + "that of device 1");
  }
  const std::string rows = std::to_string(n), fewer = std::to_string(n - 1);
  EXPECT_EQ(refused({nullptr, n, 2, n}, good), "solve: b is null, expected an address");
  EXPECT_EQ(refused(good, {array.data(), n - 1, 2, n}),
            "solve: x has " + fewer + " rows, A has " + rows);
  EXPECT_EQ(refused({array.data(), n, 1, n}, good), "solve: b has 1 columns, x has 2");
  EXPECT_EQ(refused(good, {array.data(), n, 2, n - 1}),
            "solve: x has 2 columns and leading dimension " + fewer + " for " + rows +
                " rows, expected a leading dimension of " + rows + " or more");
  EXPECT_EQ(array.fetch(), ones);
}

/// Host memory passed as device memory must not reach a kernel: the fault would end all factors of
/// the process.
TYPED_TEST(DeviceSolves, ValuesThatAreRefused) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 12");
  auto factor = this->factor(a);
  const std::vector<T> value = this->values(a);
  const std::string expected =
      "enqueue_refactorize: value is not in the memory of CUDA device 0 but in the host's";
  const CallerArray<T> cut(std::vector<T>(value.begin(), value.begin() + 9));
  const auto text = [&](const DeviceValues<T>& from, StreamHandle stream) {
    return error_text(ErrorKind::usage, [&] { enqueue_refactorize(factor, from, T(0), stream); });
  };
  EXPECT_EQ(text(DeviceValues<T>::borrow(value), nullptr), expected);
  Backend cpu = cpu_backend(1);
  EXPECT_EQ(text(DeviceValues<T>::copy_of(value, cpu), nullptr), expected);
  const CallerStream stream;
  require(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
  EXPECT_EQ(text(DeviceValues<T>::borrow(value), stream.get()), expected);
  cudaGraph_t graph = nullptr;
  require(cudaStreamEndCapture(stream.get(), &graph));
  require(cudaGraphDestroy(graph));
  // The call was refused before it began, so the factor is unchanged.
  EXPECT_TRUE(factor.valid());
  const auto there = DeviceValues<T>::copy_of(value, this->backend());
  enqueue_refactorize(factor, there, T(0), nullptr);
  EXPECT_EQ(factor.fetch_verdict(nullptr).status, VerdictStatus::positive_definite);
}

/// A pending error of the caller's own CUDA calls belongs to the caller: kauri's launches neither
/// report nor clear it.
TYPED_TEST(DeviceSolves, ErrorsOfTheCallersStayTheirs) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 12");
  auto factor = this->factor(a);
  const auto there = DeviceValues<T>::copy_of(this->values(a), this->backend());
  for (int turn = 0; turn < 3; ++turn) {  // by launches, while a graph is made, by the graph
    EXPECT_EQ(cudaMemcpy(nullptr, &turn, sizeof turn, cudaMemcpyKind(99)),
              cudaErrorInvalidMemcpyDirection);
    enqueue_refactorize(factor, there, T(0), nullptr);
    EXPECT_EQ(factor.fetch_verdict(nullptr).status, VerdictStatus::positive_definite);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidMemcpyDirection);
  }
}

/// A capture continues after a call in it has refused a matrix.
TYPED_TEST(DeviceSolves, ARefusalLeavesACaptureSound) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 12");
  const Index n = a.n();
  const auto factor = this->factor(a);
  auto workspace = Workspace<T>::create(factor, 1);
  const CallerStream stream;
  auto b = this->random_rhs(n, 1, 3);
  const CallerArray<T> x(b);
  const CallerGraph graph(stream, [&](cudaStream_t s) {
    EXPECT_THROW(factor.enqueue_solve(DeviceMatrixView<T>({b.data(), n, 1, n}), workspace, s),
                 Error);
    factor.enqueue_solve(this->view(x, n, 1, n), workspace, s);
  });
  graph.launch(stream);
  EXPECT_EQ(x.fetch(), this->expected(factor, b, 1, n, 1));
}

}  // namespace
}  // namespace kauri

// Base of tests of fast solves of several right-hand sides, and the bodies that hold for L in
// double and in float.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include "base/common/aligned_bytes.hpp"
#include "kauri/kauri.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/support/bodies/system.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"

namespace kauri::test {

/// Kernels to test, and how many columns a group solves in solves of more than 8 columns.
struct Teams {
  const char* name;
  Index columns;
  bool portable;
  CudaCompute compute;
};

template <class T>
class MultiSweepsOf : public ::testing::TestWithParam<Teams> {
 protected:
  using Values = std::vector<T>;

  /// Returns options for the kernels under test. together: most columns that one sweep solves;
  /// group_columns: how many of them a group solves, 0: the backend chooses.
  static CudaOptions options_of(Index together, Index group_columns) {
    CudaOptions options;
    options.solves_together = together, options.group_columns = group_columns;
    options.portable = GetParam().portable, options.compute = GetParam().compute;
    return options;
  }
  static Factor<T> factor(const std::shared_ptr<const Plan>& plan, std::span<const double> value,
                          Backend& backend) {
    auto out = Factor<T>::create(plan, backend);
    EXPECT_TRUE(refactorize<T>(out, cast<T>(value)).ok());
    return out;
  }
  /// Returns columns of different magnitudes with gaps between them.
  Values random_rhs(Index n, Index columns) {
    Values b(static_cast<std::size_t>(n + kApart) * static_cast<std::size_t>(columns));
    for (std::size_t k = 0; k < b.size(); ++k)
      b[k] = static_cast<T>(
          std::uniform_real_distribution<double>(-1, 1)(random_) *
          std::ldexp(1.0, static_cast<int>(k / static_cast<std::size_t>(n + kApart)) % 5));
    return b;
  }
  static Values solve(const Factor<T>& factor, const Values& b, Index columns, Index room) {
    auto workspace = Workspace<T>::create(factor, room);
    const Index n = factor.plan().n;
    Values x = b;
    factor.solve({x.data(), n, columns, n + kApart}, workspace);
    for (Index c = 0; c < columns; ++c)
      for (Offset k = Offset{c} * (n + kApart) + n; k < Offset{c + 1} * (n + kApart); ++k)
        EXPECT_EQ(x[k], b[k]) << "behind column " << c;
    return x;
  }
  static std::size_t at(Index n, Index column) {
    return static_cast<std::size_t>(column) * static_cast<std::size_t>(n + kApart);
  }

  static void check_parts(Backend& backend) {
    for (const char* spec : {"poisson2d 12 --shuffle 3", "blockdiag 160 80"}) {
      SCOPED_TRACE(spec);
      const auto a = generate(spec);
      const auto made = factor(plan_of(a.pattern(), OrderingMethod::amd), a.value(), backend);
      SystemParts<T>(made, 6, 6).check();
      SystemParts<T>(made, 33, 40).check();
    }
  }

  /// A right-hand side with the bits of an unset number gives NaN, and the sweep still ends, in
  /// narrow fronts and in tiles.
  void check_numbers(Backend& backend) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    using Limits = std::numeric_limits<T>;
    for (const char* spec : {"poisson2d 12", "blockdiag 260 130"}) {
      const auto a = generate(spec);
      const auto made = factor(plan_of(a.pattern(), OrderingMethod::amd), a.value(), backend);
      const Index n = a.n(), columns = 12;
      auto workspace = Workspace<T>::create(made, columns);
      for (const T odd : {std::bit_cast<T>(static_cast<Bits>(~Bits{0})), Limits::infinity(), T(0),
                          Limits::max() * T(1e-8), Limits::denorm_min()})
        for (const System system : {System::A, System::L, System::Lt}) {
          Values x = random_rhs(n, columns);
          x[at(n, 9) + 17] = odd;
          made.solve(system, {x.data(), n, columns, n + kApart}, {x.data(), n, columns, n + kApart},
                     workspace);
          for (Index c = 0; c < columns; ++c) {
            const bool finite =
                std::all_of(&x[at(n, c)], &x[at(n, c) + n], [](T v) { return std::isfinite(v); });
            EXPECT_EQ(finite, c != 9 || std::isfinite(odd)) << spec << " " << odd << " " << c;
          }
        }
    }
  }

  static void check_bytes() {
    const auto a = generate("poisson2d 20");
    const auto made = plan_of(a.pattern(), OrderingMethod::amd);
    for (const Index together : {1, 8, 32}) {
      Backend backend = cuda_backend(options_of(together, 0));
      const auto out = factor(made, a.value(), backend);
      const Offset with_factor = backend.bytes_in_use();
      for (const Index nrhs : {1, 2, 8, 9, 40}) {
        const Index width = std::min(nrhs == 1 ? 1 : nrhs <= 8 ? 8 : 32, together);
        const auto workspace = Workspace<T>::create(out, nrhs);
        const int bytes = sizeof(T);
        EXPECT_EQ(backend.bytes_in_use() - with_factor,
                  made->workspace_bytes(bytes, nrhs, together))
            << nrhs;
        // The workspace holds update rows, parts, and x, y and b by rows for all columns, or the
        // numbers of a solve of one, in double; two tickets for each of four groups; and the
        // caller's vectors in T.
        const Offset one = made->internals->device.sweeps.numbers, n = made->n,
                     of_several =
                         (one - 1 - 2 * n) * width + std::max(3 * n * width, one + one % 2) + 4;
        EXPECT_EQ(made->workspace_bytes(bytes, nrhs, together),
                  aligned_bytes(n, bytes * std::min(nrhs, kSolveBlock)) +
                      aligned_bytes(width == 1 ? one : of_several, 8))
            << nrhs;
      }
    }
  }

  static constexpr Index kApart = 5;
  std::mt19937_64 random_{7};
};

}  // namespace kauri::test

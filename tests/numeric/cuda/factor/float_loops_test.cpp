// Tests floats with each of the portable kernels: fronts against their residuals in double, whose
// bounds tell fused multiply-adds, TF32 in two parts and plain TF32 apart; long sums; values that
// are not finite; whole factorisations, solves and refinements. The emulated device runs the tests
// as well.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kauri/extras/generate.hpp"
#include "kauri/solve/refine.hpp"
#include "numeric/cuda/factor/tiled/streamed/kernel.hpp"
#include "numeric/cuda/plan/kernel_set.hpp"
#include "symbolic/check/dense_tasks.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/process/seeds.hpp"

namespace kauri::test {
namespace {

namespace kernels = numeric::cuda::kernels;
using kernels::portable::Arithmetic;
using symbolic::FrontCells;

constexpr double kFloatUnit = 0x1p-24;  // rounding unit of float
constexpr double kNoPivot = std::numeric_limits<double>::quiet_NaN();

/// Holds the lower triangle of A or of L of a front in cells, with an identity behind the pivots.
struct FloatFront {
  explicit FloatFront(const FrontCells& shape)
      : cells(shape),
        panel(static_cast<std::size_t>(shape.panel().entries())),
        block(static_cast<std::size_t>(shape.block().entries())) {
    for (Index c = shape.p; c < shape.pivot_cells() * symbolic::kCell; ++c)
      panel[static_cast<std::size_t>(shape.panel().place(c, c))] = 1;
  }
  float& at(Index r, Index c) {
    return (c < cells.p ? panel : block)[static_cast<std::size_t>(cells.place(r, c))];
  }
  [[nodiscard]] double at(Index r, Index c) const {
    return (c < cells.p ? panel : block)[static_cast<std::size_t>(cells.place(r, c))];
  }

  FrontCells cells;
  std::vector<float> panel, block;
};

/// Returns a positive definite front of condition about `size`: products of random columns plus a
/// multiple of the identity.
FloatFront random_front(const FrontCells& shape, std::mt19937_64& random) {
  FloatFront front(shape);
  const Index m = shape.m;
  std::vector<double> g(static_cast<std::size_t>(m) * m);
  for (double& x : g) x = std::uniform_real_distribution<>(-1, 1)(random);
  for (Index c = 0; c < m; ++c)
    for (Index r = c; r < m; ++r) {
      double sum = r == c ? 0.1 * m : 0.0;
      for (Index k = 0; k < m; ++k)
        sum += g[static_cast<std::size_t>(k) * m + r] * g[static_cast<std::size_t>(k) * m + c];
      front.at(r, c) = static_cast<float>(sum);
    }
  return front;
}

/// Returns the largest |A - L L^T| over |L| |L|^T, and of the contribution block |C - (A - L L^T)|
/// over |A| + |L| |L|^T.
double front_residual(const FloatFront& a, const FloatFront& found) {
  const FrontCells& cells = a.cells;
  double worst = 0;
  for (Index c = 0; c < cells.m; ++c)
    for (Index r = c; r < cells.m; ++r) {
      double sum = a.at(r, c), size = c < cells.p ? 0 : std::abs(sum);
      for (Index k = 0; k < std::min(c + 1, cells.p); ++k) {
        const double product = found.at(r, k) * found.at(c, k);
        sum -= product, size += std::abs(product);
      }
      const double error = std::abs(c < cells.p ? sum : found.at(r, c) - sum) / size;
      if (!(error <= worst)) worst = error;
    }
  return worst;
}

/// Names the kernel that runs tasks: an arithmetic, and whether operands are streamed to the
/// threads or copied by them.
struct FloatKernel {
  Arithmetic arithmetic;
  bool streamed = false;

  [[nodiscard]] int resident_teams() const {
    return streamed ? kernels::streamed::resident_teams(arithmetic)
                    : kernels::portable::resident_teams<float>(arithmetic);
  }
  template <class... A>
  [[nodiscard]] cudaError_t enqueue(A... arguments) const {
    return streamed ? kernels::streamed::enqueue_factor(arithmetic, arguments...)
                    : kernels::portable::enqueue_factor<float>(arithmetic, arguments...);
  }
};

/// Holds fronts on the device, with all that a launch needs.
class FloatFronts {
 public:
  explicit FloatFronts(const std::vector<FloatFront>& fronts) {
    for (const FloatFront& f : fronts) {
      shapes_.push_back(f.cells);
      panel_.push_back(std::make_unique<CallerArray<float>>(f.panel));
      block_.push_back(std::make_unique<CallerArray<float>>(f.block));
      inverses_.push_back(std::make_unique<CallerArray<float>>(
          std::vector<float>(static_cast<std::size_t>(f.cells.diagonal_entries()))));
      pivot_.push_back(std::make_unique<CallerArray<double>>(std::vector<double>{kNoPivot}));
    }
  }
  /// Runs all tasks of a factorisation. If `in_turn` is true, the tasks of a front come after those
  /// of the fronts before it, though they wait for none of them.
  void factor(const FloatKernel& kernel, int teams, unsigned pauses = 0, bool in_turn = false) {
    std::vector<symbolic::LevelFront> level;
    for (const FrontCells& cells : shapes_)
      level.push_back({cells, in_turn ? static_cast<Index>(level.size()) : 0});
    run(kernel, symbolic::factor_tasks(level, false, 1, teams), 0, teams, pauses);
  }
  /// Computes C -= A A^T only: the kernel regards the panels as finished.
  void update(const FloatKernel& kernel, int teams,
              int least_part = symbolic::DeviceSchedule::kLeastPart) {
    least_part_ = least_part;
    run(kernel, symbolic::update_tasks(shapes_), 1 << 20, teams, 0);
  }
  [[nodiscard]] FloatFront fetch(std::size_t f) const {
    FloatFront front(shapes_[f]);
    front.panel = panel_[f]->fetch(), front.block = block_[f]->fetch();
    return front;
  }
  [[nodiscard]] int failed(std::size_t f) const { return failed_[f]; }

 private:
  void run(const FloatKernel& kernel, const std::vector<symbolic::FrontTask>& host_tasks,
           int finished, int teams, unsigned pauses) {
    std::vector<std::unique_ptr<CallerArray<int>>> counters;
    std::vector<kernels::FrontViewOf<float>> views(shapes_.size());
    for (std::size_t f = 0; f < shapes_.size(); ++f) {
      std::vector<int> count(static_cast<std::size_t>(symbolic::counter_count(shapes_[f])));
      std::fill(count.begin() + kernels::kRows, count.end(), finished);
      counters.push_back(std::make_unique<CallerArray<int>>(count));
      views[f].panel = panel_[f]->data(), views[f].block = block_[f]->data(),
      views[f].inverses = inverses_[f]->data();
      views[f].counters = counters[f]->data(), views[f].failed_pivot = pivot_[f]->data();
      views[f].loads_block = 1, views[f].cells = shapes_[f];
    }
    const CallerArray<kernels::FrontViewOf<float>> view(views);
    const CallerArray<symbolic::FrontTask> tasks(host_tasks);
    const CallerArray<int> ticket(std::vector<int>{0});
    require(kernel.enqueue(view.data(), tasks.data(), static_cast<int>(host_tasks.size()),
                           ticket.data(), kernels::Levels{}, kernels::ValuesOf<float>{},
                           kernels::SumsOf<float>{}, least_part_, teams, pauses, nullptr));
    failed_.clear();
    for (const auto& c : counters) failed_.push_back(c->fetch()[kernels::kFailed]);
  }

  std::vector<FrontCells> shapes_;
  std::vector<std::unique_ptr<CallerArray<float>>> panel_, block_, inverses_;
  std::vector<std::unique_ptr<CallerArray<double>>> pivot_;
  std::vector<int> failed_;
  int least_part_ = symbolic::DeviceSchedule::kLeastPart;
};

/// An arithmetic, and the residual that it may leave: c u of each entry's sum of products, u =
/// 2^-24. The measured values of c are 11, 9 and 10400; a single product of numbers of 11 bits is
/// off by 16384 at most.
struct FloatTrial {
  Arithmetic arithmetic;
  CudaCompute compute;
  double units;
  bool streamed;
};

std::string trial_name(const ::testing::TestParamInfo<FloatTrial>& trial) {
  const std::string name = numeric::cuda::short_name(trial.param.compute);
  return trial.param.streamed ? name + "_streamed" : name;
}

class FloatLoops : public ::testing::TestWithParam<FloatTrial> {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
    resident_ = kernel().resident_teams();
    if (GetParam().streamed && resident_ == 0) GTEST_SKIP() << "no such instructions";
    ASSERT_GT(resident_, 0);
  }
  static FloatKernel kernel() { return {GetParam().arithmetic, GetParam().streamed}; }
  static Arithmetic arithmetic() { return GetParam().arithmetic; }
  static double bound() { return GetParam().units * kFloatUnit; }
  /// All teams that the device, or the part of it that this process may use, holds at once; and
  /// half of them, which devices of any size hold.
  [[nodiscard]] int resident() const { return resident_; }
  [[nodiscard]] int half() const { return std::max(1, resident_ / 2); }

 private:
  int resident_ = 0;
};
INSTANTIATE_TEST_SUITE_P(
    Each, FloatLoops,
    ::testing::Values(FloatTrial{Arithmetic::fma, CudaCompute::fma, 20, false},
                      FloatTrial{Arithmetic::tf32x3, CudaCompute::tf32x3, 20, false},
                      FloatTrial{Arithmetic::tf32x3, CudaCompute::tf32x3, 20, true},
                      FloatTrial{Arithmetic::fp16x3, CudaCompute::fp16x3, 20, true},
                      FloatTrial{Arithmetic::tf32, CudaCompute::tf32, 16400, false},
                      FloatTrial{Arithmetic::tf32, CudaCompute::tf32, 16400, true}),
    trial_name);

constexpr FrontCells kFloatShapes[] = {
    {1, 1},   {7, 3},    {9, 9},     {16, 8},   {33, 17},   {64, 64},  {65, 64},   {66, 1},
    {72, 65}, {100, 33}, {128, 128}, {129, 63}, {137, 137}, {193, 70}, {200, 129}, {263, 191}};

TEST_P(FloatLoops, ResidualsAreWithinTheirBounds) {
  double worst = 0;
  for (std::uint32_t seed = 0; seed < seeds(4); ++seed) {
    std::mt19937_64 random(seed);
    std::vector<FloatFront> fronts;
    for (const FrontCells& shape : kFloatShapes) fronts.push_back(random_front(shape, random));
    FloatFronts few(fronts), many(fronts);
    few.factor(kernel(), half()), many.factor(kernel(), resident());
    for (std::size_t f = 0; f < fronts.size(); ++f) {
      const FloatFront found = few.fetch(f), again = many.fetch(f);
      ASSERT_EQ(few.failed(f), 0);
      ASSERT_EQ(found.panel, again.panel) << seed << ", front " << f;
      ASSERT_EQ(found.block, again.block) << seed << ", front " << f;
      const double error = front_residual(fronts[f], found);
      EXPECT_LE(error, bound()) << seed << ": " << fronts[f].cells.m << ", " << fronts[f].cells.p;
      worst = std::max(worst, error);
    }
  }
  RecordProperty("worst", std::to_string(worst / kFloatUnit));
  EXPECT_EQ(worst > 200 * kFloatUnit, arithmetic() == Arithmetic::tf32)
      << worst / kFloatUnit << " units: another loop";
}

/// Returns the panel of one task's update with entries between 0.5 and 1, so that nothing cancels,
/// and truncation errors of additions would add up.
FloatFront long_sums(Index inner, std::uint64_t seed) {
  FloatFront front(FrontCells{inner + 64, inner});
  std::mt19937_64 random(seed);
  for (Index r = inner; r < front.cells.m; ++r)
    for (Index k = 0; k < inner; ++k)
      front.at(r, k) = static_cast<float>(std::uniform_real_distribution<>(0.5, 1)(random));
  return front;
}

/// The mean of (C - A A^T) / A A^T over the update, and its largest magnitude. The mean is signed,
/// so errors of either sign cancel in it.
struct Drift {
  double mean = 0, most = 0;
};
Drift drift_of(const FloatFront& a, const FloatFront& found) {
  Drift drift;
  int entries = 0;
  for (Index c = a.cells.p; c < a.cells.m; ++c)
    for (Index r = c; r < a.cells.m; ++r) {
      double sum = 0;
      for (Index k = 0; k < a.cells.p; ++k) sum += a.at(r, k) * a.at(c, k);
      const double error = (-found.at(r, c) - sum) / sum;
      drift.mean += error, drift.most = std::max(drift.most, std::abs(error)), ++entries;
    }
  drift.mean /= entries;
  return drift;
}

TEST_P(FloatLoops, LongSumsDoNotDrift) {
  for (const Index inner : {64, 512, 2048}) {
    const FloatFront front = long_sums(inner, 3);
    FloatFronts device({front});
    device.update(kernel(), half());
    const Drift drift = drift_of(front, device.fetch(0));
    RecordProperty("drift" + std::to_string(inner), std::to_string(drift.mean / kFloatUnit) + " " +
                                                        std::to_string(drift.most / kFloatUnit));
    if (arithmetic() == Arithmetic::tf32) {  // its additions truncate, by 0.2 units a product
      EXPECT_LE(std::abs(drift.mean), 1024 * kFloatUnit) << inner;
      EXPECT_LE(drift.most, 4096 * kFloatUnit) << inner;
    } else {
      // In tf32x3 the sum of each slab loses a few units, whatever the length; rounding in sums of
      // slabs, or of products, goes either way.
      EXPECT_LE(std::abs(drift.mean), (arithmetic() == Arithmetic::fma ? 2 : 6) * kFloatUnit)
          << inner;
      EXPECT_LE(drift.most, (8 + 2 * std::sqrt(inner)) * kFloatUnit) << inner;
    }
  }
}

/// A value that is NaN or infinite must not come back as a number.
TEST_P(FloatLoops, NoNumberStaysNone) {
  // The values are: NaN of a host, the device's NaN (to which adding bits would give a number), a
  // NaN with its last bit only, infinities, and one number.
  for (const std::uint32_t bits :
       {0x7fc00000U, 0x7fffffffU, 0xffffffffU, 0x7f800001U, 0x7f800000U, 0xff800000U, 0x7f7f0000U})
    for (const Index column : {5, 76}) {
      const auto bad = std::bit_cast<float>(bits);
      FloatFront front = long_sums(96, 1);
      const Index row = front.cells.p + 11;
      front.at(row, column) = bad;
      FloatFronts device({front});
      device.update(kernel(), half());
      const FloatFront found = device.fetch(0);
      for (Index c = front.cells.p; c < front.cells.m; ++c)
        for (Index r = c; r < front.cells.m; ++r) {
          const bool good = r != row && c != row;
          const bool large =
              std::isfinite(bad) && r != c;  // a product of one value like this is still finite
          if (!large) {
            ASSERT_EQ(std::isfinite(found.at(r, c)), good)
                << bad << ", column " << column << ", entry " << r << " " << c;
          }
        }
    }
}

/// One task's update is as accurate as the parts of its operands: to u, and to their last place. An
/// operand too large for a part gives no finite result.
TEST_P(FloatLoops, OperandsOfAnySize) {
  const bool halves = arithmetic() == Arithmetic::fp16x3;
  const double unit = arithmetic() == Arithmetic::tf32 ? 0x1p-11 : kFloatUnit,
               place = halves ? 0x1p-36 : 0;
  for (const int power : {-40, -36, -32, -28, -24, -20, -16, -12, -8, -4, 0, 2, 3, 4}) {
    FloatFront front = long_sums(96, 2);
    for (Index r = front.cells.p; r < front.cells.m; ++r)
      for (Index k = 0; k < front.cells.p; ++k) {
        float& x = front.at(r, k);
        x = std::ldexp(k % 2 == 0 ? x : -x, power + static_cast<int>((r + k) % 3));
      }
    FloatFronts device({front});
    device.update(kernel(), half());
    const FloatFront found = device.fetch(0);
    for (Index c = front.cells.p; c < front.cells.m; ++c)
      for (Index r = c; r < front.cells.m; ++r) {
        double sum = 0, bound = 0, largest = 0;
        for (Index k = 0; k < front.cells.p; ++k) {
          const double x = front.at(r, k), y = front.at(c, k);
          sum -= x * y, bound += 20 * unit * std::abs(x * y) + place * (std::abs(x) + std::abs(y));
          largest = std::max({largest, std::abs(x), std::abs(y)});
        }
        if (halves && largest >= 32) {
          ASSERT_FALSE(std::isfinite(found.at(r, c))) << power << ", entry " << r << " " << c;
        } else if (!halves || largest < 31.9) {  // just below 32 rounding gives infinity
          ASSERT_LE(std::abs(found.at(r, c) - sum), bound) << power << ", entry " << r << " " << c;
        }
      }
  }
}

/// A team goes from a front's panel to the next front's chain, whose first tiles lie in shared
/// memory that a slower warp of the team still uses for its solve.
TEST_P(FloatLoops, ChainsFollowPanels) {
  std::mt19937_64 random(5);
  std::vector<FloatFront> fronts;
  for (std::uint32_t k = 0; k < 8 * seeds(3); ++k)
    fronts.push_back(random_front(k % 2 == 0 ? FrontCells{88, 64} : FrontCells{152, 64}, random));
  for (unsigned pauses = 0; pauses < seeds(3); ++pauses) {
    FloatFronts many(fronts), few(fronts);
    many.factor(kernel(), resident(), pauses, true), few.factor(kernel(), half());
    for (std::size_t f = 0; f < fronts.size(); ++f) {
      const FloatFront found = many.fetch(f);
      ASSERT_EQ(found.panel, few.fetch(f).panel) << pauses << ", front " << f;
      ASSERT_EQ(found.block, few.fetch(f).block) << pauses << ", front " << f;
      if (pauses == 0) {
        EXPECT_LE(front_residual(fronts[f], found), bound()) << f;
      }
    }
  }
}

/// Streamed operands give the bits of copied ones: tiles, odd columns of cells, sums in parts of
/// one slab or of many, in any order.
TEST_P(FloatLoops, StreamedAsCopied) {
  if (!GetParam().streamed) GTEST_SKIP() << "the other side of the same comparison";
  const FloatKernel copied{arithmetic(), false};
  if (copied.resident_teams() == 0) GTEST_SKIP() << "streamed alone";
  std::mt19937_64 random(11);
  std::vector<FloatFront> fronts;
  for (const FrontCells& shape : kFloatShapes) fronts.push_back(random_front(shape, random));
  for (unsigned pauses = 0; pauses < seeds(3); ++pauses) {
    FloatFronts one(fronts), other(fronts);
    one.factor(kernel(), resident(), pauses), other.factor(copied, half());
    for (std::size_t f = 0; f < fronts.size(); ++f) {
      ASSERT_EQ(one.fetch(f).panel, other.fetch(f).panel) << pauses << ", front " << f;
      ASSERT_EQ(one.fetch(f).block, other.fetch(f).block) << pauses << ", front " << f;
    }
  }
  for (const Index inner : {8, 65, 200, 328})
    for (const int least_part : {16, 48, symbolic::DeviceSchedule::kLeastPart}) {
      const FloatFront front = long_sums(inner, static_cast<std::uint64_t>(inner));
      FloatFronts one({front}), other({front});
      one.update(kernel(), resident(), least_part), other.update(copied, resident(), least_part);
      ASSERT_EQ(one.fetch(0).block, other.fetch(0).block) << inner << ", parts of " << least_part;
      EXPECT_NE(one.fetch(0).block, front.block);
    }
}

/// Bounds the componentwise backward error of a solve without refinement, and the number of steps
/// to that of a float.
TEST_P(FloatLoops, WholeFactorisationsSolveAndRefine) {
  if (GetParam().streamed) GTEST_SKIP() << "what runs is the backend's choice";
  for (const std::string spec :
       {"poisson3d 8", "elast3d 4", "poisson2d 20", "lap27 6", "rgg3d 300 12 1"}) {
    const auto a = generate(spec);
    const std::vector<float> value = cast<float>(a.value());
    Backend backend =
        cuda_backend(CudaOptions{.device = 0, .allocator = {}, .compute = GetParam().compute});
    AnalyzeOptions options;
    options.target = backend.target();
    auto factor = Factor<float>::create(analyze(a.pattern(), options), backend);
    auto workspace = Workspace<float>::create(factor, 1);
    std::mt19937_64 random(5);
    std::vector<float> b(static_cast<std::size_t>(a.n())), first;
    for (float& x : b) x = static_cast<float>(std::uniform_real_distribution<>(-1, 1)(random));
    const MatrixView<const float> rhs{b.data(), a.n(), 1, a.n()};
    for (int run = 0; run < 3; ++run) {
      ASSERT_TRUE(refactorize<float>(factor, value).ok()) << spec;
      std::vector<float> x = b;
      factor.solve({x.data(), a.n(), 1, a.n()}, workspace);
      if (run == 0) first = x;
      ASSERT_EQ(x, first) << spec;
    }
    const SymmetricView<float> view{a.pattern(), value};
    const bool plain = arithmetic() == Arithmetic::tf32;
    const Refinement done = refine<float>(view, factor, rhs, {first.data(), a.n(), 1, a.n()},
                                          workspace, {.max_steps = plain ? 12 : 4});
    RecordProperty(spec.substr(0, spec.find(' ')),
                   std::to_string(done.unrefined.componentwise / kFloatUnit) + ", " +
                       std::to_string(done.steps));
    EXPECT_LE(done.unrefined.componentwise, plain ? 3e-3 : 5e-6) << spec;
    EXPECT_LE(done.final_error.componentwise, std::numeric_limits<float>::epsilon()) << spec;
  }
}

/// Kernels of float do not change how a backend treats doubles.
TEST_P(FloatLoops, DoublesGoAsEver) {
  if (GetParam().streamed) GTEST_SKIP() << "what runs is the backend's choice";
  Backend mine =
      cuda_backend(CudaOptions{.device = 0, .allocator = {}, .compute = GetParam().compute});
  EXPECT_EQ(mine.kernels(4), numeric::cuda::short_name(GetParam().compute));
  if (GetParam().compute == CudaCompute::fma) return;
  Backend usual = cuda_backend();
  EXPECT_EQ(mine.kernels(8), usual.kernels(8));
  const auto a = generate("poisson3d 6");
  AnalyzeOptions options;
  options.target = mine.target();
  const auto plan = analyze(a.pattern(), options);
  const auto prepared = PreparedPlan::create(plan, mine);  // serves both scalars
  auto narrow = Factor<float>::create(prepared);
  ASSERT_TRUE(refactorize<float>(narrow, cast<float>(a.value())).ok());
  std::vector<double> x[2];
  for (int k = 0; k < 2; ++k) {
    auto factor = k == 0 ? Factor<double>::create(prepared) : Factor<double>::create(plan, usual);
    ASSERT_TRUE(refactorize<double>(factor, a.value()).ok());
    auto workspace = Workspace<double>::create(factor, 1);
    x[k].assign(static_cast<std::size_t>(a.n()), 1.0);
    factor.solve({x[k].data(), a.n(), 1, a.n()}, workspace);
  }
  EXPECT_EQ(x[0], x[1]);
}

}  // namespace
}  // namespace kauri::test

// Tests programs with floating-point traps: no phase computes with uninitialised memory, which
// holds signalling NaN here.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cfenv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "kauri/extras/generate.hpp"
#include "kauri/extras/selected_inverse.hpp"
#include "kauri/solve/condition.hpp"
#include "kauri/solve/solver.hpp"

namespace {

/// Contents of fresh memory: signalling NaN of double, or of float (a pair of which is 1e306 as a
/// double).
constexpr std::uint64_t kDoubles = 0x7ff4000000000000, kFloats = 0x7fa000007fa00000;
std::uint64_t poison = 0;  // NOLINT(readability-identifier-naming); 0: memory as it comes

void* fresh(std::size_t size, std::size_t alignment) {
  void* const at =
      alignment > 0 ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                    : std::malloc(size + 1);
  if (at == nullptr) throw std::bad_alloc();
  if (poison != 0)
    for (std::size_t k = 0; k + sizeof poison <= size; k += sizeof poison)
      std::memcpy(static_cast<char*>(at) + k, &poison, sizeof poison);
  return at;
}

/// GCC reports std::free() as mismatched with operator new if it inlines both.
[[gnu::noinline]] void let_go(void* at) noexcept { std::free(at); }

}  // namespace

void* operator new(std::size_t size) { return fresh(size, 0); }
void* operator new[](std::size_t size) { return fresh(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return fresh(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return fresh(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* at) noexcept { let_go(at); }
void operator delete[](void* at) noexcept { let_go(at); }
void operator delete(void* at, std::size_t) noexcept { let_go(at); }
void operator delete[](void* at, std::size_t) noexcept { let_go(at); }
void operator delete(void* at, std::align_val_t) noexcept { let_go(at); }
void operator delete[](void* at, std::align_val_t) noexcept { let_go(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { let_go(at); }
void operator delete[](void* at, std::size_t, std::align_val_t) noexcept { let_go(at); }

namespace kauri {
namespace {

/// Enables traps and poison in its scope; threads that are created meanwhile inherit the traps.
class Trapped {
 public:
  explicit Trapped(std::uint64_t pattern) {
    std::fegetenv(&before_);
#if defined(__GLIBC__) && defined(__x86_64__)
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
#endif
    poison = pattern;
  }
  ~Trapped() {
    poison = 0;
    std::fesetenv(&before_);
  }
  Trapped(const Trapped&) = delete;
  Trapped& operator=(const Trapped&) = delete;

 private:
  std::fenv_t before_{};
};

struct Job {
  const char* name;
  const char* system;
  OrderingMethod ordering;
  int threads;
};
constexpr Job kJobs[] = {
    {"grid", "poisson2d 23", OrderingMethod::amd, 1},
    {"grid_nd", "poisson2d 40", OrderingMethod::nested_dissection, 4},
    {"space", "poisson3d 9", OrderingMethod::natural, 1},
    {"space_auto", "poisson3d 12", OrderingMethod::automatic, 4},
    {"elastic", "elast3d 5", OrderingMethod::rcm, 2},
    {"tree", "tree 500 1", OrderingMethod::parallel_amd, 2},
    {"blocks", "blockdiag 120 40", OrderingMethod::minimum_degree, 1},
    {"packed", "blockdiag 470 470", OrderingMethod::natural, 2},
    {"dense", "poisson3d 6", OrderingMethod::metis, 1},
    {"one", "poisson2d 1", OrderingMethod::automatic, 1},
};

class Traps : public ::testing::TestWithParam<std::tuple<Job, std::uint64_t>> {
 protected:
  void SetUp() override {
#if !defined(__GLIBC__) || !defined(__x86_64__)
    GTEST_SKIP() << "feenableexcept() is glibc's";
#endif
    if (std::get<0>(GetParam()).ordering == OrderingMethod::metis &&
        !ordering_available(OrderingMethod::metis))
      GTEST_SKIP() << "a build without METIS";
  }
};

template <Scalar T>
void everyday(const SymmetricMatrix<double>& of, const SolverOptions& options) {
  const std::vector<T> value(of.value().begin(), of.value().end());
  const SymmetricView<T> a{of.pattern(), value};
  Solver<T> solver(options);
  ASSERT_TRUE(solver.compute(a).ok());
  const Index n = of.n();
  for (const Index columns : {1, 2, 5, 8, 33})
    for (const Layout layout : {Layout::column_major, Layout::row_major}) {
      std::vector<T> x(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns));
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<T>(1 + k % 5);
      solver.solve({x.data(), n, columns, layout == Layout::row_major ? columns : n, layout});
      EXPECT_EQ(solver.report().status, SolveStatus::ok);
    }
  ASSERT_TRUE(solver.refactorize_shifted(T(0.5)).ok());
  ASSERT_FALSE(solver.refactorize_shifted(T(-1000)).ok());
}

template <Scalar T>
void by_phases(const SymmetricMatrix<double>& of, const Job& job) {
  const std::vector<T> value(of.value().begin(), of.value().end());
  const SymmetricView<T> a{of.pattern(), value};
  Backend backend = cpu_backend(job.threads);
  AnalyzeOptions options;
  options.ordering.method = job.ordering;
  options.ordering.threads = job.threads;
  options.workers = job.threads;
  const auto plan = analyze(of.pattern(), options);
  auto factor = factorize<T>(plan, value, backend);
  ASSERT_TRUE(factor.ok());
  auto workspace = Workspace<T>::create(plan, 3, backend);
  const ConditionEstimate condition = estimate_condition<T>(a, factor.value(), workspace);
  EXPECT_GE(condition.condition(), 1);
  auto inverse = SelectedInverse<T>::create(factor.value());
  inverse.compute(factor.value());
  EXPECT_EQ(inverse.diagonal().size(), static_cast<std::size_t>(of.n()));
}

TEST_P(Traps, FindNoArithmeticOnUnsetMemory) {
  const auto& [job, pattern] = GetParam();
  const auto a = generate(job.system);
  SolverOptions options;
  options.backend = BackendChoice::cpu;
  options.threads = job.threads;
  options.analyze.ordering.method = job.ordering;
  const Trapped trapped(pattern);
  everyday<double>(a, options);
  everyday<float>(a, options);
  options.precision = Precision::mixed;
  everyday<double>(a, options);
  by_phases<double>(a, job);
  by_phases<float>(a, job);
}

INSTANTIATE_TEST_SUITE_P(All, Traps,
                         ::testing::Combine(::testing::ValuesIn(kJobs),
                                            ::testing::Values(kDoubles, kFloats)),
                         [](const auto& of) {
                           return std::string(std::get<0>(of.param).name) +
                                  (std::get<1>(of.param) == kDoubles ? "_doubles" : "_floats");
                         });

#if defined(__GLIBC__) && defined(__x86_64__)
TEST(TrapsSelfTest, ASignallingNaNEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Trapped trapped(kDoubles);
        const auto* const unset =
            new volatile double[4];  // NOLINT: an array of this size is poisoned completely
        const double sum = unset[1] + 1;
        std::exit(sum > 0 ? 1 : 0);
      },
      ::testing::KilledBySignal(SIGFPE), "");
}
#endif

}  // namespace
}  // namespace kauri

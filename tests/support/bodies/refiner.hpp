// Bodies of tests of kauri::Refiner that hold for every backend, against a simple loop over public
// calls. Array: numbers in the backend's memory, made from a vector, with data(), assign() and
// fetch().
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/exact.hpp"
#include "tests/support/systems/plan_of.hpp"

namespace kauri::test {

/// An Array of the CPU backend, in host memory.
template <class T>
class HostArray {
 public:
  explicit HostArray(const std::vector<T>& numbers) : numbers_(numbers) {}
  [[nodiscard]] T* data() { return numbers_.data(); }
  void assign(const std::vector<T>& numbers) { numbers_ = numbers; }
  [[nodiscard]] std::vector<T> fetch() const { return numbers_; }

 private:
  std::vector<T> numbers_;
};

/// A system and the options of its refinement.
template <class T>
struct RefineCase {
  SymmetricMatrix<double> a;
  std::vector<T> value{};   ///< values of A
  std::vector<T> b{}, x{};  ///< n x cols, column after column
  Index cols = 1;
  T shift = 0, scale = 1;  ///< the factor is that of scale A + shift I
  RefineOptions options{};

  [[nodiscard]] SymmetricView<T> view() const { return {a.pattern(), value}; }
  [[nodiscard]] MatrixView<const T> rhs() const { return {b.data(), a.n(), cols, a.n()}; }
};

template <class T>
std::vector<T> random_numbers(Offset count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> all(static_cast<std::size_t>(count));
  for (T& v : all) v = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
  return all;
}

template <class T>
Factor<T> filled_factor(const RefineCase<T>& c, Backend& backend, const PlanOf& plan_of) {
  auto factor = Factor<T>::create(plan_of(c.a.pattern()), backend);
  std::vector<T> value = c.value;
  for (T& v : value) v *= c.scale;
  EXPECT_TRUE(refactorize<T>(factor, value, c.shift).ok());
  return factor;
}

/// Computes x += A^-1 (b - A x) by the rules of RefineOptions.
template <class T>
Refinement naive_refine(const RefineCase<T>& c, const Factor<T>& factor, Workspace<T>& workspace,
                        std::vector<T>& x, Backend& backend) {
  const Index n = c.a.n();
  const auto of = [&](std::vector<T>& v) { return MatrixView<T>{v.data(), n, c.cols, n}; };
  const double target =
      c.options.target > 0 ? c.options.target : double{std::numeric_limits<T>::epsilon()};
  Refinement out;
  out.unrefined = out.final_error = backward_error<T>(c.view(), of(x), c.rhs(), backend);
  if (!std::isfinite(out.unrefined.componentwise)) return out;
  std::vector<T> r(x.size()), y;
  for (;;) {
    const double before = out.final_error.componentwise;
    if (out.steps >= c.options.max_steps || before <= target) return out;
    residual<T>(c.view(), of(x), c.rhs(), of(r), backend);
    factor.solve(of(r), workspace);
    y = x;
    for (std::size_t k = 0; k < y.size(); ++k) y[k] += r[k];
    ++out.tried;
    const BackwardError now = backward_error<T>(c.view(), of(y), c.rhs(), backend);
    if (now.componentwise >= before || std::isnan(now.componentwise)) return out;
    x = y;
    out.final_error = now;
    ++out.steps;
    if (before / now.componentwise < c.options.stagnation) return out;
  }
}

inline void expect_same(const Refinement& mine, const Refinement& theirs,
                        const std::string& where) {
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  EXPECT_EQ(mine.steps, theirs.steps) << where;
  EXPECT_EQ(mine.tried, theirs.tried) << where;
  for (const auto& [a, b] : {std::pair(mine.unrefined, theirs.unrefined),
                             std::pair(mine.final_error, theirs.final_error)}) {
    EXPECT_TRUE(same(a.normwise, b.normwise))
        << where << ": " << a.normwise << ", expected " << b.normwise;
    EXPECT_TRUE(same(a.componentwise, b.componentwise))
        << where << ": " << a.componentwise << ", expected " << b.componentwise;
  }
}

/// Returns whether the numbers have equal bits, or are both NaN.
template <class T>
bool same_numbers(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](T u, T v) { return u == v || (std::isnan(u) && std::isnan(v)); });
}

/// Returns `columns` columns of n numbers with leading dimension ld, and 7 between them.
template <class T>
std::vector<T> spread(const std::vector<T>& dense, Index n, Index columns, Offset ld) {
  std::vector<T> out(static_cast<std::size_t>(ld * columns), T(7));
  for (Index c = 0; c < columns; ++c)
    std::copy_n(dense.begin() + Offset{c} * n, n, out.begin() + c * ld);
  return out;
}

/// Returns cases with solutions, zeros and numbers that are not finite, with factors of A, of a
/// near and of a distant matrix, and with every kind of options.
template <class T>
std::vector<RefineCase<T>> refine_cases(const std::vector<std::string>& specs) {
  std::vector<RefineCase<T>> all;
  for (const std::string& spec : specs) {
    RefineCase<T> c{generate(spec)};
    const Index n = c.a.n();
    c.value = cast<T>(c.a.value());
    const auto size = [&] { return Offset{n} * c.cols; };
    const auto put = [&](T shift, T scale, const RefineOptions& options, Index cols) {
      c.cols = cols, c.shift = shift, c.scale = scale, c.options = options;
      c.b = random_numbers<T>(size(), all.size() + 1);
      c.x.assign(c.b.size(), T(0));
      all.push_back(c);
    };
    put(0, 1, {}, 1);
    put(0, 1, {.max_steps = 0}, 2);
    put(T(0.05), 1, {.max_steps = 9}, 1);                                   // some steps to eps
    put(T(0.05), 1, {.max_steps = 7, .target = 1e-3, .stagnation = 1}, 5);  // reaches a target
    put(T(0.05), 1, {.max_steps = 3, .target = 1e-30}, 2);                  // runs all steps
    put(T(0.05), 1, {.max_steps = 20, .target = 1e-30, .stagnation = 1},
        1);                                // until a step gains nothing
    put(T(40), 1, {.max_steps = 5}, 3);    // one step is kept, then it stagnates
    put(0, T(0.25), {.max_steps = 5}, 2);  // a step four times too long is undone
    put(0, T(0.25), {.max_steps = 5}, 2);
    for (T& v : all.back().x) v = T(0.5);
    put(0, 1, {.max_steps = 3}, 2);  // b = 0 and x = 0: 0 / 0
    std::fill(all.back().b.begin(), all.back().b.end(), T(0));
    put(0, 1, {.max_steps = 3}, 2);  // b = 0, x is not 0
    std::fill(all.back().b.begin(), all.back().b.end(), T(0));
    for (T& v : all.back().x) v = T(1);
    for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                        std::numeric_limits<T>::max()}) {
      put(0, 1, {.max_steps = 3}, 3);
      all.back().x.back() = bad;
    }
  }
  return all;
}

/// Steps, errors and bits of x equal those of the naive loop, and entries between columns are
/// unchanged, in both calls with one refiner.
template <class T, class Array>
void refinement_is_the_naive_loops(Backend& backend, const PlanOf& plan_of,
                                   const std::vector<std::string>& specs) {
  int kept = 0, taken_back = 0, stagnant = 0;
  for (const RefineCase<T>& c : refine_cases<T>(specs)) {
    const Index n = c.a.n();
    const std::string where = "n = " + std::to_string(n) + ", shift " + std::to_string(c.shift) +
                              ", scale " + std::to_string(c.scale) + ", steps " +
                              std::to_string(c.options.max_steps) + ", columns " +
                              std::to_string(c.cols);
    const auto factor = filled_factor(c, backend, plan_of);
    auto workspace = Workspace<T>::create(factor, 3);
    std::vector<T> expected = c.x;
    const Refinement naive = naive_refine(c, factor, workspace, expected, backend);
    auto refiner = Refiner<T>::create(c.a.pattern(), factor, 5);
    refiner.set_values(DeviceValues<T>::copy_of(c.value, backend));
    const Offset ldb = n + 2, ldx = n + 5;
    Array b(spread(c.b, n, c.cols, ldb)), x(spread(c.x, n, c.cols, ldx));
    const DeviceMatrixView<T> xs({x.data(), n, c.cols, ldx}), bs({b.data(), n, c.cols, ldb});
    expect_same(refiner.refine(factor, bs, xs, workspace, c.options), naive, where);
    EXPECT_TRUE(same_numbers(x.fetch(), spread(expected, n, c.cols, ldx))) << where;
    x.assign(spread(c.x, n, c.cols, ldx));
    refiner.enqueue_refine(factor, bs, xs, workspace, nullptr, c.options);
    const DeviceRefinement report = refiner.fetch_report(nullptr);
    EXPECT_EQ(report.status, VerdictStatus::positive_definite) << where;
    expect_same(report.refinement, naive, where + ", enqueued");
    EXPECT_TRUE(same_numbers(x.fetch(), spread(expected, n, c.cols, ldx))) << where << ", enqueued";
    EXPECT_EQ(b.fetch(), spread(c.b, n, c.cols, ldb)) << where;
    std::vector<T> hosts = c.x;  // the host's call gives the same
    expect_same(
        refine<T>(c.view(), factor, c.rhs(), {hosts.data(), n, c.cols, n}, workspace, c.options),
        naive, where + ", refine()");
    EXPECT_TRUE(same_numbers(hosts, expected)) << where << ", refine()";
    kept += naive.steps > 2 ? 1 : 0;
    taken_back += naive.tried > naive.steps ? 1 : 0;
    stagnant += naive.steps == 1 && naive.tried == 1 && c.options.max_steps > 1 ? 1 : 0;
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(taken_back, 0);
  EXPECT_GT(stagnant, 0);
}

template <class T, class Array>
void refinement_of_nothing(Backend& backend, const PlanOf& plan_of) {
  const auto nothing = SymmetricMatrix<double>::from_triplets(
      0, std::vector<Index>{}, std::vector<Index>{}, std::vector<double>{}, Storage::lower);
  for (const auto& a : {nothing, generate("poisson2d 1"), generate("poisson2d 6")}) {
    const RefineCase<T> c{a, cast<T>(a.value())};
    const auto factor = filled_factor(c, backend, plan_of);
    auto workspace = Workspace<T>::create(factor, 2);
    auto refiner = Refiner<T>::create(a.pattern(), factor, 3);
    EXPECT_EQ(refiner.nrhs(), 3);
    EXPECT_EQ(refiner.fetch_report(nullptr).status, VerdictStatus::none);
    const auto values = DeviceValues<T>::copy_of(c.value, backend);
    refiner.enqueue_values(values, nullptr);
    (void)refiner.fetch_report(nullptr);  // waits: refine() works on another stream
    const DeviceMatrixView<T> none({nullptr, a.n(), a.n() == 0 ? 3 : 0, a.n()});
    expect_same(refiner.refine(factor, none, none, workspace), {}, "nothing");
    refiner.enqueue_refine(factor, none, none, workspace, nullptr);
    EXPECT_EQ(refiner.fetch_report(nullptr).status, VerdictStatus::positive_definite);
    expect_same(refiner.fetch_report(nullptr).refinement, {}, "nothing");
    if (a.n() == 0) continue;
    Array b(std::vector<T>(static_cast<std::size_t>(a.n()), T(3))),
        x(std::vector<T>(static_cast<std::size_t>(a.n()), T(0)));
    const DeviceMatrixView<T> xs({x.data(), a.n(), 1, a.n()}), bs({b.data(), a.n(), 1, a.n()});
    const Refinement done = refiner.refine(factor, bs, xs, workspace);
    EXPECT_GE(done.steps, 1);
    EXPECT_EQ(done.unrefined.componentwise, 1);
    EXPECT_LE(done.final_error.componentwise, std::numeric_limits<T>::epsilon());
  }
}

/// New values change the system while the factor stays; a moved refiner continues to work.
template <class T, class Array>
void refinement_is_with_the_values_set_last(Backend& backend, const PlanOf& plan_of) {
  RefineCase<T> c{generate("elast3d 3")};
  const Index n = c.a.n();
  c.value = cast<T>(c.a.value());
  c.b = random_numbers<T>(n, 5), c.x.assign(c.b.size(), T(0));
  c.options = {.max_steps = 30, .target = 0, .stagnation = 1};
  const auto factor = filled_factor(c, backend, plan_of);
  auto workspace = Workspace<T>::create(factor, 1);
  auto there = DeviceValues<T>::copy_of(c.value, backend);
  auto first = Refiner<T>::create(c.a.pattern(), factor, 1);
  first.set_values(there);
  const DeviceRefinement* place = first.report_address();
  Refiner<T> refiner = std::move(first);
  EXPECT_EQ(refiner.report_address(), place);
  std::vector<std::vector<T>> found;
  for (const T grown : {T(1), T(1.001), T(1)}) {
    RefineCase<T> other = c;
    for (Index j = 0; j < n; ++j) other.value[c.a.pattern().col_ptr[j]] *= grown;
    there.assign(other.value);
    if (!found.empty()) refiner.enqueue_values(there, nullptr);
    Array b(c.b), x(c.x);
    refiner.enqueue_refine(factor, DeviceMatrixView<T>({b.data(), n, 1, n}),
                           DeviceMatrixView<T>({x.data(), n, 1, n}), workspace, nullptr, c.options);
    std::vector<T> expected = c.x;
    expect_same(refiner.fetch_report(nullptr).refinement,
                naive_refine(other, factor, workspace, expected, backend), std::to_string(grown));
    EXPECT_EQ(x.fetch(), expected);
    found.push_back(expected);
  }
  EXPECT_EQ(found[0], found[2]);
  EXPECT_NE(found[0], found[1]);
}

/// If A is not positive definite, an enqueued refinement leaves NaN and reports it; the synchronous
/// call refuses.
template <class T, class Array>
void refinement_without_a_factor(Backend& backend, const PlanOf& plan_of) {
  const auto a = generate("poisson2d 6");
  const Index n = a.n();
  const auto good = cast<T>(a.value());
  std::vector<T> bad = good;
  bad[a.pattern().col_ptr[n / 2]] = T(-1);
  auto factor = Factor<T>::create(plan_of(a.pattern()), backend);
  auto workspace = Workspace<T>::create(factor, 1);
  auto refiner = Refiner<T>::create(a.pattern(), factor, 2);
  auto there = DeviceValues<T>::copy_of(bad, backend);
  refiner.set_values(there);
  const Offset ld = n + 1;
  const std::vector<T> zeros =
      spread(std::vector<T>(2 * static_cast<std::size_t>(n), T(0)), n, 2, ld);
  Array b(spread(random_numbers<T>(2 * n, 1), n, 2, ld)), x(zeros);
  const DeviceMatrixView<T> xs({x.data(), n, 2, ld}), bs({b.data(), n, 2, ld});
  const std::string never =
      "Refiner: the factor was never filled: call refactorize() or enqueue_refactorize() first";
  EXPECT_EQ(error_text(ErrorKind::usage,
                       [&] { refiner.enqueue_refine(factor, bs, xs, workspace, nullptr); }),
            never);
  for (const bool broken : {true, false, true}) {
    there.assign(broken ? bad : good);
    x.assign(zeros);
    enqueue_refactorize(factor, there, T(0), nullptr);
    refiner.enqueue_values(there, nullptr);
    refiner.enqueue_refine(factor, bs, xs, workspace, nullptr);
    const DeviceRefinement report = refiner.fetch_report(nullptr);
    EXPECT_EQ(report.status,
              broken ? VerdictStatus::not_positive_definite : VerdictStatus::positive_definite);
    EXPECT_EQ(factor.fetch_verdict(nullptr).status, report.status);
    const std::vector<T> found = x.fetch();
    for (Offset k = 0; k < 2 * ld; ++k) {
      if (k % ld == n) {
        EXPECT_EQ(found[static_cast<std::size_t>(k)], T(7)) << k;
      } else {
        ASSERT_EQ(std::isnan(found[static_cast<std::size_t>(k)]), broken) << k;
      }
    }
    if (!broken) {
      EXPECT_LE(report.refinement.final_error.componentwise, std::numeric_limits<T>::epsilon());
      continue;
    }
    EXPECT_EQ(report.refinement.tried, 0);
    for (const BackwardError& error : {report.refinement.unrefined, report.refinement.final_error})
      EXPECT_TRUE(std::isnan(error.normwise) && std::isnan(error.componentwise));
    EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)refiner.refine(factor, bs, xs, workspace); })
                  .find("Refiner: the factor is not valid"),
              0U);
  }
}

/// said(b, x): text of the error of a refiner of n rows and two columns for these vectors.
/// at(first, cols, apart): n x cols from entry `first` of one array on, with leading dimension
/// `apart`.
template <class Said, class At>
void vectors_that_refiners_refuse(const Said& said, const At& at, Index n) {
  const Offset ld = 2 * n + 1;
  EXPECT_EQ(said(at(0, 2, ld), at(n, 2, ld)),
            "no Error");  // the one between the columns of the other
  EXPECT_EQ(said(at(n + 1, 2, ld), at(0, 2, ld)), "no Error");
  const std::string overlaps = "Refiner: x overlaps b; give it memory of its own";
  EXPECT_EQ(said(at(0, 2, ld), at(0, 2, ld)), overlaps);
  EXPECT_EQ(said(at(0, 2, ld), at(n - 1, 2, ld)), overlaps);
  EXPECT_EQ(said(at(0, 2, ld), at(n + 2, 2, ld)), overlaps);
  EXPECT_EQ(said(at(ld, 2, ld), at(0, 2, ld)), overlaps);
  EXPECT_EQ(said(at(0, 2, ld), at(n, 2, ld + 1)), overlaps);
  EXPECT_EQ(said(at(0, 3, n), at(3 * n, 3, n)), "Refiner: x has 3 columns, there is room for 2");
  EXPECT_EQ(said(at(0, 1, n), at(n, 2, n)), "solve: b has 1 columns, x has 2");
  EXPECT_EQ(said(at(0, 1, n), at(n, 1, n - 1)).find("solve: x has 1 columns and leading dimension"),
            0U);
}

template <class T, class Array>
void what_refiners_refuse(Backend& backend, Backend& other_backend, const PlanOf& plan_of) {
  const auto a = generate("poisson2d 5"), other = generate("poisson2d 4");
  const Index n = a.n();
  const RefineCase<T> c{a, cast<T>(a.value())};
  const auto factor = filled_factor(c, backend, plan_of);
  auto workspace = Workspace<T>::create(factor, 2);
  const auto refused = [&](const auto& f) { return error_text(ErrorKind::usage, f); };
  EXPECT_EQ(refused([&] { (void)Refiner<T>::create(a.pattern(), factor, 0); }),
            "Refiner: nrhs is 0, expected 1 or more");
  const std::string pattern =
      "Refiner: the factor belongs to a matrix of another pattern: 16 rows, then 25";
  EXPECT_EQ(refused([&] { (void)Refiner<T>::create(other.pattern(), factor, 1); }), pattern);
  auto refiner = Refiner<T>::create(a.pattern(), factor, 2);
  const Offset ld = 2 * n + 1;
  Array numbers(random_numbers<T>(3 * ld, 1));
  const auto at = [&](Offset first, Index cols, Offset apart) {
    return DeviceMatrixView<T>({numbers.data() + first, n, cols, apart});
  };
  const auto said = [&](DeviceMatrixView<T> b, DeviceMatrixView<T> x) {
    const std::string text = refused([&] { (void)refiner.refine(factor, b, x, workspace); });
    EXPECT_EQ(refused([&] { refiner.enqueue_refine(factor, b, x, workspace, nullptr); }), text);
    (void)refiner.fetch_report(nullptr);  // waits
    return text;
  };
  EXPECT_EQ(said(at(0, 2, ld), at(n, 2, ld)),
            "Refiner: no values were set: call set_values() first");
  const auto few = DeviceValues<T>::copy_of(std::vector<T>(3, T(1)), backend),
             right = DeviceValues<T>::copy_of(c.value, backend);
  const std::string count =
      "Refiner: 3 values, the pattern has " + std::to_string(a.nnz()) + " entries";
  EXPECT_EQ(refused([&] { refiner.set_values(few); }), count);
  EXPECT_EQ(refused([&] { refiner.enqueue_values(few, nullptr); }), count);
  refiner.set_values(right);
  vectors_that_refiners_refuse(said, at, n);
  const auto by = [&](const RefineOptions& options) {
    const std::string text = refused(
        [&] { (void)refiner.refine(factor, at(0, 1, n), at(n, 1, n), workspace, options); });
    EXPECT_EQ(refused([&] {
                refiner.enqueue_refine(factor, at(0, 1, n), at(n, 1, n), workspace, nullptr,
                                       options);
              }),
              text);
    return text;
  };
  EXPECT_EQ(by({.max_steps = -1}), "Refiner: max_steps is -1, expected 0 or more");
  EXPECT_EQ(by({.target = -1}), "Refiner: target is -1, expected 0 or more");
  EXPECT_EQ(by({.stagnation = std::numeric_limits<double>::quiet_NaN()}),
            "Refiner: stagnation is nan, expected 0 or more");
  const RefineCase<T> d{other, cast<T>(other.value())};
  const auto foreign = filled_factor(d, backend, plan_of),
             elsewhere = filled_factor(c, other_backend, plan_of);
  EXPECT_EQ(refused([&] { (void)refiner.refine(foreign, at(0, 1, n), at(n, 1, n), workspace); }),
            pattern);
  EXPECT_EQ(
      refused([&] { (void)refiner.refine(elsewhere, at(0, 1, n), at(n, 1, n), workspace); }),
      "Refiner: the factor belongs to another backend, expected the backend this was made for");
}

}  // namespace kauri::test

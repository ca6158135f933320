// State estimation of a power grid (direct current): finds phase angles of the buses from measured
// flows and injections by weighted normal equations H^T W H. The grid is a ring of rings. The
// program calls kauri's phases one by one and compares its orderings.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.hpp>

#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using kauri::Index;

constexpr Index kRegions = 60, kBuses = 50,
                kAll = kRegions * kBuses;  // bus 0 has angle 0 and is not an unknown

struct Line {
  Index from, to;
  double susceptance;
};

/// Returns a ring of buses in each region with a chord across, and two ties to the next region.
std::vector<Line> grid() {
  std::vector<Line> lines;
  for (Index r = 0; r < kRegions; ++r) {
    const auto bus = [](Index region, Index k) { return region % kRegions * kBuses + k % kBuses; };
    for (Index k = 0; k < kBuses; ++k) lines.push_back({bus(r, k), bus(r, k + 1), 10.0 + k % 7});
    lines.push_back({bus(r, 5), bus(r, 5 + kBuses / 2), 8});
    lines.push_back({bus(r, 0), bus(r + 1, kBuses / 2), 25});
    lines.push_back({bus(r, 10), bus(r + 1, kBuses / 2 + 10), 20});
  }
  return lines;
}

/// A row of H: the measurement is the sum of coefficient times angle, with standard deviation
/// sigma.
struct Measurement {
  std::vector<std::pair<Index, double>> term;
  double sigma;

  [[nodiscard]] double of(const std::vector<double>& angle) const {  // angle[u] belongs to bus u +
                                                                     // 1
    double sum = 0;
    for (const auto& [bus, c] : term) sum += bus == 0 ? 0 : c * angle[bus - 1];
    return sum;
  }
};

/// Returns the measurements: the flow through each line, and the injection of each bus into its
/// lines.
std::vector<Measurement> meters() {
  std::vector<Measurement> all(kAll, Measurement{{}, 0.02});
  for (const auto& [i, j, b] : grid()) {
    all[i].term.insert(all[i].term.end(), {{i, b}, {j, -b}});
    all[j].term.insert(all[j].term.end(), {{j, b}, {i, -b}});
    all.push_back({{{i, b}, {j, -b}}, 0.01});
  }
  return all;
}

kauri::SymmetricMatrix<double> gain(const std::vector<Measurement>& measurements) {
  std::vector<Index> row, col;
  std::vector<double> value;
  for (const auto& m : measurements)
    for (const auto& [i, a] : m.term)
      for (const auto& [j, b] : m.term) {
        if (j == 0 || i < j) continue;
        row.push_back(i - 1);
        col.push_back(j - 1);
        value.push_back(a * b / (m.sigma * m.sigma));
      }
  return kauri::SymmetricMatrix<double>::from_triplets(kAll - 1, row, col, value,
                                                       kauri::Storage::lower);
}

}  // namespace

int main() {
  const std::vector<Measurement> measurements = meters();
  const auto a = gain(measurements);
  const Index n = a.n();

  kauri::AnalyzeOptions options;
  options.factorizations = 1000;  // estimates are made all day, on the same grid
  const kauri::Analysis analysis = kauri::compare_orderings(a.pattern(), options);
  std::printf("%d unknown angles, %zu measurements, %lld entries\n", n, measurements.size(),
              static_cast<long long>(a.nnz()));
  for (const kauri::Analysis::Candidate& c : analysis.candidates) {
    if (!c.plan) continue;  // c.note says why
    const std::string name(kauri::name_of(c.method));
    const kauri::Cost& cost = c.plan->cost;
    std::printf("  %-8s %9lld entries of L, %6.2f million operations%s\n", name.c_str(),
                static_cast<long long>(cost.nnz_l), cost.flops / 1e6, c.chosen ? "  (chosen)" : "");
  }
  std::printf("  %s\n", analysis.reason.c_str());

  kauri::Backend backend = kauri::cpu_backend();
  const auto factor = kauri::factorize<double>(analysis.plan, a.value(), backend);
  if (!factor) {
    std::printf("not observable: column %d\n", factor.error().column);
    return 2;
  }

  // Solves with two right-hand sides H^T W z: exact z, and z with measurement noise.
  std::vector<double> truth(n), x(2 * n, 0.0), noisy;
  for (Index u = 0; u < n; ++u) truth[u] = 0.3 * std::sin(0.01 * u);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (const auto& m : measurements) {
    const double exact = m.of(truth);
    noisy.push_back(exact + m.sigma * normal(random));
    for (const auto& [i, c] : m.term) {
      if (i == 0) continue;
      x[i - 1] += c * exact / (m.sigma * m.sigma);
      x[n + i - 1] += c * noisy.back() / (m.sigma * m.sigma);
    }
  }
  auto workspace = kauri::Workspace<double>::create(factor.value(), 2);
  factor.value().solve(kauri::MatrixView<double>{x.data(), n, 2, n}, workspace);

  double off = 0, misfit = 0;
  for (Index u = 0; u < n; ++u) {
    const double d = std::fabs(x[u] - truth[u]);
    if (!(d <= off)) off = d;  // keeps a NaN
  }
  const std::vector<double> estimate(x.begin() + n, x.end());
  for (std::size_t k = 0; k < noisy.size(); ++k)
    misfit += std::pow((noisy[k] - measurements[k].of(estimate)) / measurements[k].sigma, 2);
  misfit /= static_cast<double>(noisy.size()) - n;  // 1 is expected
  std::printf(
      "exact measurements: angles are right to %.1e\nnoisy ones: misfit per degree of freedom "
      "%.3f\n",
      off, misfit);
  return off < 1e-9 && std::fabs(misfit - 1) < 0.1 ? 0 : 1;
}

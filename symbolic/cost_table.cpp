// The constants, and the formulas over them.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/cost_table.hpp"

#include <array>
#include <cmath>
#include <string>

#include "kauri/error.hpp"

namespace kauri::symbolic {
namespace {

// cpu-avx512 is fitted to 44 factorisations of 25 real systems on two cores of an AMD EPYC (Zen 5); the others are first guesses.
constexpr std::array kTables{
    CostTable{.target = "cpu-avx512",
              .front_overhead_s = 0.15e-6,
              .bandwidth = 12e9,
              .peak = 95e9,
              .half_pivots = 5,
              .half_order = 25,
              .tile_efficiency = 0.85,
              .entry_s = 4e-9,
              .task_floor_s = 50e-6,
              .solve_overhead_s = 0.1e-6,
              .solve_bandwidth = 8e9},
    CostTable{.target = "cpu-avx2",
              .front_overhead_s = 0.2e-6,
              .bandwidth = 8e9,
              .peak = 45e9,
              .half_pivots = 6,
              .half_order = 40,
              .tile_efficiency = 0.85,
              .entry_s = 5e-9,
              .task_floor_s = 50e-6,
              .solve_overhead_s = 0.1e-6,
              .solve_bandwidth = 8e9},
    CostTable{.target = "cpu-generic",
              .front_overhead_s = 0.3e-6,
              .bandwidth = 6e9,
              .peak = 8e9,
              .half_pivots = 3,
              .half_order = 16,
              .tile_efficiency = 0.85,
              .entry_s = 5e-9,
              .task_floor_s = 50e-6,
              .solve_overhead_s = 0.15e-6,
              .solve_bandwidth = 6e9},
};

/// Seconds per (vertices + edges) log2(vertices); METIS: 6.5 s for a million points of a 5-point grid, 1 s for 64,000 of a 27-point one.
double order_constant(OrderingMethod method) {
  switch (method) {
    case OrderingMethod::rcm:
      return 4.8e-9;
    case OrderingMethod::minimum_degree:
      return 1.9e-8;
    case OrderingMethod::amd:
      return 1.1e-8;
    case OrderingMethod::metis:
      return 9e-8;
    case OrderingMethod::natural:
    case OrderingMethod::automatic:
      break;
  }
  return 0;
}

}  // namespace

std::span<const CostTable> cost_tables() { return kTables; }

const CostTable& cost_table(std::string_view target) {
  for (const CostTable& table : kTables)
    if (table.target == target) return table;
  throw Error(ErrorKind::usage, "analyze: no cost table for target \"" + std::string(target) + "\"");
}

double order_seconds(OrderingMethod method, Offset vertices, Offset edges) {
  return order_constant(method) * static_cast<double>(vertices + edges) * std::log2(static_cast<double>(vertices) + 1);
}

double outline_seconds(Index n, Offset entries) { return 1.4e-7 * n + 4e-9 * static_cast<double>(entries); }

double front_flops(Index m, Index p) {
  const double x = m, k = p;
  return k * x * x - x * k * (k - 1) + (k - 1) * k * (2 * k - 1) / 6;
}

double front_seconds(const CostTable& table, Index m, Index p) {
  const double x = m, k = p, q = x - k;
  const double bytes = 8 * (x * k + q * (q + 1));
  const double slowness = (1 + table.half_pivots / k) * (1 + table.half_order / x) / table.peak;
  return table.front_overhead_s + bytes / table.bandwidth + front_flops(m, p) * slowness;
}

double front_sweep_seconds(const CostTable& table, Index m, Index p) {
  return table.solve_overhead_s + 8.0 * m * p / table.solve_bandwidth;
}

}  // namespace kauri::symbolic

// The constants of the cost tables, and formulas over them.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/common/cost_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "kauri/core/error.hpp"

namespace kauri::symbolic {
namespace {

// cpu-avx512 is fitted (bench/ordering/fit_cost_table.py) to 173 factorisations on one core of an
// AMD EPYC (Zen 5); the other two tables of CPUs are first guesses. fresh_byte_s was measured on
// two cores.
constexpr std::array kTables{
    CostTable{.target = "cpu-avx512",
              .front_overhead_s = 0.07e-6,
              .row_s = 24e-9,
              .bandwidth = 60e9,
              .peak = 90e9,
              .padding_s = 12e-9,
              .tile_efficiency = 0.85,
              .entry_s = 3.2e-9,
              .task_floor_s = 50e-6,
              .solve_overhead_s = 0.03e-6,
              .solve_column_s = 11e-9,
              .solve_bandwidth = 38e9,
              .fresh_byte_s = 1.3e-9},
    CostTable{.target = "cpu-avx2",
              .front_overhead_s = 0.1e-6,
              .row_s = 30e-9,
              .bandwidth = 40e9,
              .peak = 42e9,
              .padding_s = 15e-9,
              .tile_efficiency = 0.85,
              .entry_s = 4e-9,
              .task_floor_s = 50e-6,
              .solve_overhead_s = 0.03e-6,
              .solve_column_s = 13e-9,
              .solve_bandwidth = 30e9,
              .fresh_byte_s = 1.3e-9},
    CostTable{.target = "cpu-generic",
              .front_overhead_s = 0.1e-6,
              .row_s = 50e-9,
              .bandwidth = 20e9,
              .peak = 7e9,
              .padding_s = 20e-9,
              .tile_efficiency = 0.85,
              .entry_s = 5e-9,
              .task_floor_s = 50e-6,
              .solve_overhead_s = 0.05e-6,
              .solve_column_s = 15e-9,
              .solve_bandwidth = 15e9,
              .fresh_byte_s = 1.3e-9},
    // Used for amalgamation and the numbering of fronts only. Latencies, seconds per pivot and
    // path_weight come from a scan of factorisations on an H200, the rest is one streaming
    // multiprocessor's part of the card's peak and bandwidth. The seconds of a whole device are in
    // symbolic/device/cost.cpp, and the CPU's tasks are cut by a CPU's table.
    CostTable{.target = "sm_90",
              .front_overhead_s = 2e-6,
              .row_s = 20e-9,
              .bandwidth = 30e9,
              .peak = 300e9,
              .padding_s = 12e-9,
              .path_weight = 132,
              .small_latency_s = 7e-6,
              .small_pivot_s = 0.1e-6,
              .tiled_latency_s = 14e-6,
              .tiled_pivot_s = 0.28e-6,
              .tile_efficiency = 0.85,
              .entry_s = 1e-9,
              .task_floor_s = 50e-6,
              .solve_overhead_s = 2e-6,
              .solve_column_s = 10e-9,
              .solve_bandwidth = 30e9,
              .fresh_byte_s = 1.3e-9},
    // An A100 with the portable kernels: scaled from sm_90 by the cards' clocks, multiprocessors,
    // peaks and bandwidths, as symbolic/device/cost.cpp does. Never measured.
    CostTable{.target = "sm_80",
              .front_overhead_s = 2.8e-6,
              .row_s = 28e-9,
              .bandwidth = 12e9,
              .peak = 107e9,
              .padding_s = 12e-9,
              .path_weight = 108,
              .small_latency_s = 20e-6,
              .small_pivot_s = 0.3e-6,
              .tiled_latency_s = 20e-6,
              .tiled_pivot_s = 0.8e-6,
              .tile_efficiency = 0.85,
              .entry_s = 1.4e-9,
              .task_floor_s = 50e-6,
              .solve_overhead_s = 2.8e-6,
              .solve_column_s = 14e-9,
              .solve_bandwidth = 12e9,
              .fresh_byte_s = 1.3e-9},
};

/// Constants of the predicted seconds of an ordering, (vertex_s * vertices + edge_s * edges) *
/// log2(vertices + 1).
struct OrderConstants {
  double vertex_s, edge_s;
};

// Constants of dissection_gain() and kDissection, fitted to 30 systems (docs/orderings.md explains
// the fit).
constexpr double kNoGainWork =
    50;  // operations per entry of L up to which nested dissection saves nothing
constexpr double kGainPerDoubling =
    0.13;  // fraction of the cost of fill saved for each doubling of kNoGainWork
constexpr double kMostGain = 0.9;

/// Constants of nested dissection by effort, for graphs that are dissected; it takes less time on a
/// graph that it recognises as not worth dissecting.
constexpr std::array kDissection{
    OrderConstants{5e-9, 4.1e-8},    // fast
    OrderConstants{1e-8, 4.4e-8},    // default
    OrderConstants{2.5e-7, 3.7e-8},  // best
};

/// Seconds per list entry that minimum degree visits: 4 to 6 ns if lists are short, up to 13 ns if
/// they are scattered.
constexpr double kVisit = 5e-9;

/// Returns the constants of a method, fitted to the medians of 36 systems on one core of an AMD
/// EPYC (Zen 5).
OrderConstants order_constants(OrderingMethod method, Effort effort) {
  switch (method) {
    case OrderingMethod::rcm:
      return {1.7e-9, 5.6e-10};
    case OrderingMethod::minimum_degree:
      return {1.5e-8, 4.5e-9};
    case OrderingMethod::amd:
      return {8.8e-9, 2.6e-9};
    case OrderingMethod::parallel_amd:
      return {1.1e-8, 3.4e-9};  // on meshes measured at 1.1 to 1.5 times amd's seconds
    case OrderingMethod::nested_dissection:
      return kDissection.at(static_cast<std::size_t>(effort));
    case OrderingMethod::metis:
      return {1.45e-7, 2.6e-8};
    case OrderingMethod::natural:
    case OrderingMethod::automatic:
      break;
  }
  return {0, 0};
}

/// Returns the seconds of a pass over n rows and `entries` entries.
double pass_seconds(double row_s, Index n, double entry_s, Offset entries) {
  return row_s * n + entry_s * static_cast<double>(entries);
}

}  // namespace

std::span<const CostTable> cost_tables() { return kTables; }

const CostTable& cost_table(std::string_view target) {
  for (const CostTable& table : kTables)
    if (table.target == target) return table;
  throw Error(ErrorKind::usage, "analyze: no cost table for target \"" + std::string(target) +
                                    "\"; expected a target of a backend");
}

double order_seconds(OrderingMethod method, Effort effort, Offset vertices, Offset edges) {
  const auto [vertex_s, edge_s] = order_constants(method, effort);
  const auto v = static_cast<double>(vertices), e = static_cast<double>(edges);
  return (vertex_s * v + edge_s * e) * std::log2(v + 1);
}

Offset order_work(double seconds) { return static_cast<Offset>(std::min(seconds / kVisit, 1e18)); }

double dissection_gain(double flops_per_entry) {
  return std::clamp(kGainPerDoubling * std::log2(std::max(flops_per_entry, 1.0) / kNoGainWork), 0.0,
                    kMostGain);
}

double reduction_seconds(Index n, Offset entries) {
  return pass_seconds(1.7e-8, n, 5.6e-9, entries);
}
double draft_seconds(Index n, Offset entries) { return pass_seconds(1.2e-7, n, 1e-9, entries); }
double level_seconds(Index n, Offset entries) { return pass_seconds(1.8e-8, n, 2e-9, entries); }

}  // namespace kauri::symbolic

// What work costs, by named target: the constants behind amalgamation, the cut into tasks, predictions and the choice of ordering.
//
// A front of order m with p pivots and q = m - p takes
//
//     overhead + row m + 8 (m p + q (q+1)) / bandwidth + flops / peak:
//
// every row is looked up and scattered in runs, the panel is written once, the contribution block (q (q+1) / 2 entries) is written and read
// again by the parent, in doubles. A sweep of a solve takes overhead + column p + 8 m p / bandwidth.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

#include "kauri/ordering.hpp"

namespace kauri::symbolic {

/// One core of a target. Seconds, bytes per second, operations per second. Refitting changes constants here and nowhere else.
struct CostTable {
  std::string_view target;
  double front_overhead_s;  ///< per front: calls, loops, lists of children
  double row_s;             ///< per row of a front
  double bandwidth;         ///< bytes per second that one core moves while it assembles, most of them in its caches
  double peak;              ///< operations per second
  double padding_s;         ///< price of an entry of L that amalgamation adds: it is stored, and read in every solve
  // Amalgamation on a device also shortens the longest path through the tree: on one core it has no meaning, and weighs nothing.
  double path_weight = 0;  ///< seconds of one core that a second of the path is worth: the cores that wait for it
  /// A front's part of a path, and that of each of its pivots: fronts of up to 64 rows (DeviceSchedule::kSmall); others, in tiles of 64.
  double small_latency_s = 0, small_pivot_s = 0, tiled_latency_s = 0, tiled_pivot_s = 0;
  double tile_efficiency;   ///< share of each further worker that a large front turns into speed
  double entry_s;           ///< per entry of A: found, read, added
  double task_floor_s;      ///< tasks are not split below this
  double solve_overhead_s;  ///< per front and sweep
  double solve_column_s;    ///< per column and sweep
  double solve_bandwidth;   ///< bytes of L per second and core in a sweep
  double fresh_byte_s;      ///< per byte of a factor and core, the first time it is touched
};

/// The table of a target; throws Error(usage) for an unknown name.
const CostTable& cost_table(std::string_view target);
/// All tables.
std::span<const CostTable> cost_tables();

/// Predicted seconds of an ordering on one core: constants of the method (and, for nested_dissection, of its effort) for vertices and for
/// undirected edges, times log2(vertices), of the graph whose indistinguishable vertices are merged. Zero for natural. The number of
/// threads that an ordering may use does not count.
double order_seconds(OrderingMethod method, Effort effort, Offset vertices, Offset edges);
/// Entries of lists that minimum degree visits in so many seconds on one core.
Offset order_work(double seconds);

/// The part of what fill costs that nested dissection is hoped to spare a job, from the operations per entry of L of the best other
/// ordering: from 0 (trees, power grids) to less than 1 (large grids in space).
double dissection_gain(double flops_per_entry);

/// Predicted seconds on one core, from the rows and entries of A: to build its graph and reduce it; of the symbolic phase up to the counts
/// and sizes of a plan.
double reduction_seconds(Index n, Offset entries);
double draft_seconds(Index n, Offset entries);
/// Of a look at the levels of a graph (banded_entries), from its vertices and the number of vertices and undirected edges.
double level_seconds(Index n, Offset entries);

/// Operations of p columns of a front of order m: the sum of (m-k)^2, k < p. Exact up to 2^53. Here and below m and p are doubles so that
/// a front may be one of a mean, with parts of a column.
inline double front_flops(double m, double p) { return p * m * m - m * p * (p - 1) + (p - 1) * p * (2 * p - 1) / 6; }
/// Predicted seconds of a front on one core.
inline double front_seconds(const CostTable& table, double m, double p) {
  const double q = m - p, bytes = 8 * (m * p + q * (q + 1));
  return table.front_overhead_s + table.row_s * m + bytes / table.bandwidth + front_flops(m, p) / table.peak;
}
/// Seconds from a front's last child to its parent, on a device with nothing else to do: at most a core for each pair of tiles works.
inline double front_latency(const CostTable& table, Index m, Index p) {
  if (m <= 64) return table.small_latency_s + table.small_pivot_s * p;
  const double tiles = m / 64.0 + 1, cores = tiles * tiles / 4 < table.path_weight ? tiles * tiles / 4 : table.path_weight;
  return table.tiled_latency_s + table.tiled_pivot_s * p + front_flops(m, p) / (table.peak * cores);
}
/// Predicted seconds of a front in one sweep of a solve with one right-hand side, on one core.
inline double front_sweep_seconds(const CostTable& table, double m, double p) {
  return table.solve_overhead_s + table.solve_column_s * p + 8.0 * m * p / table.solve_bandwidth;
}

}  // namespace kauri::symbolic

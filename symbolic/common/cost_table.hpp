// Cost constants by named target, used by amalgamation, the cut into tasks, predictions and the
// choice of ordering.
//
// A front of order m with p pivots and q = m - p takes
//
//     overhead + row m + 8 (m p + q (q+1)) / bandwidth + flops / peak:
//
// every row is looked up and scattered in runs; the panel is written once; the contribution block
// (q (q+1) / 2 entries) is written, and read again by the parent; entries are doubles. A sweep of a
// solve takes overhead + column p + 8 m p / bandwidth.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

#include "kauri/core/ordering.hpp"

namespace kauri::symbolic {

/// Constants of one core of a target, in seconds, bytes per second and operations per second.
/// Refitting changes these constants only.
struct CostTable {
  std::string_view target;
  double front_overhead_s;  ///< seconds per front: calls, loops, lists of children
  double row_s;             ///< seconds per row of a front
  double bandwidth;  ///< bytes per second that one core moves while it assembles, most of them in
                     ///< its caches
  double peak;       ///< operations per second
  double padding_s;  ///< price in seconds of an entry of L that amalgamation adds: it is stored,
                     ///< and read in every solve
  // Amalgamation on a device also shortens the longest path through the tree. On one core this has
  // no meaning: path_weight is 0.
  double path_weight =
      0;  ///< seconds of one core that a second of the path is worth: the cores that wait for it
  /// Seconds that a front, and each of its pivots, adds to a path: small_ for fronts of up to 64
  /// rows (DeviceSchedule::kSmall), tiled_ for larger ones, in tiles of 64.
  double small_latency_s = 0, small_pivot_s = 0, tiled_latency_s = 0, tiled_pivot_s = 0;
  double tile_efficiency;   ///< speed that each further worker adds to a large front, as a share of
                            ///< the first worker's
  double entry_s;           ///< seconds per stored entry of A: found, read, added to its front
  double task_floor_s;      ///< a subtree of fewer predicted seconds than this is not cut
  double solve_overhead_s;  ///< seconds per front and sweep
  double solve_column_s;    ///< seconds per pivot column and sweep
  double solve_bandwidth;   ///< bytes of L per second and core in a sweep
  double fresh_byte_s;      ///< seconds of one core to touch a byte of a factor for the first time
};

/// Returns the table of a target. Throws Error(usage) for an unknown name.
const CostTable& cost_table(std::string_view target);
/// Returns all tables.
std::span<const CostTable> cost_tables();

/// Returns the predicted seconds of an ordering on one core: constants of the method (and, for
/// nested_dissection, of its effort) for vertices and undirected edges, times log2(vertices + 1),
/// of the graph whose indistinguishable vertices are merged. Zero for natural and automatic.
/// Assumes one thread, whatever the ordering may use.
double order_seconds(OrderingMethod method, Effort effort, Offset vertices, Offset edges);
/// Returns the number of list entries that minimum degree visits in the given seconds on one core.
Offset order_work(double seconds);

/// Returns the fraction of the cost of fill that nested dissection is expected to save a job, from
/// the operations per entry of L of the best other ordering: from 0 (trees, power grids) to at most
/// 0.9 (large three-dimensional grids).
double dissection_gain(double flops_per_entry);

/// Return the predicted seconds on one core, from the rows n and the stored entries of A's lower
/// triangle: reduction_seconds() to build the graph of A and reduce it, draft_seconds() for the
/// symbolic phase up to the counts and sizes of a plan.
double reduction_seconds(Index n, Offset entries);
double draft_seconds(Index n, Offset entries);
/// Returns the predicted seconds of banded_entries(). n: vertices of the graph; entries: vertices
/// plus undirected edges.
double level_seconds(Index n, Offset entries);

/// Returns the operations of p columns of a front of order m: the sum of (m-k)^2 for k < p. Exact
/// up to 2^53. Here and below m and p are doubles, so a front may be a mean with fractions of a
/// column.
inline double front_flops(double m, double p) {
  return p * m * m - m * p * (p - 1) + (p - 1) * p * (2 * p - 1) / 6;
}
/// Returns the predicted seconds of a front on one core.
inline double front_seconds(const CostTable& table, double m, double p) {
  const double q = m - p, bytes = 8 * (m * p + q * (q + 1));
  return table.front_overhead_s + table.row_s * m + bytes / table.bandwidth +
         front_flops(m, p) / table.peak;
}
/// Returns the seconds from a front's last child to its parent on an otherwise idle device. A tiled
/// front of t = m / 64 + 1 rows of tiles uses t^2 / 4 cores, path_weight at most.
inline double front_latency(const CostTable& table, Index m, Index p) {
  if (m <= 64) return table.small_latency_s + table.small_pivot_s * p;
  const double tiles = m / 64.0 + 1, cores = tiles * tiles / 4 < table.path_weight
                                                 ? tiles * tiles / 4
                                                 : table.path_weight;
  return table.tiled_latency_s + table.tiled_pivot_s * p + front_flops(m, p) / (table.peak * cores);
}
/// Returns the predicted seconds of a front in one sweep of a solve with one right-hand side, on
/// one core.
inline double front_sweep_seconds(const CostTable& table, double m, double p) {
  return table.solve_overhead_s + table.solve_column_s * p + 8.0 * m * p / table.solve_bandwidth;
}

}  // namespace kauri::symbolic

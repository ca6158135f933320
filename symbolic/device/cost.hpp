// Counts the work of a factorisation on a device, and predicts from it the seconds of whole
// factorisations and solves, by named target and scalar.
// (Amalgamation, the cut into tasks and, for a CPU's plan, the selection of orderings use the
// prices of fronts in cost_table.hpp.)
// SPDX-License-Identifier: BSD-3-Clause
//
// Names in the formulas are fields of DeviceCost; counts are those of DeviceWork. A factorisation
// takes
//
//     start_s
//     + narrow levels * narrow_level_s + narrow fronts * narrow_front_s + narrow bytes / bandwidth
//     + small levels * small_level_s + small fronts * small_front_s + small bytes / bandwidth
//     + sum over levels of tiled fronts of
//           tiled_level_s + max(chain * diagonal_tile_s,
//                               products * product_s + panel tiles * panel_tile_s
//                                   + bytes / bandwidth)
//
// where narrow fronts take one launch and small fronts another. Small fronts wait for their
// children, level by level, and each takes its share of the warps; a level of tiled fronts is bound
// by its longest chain of diagonal tiles, or by the work of all teams together. A solve with one
// right-hand side by sweeps takes, for both sweeps,
//
//     sweep_start_s
//     + (narrow levels + small levels) * sweep_small_level_s
//     + narrow fronts * sweep_narrow_front_s + small fronts * sweep_small_front_s
//     + sum over levels of tiled fronts of
//           sweep_tiled_level_s + chain * sweep_tile_s + panel tiles * sweep_panel_tile_s
//     + bytes of b and x / host_bandwidth
//
// since reading and waiting hardly overlap. Making a factor takes create_s + bytes of uploads /
// create_bandwidth. Bytes of numbers are those of the scalar.
#pragma once

#include <span>
#include <string_view>

#include "kauri/core/plan.hpp"
#include "symbolic/common/device_units.hpp"
#include "symbolic/device/levels.hpp"
#include "symbolic/device/schedule_lists.hpp"

namespace kauri::symbolic {

/// Constants of one device in one scalar, in seconds and bytes per second.
/// bench/cuda/fit_device_cost.py prints the measured ones.
struct DeviceCost {
  std::string_view target;
  int scalar_bytes = sizeof(double);
  bool scaled = false;     ///< true: scaled from another device's or scalar's, never measured
  double start_s;          ///< each factorisation: launches, clearing of counters, the verdict
  double narrow_level_s;   ///< latency from the children of a narrow front to the front's end
  double narrow_front_s;   ///< device time of one more narrow front while all warps work
  double small_level_s;    ///< latency from the children of a small front to the front's end
  double small_front_s;    ///< device time of one more small front while all warps work
  double tiled_level_s;    ///< latency: filling, the first products, the last contribution
  double diagonal_tile_s;  ///< latency of a tile of the chain, factorised with the tile below it
  double product_s;        ///< device time of one more product of two tiles while all teams work
  double panel_tile_s;     ///< device time to load one more tile of L, and of its triangular solve,
                           ///< while all teams work
  double bandwidth;        ///< bytes of panels and contribution blocks, in the scalar, that a
                           ///< factorisation moves per second
  double sweep_start_s;    ///< each solve: launches, the first loads
  double sweep_small_level_s;   ///< latency from a small or narrow front to its parent and back
  double sweep_narrow_front_s;  ///< device time of one more narrow front in both sweeps while all
                                ///< warps work
  double sweep_small_front_s;   ///< device time of one more small front in both sweeps while all
                                ///< warps work
  double sweep_tiled_level_s;   ///< latency from a tiled front to its parent and back
  double sweep_tile_s;          ///< latency from a diagonal tile to the next and back
  double sweep_panel_tile_s;    ///< device time of one more tile of L, read once in each sweep,
                                ///< while all blocks work
  double create_s;              ///< each factor: allocations, the capture of the graph
  double create_bandwidth;      ///< bytes per second of data that is made on the host and uploaded
  double copy_s;                ///< latency of a copy from the host
  double host_bandwidth;        ///< bytes per second of copies from and to pageable memory
  double context_s;             ///< time from the first call of a process until kernels can run
  int processors = 0;           ///< multiprocessors of the card that the constants are for
  double peak = 0;  ///< peak operations per second of that card: of doubles by tensor cores, if
                    ///< they are fast, or of floats by fused multiply-adds
};

/// Returns the constants of a target and scalar. Throws Error(usage) if there are none.
const DeviceCost& device_cost(std::string_view target, int scalar_bytes = sizeof(double));
/// Returns the constants of a target and scalar, scaled to this card; unscaled if they were
/// measured on such a card (see kFewestMeasured), or if `card` has no multiprocessors. Latencies
/// are scaled by clocks, fronts side by side also by multiprocessors, products by the peaks of the
/// units that do them, and bytes by bandwidths. Measured rates of the card replace what they
/// measure; constants are then not `scaled`, and zeros of clock and bandwidth do not count. Without
/// measured rates the card must be one for which is_predicted() is true.
DeviceCost device_cost(std::string_view target, int scalar_bytes, const DeviceCard& card);

/// Returns the target of plans for a device of compute capability major.minor: "sm_90" if Hopper's
/// kernels run on it, else "sm_80", whose tables are those of the portable kernels. The number of
/// multiprocessors has no part in it, so that a slice of a device has the plans of the whole one.
std::string_view device_target(int major, int minor);
/// Seconds of portable products in float by multiply-adds over those in TF32, which the constants
/// assume, as measured on one card (M69 of docs/measurements/cards.md).
inline constexpr double kMultiplyAdds = 1.56;
/// Fewest multiprocessors of a Hopper card whose seconds are predicted by the measured constants,
/// unless its double is slow: those of the smallest H100.
inline constexpr int kFewestMeasured = 114;
/// Returns true if the seconds of a card can be predicted: its rates were measured, or its driver
/// reports clock and bandwidth, and the rates of its units are known.
bool is_predicted(const DeviceCard& card);

/// Returns the bytes that residuals take on a device (numeric/cuda/matrix/residual.cpp): both
/// halves of A by rows with their values, A's values in the caller's order, three vectors, and at
/// most one task per row.
constexpr Offset device_residual_bytes(Index n, Offset nnz, int scalar_bytes) {
  return (2 * nnz - n) * (Offset{2 * sizeof(Index)} + scalar_bytes) + nnz * scalar_bytes +
         Offset{n} * (3 * scalar_bytes + 2 * Offset{sizeof(Offset)});
}

/// Counts the work of a factorisation on a device, from the sizes of fronts alone: reads no row
/// structures. levels: those of nodes; entries: stored entries of A's lower triangle. O(fronts).
DeviceWork count_device_work(const Supernodes& nodes, const DeviceLevels& levels, Offset entries);

/// Returns the bytes per second at which sweeps read L.
double device_read_bandwidth(const DeviceCost& cost);
/// Returns the bandwidth of `cost` in the bytes of doubles, which DeviceWork counts.
double double_bandwidth(const DeviceCost& cost);
/// Returns the predicted seconds of a level of tiled fronts on the device of `cost`.
double device_level_seconds(const DeviceCost& cost, const DeviceWork::Level& level);
/// Returns the predicted seconds of a factorisation on the device of `cost`.
double device_factor_seconds(const DeviceCost& cost, const DeviceWork& work);
/// Returns the predicted seconds of a solve with one right-hand side of n rows, with the copies
/// from the CPU's memory and back.
double device_solve_seconds(const DeviceCost& cost, const DeviceWork& work, Index n);
/// Returns the predicted seconds of making a factor, with its uploads.
double device_create_seconds(const DeviceCost& cost, const DeviceWork& work);
/// Returns the predicted seconds of copying `bytes` bytes from the CPU's memory to the device.
double device_copy_seconds(const DeviceCost& cost, double bytes);

}  // namespace kauri::symbolic

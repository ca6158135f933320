// What whole factorisations and solves cost on a device, by named target and scalar. (Amalgamation, the cut into tasks and the selection of
// orderings go by the fronts' prices of cost_table.hpp.)
// SPDX-License-Identifier: BSD-3-Clause
//
// A factorisation takes
//
//     start + narrow levels * narrow_level + narrow fronts * narrow_front + narrow bytes / bandwidth      (one launch; small ones likewise)
//           + sum over levels of tiled fronts:
//                 tiled_level + max(chain * diagonal_tile, products * product + panel tiles * panel_tile + bytes / bandwidth):
//
// small fronts wait for their children, level by level, and each takes its share of the warps; a level of tiled fronts is bound by its
// longest chain of diagonal tiles, or by what all teams together have to do. A solve with one right-hand side by sweeps takes, for both,
//
//     sweep_start + small levels * sweep_small_level + narrow fronts * sweep_narrow_front + small fronts * sweep_small_front
//           + tiled levels * sweep_tiled_level + chains * sweep_tile + panel tiles * sweep_panel_tile + vectors / host_bandwidth:
//
// reading and waiting hardly overlap. The plain solve takes
//
//     levels * plain_level + sum of the largest panels of each level of tiled fronts / plain_bandwidth + vectors / host_bandwidth,
//
// since the largest front of a level keeps one block busy; and a factor is made in create + upload bytes / create_bandwidth. Bytes of
// numbers are those of the scalar.
#pragma once

#include <span>
#include <string_view>

#include "kauri/plan.hpp"

namespace kauri::symbolic {

/// One device in one scalar. Seconds, bytes per second. bench/cuda/fit_device_cost.py prints these constants where they are measured.
struct DeviceCost {
  std::string_view target;
  int scalar_bytes = sizeof(double);
  bool scaled = false;              ///< from another device's: never measured
  double start_s;                   ///< launches, counters cleared, the verdict
  double narrow_level_s;            ///< latency: a narrow front after its children
  double narrow_front_s;            ///< all warps at work: a narrow front's share
  double small_level_s;             ///< the same of small fronts
  double small_front_s;             ///< the same
  double tiled_level_s;             ///< latency: filling, the first products, the last contribution
  double diagonal_tile_s;           ///< a tile of the chain: factorised with the tile below it
  double product_s;                 ///< all teams at work: a product of two tiles
  double panel_tile_s;              ///< the same: loading a tile of L, its triangular solve
  double bandwidth;                 ///< device memory
  double sweep_start_s = 0;         ///< a solve by sweeps: launches, the first loads; 0: this device solves plainly
  double sweep_small_level_s = 0;   ///< from a small or narrow front to its parent and back
  double sweep_narrow_front_s = 0;  ///< all warps at work: a narrow front's share, both sweeps
  double sweep_small_front_s = 0;   ///< the same of small ones
  double sweep_tiled_level_s = 0;   ///< from a tiled front to its parent and back
  double sweep_tile_s = 0;          ///< from a diagonal tile to the next and back
  double sweep_panel_tile_s = 0;    ///< all blocks at work: a tile of L twice
  double plain_level_s;             ///< launches of both plain sweeps over a level
  double plain_bandwidth;           ///< of the panel that one block runs through, both plain sweeps
  double create_s;                  ///< allocations, the capture of the graph
  double create_bandwidth;          ///< of what is made on the host and uploaded
  double copy_s;                    ///< latency of a copy from the host
  double host_bandwidth;            ///< of copies from and to pageable memory
  double context_s;                 ///< the first call of a process until kernels can run
};

/// The constants of a target; throws Error(usage) for an unknown name or scalar.
const DeviceCost& device_cost(std::string_view target, int scalar_bytes = sizeof(double));

/// The target of plans for a device of compute capability major.minor: "sm_90" where Hopper's kernels run, else "sm_80", whose tables are
/// those of the portable ones.
std::string_view device_target(int major, int minor, int processors);
/// True if the constants of its target hold for it: H100s, H200s and their like, A100s. Others are slower in one thing or another, or
/// unknown.
bool is_predicted(int major, int minor, int processors);

double device_factor_seconds(const DeviceCost& cost, const DeviceWork& work);
/// One right-hand side of n rows, from the host and back.
double device_solve_seconds(const DeviceCost& cost, const DeviceWork& work, Index n);
double device_create_seconds(const DeviceCost& cost, const DeviceWork& work);
/// Bytes from the host to the device.
double device_copy_seconds(const DeviceCost& cost, double bytes);

}  // namespace kauri::symbolic

// The constants, and the formulas over them.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device_cost.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "kauri/error.hpp"

namespace kauri::symbolic {
namespace {

// Fitted (bench/fit_device_cost.py) to 45 systems on one NVIDIA H200; context_s and copy_s are taken as they are.
constexpr std::array kCosts{
    DeviceCost{.target = "sm_90",
               .start_s = 5.9e-5,
               .narrow_level_s = 2.5e-6,
               .narrow_front_s = 2.3e-9,
               .small_level_s = 1.4e-5,
               .small_front_s = 1.3e-8,
               .tiled_level_s = 6.1e-6,
               .diagonal_tile_s = 2.36e-5,
               .product_s = 1.15e-8,
               .panel_tile_s = 9.4e-8,
               .bandwidth = 7.0e12,
               .sweep_level_s = 2.9e-5,
               .sweep_bandwidth = 1.18e9,
               .create_s = 8.3e-4,
               .create_bandwidth = 6.4e9,
               .copy_s = 15e-6,
               .host_bandwidth = 3.9e9,
               .context_s = 0.5},
};

double small_seconds(double level_s, double front_s, double bandwidth, const DeviceWork::Small& work) {
  return level_s * work.levels + front_s * work.fronts + work.bytes / bandwidth;
}

}  // namespace

const DeviceCost& device_cost(std::string_view target) {
  for (const DeviceCost& cost : kCosts)
    if (cost.target == target) return cost;
  throw Error(ErrorKind::usage, "analyze: no constants for the device \"" + std::string(target) + "\"");
}

double device_factor_seconds(const DeviceCost& cost, const DeviceWork& work) {
  double seconds = cost.start_s + small_seconds(cost.narrow_level_s, cost.narrow_front_s, cost.bandwidth, work.narrow) +
                   small_seconds(cost.small_level_s, cost.small_front_s, cost.bandwidth, work.small);
  for (const DeviceWork::Level& level : work.tiled) {
    const double all = level.products * cost.product_s + level.panel_tiles * cost.panel_tile_s + level.bytes / cost.bandwidth;
    seconds += cost.tiled_level_s + std::max(level.chain * cost.diagonal_tile_s, all);
  }
  return seconds;
}

double device_solve_seconds(const DeviceCost& cost, const DeviceWork& work, Index n) {
  double seconds = 2.0 * sizeof(double) * n / cost.host_bandwidth + cost.sweep_level_s * (work.narrow.levels + work.small.levels);
  for (const DeviceWork::Level& level : work.tiled) seconds += cost.sweep_level_s + level.largest_panel / cost.sweep_bandwidth;
  return seconds;
}

double device_create_seconds(const DeviceCost& cost, const DeviceWork& work) {
  return cost.create_s + work.upload_bytes / cost.create_bandwidth;
}

double device_copy_seconds(const DeviceCost& cost, double bytes) { return cost.copy_s + bytes / cost.host_bandwidth; }

}  // namespace kauri::symbolic

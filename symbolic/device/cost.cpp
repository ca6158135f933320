// Counts of work in one pass over the fronts, the constants of devices, and formulas over them.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/cost.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "kauri/core/error.hpp"
#include "symbolic/common/device_units.hpp"
#include "symbolic/device/child_sums.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/front_tasks.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/device/small_layout.hpp"

namespace kauri::symbolic {
namespace {

constexpr double kBytes = sizeof(double);

struct FrontBytes {
  double panel, block;
};

FrontBytes bytes_of(Index m, Index p, bool is_tiled) {
  if (is_tiled) {
    const FrontCells cells{m, p};
    return {kBytes * static_cast<double>(cells.panel().entries()),
            kBytes * static_cast<double>(cells.block().entries())};
  }
  const SmallLayout layout{m, p};
  return {kBytes * layout.panel_entries(), kBytes * packed_entries(layout.order())};
}

void add_tiles(const FrontCells& cells, DeviceWork::Level& level) {
  const double pivots = cells.pivot_tiles(), rows = cells.row_tiles(), below = rows - pivots;
  const double columns_before = pivots * (pivots - 1) / 2,
               squares_before = columns_before * (2 * pivots - 1) / 3;
  ++level.fronts;
  level.chain = std::max(level.chain, cells.pivot_tiles());
  level.panel_tiles += rows * pivots - columns_before;
  // Tile (i, k) of L takes k products, with the tile columns before it; a tile of the contribution
  // block takes one for each pivot tile.
  level.products += rows * columns_before - squares_before + below * (below + 1) / 2 * pivots;
}

/// Returns the bytes of uploads: rows twice; A's entries with their rows and places; descriptions
/// of columns, fronts and tasks (kDevice...Bytes, less if a front has no tasks); for children of
/// tiled fronts the row maps, or a term for each of their listed entries; and for sweeps the
/// beginning and the place of the update rows of each row.
double upload_bytes(const Supernodes& nodes, Offset entries, const DeviceLevels& levels) {
  constexpr double kFront = kDeviceFrontBytes + kDeviceTiledPlanBytes + kDevicePulledBytes;
  const double columns = nodes.first.empty() ? 0 : nodes.first.back();
  const std::vector<Index> children = child_counts(nodes.parent);
  double maps = 0, terms = 0;
  for (Index s = 0; s < nodes.count(); ++s) {
    const Index parent = nodes.parent[s];
    if (parent == kNone || !levels.is_tiled(static_cast<std::size_t>(parent))) continue;
    const double q = nodes.contribution(s);
    if (is_listed(children[parent], nodes.contribution(s)))
      terms += q * (q + 1) / 2;
    else
      maps += static_cast<double>(row_map_words({nodes.order(parent), nodes.pivots(parent)}));
  }
  constexpr double kIndex = sizeof(Index);
  const double rows = static_cast<double>(nodes.row_ptr.back()), fronts = nodes.count(),
               sweeps = 2 * rows - columns + fronts;
  return 2 * kIndex * (rows + static_cast<double>(entries)) + 2 * kIndex * columns +
         kFront * fronts + sizeof(RowMapWord) * maps + sizeof(std::uint32_t) * (terms + sweeps);
}

/// Published figures of a card: boost clock in Hz, multiprocessors, operations per second, bytes
/// per second. The peak is that of doubles by tensor cores, if they are fast, or of floats by fused
/// multiply-adds: H200 and A100 have one figure for both.
struct Card {
  double clock;
  int processors;
  double peak, bandwidth;
};
constexpr Card kH200{1.98e9, 132, 67e12, 4.8e12};

// Fitted by bench/cuda/fit_device_cost.py to the measured systems of M11 (docs/measurements);
// context_s and copy_s are not fitted.
constexpr DeviceCost kHopper{.target = "sm_90",
                             .start_s = 5.4e-5,
                             .narrow_level_s = 2.7e-6,
                             .narrow_front_s = 2.3e-9,
                             .small_level_s = 1.4e-5,
                             .small_front_s = 6.3e-9,
                             .tiled_level_s = 2.7e-6,
                             .diagonal_tile_s = 2.05e-5,
                             .product_s = 1.02e-8,
                             .panel_tile_s = 7.2e-8,
                             .bandwidth = 9.7e12,
                             .sweep_start_s = 3.3e-5,
                             .sweep_small_level_s = 2.6e-6,
                             .sweep_narrow_front_s = 1.15e-9,
                             .sweep_small_front_s = 7.2e-9,
                             .sweep_tiled_level_s = 4.4e-6,
                             .sweep_tile_s = 1.07e-6,
                             .sweep_panel_tile_s = 1.22e-8,
                             .create_s = 3.7e-4,
                             .create_bandwidth = 1.09e10,
                             .copy_s = 15e-6,
                             .host_bandwidth = 1.45e10,
                             .context_s = 0.5,
                             .processors = kH200.processors,
                             .peak = kH200.peak};

/// Returns the constants of floats on the same card with Hopper's kernels, by three products in
/// TF32, fitted to measured factorisations: from 0.93 to 1.07 of the seconds of seven systems (M74
/// of docs/measurements).
constexpr DeviceCost in_float_on_hopper(DeviceCost cost) {
  cost.scalar_bytes = sizeof(float);
  cost.narrow_level_s = 2.4e-6, cost.narrow_front_s = 1.8e-9;
  cost.tiled_level_s = 3.0e-6, cost.diagonal_tile_s = 1.9e-5;
  cost.product_s = 6.85e-9, cost.panel_tile_s = 8.8e-8;
  cost.bandwidth = 5.6e12;
  cost.sweep_panel_tile_s /= 2;  // sweeps are bound by bytes while all blocks work; latencies
                                 // between blocks are the same for each scalar
  return cost;
}

// All other constants are scaled from others, and choose_target() counts seconds predicted from
// them kScaledWeight times.

/// Returns the constants of the same card with the portable kernels, fitted to their measured
/// seconds (M67 and M69 of docs/measurements): in double by FP64 tensor cores, in float by three
/// products in TF32. Sweeps take as long as Hopper's, in float half as long where bytes bound them.
constexpr DeviceCost with_portable_kernels(DeviceCost cost, int scalar_bytes) {
  const bool in_double = scalar_bytes == sizeof(double);
  cost.scalar_bytes = scalar_bytes;
  cost.narrow_level_s = 2.4e-6, cost.narrow_front_s = in_double ? 2.1e-9 : 1.8e-9;
  cost.tiled_level_s = 1.0e-5, cost.diagonal_tile_s = in_double ? 2.4e-5 : 2.2e-5;
  cost.product_s = in_double ? 1.55e-8 : 1.1e-8;
  cost.panel_tile_s = in_double ? 1.1e-7 : 6.5e-8;
  cost.bandwidth = in_double ? 8.0e12 : 5.5e12;
  cost.sweep_panel_tile_s *= scalar_bytes / 8.0;
  return cost;
}
constexpr Card kA100{1.41e9, 108, 19.5e12,
                     1.555e12};  // the card with 40 GB; the one with 80 GB has 2.0e12

/// Operations of a diagonal tile and the one below it.
constexpr double kChainOperations = kTile * kTile * kTile * (1.0 / 3 + 1);

/// Scales the constants of one card to another: latencies by clocks, fronts side by side also by
/// multiprocessors, products by peaks, tiles that sweeps read by bandwidths. Constants of the CPU's
/// work stay.
constexpr DeviceCost on_card(DeviceCost cost, std::string_view target, const Card& from,
                             const Card& to) {
  const double latency = from.clock / to.clock, fronts = latency * from.processors / to.processors,
               products = from.peak / to.peak;
  cost.target = target;
  cost.scaled = true;
  for (double DeviceCost::*seconds :
       {&DeviceCost::start_s, &DeviceCost::narrow_level_s, &DeviceCost::small_level_s,
        &DeviceCost::tiled_level_s, &DeviceCost::diagonal_tile_s, &DeviceCost::sweep_start_s,
        &DeviceCost::sweep_small_level_s, &DeviceCost::sweep_tiled_level_s,
        &DeviceCost::sweep_tile_s})
    cost.*seconds *= latency;
  for (double DeviceCost::*seconds :
       {&DeviceCost::narrow_front_s, &DeviceCost::small_front_s, &DeviceCost::sweep_narrow_front_s,
        &DeviceCost::sweep_small_front_s})
    cost.*seconds *= fronts;
  cost.product_s *= products, cost.panel_tile_s *= products;
  // A diagonal tile and the one below it are bound by their operations where units are few.
  cost.diagonal_tile_s = std::max(cost.diagonal_tile_s, kChainOperations * to.processors / to.peak);
  cost.bandwidth *= to.bandwidth / from.bandwidth;
  cost.sweep_panel_tile_s *= from.bandwidth / to.bandwidth;
  cost.processors = to.processors, cost.peak = to.peak;
  return cost;
}

constexpr std::array kCosts{
    kHopper, in_float_on_hopper(kHopper),
    on_card(with_portable_kernels(kHopper, sizeof(double)), "sm_80", kH200, kA100),
    on_card(with_portable_kernels(kHopper, sizeof(float)), "sm_80", kH200, kA100)};

/// Returns the bytes of a scalar over those of a double: DeviceWork counts bytes of doubles.
double share(const DeviceCost& cost) {
  return cost.scalar_bytes / static_cast<double>(sizeof(double));
}

double small_seconds(double level_s, double front_s, double bandwidth,
                     const DeviceWork::Small& work) {
  return level_s * work.levels + front_s * work.fronts + work.bytes / bandwidth;
}

/// Returns true if Hopper's kernels run, which handle doubles only.
bool has_hopper_kernels(int major, int minor) { return major == 9 && minor == 0; }

/// Returns true if the constants of Hopper hold for a Hopper card, as its driver describes it.
bool is_whole_hopper(DeviceCard card) {
  card.in_double = card.in_float = {};
  return card.processors >= kFewestMeasured && !has_slow_double(card);
}

/// Returns the figures of a card in a scalar. A figure that the driver does not report is 0.
Card figures_of(const DeviceCard& card, int scalar_bytes) {
  const CudaCompute compute =
      scalar_bytes == sizeof(double) ? CudaCompute::tensor : CudaCompute::fma;
  return {card.clock_hz, card.processors,
          operations_per_cycle(card, scalar_bytes, compute) * card.processors * card.clock_hz,
          std::min(card.bandwidth, card.processors * kReadsOfOne)};
}

/// Returns figures_of() a measured card, with measured rates in place of zeros, and the clock of
/// `from`. as_measured() takes out again what was scaled by them, so only zeros would do harm.
Card figures_of_measured(const DeviceCard& card, int scalar_bytes, const Card& from) {
  const DeviceCard::Rates& rates = scalar_bytes == sizeof(double) ? card.in_double : card.in_float;
  Card out = figures_of(card, scalar_bytes);
  if (out.clock <= 0) out.clock = from.clock;
  if (out.peak <= 0) out.peak = rates.flops_per_s;
  if (out.bandwidth <= 0) out.bandwidth = rates.read_bytes_per_s;
  return out;
}

constexpr std::array kFactorLatencies{&DeviceCost::narrow_level_s, &DeviceCost::narrow_front_s,
                                      &DeviceCost::small_level_s,  &DeviceCost::small_front_s,
                                      &DeviceCost::tiled_level_s,  &DeviceCost::diagonal_tile_s};
constexpr std::array kSweepLatencies{
    &DeviceCost::sweep_small_level_s, &DeviceCost::sweep_narrow_front_s,
    &DeviceCost::sweep_small_front_s, &DeviceCost::sweep_tiled_level_s, &DeviceCost::sweep_tile_s};

/// Operations of a product of two tiles, a multiply-add counting two.
constexpr double kProductOperations = 2.0 * kTile * kTile * kTile;

/// Replaces the constants that were measured on a card, and scales those of the same kind alike:
/// latencies by that of a level of small fronts, products and tiles of L by the operations per
/// second of products, and bytes by the rate at which sweeps read.
DeviceCost as_measured(DeviceCost cost, const DeviceCard& card) {
  const DeviceCard::Rates& rates =
      cost.scalar_bytes == sizeof(double) ? card.in_double : card.in_float;
  const double latency = rates.level_s / cost.narrow_level_s,
               sweep_latency = rates.sweep_level_s / cost.sweep_small_level_s,
               products = kProductOperations / rates.flops_per_s / cost.product_s,
               bytes = rates.read_bytes_per_s / device_read_bandwidth(cost);
  for (double DeviceCost::*seconds : kFactorLatencies) cost.*seconds *= latency;
  for (double DeviceCost::*seconds : kSweepLatencies) cost.*seconds *= sweep_latency;
  cost.product_s *= products, cost.panel_tile_s *= products;
  cost.diagonal_tile_s =
      std::max(cost.diagonal_tile_s, kChainOperations * card.processors / rates.flops_per_s);
  cost.bandwidth *= bytes, cost.sweep_panel_tile_s /= bytes;
  cost.start_s = rates.start_s, cost.sweep_start_s = rates.sweep_start_s;
  cost.copy_s = card.copy_s, cost.host_bandwidth = card.copy_bytes_per_s;
  cost.peak = std::max(cost.peak, rates.flops_per_s);
  cost.scaled = false;
  return cost;
}

}  // namespace

DeviceWork count_device_work(const Supernodes& nodes, const DeviceLevels& levels, Offset entries) {
  DeviceWork work;
  const Index first_tiled = levels.begin[tiled];
  work.narrow.levels = levels.begin[small];
  work.small.levels = first_tiled - levels.begin[small];
  work.tiled.resize(static_cast<std::size_t>(levels.begin[3] - first_tiled));
  const auto group = [&](Index s) -> DeviceWork::Small& {
    return levels.kind[s] == narrow ? work.narrow : work.small;
  };
  const auto level = [&](Index s) -> DeviceWork::Level& {
    return work.tiled[levels.of[s] - first_tiled];
  };
  const auto bytes = [&](Index s) -> double& {
    return levels.kind[s] == tiled ? level(s).bytes : group(s).bytes;
  };
  for (Index s = 0; s < nodes.count(); ++s) {
    const Index m = nodes.order(s), p = nodes.pivots(s);
    const bool is_tiled = levels.kind[s] == tiled;
    const FrontBytes size = bytes_of(m, p, is_tiled);
    bytes(s) += size.panel + size.block;
    if (nodes.parent[s] != kNone) bytes(nodes.parent[s]) += size.block;
    if (is_tiled) {
      add_tiles({m, p}, level(s));
    } else {
      ++group(s).fronts;
    }
  }
  work.upload_bytes = upload_bytes(nodes, entries, levels);
  return work;
}

const DeviceCost& device_cost(std::string_view target, int scalar_bytes) {
  for (const DeviceCost& cost : kCosts)
    if (cost.target == target && cost.scalar_bytes == scalar_bytes) return cost;
  throw Error(ErrorKind::usage,
              "analyze: no constants for the device \"" + std::string(target) +
                  "\" and scalars of " + std::to_string(scalar_bytes) +
                  " bytes; expected the target of a CUDA backend, and 4 or 8 bytes");
}

DeviceCost device_cost(std::string_view target, int scalar_bytes, const DeviceCard& card) {
  DeviceCost cost = device_cost(target, scalar_bytes);
  const bool hopper = target == kHopper.target, measured = is_measured(card);
  const Card& from = hopper ? kH200 : kA100;
  if (card.processors > 0 && !(hopper && is_whole_hopper(card)))
    cost = on_card(
        cost, cost.target, from,
        measured ? figures_of_measured(card, scalar_bytes, from) : figures_of(card, scalar_bytes));
  if (!hopper && card.processors > 0 && scalar_bytes == sizeof(float) &&
      !has_fast_tensor_cores(card.major, card.minor))
    cost.product_s *= kMultiplyAdds, cost.panel_tile_s *= kMultiplyAdds;
  return measured ? as_measured(cost, card) : cost;
}

std::string_view device_target(int major, int minor) {
  return has_hopper_kernels(major, minor) ? "sm_90" : "sm_80";
}

bool is_predicted(const DeviceCard& card) {
  return is_measured(card) ||
         (card.processors > 0 && card.bandwidth > 0 && figures_of(card, sizeof(double)).peak > 0);
}

double device_read_bandwidth(const DeviceCost& cost) {
  constexpr double kReads = 2 * kTile * kTile;  // a tile of L is read once in each sweep
  return kReads * cost.scalar_bytes / cost.sweep_panel_tile_s;
}

double double_bandwidth(const DeviceCost& cost) { return cost.bandwidth / share(cost); }

double device_level_seconds(const DeviceCost& cost, const DeviceWork::Level& level) {
  const double all = level.products * cost.product_s + level.panel_tiles * cost.panel_tile_s +
                     level.bytes / double_bandwidth(cost);
  return cost.tiled_level_s + std::max(level.chain * cost.diagonal_tile_s, all);
}

double device_factor_seconds(const DeviceCost& cost, const DeviceWork& work) {
  const double bandwidth = double_bandwidth(cost);
  double seconds = cost.start_s +
                   small_seconds(cost.narrow_level_s, cost.narrow_front_s, bandwidth, work.narrow) +
                   small_seconds(cost.small_level_s, cost.small_front_s, bandwidth, work.small);
  for (const DeviceWork::Level& level : work.tiled) seconds += device_level_seconds(cost, level);
  return seconds;
}

double device_solve_seconds(const DeviceCost& cost, const DeviceWork& work, Index n) {
  double seconds = 2.0 * cost.scalar_bytes * n / cost.host_bandwidth;
  const double small_levels = work.narrow.levels + work.small.levels;
  seconds += cost.sweep_start_s + cost.sweep_small_level_s * small_levels +
             cost.sweep_narrow_front_s * work.narrow.fronts +
             cost.sweep_small_front_s * work.small.fronts;
  for (const DeviceWork::Level& level : work.tiled)
    seconds += cost.sweep_tiled_level_s + cost.sweep_tile_s * level.chain +
               cost.sweep_panel_tile_s * level.panel_tiles;
  return seconds;
}

double device_create_seconds(const DeviceCost& cost, const DeviceWork& work) {
  return cost.create_s + work.upload_bytes / cost.create_bandwidth;
}

double device_copy_seconds(const DeviceCost& cost, double bytes) {
  return cost.copy_s + bytes / cost.host_bandwidth;
}

}  // namespace kauri::symbolic

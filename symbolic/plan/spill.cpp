// Tries cuts into segments in the order of their predicted seconds, until the places fit the limit.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/plan/spill.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/common/aligned_bytes.hpp"
#include "symbolic/device/cost.hpp"
#include "symbolic/device/places.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/device/segments.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::symbolic {
namespace {

/// Most cuts whose places are tried for one limit, in the order of their predicted seconds, and cuts
/// that take the least memory by count, which are tried if none of these fits.
constexpr std::size_t kMostTries = 24, kSmallestCuts = 16;

/// Bytes a second between device and host, and seconds that a segment adds: launches, and teams that
/// are idle at the end of its tasks. Measured on PCIe of generation 5.
constexpr double kLink = 54e9, kSegmentSeconds = 1.2e-4;

/// Makes schedules of a plan whose panels leave the device.
class Spiller {
 public:
  Spiller(const Plan& plan, int scalar_bytes)
      : plan_(plan),
        core_(plan.internals->device),
        scalar_bytes_(scalar_bytes),
        levels_(find_levels(plan.supernodes)),
        sizes_(sizes_of(plan.supernodes, levels_.kind)) {
    const PhaseMemory memory = phase_memory(levels_, plan.supernodes.parent, sizes_,
                                            inverse_entries(plan.supernodes, levels_));
    const DeviceCost& device = device_cost(plan.target, scalar_bytes);
    SpillCost cost{std::vector<double>(kTiledPhase, 0.0), kLink / scalar_bytes, kSegmentSeconds};
    for (const DeviceWork::Level& level : core_.work.tiled)
      cost.phase_s.push_back(device_level_seconds(device, level));
    for (Segments& cut : candidate_cuts(memory)) {
      const Offset entries = most_entries(memory, cut);
      const double seconds = predicted_seconds(memory, cut, cost);
      cuts_.push_back({std::move(cut), entries, seconds});
    }
  }

  /// Returns the cut with the least predicted seconds, among those tried, with which the plan takes
  /// at most device_bytes; nothing if there is none.
  [[nodiscard]] std::optional<Segments> cut_within(Offset device_bytes) const {
    std::vector<const Candidate*> order;
    for (const Candidate& cut : cuts_)
      if (bytes_with(cut.entries) <= device_bytes) order.push_back(&cut);
    std::ranges::stable_sort(order, {}, &Candidate::seconds);
    if (order.size() > kMostTries) order.resize(kMostTries);
    for (const Candidate* cut : order)
      if (bytes_of(cut->cut) <= device_bytes) return cut->cut;
    for (const Candidate* cut : smallest())
      if (bytes_of(cut->cut) <= device_bytes) return cut->cut;
    return std::nullopt;
  }

  /// Returns the fewest bytes that the plan takes with any of the cuts that are tried for any limit.
  [[nodiscard]] Offset least_bytes() const {
    Offset least = plan_.peak_bytes(scalar_bytes_);
    for (const Candidate* cut : smallest()) least = std::min(least, bytes_of(cut->cut));
    return least;
  }

  [[nodiscard]] DeviceSchedule schedule_of(const Segments& cut) const {
    DeviceSchedule made = lay_out_fronts(plan_.supernodes, levels_, &cut);
    made.hooks = core_.hooks, made.work = core_.work;
    made.useful_teams = core_.useful_teams, made.useful_blocks = core_.useful_blocks;
    add_device_tasks(plan_.supernodes, plan_.internals->assembly, levels_, made, core_.task_teams);
    return made;
  }

 private:
  struct Candidate {
    Segments cut;
    Offset entries;  // most that are in use at a time; places may take more, because of gaps
    double seconds;
  };
  /// Returns the cuts with the least memory by count, the fastest first.
  [[nodiscard]] std::vector<const Candidate*> smallest() const {
    std::vector<const Candidate*> order;
    for (const Candidate& cut : cuts_) order.push_back(&cut);
    std::ranges::stable_sort(order, {}, &Candidate::entries);
    if (order.size() > kSmallestCuts) order.resize(kSmallestCuts);
    std::ranges::stable_sort(order, {}, &Candidate::seconds);
    return order;
  }
  /// Returns the plan's device bytes with an array of so many entries beside the scratch of sums.
  /// The other arrays are those of the plan as it is, and those that only segments need, of which
  /// lists of sums may become smaller, if their places become short.
  [[nodiscard]] Offset bytes_with(Offset entries) const {
    const Offset scratch = core_.sums.place.empty() ? 0 : core_.entries - core_.sums.scratch_begin,
                 fronts = plan_.supernodes.count(),
                 tiles = static_cast<Offset>(core_.tile_ptr.size()),
                 more_tiles = fronts - core_.small_fronts + levels_.phases;
    const auto words = [](Offset count) { return aligned_bytes(count, Offset{sizeof(Index)}); };
    return plan_.peak_bytes(scalar_bytes_) - aligned_bytes(core_.entries, scalar_bytes_) +
           aligned_bytes(entries + scratch, scalar_bytes_) +
           aligned_bytes(fronts, kDeviceFrontBytes) +
           aligned_bytes(fronts, Offset{sizeof(Offset)}) + words(tiles + more_tiles) -
           words(tiles);
  }
  [[nodiscard]] Offset bytes_of(const Segments& cut) const {
    DeviceSchedule places;
    places.front = core_.front, places.small_fronts = core_.small_fronts;
    place_in_segments(plan_.supernodes, sizes_, levels_, cut, places);
    return bytes_with(places.entries);
  }

  const Plan& plan_;
  const DeviceSchedule& core_;
  int scalar_bytes_;
  DeviceLevels levels_;
  FrontSizes sizes_;
  std::vector<Candidate> cuts_;
};

[[noreturn]] void refuse(Offset device_bytes, Offset in_core, const std::string& least) {
  throw Error(ErrorKind::memory, "device_bytes is " + std::to_string(device_bytes) +
                                     ", but the plan takes " + std::to_string(in_core) +
                                     " bytes of device memory with all of L there, and " + least);
}

void require_tasks(const Plan& plan, Offset device_bytes, int scalar_bytes) {
  if (plan.internals->device.task.empty())
    refuse(device_bytes, plan.peak_bytes(scalar_bytes),
           "no panel can leave it, since no tasks do the plan's fronts");
}

}  // namespace

void spill(Plan& plan, Offset device_bytes, int scalar_bytes) {
  if (!plan.on_device() || plan.peak_bytes(scalar_bytes) <= device_bytes) return;
  require_tasks(plan, device_bytes, scalar_bytes);
  const Spiller spiller(plan, scalar_bytes);
  const std::optional<Segments> cut = spiller.cut_within(device_bytes);
  if (!cut)
    refuse(device_bytes, plan.peak_bytes(scalar_bytes),
           std::to_string(spiller.least_bytes()) + " with as little of it there as possible");
  plan.internals->device = spiller.schedule_of(*cut);
}

Offset least_device_bytes(const Plan& plan, int scalar_bytes) {
  require_tasks(plan, 0, scalar_bytes);
  return Spiller(plan, scalar_bytes).least_bytes();
}

}  // namespace kauri::symbolic

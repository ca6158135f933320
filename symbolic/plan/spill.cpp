// Tries cuts into segments, with more and more panels that leave, until the array fits the limit.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/plan/spill.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/common/aligned_bytes.hpp"
#include "symbolic/device/places.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/device/segments.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::symbolic {
namespace {

/// Cuts that are tried for one limit, with narrow and small fronts that stay, and with such that
/// leave.
constexpr int kTries = 32;

/// Makes schedules of a plan whose panels leave the device.
class Spiller {
 public:
  Spiller(const Plan& plan, int scalar_bytes)
      : plan_(plan),
        core_(plan.internals->device),
        scalar_bytes_(scalar_bytes),
        levels_(find_levels(plan.supernodes)),
        sizes_(sizes_of(plan.supernodes, levels_.kind)),
        memory_(phase_memory(levels_, plan.supernodes.parent, sizes_,
                             inverse_entries(plan.supernodes, levels_))) {}

  /// Returns the cut with the fewest entries that leave, among those tried, with which the plan
  /// takes at most device_bytes; nothing if there is none. Then sets `least` to the fewest bytes
  /// that the plan takes with any of them.
  [[nodiscard]] std::optional<Segments> cut_within(Offset device_bytes, Offset& least) const {
    std::optional<Segments> best;
    Offset fewest = 0;
    least = plan_.peak_bytes(scalar_bytes_);
    for (const bool small_leave : {false, true}) {
      PhaseMemory memory = memory_;
      if (small_leave) memory.stays = 0;
      const Offset low = least_entries(memory), high = std::max(low, core_.entries);
      for (int k = 0; k <= kTries; ++k) {
        std::optional<Segments> cut =
            segments_within(memory, high - (high - low) / kTries * k);
        if (k == kTries) cut = segments_within(memory, low);
        cut->small_leave = small_leave;
        const auto [bytes, host] = try_cut(*cut);
        least = std::min(least, bytes);
        if (bytes <= device_bytes && (!best || host < fewest)) best = cut, fewest = host;
      }
      if (best) break;
    }
    return best;
  }

  [[nodiscard]] DeviceSchedule schedule_of(const Segments& cut) const {
    DeviceSchedule made = lay_out_fronts(plan_.supernodes, levels_, &cut);
    made.hooks = core_.hooks, made.work = core_.work;
    made.useful_teams = core_.useful_teams, made.useful_blocks = core_.useful_blocks;
    add_device_tasks(plan_.supernodes, plan_.internals->assembly, levels_, made, core_.task_teams);
    return made;
  }

 private:
  struct Tried {
    Offset bytes, host;
  };
  /// Returns the plan's device bytes with a cut, and its entries in host memory. Beside the array
  /// there are the arrays of the plan as it is, and those that only segments need. Its lists of
  /// sums may take less, if their places become short.
  [[nodiscard]] Tried try_cut(const Segments& cut) const {
    DeviceSchedule places;
    places.front = core_.front, places.small_fronts = core_.small_fronts;
    place_in_segments(plan_.supernodes, sizes_, levels_, cut, places);
    const Offset scratch = core_.sums.place.empty() ? 0 : core_.entries - core_.sums.scratch_begin,
                 fronts = plan_.supernodes.count(),
                 tiles = static_cast<Offset>(core_.tile_ptr.size()),
                 more_tiles = fronts - core_.small_fronts + static_cast<Offset>(cut.end.size());
    const auto words = [](Offset count) { return aligned_bytes(count, Offset{sizeof(Index)}); };
    return {plan_.peak_bytes(scalar_bytes_) - aligned_bytes(core_.entries, scalar_bytes_) +
                aligned_bytes(places.entries + scratch, scalar_bytes_) +
                aligned_bytes(fronts, kDeviceFrontBytes) +
                aligned_bytes(fronts, Offset{sizeof(Offset)}) + words(tiles + more_tiles) -
                words(tiles),
            places.host_entries};
  }

  const Plan& plan_;
  const DeviceSchedule& core_;
  int scalar_bytes_;
  DeviceLevels levels_;
  FrontSizes sizes_;
  PhaseMemory memory_;
};

[[noreturn]] void refuse(Offset device_bytes, Offset in_core, const std::string& least) {
  throw Error(ErrorKind::memory, "device_bytes is " + std::to_string(device_bytes) +
                                     ", but the plan takes " + std::to_string(in_core) +
                                     " bytes of device memory with all of L there, and " + least);
}

/// Returns the cut of spill(); throws as it does if there is none.
Segments find_cut(const Plan& plan, const Spiller& spiller, Offset device_bytes, int scalar_bytes) {
  Offset least = 0;
  if (std::optional<Segments> cut = spiller.cut_within(device_bytes, least)) return *cut;
  refuse(device_bytes, plan.peak_bytes(scalar_bytes),
         std::to_string(least) + " with as little of it there as possible");
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
  plan.internals->device =
      spiller.schedule_of(find_cut(plan, spiller, device_bytes, scalar_bytes));
}

Offset least_device_bytes(const Plan& plan, int scalar_bytes) {
  require_tasks(plan, 0, scalar_bytes);
  Offset least = 0;
  static_cast<void>(Spiller(plan, scalar_bytes).cut_within(0, least));
  return least;
}

}  // namespace kauri::symbolic

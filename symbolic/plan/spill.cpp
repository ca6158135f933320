// Tries cuts into segments in the order of their predicted seconds, until the places fit the limit.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/plan/spill.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/common/aligned_bytes.hpp"
#include "symbolic/device/cost.hpp"
#include "symbolic/device/levels.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/launch/useful_teams.hpp"
#include "symbolic/layout/layout.hpp"
#include "symbolic/layout/places.hpp"
#include "symbolic/layout/segments.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::symbolic {
namespace {

/// Parts of the limit that the most entries in use at a time may take: since gaps between places
/// take more, cuts are tried within less and less of it, the fastest of each part first.
constexpr double kPartsOfLimit[] = {1, 0.97, 0.94, 0.9, 0.85, 0.8, 0.7};
constexpr std::size_t kTriesOfPart = 6;
/// Cuts with the least entries in use that are tried if none of these fits.
constexpr std::size_t kSmallestCuts = 16;

/// Number of halvings of the work from which a subtree is worked on by itself.
constexpr int kSpilledHalvings = 8;

/// Bytes a second between device and host, and seconds that a segment adds: launches, and teams
/// that are idle at the end of its tasks. Measured on PCIe of generation 5.
constexpr double kLink = 54e9, kSegmentSeconds = 1.2e-4;

/// Makes schedules of a plan whose panels leave the device.
class Spiller {
 public:
  Spiller(const Plan& plan, int scalar_bytes)
      : plan_(plan),
        core_(plan.internals->device),
        scalar_bytes_(scalar_bytes),
        kinds_(kinds_of(plan.supernodes)),
        sizes_(sizes_of(plan.supernodes, kinds_)) {
    const DeviceCost& device = device_cost(plan.target, scalar_bytes);
    for (LevelsOfSubtrees& levels :
         levels_of_subtrees(plan.supernodes, kinds_, sizes_, kSpilledHalvings)) {
      if (!ways_.empty() && levels.levels.of == ways_.back().levels.of) continue;
      ways_.push_back({std::move(levels.levels), {}});
      ways_.back().work = count_device_work(plan.supernodes, ways_.back().levels, plan.nnz);
    }
    for (const Way& way : ways_) add_cuts(way, device);
  }

  /// Levels, and a cut of them.
  struct Way {
    DeviceLevels levels;
    DeviceWork work;
  };
  struct Candidate {
    const Way* way;
    Segments cut;
    Offset entries;  ///< most that are in use at a time; places may take more, because of gaps
    double seconds;
  };

  /// Returns the cut with the least predicted seconds, among those tried, with which the plan takes
  /// at most device_bytes; null if there is none.
  [[nodiscard]] const Candidate* cut_within(Offset device_bytes) const {
    std::set<const Candidate*> too_large;  // which may be among the fastest of the next parts, too
    const auto fits = [&](const Candidate* cut) {
      if (too_large.contains(cut)) return false;
      if (bytes_of(*cut) <= device_bytes) return true;
      too_large.insert(cut);
      return false;
    };
    for (const double part : kPartsOfLimit) {
      const auto most = static_cast<Offset>(part * static_cast<double>(device_bytes));
      std::vector<const Candidate*> order;
      for (const Candidate& cut : cuts_)
        if (bytes_with(cut.entries) <= most) order.push_back(&cut);
      const auto tried = order.begin() + std::min(order.size(), kTriesOfPart);
      std::ranges::partial_sort(order, tried, {}, &Candidate::seconds);
      if (const auto found = std::find_if(order.begin(), tried, fits); found != tried)
        return *found;
    }
    const std::vector<const Candidate*> last = smallest();
    const auto found = std::ranges::find_if(last, fits);
    return found == last.end() ? nullptr : *found;
  }

  /// Returns the fewest bytes that the plan takes with any of the cuts that are tried for any
  /// limit.
  [[nodiscard]] Offset least_bytes() const {
    Offset least = plan_.peak_bytes(scalar_bytes_);
    for (const Candidate* cut : smallest()) least = std::min(least, bytes_of(*cut));
    return least;
  }

  [[nodiscard]] DeviceSchedule schedule_of(const Candidate& cut) const {
    DeviceSchedule made = lay_out_fronts(plan_.supernodes, cut.way->levels, &cut.cut);
    made.hooks = core_.hooks, made.work = cut.way->work;
    made.useful_teams = useful_teams(plan_.supernodes, made, plan_.target);
    made.useful_blocks = useful_blocks(made.work, plan_.target);
    add_device_tasks(plan_.supernodes, plan_.internals->assembly, cut.way->levels, made,
                     core_.task_teams);
    return made;
  }

 private:
  void add_cuts(const Way& way, const DeviceCost& device) {
    const PhaseMemory memory = phase_memory(way.levels, plan_.supernodes.parent, sizes_,
                                            inverse_entries(plan_.supernodes, way.levels));
    SpillCost cost{std::vector<double>(kTiledPhase, 0.0), kLink / scalar_bytes_, kSegmentSeconds};
    for (const DeviceWork::Level& level : way.work.tiled)
      cost.phase_s.push_back(device_level_seconds(device, level));
    for (Segments& cut : candidate_cuts(memory)) {
      const Offset entries = most_entries(memory, cut);
      const double seconds = predicted_seconds(memory, cut, cost);
      cuts_.push_back({&way, std::move(cut), entries, seconds});
    }
  }
  /// Returns the cuts with the fewest entries in use, the fastest first.
  [[nodiscard]] std::vector<const Candidate*> smallest() const {
    std::vector<const Candidate*> order;
    for (const Candidate& cut : cuts_) order.push_back(&cut);
    std::ranges::stable_sort(order, {}, &Candidate::entries);
    if (order.size() > kSmallestCuts) order.resize(kSmallestCuts);
    std::ranges::stable_sort(order, {}, &Candidate::seconds);
    return order;
  }
  /// Returns the plan's device bytes with an array of so many entries beside the scratch of sums:
  /// the plan's other arrays as they are, and the records and places of fronts for segments.
  [[nodiscard]] Offset bytes_with(Offset entries) const {
    const Offset scratch = core_.sums.place.empty() ? 0 : core_.entries - core_.sums.scratch_begin,
                 fronts = plan_.supernodes.count();
    return plan_.peak_bytes(scalar_bytes_) - aligned_bytes(core_.entries, scalar_bytes_) +
           aligned_bytes(entries + scratch, scalar_bytes_) +
           aligned_bytes(fronts, kDeviceFrontBytes) + aligned_bytes(fronts, Offset{sizeof(Offset)});
  }
  /// Returns a bound on the plan's device bytes with a cut: those of the array, of the lists of
  /// tiles, and of two arrays with a number for each level. Lists of sums may become smaller, if
  /// their places become short.
  [[nodiscard]] Offset bytes_of(const Candidate& cut) const {
    const DeviceSchedule made = lay_out_fronts(plan_.supernodes, cut.way->levels, &cut.cut);
    const auto words = [](std::size_t count) {
      return aligned_bytes(static_cast<Offset>(count), Offset{sizeof(Index)});
    };
    return bytes_with(made.entries) + words(made.tile_ptr.size()) - words(core_.tile_ptr.size()) +
           2 * words(std::max(made.level.size(), core_.level.size()) - core_.level.size());
  }

  const Plan& plan_;
  const DeviceSchedule& core_;
  int scalar_bytes_;
  std::vector<Index> kinds_;
  FrontSizes sizes_;
  std::vector<Way> ways_;
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
  const Spiller::Candidate* const cut = spiller.cut_within(device_bytes);
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

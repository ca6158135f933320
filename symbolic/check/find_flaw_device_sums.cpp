// Checks the validity of sums by lists: each entry of each listed child reaches its place once, as
// a term of sums that are complete by then. Checks the bytes and the counts of work of a device's
// schedule, too.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "symbolic/check/find_flaw.hpp"
#include "symbolic/device/child_rows.hpp"
#include "symbolic/device/child_sums.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/device/small_layout.hpp"
#include "symbolic/device/sweep_lists.hpp"
#include "symbolic/launch/useful_teams.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::symbolic {
namespace {

constexpr const char* kSum = "sum";

/// An entry of a listed child, and the entry of the host (its parent front) that it meets, as
/// places in the array.
using EntryPair = std::pair<Offset, Offset>;

void push_entries(const Plan& plan, Index host, Index child, std::vector<EntryPair>& entries) {
  const Supernodes& nodes = plan.supernodes;
  const DeviceSchedule& device = plan.internals->device;
  const FrontCells cells = cells_of(plan, child), into = cells_of(plan, host);
  const Index q = nodes.contribution(child);
  std::vector<Index> row(static_cast<std::size_t>(q));
  const Offset begin = nodes.row_ptr[child] - nodes.first[child];
  list_parent_rows(nodes, plan.internals->assembly, begin, begin + q, row.data());
  const auto place = [&](Index r, Index c) {
    return device.tiled[child] != kNone
               ? cells.block().place(r, c)
               : SmallLayout{cells.m, cells.p}.place(cells.p + r, cells.p + c);
  };
  for (Index c = 0; c < q; ++c)
    for (Index r = c; r < q; ++r)
      entries.emplace_back(
          device.block[child] + place(r, c),
          (row[c] < into.p ? device.panel[host] : device.block[host]) + into.place(row[r], row[c]));
}

/// Checks the sums of all tiled fronts that add children by lists (hosts). Requires sound tasks.
class SumCheck {
 public:
  explicit SumCheck(const Plan& plan)
      : plan_(plan), sums_(plan.internals->device.sums), count_(sums_.place.size()) {}

  std::string run() {
    const DeviceSchedule& device = plan_.internals->device;
    if (sums_.ptr.size() != count_ + 1 || sums_.ptr.front() != 0 ||
        sums_.ptr.back() != static_cast<Offset>(sums_.term.size()) ||
        !std::is_sorted(sums_.ptr.begin(), sums_.ptr.end()))
      return "terms are not divided among the sums";
    if (count_ % kSumGroup != 0) return "sums that do not fill up their groups";
    if (std::string flaw = deal(); !flaw.empty()) return flaw;
    if (std::string flaw = find_scratch(); !flaw.empty()) return flaw;
    destination_.assign(count_, -1);
    for (std::size_t t = 0; t < of_front_.size(); ++t)
      if (std::string flaw = check_host(
              device.front[static_cast<std::size_t>(device.small_fronts) + t], of_front_[t]);
          !flaw.empty())
        return flaw;
    return sums_.step == sum_steps(sums_) ? std::string() : "steps that are not those of the sums";
  }

 private:
  [[nodiscard]] bool is_scratch(Offset place) const { return place >= sums_.scratch_begin; }
  [[nodiscard]] std::size_t slot(Offset place) const {
    return static_cast<std::size_t>(place - sums_.scratch_begin);
  }

  /// Assigns the sums to their fronts, in the order of their stages.
  std::string deal() {
    const DeviceSchedule& device = plan_.internals->device;
    of_front_.resize(device.front.size() - static_cast<std::size_t>(device.small_fronts));
    stage_.assign(count_, kNone);
    for (const DeviceTask& task : device.task)
      for (Index k = task.row; task.kind == DeviceTask::Kind::sum && k < task.row + task.rows;
           ++k) {
        if (stage_[k] != kNone) return at(kSum, k, "of two tasks");
        stage_[k] = task.column;
        of_front_[task.front].push_back(k);
      }
    for (std::size_t k = 0; k < count_; ++k)
      if (stage_[k] == kNone) return at(kSum, static_cast<Offset>(k), "of no task");
    for (std::vector<Index>& mine : of_front_)
      std::stable_sort(mine.begin(), mine.end(),
                       [&](Index a, Index b) { return stage_[a] < stage_[b]; });
    return {};
  }

  /// Checks the places in scratch: each holds one sum, and none is left over. Sets writer_.
  std::string find_scratch() {
    const Offset entries = plan_.internals->device.entries,
                 scratch = count_ == 0 ? 0 : entries - sums_.scratch_begin;
    if (scratch != std::count_if(sums_.place.begin(), sums_.place.end(),
                                 [&](Offset place) { return is_scratch(place); }))
      return "not as much scratch as sums that lie there";
    writer_.assign(static_cast<std::size_t>(scratch), kNone);
    for (std::size_t k = 0; k < count_; ++k) {
      if (!is_scratch(sums_.place[k])) continue;
      if (sums_.place[k] >= entries || writer_[slot(sums_.place[k])] != kNone)
        return at(kSum, static_cast<Offset>(k), "outside the scratch, or where another is");
      writer_[slot(sums_.place[k])] = static_cast<Index>(k);
    }
    return {};
  }

  std::string check_host(Index host, const std::vector<Index>& mine) {
    std::vector<EntryPair> entries;
    for (Index k = plan_.internals->assembly.child_ptr[host];
         k < plan_.internals->assembly.child_ptr[host + 1]; ++k)
      if (const Index c = plan_.internals->assembly.child[k];
          is_listed(plan_.supernodes, plan_.internals->assembly, host, c))
        push_entries(plan_, host, c, entries);
    std::sort(entries.begin(), entries.end());
    std::vector<bool> taken(entries.size(), false);
    std::vector<Offset> places;
    for (const Index k : mine) {
      const Offset terms = sums_.ptr[k + 1] - sums_.ptr[k];
      if ((terms == 0) != (sums_.place[k] == -1) || terms > kFanIn)
        return at(kSum, k, "a place for no terms, or none for some, or more terms than fan in");
      if (terms == 0) continue;
      for (Offset e = sums_.ptr[k]; e < sums_.ptr[k + 1]; ++e)
        if (std::string flaw = take(k, sums_.term[e], entries, taken); !flaw.empty()) return flaw;
      if (is_scratch(sums_.place[k])) continue;
      if (sums_.place[k] != destination_[k])
        return at(kSum, k, "not where its terms meet the front");
      places.push_back(sums_.place[k]);
    }
    std::sort(places.begin(), places.end());
    if (std::adjacent_find(places.begin(), places.end()) != places.end())
      return at("supernode", host, "two sums to one entry at once");
    const auto left = std::find(taken.begin(), taken.end(), false);
    if (left != taken.end())
      return at("supernode", host, "an entry of a listed child that no sum adds");
    for (const Index k : mine)
      if (is_scratch(sums_.place[k]) && writer_[slot(sums_.place[k])] != kNone)
        return at(kSum, k, "in scratch, and never read");
    return {};
  }

  /// Checks one term of sum k: it must be an entry of a child, or a sum of an earlier stage of this
  /// front, that no other sum has as a term, and meet the same entry as the other terms.
  std::string take(Index k, Offset term, const std::vector<EntryPair>& entries,
                   std::vector<bool>& taken) {
    Offset meets = -1;
    if (is_scratch(term)) {
      if (term >= plan_.internals->device.entries || writer_[slot(term)] == kNone)
        return at(kSum, k, "a part that is not there, or was read before");
      const Index part = std::exchange(writer_[slot(term)], kNone);
      if (destination_[part] == -1 || stage_[part] >= stage_[k])
        return at(kSum, k, "a part that may come later, or is another front's");
      meets = destination_[part];
    } else {
      const auto entry = std::lower_bound(entries.begin(), entries.end(), EntryPair{term, -1});
      if (entry == entries.end() || entry->first != term)
        return at(kSum, k, "a term that is no entry of a listed child");
      const auto which = static_cast<std::size_t>(entry - entries.begin());
      if (taken[which]) return at(kSum, k, "an entry of a child that was added before");
      taken[which] = true;
      meets = entry->second;
    }
    if (destination_[k] != -1 && destination_[k] != meets)
      return at(kSum, k, "terms that meet different entries of the front");
    destination_[k] = meets;
    return {};
  }

  const Plan& plan_;
  const DeviceSchedule::Sums& sums_;
  std::size_t count_;
  std::vector<std::vector<Index>> of_front_;  // sums of each tiled front
  std::vector<Index> stage_;   // number of tasks of its front that each sum waits for
  std::vector<Index> writer_;  // per entry of scratch: the sum that writes it; kNone once that was
                               // read
  std::vector<Offset>
      destination_;  // per sum: place of the front's entry that its terms meet; -1: not known yet
};

}  // namespace

std::string flaw_in_device_sums(const Plan& plan) {
  if (!plan.internals->device.on) return {};
  if (plan.internals->device.task.empty())
    return plan.internals->device.sums.place.empty() ? std::string() : "sums without tasks";
  return SumCheck(plan).run();
}

std::string flaw_in_device_bytes(const Plan& plan) {
  const DeviceSchedule& device = plan.internals->device;
  if (!device.on) return {};
  if (device.row_maps != count_row_maps(plan.supernodes, plan.internals->assembly, device))
    return "row_maps are not those of all children pulled";
  if (device.shared_bytes !=
          count_shared_bytes(plan.supernodes, plan.internals->assembly, device) ||
      device.task_bytes != count_task_bytes(plan.supernodes, plan.internals->assembly, device) ||
      device.fast_bytes != count_fast_bytes(device) ||
      device.plan_bytes != count_plan_bytes(plan.supernodes, plan.internals->assembly, device))
    return "a device's bytes are not those of its arrays";
  if (device.sweeps != count_sweeps(plan.supernodes, plan.internals->assembly, device))
    return "a device's sweeps are not those of its fronts";
  const DeviceWork& work = device.work;
  if (work.narrow.fronts != device.narrow_fronts || work.narrow.levels != device.narrow_levels ||
      work.small.fronts != device.small_fronts - device.narrow_fronts ||
      work.small.levels != device.small_levels - device.narrow_levels ||
      work.tiled.size() != device.level.size() - static_cast<std::size_t>(device.small_levels))
    return "a device's work counts other fronts or levels";
  for (std::size_t l = 0; l < work.tiled.size(); ++l)
    if (work.tiled[l].fronts !=
        device.level[static_cast<std::size_t>(device.small_levels) + l].count)
      return at("device level", static_cast<Offset>(l) + device.small_levels,
                "a device's work counts other fronts");
  const Index teams = device.useful_teams, blocks = device.useful_blocks;
  if ((teams != 0 && teams != useful_teams(plan.supernodes, device, plan.target)) ||
      (blocks != 0 && blocks != useful_blocks(work, plan.target)))
    return "useful teams or blocks are not what the work gives";
  return {};
}

}  // namespace kauri::symbolic

// Tasks of a schedule on simulated threads that take turns at random, so that any legal order of
// events may occur.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "kauri/core/types.hpp"
#include "symbolic/host/schedule_lists.hpp"

namespace kauri::test {

/// Runs each task on one thread, and each of its fronts in two turns: turn(task, front, first)
/// returns false if something is wrong. Fronts ascend in a task, or descend if `down`. Returns the
/// first front where something is wrong, or kNone.
template <class Turn>
Index first_damage(const symbolic::Schedule& schedule, const symbolic::TaskEdges& edges, bool down,
                   int threads, std::uint64_t seed, const Turn& turn) {
  struct Thread {
    Index task = kNone;
    Index front = 0;
    bool first = true;
  };
  std::mt19937_64 random(seed);
  std::vector<Thread> running(static_cast<std::size_t>(threads));
  std::vector<Index> waits = edges.dependencies, ready;
  for (std::size_t t = 0; t < waits.size(); ++t)
    if (waits[t] == 0) ready.push_back(static_cast<Index>(t));
  std::size_t done = 0;
  while (done < waits.size()) {
    Thread& now = running[random() % running.size()];
    if (now.task == kNone) {
      if (ready.empty()) continue;
      std::swap(ready[random() % ready.size()], ready.back());
      const symbolic::Schedule::Task& task = schedule.task[ready.back()];
      now = {ready.back(), down ? task.last_front - 1 : task.first_front, true};
      ready.pop_back();
      continue;
    }
    if (!turn(now.task, now.front, now.first)) return now.front;
    now.first = !now.first;
    if (!now.first) continue;
    now.front += down ? -1 : 1;
    if (now.front >= schedule.task[now.task].first_front &&
        now.front < schedule.task[now.task].last_front)
      continue;
    for (Offset k = edges.successor_ptr[now.task]; k < edges.successor_ptr[now.task + 1]; ++k)
      if (--waits[edges.successor[k]] == 0) ready.push_back(edges.successor[k]);
    now.task = kNone;
    ++done;
  }
  return kNone;
}

/// Returns the data edges alone: each task's parent waits for it.
inline symbolic::TaskEdges tree_edges(const symbolic::Schedule& schedule) {
  symbolic::TaskEdges edges{std::vector<Index>(schedule.task.size(), 0), {0}, {}};
  for (const symbolic::Schedule::Task& task : schedule.task) {
    if (task.parent != kNone) {
      edges.successor.push_back(task.parent);
      ++edges.dependencies[task.parent];
    }
    edges.successor_ptr.push_back(static_cast<Offset>(edges.successor.size()));
  }
  return edges;
}

/// Returns the edges with their directions reversed, by counting.
inline symbolic::TaskEdges reversed(const symbolic::TaskEdges& edges) {
  const auto tasks = static_cast<Index>(edges.dependencies.size());
  symbolic::TaskEdges out{std::vector<Index>(edges.dependencies.size(), 0), {0}, {}};
  for (Index to = 0; to < tasks; ++to) {
    for (Index from = 0; from < tasks; ++from)
      for (Offset k = edges.successor_ptr[from]; k < edges.successor_ptr[from + 1]; ++k)
        if (edges.successor[k] == to) {
          out.successor.push_back(from);
          ++out.dependencies[from];
        }
    out.successor_ptr.push_back(static_cast<Offset>(out.successor.size()));
  }
  return out;
}

/// Removes the k-th edge, which leaves task `from`.
inline void erase_edge(symbolic::TaskEdges& edges, Index from, Offset k) {
  --edges.dependencies[edges.successor[k]];
  edges.successor.erase(edges.successor.begin() + k);
  for (std::size_t t = static_cast<std::size_t>(from) + 1; t < edges.successor_ptr.size(); ++t)
    --edges.successor_ptr[t];
}

}  // namespace kauri::test

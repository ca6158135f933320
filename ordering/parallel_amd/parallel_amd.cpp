// Parallel approximate minimum degree: loading, rounds, storage, and the final order.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/parallel_amd/parallel_amd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/threads/host_threads.hpp"
#include "base/threads/stopping.hpp"
#include "ordering/features/graph_features.hpp"
#include "ordering/parallel_amd/engine.hpp"

namespace kauri::ordering {
namespace pamd {
Elimination::Elimination(const GraphView& graph, const ParallelAmdOptions& options)
    : options_(options),
      n_(graph.size()),
      total_(graph.total_weight()),
      alone_(threads_here() == 1),
      node_(std::make_unique_for_overwrite<Node[]>(static_cast<std::size_t>(n_))) {
  timed(Stage::load, [&] { load(graph); });
}

void Elimination::load(const GraphView& graph) {
  const Offset edges = graph.edges(), base = graph.ptr.front();
  pool_size_ = static_cast<std::size_t>(
      edges + n_ + static_cast<Offset>(options_.elbow * static_cast<double>(edges)));
  pool_ = pool_memory_.require(pool_size_);
  pool_free_ = edges;
  expected_ = edges / n_ + 1;
  living_.resize(static_cast<std::size_t>(n_));
  living_end_.resize(static_cast<std::size_t>(Blocks(n_, kBlock).count()));
  mark_.assign(static_cast<std::size_t>(n_), 0);
  Blocks(n_, kBlock).for_each([&](Index b, Index begin, Index end) {
    living_end_[b] = end;
    for (Index v = begin; v < end; ++v) {
      const auto neighbours = graph.neighbours(v);
      auto degree = static_cast<Index>(neighbours.size());
      if (!graph.weight.empty()) {
        degree = 0;
        for (const Index u : neighbours) degree += graph.weight[u];
      }
      const Offset list = graph.ptr[v] - base;
      node_[v] = {std::numeric_limits<std::uint64_t>::max(),
                  static_cast<PoolPlace>(list),
                  static_cast<Index>(neighbours.size()),
                  0,
                  graph.weight_of(v),
                  degree,
                  1};
      std::copy(neighbours.begin(), neighbours.end(), pool_ + list);
      living_[v] = v;
    }
  });
}

void Elimination::run() {
  while (eliminated_ < total_) {
    ++round_;
    stop_here();
    play_round();
  }
}

void Elimination::play_round() {
  timed(Stage::gather, [&] { gather(); });
  small_ = alone_ || candidate_.size() < 2 ||
           static_cast<Offset>(candidate_.size()) * expected_ < 2 * options_.task_entries;
  const Stopwatch watch;
  timed(Stage::claim, [&] { claim_all(); });
  timed(Stage::collect, [&] { ensure_room(entries_); });
  timed(Stage::eliminate, [&] { eliminate_all(); });
  if (options_.report != nullptr && small_)
    ++options_.report->alone, options_.report->alone_s += watch.seconds();
  timed(Stage::commit, [&] { commit(); });
}

/// Publishes the news of the winners, new weights and degrees of vertices, in the order of the
/// candidates, and adapts the number of candidates wanted.
void Elimination::commit() {
  std::size_t winners = 0;
  Offset entries = 0;
  for (const PivotCandidate& c : candidate_) {
    if (!c.wins) continue;
    if (options_.trace != nullptr)
      options_.trace->push_back(
          {c.vertex, node_[c.vertex].weight, pending_[c.pending].degree, c.weight, c.eliminated});
    pending_[c.pending].vertex = kNone;
    ++winners;
    sequence_.push_back(c.vertex);
    const Index* news = c.list;
    for (Index k = 0; k < c.weights; ++k, news += 2)
      node_[news[0]].weight = news[1];  // stores that nothing waits for
    for (Index k = 0; k < c.degrees; ++k, news += 2) push(news[0], round_, news[1]);
    node_[c.vertex].weight = 0;
    eliminated_ += c.eliminated;
    widest_ = std::max(widest_, c.weight);
    entries += c.length;
  }
  sweep_buckets();
  expected_ = (expected_ + entries / static_cast<Offset>(winners)) / 2 + 1;
  if (options_.report != nullptr) {
    ParallelAmdReport& report = *options_.report;
    ++report.rounds;
    report.candidates += static_cast<Offset>(candidate_.size());
    report.winners += static_cast<Offset>(winners);
    report.claimed += entries;
  }
  if (candidate_.size() < want_) return;  // too few candidates to estimate how many would win
  const double wanted = std::ceil(static_cast<double>(winners) * options_.tries) + 1;
  want_ = static_cast<std::size_t>(std::min<double>(wanted, options_.most));
}

void Elimination::ensure_room(Offset entries) {
  if (pool_free_ + entries > static_cast<Offset>(pool_size_)) collect_garbage(entries);
}

/// Copies all living lists to another pool, in the order of their owners, with room for at least
/// `entries` more.
void Elimination::collect_garbage(Offset entries) {
  const Blocks blocks(n_, kBlock);
  std::vector<Offset> first(static_cast<std::size_t>(blocks.count()) + 1, 0);
  blocks.for_each([&](Index b, Index begin, Index end) {
    Offset sum = 0;
    for (Index v = begin; v < end; ++v)
      if (is_alive(node_[v])) sum += node_[v].length;
    first[b + 1] = sum;
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  pool_size_ = std::max(pool_size_, static_cast<std::size_t>(first.back() + entries));
  Index* const to = other_memory_.require(pool_size_);
  blocks.for_each([&](Index b, Index begin, Index end) {
    Offset at = first[b];
    for (Index v = begin; v < end; ++v) {
      Node& x = node_[v];
      if (!is_alive(x)) continue;
      std::copy_n(pool_ + x.list, x.length, to + at);
      x.list = static_cast<PoolPlace>(at);
      at += x.length;
    }
  });
  std::swap(pool_memory_, other_memory_);
  pool_ = to;
  pool_free_ = first.back();
  if (options_.report != nullptr) ++options_.report->collections;
}

/// Returns the element of which v is a pivot, following merged variables to their principals. Does
/// not compress the paths, since they are short: number(), which calls this for all vertices, took
/// at most an eighth of the time of the whole ordering on meshes, lattices and networks.
Index Elimination::root_of(Index v) const {
  while (node_[v].elements >= 0) v = static_cast<Index>(node_[v].list);
  return v;
}

/// Writes the order. Each subtree of the assembly tree takes a range of it, whose last part is the
/// root's and whose earlier parts are the children's. Ranges are cut off from the end, parents
/// before children.
void Elimination::number(std::span<Index> order) {
  struct SubtreeCounts {
    Index own = 0, subtree = 0, next = 0,
          end = 0;  // numbers of vertices; place of its next vertex; end of its next child's range
  };
  std::vector<SubtreeCounts> front(static_cast<std::size_t>(n_));
  std::vector<Index> root(static_cast<std::size_t>(n_));
  Blocks(n_, kBlock).for_each([&](Index, Index begin, Index end) {
    for (Index v = begin; v < end; ++v) {
      root[v] = root_of(v);
      std::atomic_ref(front[root[v]].own).fetch_add(1, std::memory_order_relaxed);
    }
  });
  const auto parent = [&](Index e) { return static_cast<Index>(node_[e].list); };
  for (const Index e : sequence_) {
    front[e].subtree += front[e].own;
    if (parent(e) != kNone) front[parent(e)].subtree += front[e].subtree;
  }
  Index end = n_;
  for (auto e = sequence_.rbegin(); e != sequence_.rend(); ++e) {
    SubtreeCounts& f = front[*e];
    Index& limit = parent(*e) == kNone ? end : front[parent(*e)].end;
    f.next = f.end = limit - f.own;
    limit -= f.subtree;
  }
  for (Index v = 0; v < n_; ++v) order[front[root[v]].next++] = v;
}

}  // namespace pamd

void parallel_minimum_degree(const GraphView& graph, const ParallelAmdOptions& options,
                             AmdWorkspace& workspace, std::span<Index> order) {
  const auto lists =
      static_cast<double>(graph.edges()) * (1 + options.elbow) + static_cast<double>(graph.size());
  const DegreeSpread spread = degree_spread(graph);
  const bool hubs =
      has_hubs(spread) &&
      spread.most >
          AmdOptions{}
              .long_list;  // every adjacent pivot would read such a list; one thread passes it over
  if (graph.size() < std::max(options.sequential_below, 1) || (hubs && options.sequential_hubs) ||
      2 * lists > static_cast<double>(std::numeric_limits<std::uint32_t>::max())) {
    (void)approximate_minimum_degree(graph,
                                     {.aggressive = options.aggressive,
                                      .trace = options.trace,
                                      .most_work = options.most_work,
                                      .work = options.work},
                                     workspace, order);
    return;
  }
  pamd::Elimination elimination(graph, options);
  elimination.run();
  Stopwatch watch;
  elimination.number(order);
  if (options.report != nullptr)
    options.report->seconds[ParallelAmdReport::number] += watch.seconds();
}

}  // namespace kauri::ordering

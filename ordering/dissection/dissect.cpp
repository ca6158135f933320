// Nested dissection: peeling, the recursion by separators, leaves, and the order of separators.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/dissect.hpp"

#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "base/common/splitmix64.hpp"
#include "base/threads/blocks.hpp"
#include "base/threads/per_thread.hpp"
#include "base/threads/stopping.hpp"
#include "ordering/amd/amd.hpp"
#include "ordering/dissection/candidates.hpp"
#include "ordering/dissection/leaf.hpp"
#include "ordering/dissection/peel.hpp"
#include "ordering/dissection/piece.hpp"

namespace kauri::ordering {
namespace dissection {
namespace {

constexpr Index kLeaf = 200;  // largest number of vertices of a part that is a leaf by its size
// Least number of vertices of a part that several threads dissect.
constexpr Index kTask = 2000;
// kThick, kWhole: largest shares of the weight that a separator and a side may have; otherwise the
// part is a leaf.
constexpr double kThick = 1.0 / 3, kWhole = 0.9;

Trials trials_of(Effort effort) {
  Trials trials;
  switch (effort) {
    case Effort::fast:
      trials.refined = 1;
      break;
    case Effort::standard:
      break;
    case Effort::best:
      trials.backwards = true;
      trials.thorough = true;
      trials.follow = false;
      trials.sources = 3;
      trials.refined = 3;
      trials.rounds = 3;
      trials.polish_all = true;
      break;
  }
  return trials;
}

class Dissection {
 public:
  Dissection(const GraphView& whole, const DissectionOptions& options, std::span<Index> order)
      : whole_(whole),
        order_(order),
        trials_(trials_of(options.effort)),
        seed_(options.seed),
        most_work_(options.most_work),
        place_(static_cast<std::size_t>(whole.size()), kNone) {}

  void run() { divide({whole_, {}}, 0, trials_, seed_); }
  void run(Piece piece) { order(std::move(piece), 0, trials_, seed_); }
  /// Number of steps made. More than most_work if the dissection was given up.
  [[nodiscard]] Offset work() const { return work_; }

 private:
  // Returns true, for all later calls too, if more than most_work steps were made.
  [[nodiscard]] bool given_up() const { return work_ > most_work_; }

  // Orders a piece: its vertices take the places from `first` on. Frees the piece's memory.
  void order(Piece piece, Index first, const Trials& trials, std::uint64_t seed) {
    if (piece.graph.size() <= kLeaf)
      leaf(view_of(piece), first);
    else
      divide(view_of(piece), first, trials, seed, &piece);
  }

  // Dissects a piece; orders it by components if it is not connected, as a leaf if no separation is
  // worth dissecting by. Its vertices take the places from `first` on. owner: null, or the piece
  // that owns the view's data, which is freed once both sides are extracted.
  void divide(const PieceView& piece, Index first, const Trials& trials, std::uint64_t seed,
              Piece* owner = nullptr) {
    const Index n = piece.graph.size();
    if (n <= kLeaf) return leaf(piece, first);
    stop_here();
    if (given_up()) return;
    work_ += kDissectionSteps * (n + piece.graph.edges());
    SeparatorSearch found = best_separation(piece.graph, trials, splitmix64(seed), separators_);
    if (!found.best) return order_components(piece, first, trials, seed);
    const Separation& separation = *found.best;
    if (!divides(separation.weight, found.is_across)) return leaf(piece, first);
    Piece left, right;
    const auto take = [&](Piece& side, Side which) {
      side = extract_side(piece, separation, which);
    };
    if (n < kTask)
      take(left, kLeft), take(right, kRight);
    else
      side_by_side_alone([&] { take(left, kLeft); }, [&] { take(right, kRight); });
    const Index middle = first + left.graph.size(), top = middle + right.graph.size();
    place_separator(piece, separation, top);
    const Trials below = found.below;
    found = {};
    if (owner != nullptr) *owner = {};
    const std::uint64_t left_seed = splitmix64(seed), right_seed = splitmix64(seed);
    if (n < kTask) {
      order(std::move(left), first, below, left_seed);
      order(std::move(right), middle, below, right_seed);
    } else {
      side_by_side([&] { order(std::move(left), first, below, left_seed); },
                   [&] { order(std::move(right), middle, below, right_seed); });
    }
    if (!given_up()) sort_separator(top, first + n);
  }

  // Returns true if a separation with these weights is worth dissecting by. across:
  // SeparatorSearch::is_across.
  static bool divides(const PartWeights& weight, bool across) {
    const Offset total = weight[kLeft] + weight[kRight] + weight[kSeparator];
    if (weight[kSeparator] == 0)
      return weight[kLeft] > 0 && weight[kRight] > 0;  // two sets of whole components
    return weight[kLeft] > 0 && weight[kRight] > 0 &&
           heavier_side(weight) <= most_side(total, kWhole) &&
           weight[kSeparator] <= most_side(total, kThick) && (across || !is_thin(weight));
  }

  void place_separator(const PieceView& piece, const Separation& separation, Index to) {
    for (Index v = 0; v < piece.graph.size(); ++v)
      if (separation.side[v] == kSeparator) {
        const Index u = piece.vertex_of(v);
        place_[u] = to;
        order_[to++] = u;
      }
  }

  /// Sorts the separator at places [begin, end) by the lowest place of each vertex's neighbours,
  /// once all vertices below the separator are placed. Separator vertices that are rows of a front
  /// below, that is, that have neighbours in the front's subtree, mostly have their lowest
  /// neighbours in that subtree, so the rows of the front form few runs. (Runs get 2.4 times as
  /// long on random geometric graphs, 1.4 on tetrahedra, 1.1 on lattices.)
  void sort_separator(Index begin, Index end) {
    std::vector<std::pair<Index, Index>> by_neighbour;
    for (Index k = begin; k < end; ++k) {
      Index lowest = begin;
      for (const Index u : whole_.neighbours(order_[k]))
        if (place_[u] != kNone)
          lowest = std::min(lowest, place_[u]);  // separators above have places after `begin`
      by_neighbour.emplace_back(lowest, order_[k]);
    }
    std::sort(by_neighbour.begin(), by_neighbour.end());
    for (Index k = begin; k < end; ++k) {
      order_[k] = by_neighbour[k - begin].second;
      place_[order_[k]] = k;
    }
  }

  void order_components(const PieceView& piece, Index first, const Trials& trials,
                        std::uint64_t seed) {
    if (threads_lost()) {
      for (Piece& part : extract_components(piece, kLeaf)) {
        const Index begin = first;
        first += part.graph.size();
        order(std::move(part), begin, trials, splitmix64(seed));
      }
      return;
    }
    auto own = own_context();
    tbb::task_group group(own);
    for (Piece& part : extract_components(piece, kLeaf)) {
      const Index begin = first;
      first += part.graph.size();
      const std::uint64_t part_seed = splitmix64(seed);
      group.run([this, begin, &trials, part_seed, token = stopping::current,
                 mine = std::make_shared<Piece>(std::move(part))] {
        const StopScope scope(token);
        order(std::move(*mine), begin, trials, part_seed);
      });
    }
    group.wait();
  }

  void leaf(const PieceView& piece, Index first) {
    const Index n = piece.graph.size();
    const Offset left = most_work_ - work_;
    if (left < 0) return;
    Offset work = 0;
    if (piece.vertex.empty()) {  // the piece is the whole graph and has no halo
      AmdWorkspace workspace;
      (void)approximate_minimum_degree(piece.graph, {.most_work = left, .work = &work}, workspace,
                                       order_);
      work_ += work;
      return;
    }
    for (Index v = 0; v < n; ++v) place_[piece.vertex[v]] = first + v;
    const auto workspace = leaves_.use();
    const std::span<const Index> sequence =
        order_leaf(whole_, piece, place_, first, *workspace, {.most_work = left, .work = &work});
    work_ += work;
    for (const Index v : sequence) {
      const Index u = piece.vertex[v];
      place_[u] = first;
      order_[first++] = u;
    }
  }

  const GraphView& whole_;
  const std::span<Index> order_;
  const Trials trials_;
  const std::uint64_t seed_;
  const Offset most_work_;
  std::atomic<Offset> work_ = 0;
  // By vertex: its place. A separator vertex has any place of its separator until all below it is
  // ordered. A leaf vertex has first + its number while the leaf is ordered. A halo vertex has
  // kNone.
  std::vector<Index> place_;
  SeparatorWorkspaces separators_;
  PerThread<LeafOrderWorkspace> leaves_;
};

/// Dissects the vertices v < interior, with all other vertices as a halo, and writes their order.
/// Returns the number of steps made; `order` is unspecified if this is more than options.most_work.
Offset dissect(const GraphView& graph, Index interior, const DissectionOptions& options,
               std::span<Index> order) {
  Dissection dissection(graph, options, order);
  if (interior == graph.size()) {
    dissection.run();
    return dissection.work();
  }
  Separation halo;
  halo.side.assign(static_cast<std::size_t>(graph.size()), kSeparator);
  std::fill(halo.side.begin(), halo.side.begin() + interior, kLeft);
  dissection.run(extract_side({graph, {}}, halo, kLeft));
  return dissection.work();
}

}  // namespace
}  // namespace dissection

bool nested_dissection(const GraphView& graph, const DissectionOptions& options,
                       std::span<Index> order) {
  return nested_dissection(graph, graph.size(), options, order);
}

bool nested_dissection(const GraphView& graph, Index interior, const DissectionOptions& options,
                       std::span<Index> order) {
  Offset work = 0;
  std::optional<dissection::Peeling> peeling;
  if (interior > dissection::kLeaf) peeling = dissection::peel(graph, interior);
  if (!peeling) {
    if (interior > 0) work = dissection::dissect(graph, interior, options, order);
  } else {
    std::vector<Index> core_order(static_cast<std::size_t>(peeling->interior));
    if (peeling->interior > 0)
      work = dissection::dissect(peeling->core.view(), peeling->interior, options, core_order);
    if (work <= options.most_work) dissection::place_all(*peeling, core_order, order);
  }
  if (options.work != nullptr) *options.work = work;
  return work <= options.most_work;
}

}  // namespace kauri::ordering

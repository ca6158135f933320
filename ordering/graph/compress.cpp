// Hashes closed neighbourhoods, and builds the graph of their classes (Ashcraft 1995).
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/graph/compress.hpp"

#include <algorithm>
#include <utility>

#include "base/host/memory.hpp"
#include "base/threads/blocks.hpp"
#include "base/threads/stopping.hpp"
#include "ordering/graph/row_blocks.hpp"

namespace kauri::ordering {
namespace {

constexpr Index kCompressBlock = 16384;  // vertices in a task

constexpr Index kWorthMerging = 64;  // merging pays if one vertex in this many is a twin of another
constexpr Index kSample = 1024;      // size of the random sample that estimates the share of twins

// Sums of plain vertex numbers collide on regular meshes. A product folded onto itself is not
// linear, and its sums do not collide.
std::uint64_t scramble(Index v) {
  const std::uint64_t x = (static_cast<std::uint64_t>(v) + 1) * 0x9E3779B97F4A7C15u;
  return x ^ (x >> 29);
}

class TwinFinder {
 public:
  TwinFinder(const GraphView& graph, std::span<const char> kept, std::uint64_t hash_mask)
      : graph_(graph), kept_(kept), hash_mask_(hash_mask) {}

  /// Returns false if merging hardly pays: a random sample of the vertices has fewer twins than
  /// three quarters of the share from which merging pays. Returns true for small graphs, without a
  /// sample, and if the sample reads more entries of lists than hashing would.
  [[nodiscard]] bool promises() const {
    const auto n = static_cast<std::uint64_t>(graph_.size());
    if (n < 4 * kSample) return true;
    Index twins = 0;
    Offset looks = 0;  // entries of lists that were read
    for (Index k = 0; k < kSample; ++k) {
      const auto v = static_cast<Index>(scramble(k) % n);
      const auto list = graph_.neighbours(v);
      const bool found = std::any_of(list.begin(), list.end(), [&](Index u) {
        ++looks;
        if (graph_.degree(u) != graph_.degree(v)) return false;
        looks += 2 * Offset{graph_.degree(v)};
        return equal(u, v);
      });
      twins += found ? 1 : 0;
      if (looks > graph_.edges()) return true;  // hashing all vertices is cheaper
    }
    return 4 * twins * kWorthMerging >= 3 * kSample;
  }

  // Returns the representatives. Vertices of equal closed neighbourhoods are neighbours, so the
  // least of a class is the first equal neighbour of all others.
  std::vector<Index> run() {
    const Index n = graph_.size();
    std::vector<Index> representative(static_cast<std::size_t>(n));
    hash_.resize(static_cast<std::size_t>(n));
    const Blocks blocks(n, kCompressBlock);
    blocks.for_each([this](Index, Index begin, Index end) {
      for (Index v = begin; v < end; ++v) hash_[v] = is_kept(v) ? hash(v) : 0;
    });
    blocks.for_each([&](Index, Index begin, Index end) {
      for (Index v = begin; v < end; ++v) representative[v] = is_kept(v) ? first_twin(v) : v;
    });
    return representative;
  }

 private:
  // Returns the least vertex with the closed neighbourhood of v: v itself if none precedes it.
  Index first_twin(Index v) const {
    for (const Index u : graph_.neighbours(v)) {
      if (u > v) break;
      if (hash_[u] == hash_[v] && is_kept(u) && equal(u, v)) return u;
    }
    return v;
  }

  bool is_kept(Index v) const { return kept_.empty() || kept_[v]; }

  std::uint32_t hash(Index v) const {
    std::uint64_t sum = scramble(v);
    if (kept_.empty())
      for (const Index u : graph_.neighbours(v)) sum += scramble(u);
    else
      for (const Index u : graph_.neighbours(v)) sum += kept_[u] ? scramble(u) : 0;
    return static_cast<std::uint32_t>((sum ^ (sum >> 32)) & hash_mask_);
  }

  // Returns true if u and v have the same closed neighbourhood: they are neighbours, and their
  // lists, which ascend, agree but for u, v and vertices that are not kept.
  bool equal(Index u, Index v) const {
    const auto a = graph_.neighbours(u), b = graph_.neighbours(v);
    std::size_t i = 0, j = 0;
    bool adjacent = false;
    for (;;) {
      while (i < a.size() && (a[i] == v || !is_kept(a[i]))) adjacent |= a[i++] == v;
      while (j < b.size() && (b[j] == u || !is_kept(b[j]))) ++j;
      if (i == a.size() || j == b.size()) break;
      if (a[i++] != b[j++]) return false;
    }
    return adjacent && i == a.size() && j == b.size();
  }

  GraphView graph_;
  std::span<const char> kept_;
  std::uint64_t hash_mask_;
  std::vector<std::uint32_t> hash_;
};

/// Returns the number of vertices that another represents.
std::size_t twins_in(std::span<const Index> representative) {
  std::size_t twins = 0;
  for (std::size_t v = 0; v < representative.size(); ++v)
    twins += representative[v] != static_cast<Index>(v) ? 1 : 0;
  return twins;
}

/// Makes each row of `apart` a class by itself; the least of the other rows of a class represents
/// it.
void separate(std::vector<Index>& representative, std::span<const Index> apart) {
  std::vector<char> alone(representative.size(), 0);
  for (const Index v : apart) alone[v] = 1;
  std::vector<Index> leader(representative.size(),
                            kNone);  // by representative on entry: that on return, or kNone
  for (Index v = 0; v < static_cast<Index>(representative.size()); ++v) {
    Index& lead = leader[representative[v]];
    if (lead == kNone && alone[v] == 0) lead = v;
    representative[v] = alone[v] != 0 ? v : lead;
  }
}

/// Returns the first rows of the classes, and n at the end, if each class is a run of consecutive
/// rows; else, or if nothing is merged, an empty vector.
std::vector<Index> begins_of_runs(std::span<const Index> representative) {
  const auto n = static_cast<Index>(representative.size());
  std::vector<Index> first;
  for (Index i = 0; i < n; ++i) {
    if (representative[i] == i)
      first.push_back(i);
    else if (representative[i] != representative[i - 1])
      return {};
  }
  if (static_cast<Index>(first.size()) == n) return {};
  first.push_back(n);
  return first;
}

/// Returns, for each of `rows`, the index of the block that begins with it. first: first rows of
/// all blocks.
std::vector<Index> blocks_at(std::span<const Index> first, std::span<const Index> rows) {
  std::vector<Index> blocks;
  for (const Index row : rows)
    blocks.push_back(
        static_cast<Index>(std::lower_bound(first.begin(), first.end(), row) - first.begin()));
  return blocks;
}

}  // namespace

std::vector<Index> indistinguishable(const GraphView& graph, std::span<const char> kept,
                                     std::uint64_t hash_mask) {
  return TwinFinder(graph, kept, hash_mask).run();
}

bool worth_merging(std::span<const Index> representative) {
  const std::size_t twins = twins_in(representative);
  return twins > 0 && twins * kWorthMerging >= representative.size();
}

CompressedGraph::CompressedGraph(GraphSource source, bool merge, std::span<const Index> apart)
    : source_(std::move(source)) {
  std::vector<Index> first;  // first rows of blocks, or empty
  if (const Pattern* lower = source_.pattern(); merge && lower) first = row_blocks(*lower, apart);
  if (first.empty()) {
    view_ = view_of(source_.graph());
    if (!merge || !TwinFinder(view_, {}, 0).promises()) return;
    std::vector<Index> representative = indistinguishable(view_, {});
    if (!apart.empty()) separate(representative, apart);
    if (worth_merging(representative)) merge_classes(view_, {}, representative);
    return;
  }
  Graph blocks = graph_of_blocks(*source_.pattern(), first);
  std::vector<Index> representative = indistinguishable(view_of(blocks), {});
  if (!apart.empty()) separate(representative, blocks_at(first, apart));
  if (twins_in(representative) > 0)  // together with the rows merged in blocks, any twins pay
    merge_classes(view_of(blocks), first, representative);
  else
    take_blocks(std::move(blocks), std::move(first));
}

CompressedGraph::CompressedGraph(GraphSource source, std::span<const Index> representative)
    : source_(std::move(source)) {
  if (std::vector<Index> first = begins_of_runs(representative);
      source_.pattern() && !first.empty()) {
    Graph blocks = graph_of_blocks(*source_.pattern(), first);
    take_blocks(std::move(blocks), std::move(first));
  } else {
    view_ = view_of(source_.graph());
    merge_classes(view_, {}, representative);
  }
}

void CompressedGraph::take_blocks(Graph blocks, std::vector<Index> first) {
  blocks_ = std::move(blocks);
  first_ = std::move(first);
  const Index count = blocks_.size();
  vertex_of_.resize(static_cast<std::size_t>(source_.size()));
  member_.resize(vertex_of_.size());
  weight_.resize(static_cast<std::size_t>(count));
  Blocks(count, kCompressBlock).for_each([this](Index, Index begin, Index end) {
    for (Index v = begin; v < end; ++v) {
      weight_[v] = first_[v + 1] - first_[v];
      for (Index row = first_[v]; row < first_[v + 1]; ++row) {
        vertex_of_[row] = v;
        member_[row] = row;
      }
    }
  });
  view_ = {blocks_.ptr(), blocks_.adjacency(), weight_};
}

void CompressedGraph::merge_classes(GraphView base, std::span<const Index> first,
                                    std::span<const Index> representative) {
  const auto rows_from = [&](Index v) {
    return first.empty() ? v : first[v];
  };  // the rows of v end before those of v + 1
  std::vector<Index> class_of(representative.size()), leader;
  for (Index v = 0; v < base.size(); ++v) {
    const bool is_leader = representative[v] == v;
    class_of[v] = is_leader ? static_cast<Index>(leader.size()) : class_of[representative[v]];
    if (is_leader) {
      leader.push_back(v);
      weight_.push_back(0);
    }
    weight_[class_of[v]] += rows_from(v + 1) - rows_from(v);
  }
  first_.assign(1, 0);
  for (const Index w : weight_) first_.push_back(first_.back() + w);
  vertex_of_.resize(static_cast<std::size_t>(source_.size()));
  member_.resize(vertex_of_.size());
  std::vector<Index> next(first_.begin(), first_.end() - 1);
  for (Index v = 0; v < base.size(); ++v)
    for (Index row = rows_from(v); row < rows_from(v + 1); ++row) {
      vertex_of_[row] = class_of[v];
      member_[next[class_of[v]]++] = row;
    }
  join_classes(base, leader, representative, class_of);
  view_ = {ptr_, adjacency_, weight_};
}

// Builds the lists of each block of classes in separate memory, then concatenates the blocks.
void CompressedGraph::join_classes(const GraphView& base, std::span<const Index> leader,
                                   std::span<const Index> representative,
                                   std::span<const Index> class_of) {
  const auto count = static_cast<Index>(leader.size());
  const bool alone = threads_here() == 1;
  const Blocks blocks(count, alone ? std::max<Index>(count, 1) : kCompressBlock);
  std::vector<std::vector<Index>> part(static_cast<std::size_t>(blocks.count()));
  ptr_.assign(leader.size() + 1, 0);
  blocks.for_each([&](Index b, Index begin, Index end) {
    Offset edges = 0;  // upper bound of the entries in the lists of this block
    for (Index s = begin; s < end; ++s) edges += base.degree(leader[s]);
    part[b].reserve(static_cast<std::size_t>(edges));
    const StopCheck check_stop;
    for (Index s = begin; s < end; ++s) {
      check_stop.at(s);
      for (const Index u : base.neighbours(leader[s]))
        if (representative[u] == u) part[b].push_back(class_of[u]);
      ptr_[s + 1] = static_cast<Offset>(part[b].size());
    }
  });
  if (part.size() == 1) {
    adjacency_ = std::move(part[0]);
    return;
  }
  std::vector<Offset> before(part.size() + 1, 0);
  for (std::size_t b = 0; b < part.size(); ++b)
    before[b + 1] = before[b] + static_cast<Offset>(part[b].size());
  resize_large(adjacency_, before.back());
  blocks.for_each([&](Index b, Index begin, Index end) {
    std::copy(part[b].begin(), part[b].end(), adjacency_.begin() + before[b]);
    for (Index s = begin; s < end; ++s) ptr_[s + 1] += before[b];
    part[b] = {};
  });
}

}  // namespace kauri::ordering

// State of one run of parallel approximate minimum degree. Private to this folder.
//
// Quotient graph and glossary are those of ordering/amd/elimination.hpp. *Pending* variables have
// about the least degree, and no two of them are adjacent: the sequential algorithm might eliminate
// them next. In a *round* some of them, the *candidates*, claim their closed neighbourhoods; each
// vertex goes to the candidate of the least key. A candidate that holds all vertices that it
// claimed is a *winner*. Winners have no neighbour in common, so one rule tells what the
// elimination of a winner p may change: a variable of L_p belongs to p, and so does an element
// whose variables are all in L_p (p absorbs it). Data that several winners read of one another stay
// as they were when the round began: weights (new ones are set after all winners) and elements at
// the border, whose L_e \ L_p each thread counts in its own memory. The distribution of work to
// threads affects only where lists lie in the pool.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/progress/stopwatch.hpp"
#include "base/threads/blocks.hpp"
#include "base/threads/per_thread.hpp"
#include "ordering/graph/scratch.hpp"
#include "ordering/parallel_amd/parallel_amd.hpp"

namespace kauri::ordering::pamd {

using PoolPlace = std::uint32_t;  // position in the pool

constexpr Index kIsElement = -1, kAbsorbed = -2;

/// All data of a vertex, in half a cache line.
struct alignas(32) Node {
  std::uint64_t claim;  // least key of the candidates that claimed it; later rounds have smaller
                        // keys than all earlier ones
  PoolPlace list;       // variable, element: start of its list; absorbed or merged: the node that
                        // absorbed it, or kNone
  Index length;         // length of the list
  Index elements;       // variable: length of E_i, the head of the list; kIsElement; kAbsorbed
  Index weight;         // variable: weight of its vertices; 0 once merged or eliminated
  Index degree;   // variable: bound on its external degree; element: weight of L_e when formed
  Index version;  // variable: the round that gave it its degree; 0 once merged or eliminated
};
static_assert(sizeof(Node) == 32);

/// Prefetch distance: nodes are read in an unpredictable order, which the lists contain in advance.
constexpr Index kAhead = 8;
inline void fetch(const void* address) { __builtin_prefetch(address); }

constexpr Index kBlock = 4096;  // vertices in a task

/// A variable of about the least degree that may be eliminated in this round.
struct PivotCandidate {
  std::uint64_t key = 0;
  Index* list =
      nullptr;  // while it may win: L_p, in memory of the thread that claimed it; then its news
  Index vertex = 0;
  Index pending = 0;             // its index in pending_
  Index length = 0, weight = 0;  // number and weight of the vertices of L_p
  bool wins = false;
  // Numbers of pairs in the news of a winner: first vertices and their new weights, then vertices
  // and their new degrees, if these are not above the horizon.
  Index weights = 0, degrees = 0;
  Index eliminated = 0;  // weight of the pivot and of the vertices eliminated with it
};

/// Arena of arrays of Index, which stay in place until clear() frees all of them.
class Stretches {
 public:
  /// Returns memory for `size` elements; keep(count) then allocates the first `count` of them.
  Index* room(std::size_t size) {
    if (chunk_.empty() || used_ + size > chunk_.back().size) {
      const std::size_t last = chunk_.empty() ? 0 : chunk_.back().size,
                        length = std::max({size + size / 2, 2 * last, kChunk});
      chunk_.push_back({std::make_unique_for_overwrite<Index[]>(length), length});
      used_ = 0;
    }
    return chunk_.back().data.get() + used_;
  }
  void keep(std::size_t size) { used_ += size; }
  /// Frees all arrays; keeps the largest chunk, at least half of the memory, for the next ones.
  void clear() {
    if (chunk_.size() > 1) chunk_.erase(chunk_.begin(), chunk_.end() - 1);
    used_ = 0;
  }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 16;
  struct Chunk {
    std::unique_ptr<Index[]> data;
    std::size_t size;
  };
  std::vector<Chunk> chunk_;  // each at least twice as large as the previous one
  std::size_t used_ = 0;      // elements allocated of the last chunk
};

/// Memory of one thread that claims and eliminates: its slot.
struct ThreadMemory {
  explicit ThreadMemory(Index n) : mark(static_cast<std::size_t>(n), 0), bucket(kBuckets, kNone) {}

  // Number of hash buckets, few enough for the L1 cache (16 KB). Few elements have more variables,
  // and variables that share a bucket are told apart by their full hashes.
  static constexpr std::size_t kBuckets = 4096;

  std::vector<Index> mark;  // element: tag - 1 if absorbed by the newest one, else tag + weight of
                            // L_e \ L_me; variable: tag while lists are compared; less: outdated
  std::vector<Index>
      bucket;  // first variable of each bucket, as its index in L_me; all kNone between pivots
  Index tag = 1;
  Stretches lists, news;
  Offset lists_of = -1, news_of = -1;  // rounds that the contents of lists and of news belong to
  // Indexed by position in L_me.
  std::vector<Index> weight, degree, next;
  std::vector<std::uint32_t> hash;
};

class Elimination {
 public:
  Elimination(const GraphView& graph, const ParallelAmdOptions& options);
  void run();
  void number(std::span<Index> order);

 private:
  using Stage = ParallelAmdReport::Stage;
  struct QueuedVariable {
    Index vertex, version;
  };
  using Bucket = std::vector<QueuedVariable>;  // variables of one degree, the newest last; entries
                                               // with an outdated version are dead
  struct Pending {
    Index vertex, degree;  // vertex: kNone once eliminated
  };

  // parallel_amd.cpp
  void load(const GraphView& graph);
  void play_round();
  void commit();
  [[nodiscard]] bool is_alive(const Node& x) const {
    return x.elements == kIsElement || (x.elements >= 0 && x.weight > 0);
  }
  void ensure_room(Offset entries);
  void collect_garbage(Offset entries);
  [[nodiscard]] Index root_of(Index v) const;

  // select.cpp
  void gather();
  void refill();
  bool take_from(Index degree, std::size_t most);
  bool select(Index v);
  void mark(Index v);
  void advance_horizon(Index least);
  [[nodiscard]] Index least_beyond_horizon();
  void push(Index v, Index version, Index degree);
  void sweep_buckets();
  template <bool kAlone>
  void claim(PivotCandidate& c, ThreadMemory& slot);
  void claim_all();
  void clear_claims();

  // pivot.cpp
  void eliminate_all();
  [[nodiscard]] bool prevails(const PivotCandidate& c) const;

  template <class F>
  void timed(Stage phase, F&& f);
  /// Calls f(candidate, memory of the calling thread) for each candidate, by one thread if small_
  /// is set, else by all.
  template <class F>
  void for_each_candidate(F&& f);

  friend class PivotElimination;

  /// Returns the memory of the calling thread, its slot.
  ThreadMemory& slot() {
    return slots_.local([n = n_] { return std::make_unique<ThreadMemory>(n); });
  }

  const ParallelAmdOptions& options_;
  const Index n_;
  const Index total_;  // weight of all vertices
  const bool alone_;   // the arena has one thread
  std::unique_ptr<Node[]> node_;
  Scratch<Index> pool_memory_, other_memory_;
  Index* pool_ = nullptr;
  std::size_t pool_size_ = 0;
  std::atomic<Offset> pool_free_ = 0;
  // Memory by thread. Other threads read lists that a thread wrote to its slot, so slots live as
  // long as the run, whatever fails.
  EachThread<ThreadMemory> slots_;
  std::vector<Bucket> bucket_;  // by degree, up to horizon_
  Offset bucketed_ = 0;         // entries of all buckets
  Index horizon_ = -1;          // degrees up to this one are in the buckets
  Index least_ = 0;             // all buckets of lesser degrees are empty
  std::vector<Index> living_;  // by blocks of kBlock vertices: variables alive when the horizon was
                               // last raised, ascending
  std::vector<Index> living_end_;          // by block: end of its variables in living_
  std::vector<Pending> pending_;           // vertices to eliminate next; no two are adjacent
  std::vector<PivotCandidate> candidate_;  // pending vertices that take part in this round
  std::vector<Index>
      mark_;  // round_ if pending, adjacent to a pending vertex, or an element of one
  std::vector<Index> sequence_;  // the pivots so far
  std::size_t want_ = 64;        // number of candidates wanted
  Index round_ = 1;
  std::uint64_t claims_ = 0;         // rounds since claims were cleared
  Index eliminated_ = 0;             // weight of the vertices eliminated so far
  Index widest_ = 0;                 // largest weight of an L_e so far
  std::atomic<Offset> entries_ = 0;  // entries of the L_p of this round's likely winners
  Offset expected_ = 64;             // expected entries of L_p per candidate
  bool small_ = true;                // this round runs on one thread
};

template <class F>
void Elimination::timed(Stage phase, F&& f) {
  if (options_.report == nullptr) return f();
  const Stopwatch watch;
  f();
  options_.report->seconds[phase] += watch.seconds();
}

template <class F>
void Elimination::for_each_candidate(F&& f) {
  const auto count = static_cast<Index>(candidate_.size());
  const auto at = [&](Index k) -> PivotCandidate& {
    return candidate_[options_.backwards ? count - 1 - k : k];
  };
  if (small_) {
    const StopCheck check_stop;
    ThreadMemory& slot = this->slot();
    for (Index k = 0; k < count; ++k) check_stop(), f(at(k), slot);
    return;
  }
  // Any division gives the same result, since candidates do not depend on it.
  const auto size =
      static_cast<Index>(std::clamp<Offset>(options_.task_entries / expected_, 1, count / 2));
  Blocks(count, size).for_each([&](Index, Index begin, Index end) {
    ThreadMemory& slot = this->slot();
    for (Index k = begin; k < end; ++k) f(at(k), slot);
  });
}

}  // namespace kauri::ordering::pamd

// Parallel approximate minimum degree: selects candidates of about the least degree, and the
// winners among them.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "ordering/parallel_amd/engine.hpp"

namespace kauri::ordering::pamd {
namespace {

/// Scrambles bits by a bijection, so that all keys of a round differ.
std::uint32_t scrambled(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85EBCA6BU;
  x = (x ^ (x >> 13)) * 0xC2B2AE35U;
  return x ^ (x >> 16);
}

constexpr std::size_t kNear = 6;  // bucket entries processed while another one's data are fetched
constexpr int kHashBits = 32, kDegreeBits = 8;

}  // namespace

void Elimination::push(Index v, Index version, Index degree) {
  const auto place = static_cast<std::size_t>(degree);
  if (place >= bucket_.size()) bucket_.resize(place + place / 4 + 8);
  bucket_[place].push_back({v, version});
  ++bucketed_;
  least_ = std::min(least_, degree);
}

/// Removes dead entries from the buckets once more than half of all entries are dead, as their
/// number shows. Otherwise dead entries in buckets of high degrees would stay if degrees fall
/// towards the end.
void Elimination::sweep_buckets() {
  if (options_.report != nullptr)
    options_.report->bucketed = std::max(options_.report->bucketed, bucketed_);
  if (bucketed_ <= 2 * Offset{n_} + kBlock) return;
  bucketed_ = 0;
  for (Bucket& bucket : bucket_) {
    std::erase_if(bucket,
                  [this](const QueuedVariable& x) { return node_[x.vertex].version != x.version; });
    if (bucket.size() < bucket.capacity() / 4) bucket.shrink_to_fit();
    bucketed_ += static_cast<Offset>(bucket.size());
  }
}

/// Returns the least degree of the variables beyond the horizon, or the total weight if there are
/// none. Removes dead variables from living_.
Index Elimination::least_beyond_horizon() {
  const Blocks blocks(n_, kBlock);
  std::vector<Index> least(static_cast<std::size_t>(blocks.count()), total_);
  blocks.for_each([&](Index b, Index begin, Index) {
    Index end = begin;
    for (Index k = begin; k < living_end_[b]; ++k) {
      const Node& x = node_[living_[k]];
      if (x.version == 0) continue;
      living_[end++] = living_[k];
      if (x.degree > horizon_) least[b] = std::min(least[b], x.degree);
    }
    living_end_[b] = end;
  });
  return *std::min_element(least.begin(), least.end());
}

/// Advances the horizon, the degree up to which variables are in the buckets: fills buckets at
/// least up to `least`, and at least up to the least degree of a variable beyond the old horizon.
void Elimination::advance_horizon(Index least) {
  const Offset wanted = std::max(least_beyond_horizon(), least);
  const Index before = horizon_;
  horizon_ = static_cast<Index>(std::min<Offset>(total_, wanted + wanted / 4 + 8));
  const Blocks blocks(n_, kBlock);
  std::vector<std::vector<Index>> found(static_cast<std::size_t>(blocks.count()));
  blocks.for_each([&](Index b, Index begin, Index) {
    for (Index k = begin; k < living_end_[b]; ++k)
      if (const Index degree = node_[living_[k]].degree; degree > before && degree <= horizon_)
        found[b].push_back(living_[k]);
  });
  for (const auto& of_block : found)
    for (const Index v : of_block) push(v, node_[v].version, node_[v].degree);
}

void Elimination::mark(Index v) {
  const Node& x = node_[v];
  mark_[v] = round_;
  for (const Index *at = pool_ + x.list, *end = at + x.length; at < end; ++at) mark_[*at] = round_;
}

/// Returns true, and marks v, its elements and the variables of its list, if v is not pending and
/// not adjacent to a pending vertex.
bool Elimination::select(Index v) {
  if (mark_[v] == round_) return false;
  const Node& x = node_[v];
  for (const Index *at = pool_ + x.list, *end = at + x.elements; at < end; ++at)
    if (mark_[*at] == round_) return false;
  mark(v);
  return true;
}

/// Makes the vertices of this degree pending that are not adjacent to a pending one, the newest
/// first, until `most` are pending. Drops the vertices that are adjacent: their pending neighbour
/// stays untouched until it is eliminated, and then gives them a new degree. Returns true if a
/// living vertex was taken from the bucket.
bool Elimination::take_from(Index degree, std::size_t most) {
  if (static_cast<std::size_t>(degree) >= bucket_.size()) return false;
  Bucket& bucket = bucket_[degree];
  bool any = false;
  while (!bucket.empty() && pending_.size() < most) {
    // Prefetches the data that are read soon.
    if (bucket.size() > 2 * kNear)
      __builtin_prefetch(&node_[bucket[bucket.size() - 1 - 2 * kNear].vertex]);
    if (bucket.size() > kNear)
      __builtin_prefetch(pool_ + node_[bucket[bucket.size() - 1 - kNear].vertex].list);
    const QueuedVariable x = bucket.back();
    bucket.pop_back();
    --bucketed_;
    if (node_[x.vertex].version != x.version) continue;
    any = true;
    if (select(x.vertex)) pending_.push_back({x.vertex, degree});
  }
  return any;
}

/// Fills pending_ from the buckets: vertices of the least degree first, then of higher degrees that
/// the options admit as about the least.
void Elimination::refill() {
  const std::size_t most = std::max<std::size_t>(
      64, static_cast<std::size_t>(options_.ahead * static_cast<double>(want_)));
  Index limit = kNone;
  const auto limit_by = [&](Index least) {
    return static_cast<Index>(
        std::min<double>(total_, std::floor(options_.factor * least) + options_.slack));
  };
  for (const Pending& p : pending_) {
    mark(p.vertex);
    limit = limit == kNone ? limit_by(p.degree) : std::min(limit, limit_by(p.degree));
  }
  bool first = true;  // all buckets of degrees below d are empty
  for (Index d = least_; pending_.size() < most && (limit == kNone || d <= limit); ++d) {
    if (d > horizon_) {
      if (horizon_ == total_) break;
      timed(Stage::horizon, [&] { advance_horizon(limit); });
    }
    if (first) least_ = d;
    if (!take_from(d, most)) continue;
    first = false;
    limit = limit == kNone ? limit_by(d) : std::min(limit, limit_by(d));
  }
}

/// Chooses the candidates of a round, spread out over pending_: vertices at near places of pending_
/// often have common neighbours, for which they would compete. Sets the keys of the candidates.
void Elimination::gather() {
  std::erase_if(pending_, [](const Pending& p) { return p.vertex == kNone; });
  if (pending_.size() < want_) refill();
  candidate_.assign(std::min(want_, pending_.size()), {});
  if (++claims_ > options_.last_claims) clear_claims();
  const std::uint64_t round = (std::uint64_t{1} << 24) - 1 - claims_;
  const auto salt = scrambled(static_cast<std::uint32_t>(round_));
  for (std::size_t k = 0; k < candidate_.size(); ++k) {
    PivotCandidate& c = candidate_[k];
    const std::size_t at = k * pending_.size() / candidate_.size();
    c.pending = static_cast<Index>(at);
    c.vertex = pending_[at].vertex;
    const auto above = static_cast<std::uint64_t>(
        std::clamp(pending_[at].degree - least_, 0, (1 << kDegreeBits) - 1));
    c.key = ((round << kDegreeBits | above) << kHashBits) |
            scrambled(static_cast<std::uint32_t>(c.vertex) ^ salt);
  }
}

void Elimination::clear_claims() {
  for (Index v = 0; v < n_; ++v) node_[v].claim = std::numeric_limits<std::uint64_t>::max();
  claims_ = 1;
}

/// Writes the list L_p of candidate c, and claims its vertices for c. If another candidate has
/// claimed one before with a lesser key, sets c.wins to false and leaves the list incomplete, but
/// still claims the rest: whether a third candidate wins must not depend on the order of execution.
/// kAlone: no other thread claims meanwhile.
template <bool kAlone>
void Elimination::claim(PivotCandidate& c, ThreadMemory& slot) {
  if (slot.lists_of != round_) slot.lists.clear(), slot.lists_of = round_;
  const Node& p = node_[c.vertex];
  const Index* const own = pool_ + p.list;
  Offset bound = p.length - p.elements;
  for (Index k = 0; k < p.elements; ++k) bound += node_[own[k]].length;
  bound = std::min<Offset>(bound, n_);
  c.list = slot.lists.room(static_cast<std::size_t>(bound) + 1);  // one more for the pivot itself
  bool wins = true;
  Index length = 0, weight = 0;
  const auto visit = [&](Index u) {
    Node& x = node_[u];
    if (x.weight == 0) return;
    std::uint64_t seen;
    if constexpr (kAlone) {
      seen = x.claim;
      if (seen > c.key) x.claim = c.key;
    } else {
      std::atomic_ref<std::uint64_t> claim(x.claim);
      seen = claim.load(std::memory_order_relaxed);
      while (seen > c.key && !claim.compare_exchange_weak(seen, c.key, std::memory_order_relaxed)) {
      }
    }
    wins = wins && seen >= c.key;
    if (!wins || seen == c.key) return;
    c.list[length++] = u;
    weight += x.weight;
  };
  visit(c.vertex);
  length = weight = 0;
  const auto visit_all = [&](const Index* list, Index count) {
    for (Index i = 0; i < std::min(kAhead, count); ++i) fetch(&node_[list[i]]);
    for (Index i = 0; i < count; ++i) {
      if (i + kAhead < count) fetch(&node_[list[i + kAhead]]);
      visit(list[i]);
    }
  };
  visit_all(own + p.elements, p.length - p.elements);
  for (Index k = 0; k < p.elements; ++k)
    visit_all(pool_ + node_[own[k]].list, node_[own[k]].length);
  c.wins = wins;
  c.length = length;
  c.weight = weight;
  if (wins) slot.lists.keep(static_cast<std::size_t>(length));
}

void Elimination::claim_all() {
  entries_ = 0;
  for_each_candidate([this](PivotCandidate& c, ThreadMemory& slot) {
    if (small_)
      claim<true>(c, slot);
    else
      claim<false>(c, slot);
    if (c.wins) entries_.fetch_add(c.length, std::memory_order_relaxed);
  });
}

}  // namespace kauri::ordering::pamd

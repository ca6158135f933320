// Parallel approximate minimum degree: candidates of about the least degree, and which of them are eliminated together.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <cstdlib>

#include "ordering/parallel_amd_engine.hpp"

namespace kauri::ordering::pamd {
namespace {

/// One to one, so that keys of a round are all different.
std::uint32_t scrambled(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85EBCA6BU;
  x = (x ^ (x >> 13)) * 0xC2B2AE35U;
  return x ^ (x >> 16);
}

const int mode = std::getenv("PMODE") ? std::atoi(std::getenv("PMODE")) : 0;
constexpr int kHashBits = 32, kDegreeBits = 8;

}  // namespace

void Elimination::push(Index v, Index version, Index degree) {
  bucket_[degree].entry.push_back({v, version});
  least_ = std::min(least_, degree);
}

/// Buckets for higher degrees, at least up to `least`, or up to the least degree there is.
void Elimination::raise_horizon(Index least) {
  const Index before = horizon_;
  std::size_t kept = 0;
  Index lowest = total_;
  for (const Index v : living_) {
    const Node& x = node_[v];
    if (x.version == 0) continue;
    living_[kept++] = v;
    if (x.degree > before) lowest = std::min(lowest, x.degree);
  }
  living_.resize(kept);
  const Offset wanted = std::max(lowest, least);
  horizon_ = static_cast<Index>(std::min<Offset>(total_, wanted + wanted / 4 + 8));
  bucket_.resize(static_cast<std::size_t>(horizon_) + 1);
  for (const Index v : living_)
    if (const Node& x = node_[v]; x.degree > before && x.degree <= horizon_) push(v, x.version, x.degree);
}

/// Makes candidates of those that have this degree, until there are `most`. True if there was any.
bool Elimination::take_from(Index degree, std::size_t most) {
  Bucket& bucket = bucket_[degree];
  bool any = false;
  while (!bucket.empty() && candidate_.size() < most) {
    Entry x;
    if (mode & 1) x = bucket.entry.back(), bucket.entry.pop_back(); else x = bucket.entry[bucket.first++];
    if (node_[x.vertex].version != x.version) continue;
    Candidate c;
    c.vertex = x.vertex;
    c.version = x.version;
    c.degree = degree;
    candidate_.push_back(c);
    any = true;
  }
  if (bucket.empty()) {
    bucket.entry.clear();
    bucket.first = 0;
  } else if (bucket.first > 1024 && 2 * bucket.first > bucket.entry.size()) {
    bucket.entry.erase(bucket.entry.begin(), bucket.entry.begin() + static_cast<std::ptrdiff_t>(bucket.first));
    bucket.first = 0;
  }
  return any;
}

void Elimination::gather() {
  candidate_.clear();
  Index limit = kNone;
  for (Index d = least_; candidate_.size() < want_; ++d) {
    if (limit != kNone && d > limit) break;
    if (d > horizon_) {
      if (horizon_ == total_) break;
      timed(Phase::horizon, [&] { raise_horizon(limit); });
    }
    const bool any = take_from(d, want_);
    if (limit == kNone) least_ = d;
    if (any && limit == kNone) limit = static_cast<Index>(std::min<double>(total_, std::floor(options_.factor * d) + options_.slack));
  }
  if (++claims_ > options_.last_claims) clear_claims();
  const std::uint64_t round = (std::uint64_t{1} << 24) - 1 - claims_;
  const auto salt = scrambled(static_cast<std::uint32_t>(round_));
  for (Candidate& c : candidate_) {
    const auto above = static_cast<std::uint64_t>(std::min((mode & 4) ? 0 : c.degree - least_, (1 << kDegreeBits) - 1));
    c.key = ((round << kDegreeBits | above) << kHashBits) | scrambled(static_cast<std::uint32_t>(c.vertex) ^ salt);
  }
}

void Elimination::clear_claims() {
  for (Index v = 0; v < n_; ++v) node_[v].claim = std::numeric_limits<std::uint64_t>::max();
  claims_ = 1;
}

/// Sets out L_p and claims it. Where another candidate turns out to prevail, the rest is still claimed: whether a third one wins must not
/// depend on who came first.
template <bool kAlone>
void Elimination::claim(Candidate& c, Slot& slot) {
  if (slot.lists_of != round_) slot.lists.clear(), slot.lists_of = round_;
  const Node& p = node_[c.vertex];
  const Index* const own = pool_ + p.list;
  Offset bound = p.length - p.elements;
  for (Index k = 0; k < p.elements; ++k) bound += node_[own[k]].length;
  bound = std::min<Offset>(bound, n_);
  c.list = slot.lists.room(static_cast<std::size_t>(bound) + 1);  // one for the pivot itself
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
  for (Index k = p.elements; k < p.length; ++k) visit(own[k]);
  for (Index k = 0; k < p.elements; ++k) {
    const Node& e = node_[own[k]];
    const Index* const list = pool_ + e.list;
    for (Index i = 0; i < e.length; ++i) visit(list[i]);
  }
  c.wins = wins;
  c.length = length;
  c.weight = weight;
  if (wins) slot.lists.keep(static_cast<std::size_t>(length));
}

void Elimination::claim_all() {
  entries_ = 0;
  for_each_candidate([this](Candidate& c, Slot& slot) {
    if (small_)
      claim<true>(c, slot);
    else
      claim<false>(c, slot);
    if (c.wins) entries_.fetch_add(c.length, std::memory_order_relaxed);
  });
}

}  // namespace kauri::ordering::pamd

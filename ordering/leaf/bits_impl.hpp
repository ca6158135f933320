// Minimum degree with a halo for graphs in which the neighbours of a vertex fit into a few machine
// words. Keeps the elimination graph itself as rows of bits: an elimination is a bitwise or,
// degrees are exact, and hardly any branch depends on the data. The quotient graph of approximate
// minimum degree would spend most of its time on mispredicted branches here.
//
// Glossary. Row v has the neighbours of v, v itself, and bits of eliminated vertices, which
// `alive_` masks. Vertices with the same row (indistinguishable) are merged: the first of them is
// the *principal*; the others keep their bits in the rows of their neighbours, but have no row and
// no key. The *front* of a pivot is its neighbours; those without other neighbours are eliminated
// with it.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <limits>

#include "ordering/leaf/bits.hpp"
#include "ordering/leaf/minimum_degree.hpp"

namespace kauri::ordering::leaf::KAURI_ISA {
namespace {

/// Returns the number of set bits of N words. Without a popcount instruction, sums bytes first; no
/// byte exceeds 8 N <= 128.
template <int N>
Index count_bits(const Word* x) {
#ifdef __POPCNT__
  Index count = 0;
  for (int k = 0; k < N; ++k) count += std::popcount(x[k]);
  return count;
#else
  Word bytes = 0;
  for (int k = 0; k < N; ++k) {
    Word w = x[k] - (x[k] >> 1 & 0x5555555555555555U);
    w = (w & 0x3333333333333333U) + (w >> 2 & 0x3333333333333333U);
    bytes += (w + (w >> 4)) & 0x0F0F0F0F0F0F0F0FU;
  }
  bytes = (bytes & 0x00FF00FF00FF00FFU) + (bytes >> 8 & 0x00FF00FF00FF00FFU);
  return static_cast<Index>(bytes * 0x0001000100010001U >> 48);
#endif
}

// Keys sort vertices by degree, then by the step of their last change, the latest first, then by
// number. Fields: degree, kInterior - 1 - the step of the last change, vertex.
constexpr Index kVertexBits = 9, kStepBits = 9;
constexpr Index kDone = std::numeric_limits<Index>::max();
static_assert(BitMatrixLimits::kInterior == 1 << kVertexBits &&
              BitMatrixLimits::kInterior == 1 << kStepBits);
static_assert(BitMatrixLimits::kWeight < 1 << (31 - kVertexBits - kStepBits));

/// The elimination. W: words in a row. kWeighted: vertices differ in weight.
template <int W, bool kWeighted>
class BitElimination {
 public:
  BitElimination(const Leaf& leaf, BitArrays& arrays)
      : interior_(leaf.interior),
        keys_((interior_ + 15) / 16 * 16),
        unit_(std::max(leaf.unit, 1)),
        row_(arrays.row.require(std::bit_ceil(static_cast<std::size_t>(interior_)) * W)),
        neighbours_(arrays.neighbours.require(std::bit_ceil(
            static_cast<std::size_t>(interior_) * static_cast<std::size_t>(interior_) / 2))),
        key_(arrays.key.require(BitMatrixLimits::kInterior)),
        vertex_(arrays.vertex.require(BitMatrixLimits::kInterior)),
        step_(arrays.step.require(BitMatrixLimits::kInterior)),
        bucket_(arrays.bucket.data()),
        trace_(leaf.trace),
        left_(interior_) {
    if (kWeighted) load_weights(leaf.graph);
    load(leaf.graph);
  }

  void order(std::span<Index> order) {
    while (left_ > 0) eliminate(take_pivot());
    number(order);
  }

 private:
  void number(std::span<Index> order);
  using Row = std::array<Word, W>;

  void load_weights(const GraphView& graph);
  void load(const GraphView& graph);
  Index take_pivot();
  void eliminate(Index pivot);
  Index join_rows(const Row& front, Short* list);
  void merge_twins(const Short* list, Index count);
  bool same_row(Index u, Index v) const;
  void merge(Index into, Index v);
  void remove(Index principal);

  [[nodiscard]] Index key(Index v, Index degree) const {
    return (degree << kStepBits | (BitMatrixLimits::kInterior - 1 - steps_)) << kVertexBits | v;
  }
  [[nodiscard]] Index weight_of(const Row& bits) const;
  [[nodiscard]] Word* row_of(Index v) const { return row_ + static_cast<std::size_t>(v) * W; }

  const Index interior_;
  const Index keys_;         // length of key_, a multiple of 16 for vector instructions
  const Index unit_;         // common weight of all vertices, or 1 if they differ
  Word* const row_;          // rows of the interior's vertices, W words each
  Short* const neighbours_;  // per step: the principals that remained in its front, step after step
  Index* const key_;         // by vertex of the interior: its key; kDone if not a principal
  Vertex* const vertex_;     // length interior
  Step* const step_;         // by step: its record; only the first steps_ are set
  Index* const bucket_;      // by bucket: its last principal, or kNone
  std::vector<AmdPivot>* const trace_;
  Row alive_{};      // vertices that are not eliminated, and the halo
  Row principal_{};  // principals of the interior
  std::array<Row, kWeighted ? kPlanes : 0> plane_;  // by k: vertices whose weight has bit k
  int planes_ = 0;
  Index left_;  // vertices of the interior that are not eliminated
  Index steps_ = 0, listed_ = 0;
  Index removed_ = 0;  // weight eliminated in this step
};

template <int W, bool kWeighted>
Index BitElimination<W, kWeighted>::weight_of(const Row& bits) const {
  if constexpr (!kWeighted) return count_bits<W>(bits.data());
  Index sum = 0;
  for (int k = 0; k < planes_; ++k) {
    Row of_plane;
    for (int j = 0; j < W; ++j) of_plane[j] = bits[j] & plane_[k][j];
    sum += count_bits<W>(of_plane.data()) << k;
  }
  return sum;
}

template <int W, bool kWeighted>
void BitElimination<W, kWeighted>::load_weights(const GraphView& graph) {
  planes_ = std::bit_width(
      static_cast<unsigned>(*std::max_element(graph.weight.begin(), graph.weight.end())));
  std::fill_n(plane_.begin(), planes_, Row{});
  for (Index v = 0; v < graph.size(); ++v)
    for (int k = 0; k < planes_; ++k)
      plane_[k][v / kWordBits] |= static_cast<Word>(graph.weight[v] >> k & 1) << (v % kWordBits);
}

template <int W, bool kWeighted>
void BitElimination<W, kWeighted>::load(const GraphView& graph) {
  for (Index v = 0; v < graph.size(); ++v) alive_[v / kWordBits] |= bit(v);
  for (Index v = 0; v < interior_; ++v) principal_[v / kWordBits] |= bit(v);
  std::fill_n(key_, keys_, kDone);
  for (Index v = 0; v < interior_; ++v) {
    Word* const row = row_of(v);
    std::fill_n(row, W, 0);
    Index degree = 0;
    for (const Index u : graph.neighbours(v)) {
      row[u / kWordBits] |= bit(u);
      degree += kWeighted ? graph.weight[u] : 1;
    }
    row[v / kWordBits] |= bit(v);
    key_[v] = key(v, degree);
    vertex_[v] = {kWeighted ? graph.weight[v] : 1, kNone, kNone, 0};
  }
}

template <int W, bool kWeighted>
Index BitElimination<W, kWeighted>::take_pivot() {
  Index least = kDone;
  for (Index k = 0; k < keys_; ++k) least = std::min(least, key_[k]);
  const Index pivot = least & ((1 << kVertexBits) - 1);
  if (trace_ != nullptr) {
    const Index degree = unit_ * (least >> (kVertexBits + kStepBits));
    trace_->push_back({pivot, unit_ * vertex_[pivot].weight, degree, degree, 0});
  }
  return pivot;
}

template <int W, bool kWeighted>
void BitElimination<W, kWeighted>::remove(Index principal) {
  key_[principal] = kDone;
  principal_[principal / kWordBits] &= ~bit(principal);
  removed_ += vertex_[principal].weight;
  for (Index v = principal; v != kNone; v = vertex_[v].next) {
    alive_[v / kWordBits] &= ~bit(v);
    vertex_[v].step = steps_;
    --left_;
  }
}

template <int W, bool kWeighted>
void BitElimination<W, kWeighted>::eliminate(Index pivot) {
  removed_ = 0;
  remove(pivot);
  const Index own = removed_;
  Row front;
  for (int j = 0; j < W; ++j) front[j] = row_of(pivot)[j] & alive_[j];
  Short* const list = neighbours_ + listed_;
  const Index count = join_rows(front, list);
  const Index inside = weight_of(front) - (removed_ - own);  // weight of the remaining front
  for (Index k = 0; k < count; ++k) {
    const Index v = list[k];
    key_[v] = key(v, key_[v] + inside - vertex_[v].weight);
  }
  merge_twins(list, count);
  if (trace_ != nullptr) trace_->back().eliminated = unit_ * removed_;
  step_[steps_++].first = listed_;
  listed_ += count;
}

// Makes every principal of the front adjacent to all of the front. Eliminates principals without
// neighbours outside the front; writes the other principals to `list`, and stores in their keys the
// weight of their neighbours outside. Returns the number of principals in `list`.
template <int W, bool kWeighted>
Index BitElimination<W, kWeighted>::join_rows(const Row& front, Short* list) {
  Row outside;
  for (int j = 0; j < W; ++j) outside[j] = alive_[j] & ~front[j];
  Index count = 0;
  for (Index word = 0; word * kWordBits < interior_; ++word)
    for (Word bits = front[word] & principal_[word]; bits != 0; bits &= bits - 1) {
      const Index v = word * kWordBits + std::countr_zero(bits);
      Word* const row = row_of(v);
      Row beyond;
      Word hash = 0;
      for (int j = 0; j < W; ++j) {
        beyond[j] = row[j] & outside[j];
        row[j] |= front[j];
        hash = (hash ^ beyond[j]) * 0x9E3779B97F4A7C15U;
      }
      const Index weight = weight_of(beyond);
      vertex_[v].hash = static_cast<std::uint32_t>(hash >> 32);
      key_[v] = weight;
      list[count] = static_cast<Short>(v);
      count += weight != 0;
      if (weight == 0) remove(v);
    }
  return count;
}

// Merges those of the `count` principals in `list` that have equal rows. A bucket holds only the
// last of several different rows, so a pair may be missed: it is merged in a later step, or both
// are eliminated in one step.
template <int W, bool kWeighted>
void BitElimination<W, kWeighted>::merge_twins(const Short* list, Index count) {
  for (Index k = 0; k < count; ++k) {
    const Index v = list[k];
    Index& last = bucket_[vertex_[v].hash % kBuckets];
    if (last != kNone && vertex_[last].hash == vertex_[v].hash && same_row(last, v))
      merge(last, v);
    else
      last = v;
  }
  for (Index k = 0; k < count; ++k) bucket_[vertex_[list[k]].hash % kBuckets] = kNone;
}

template <int W, bool kWeighted>
bool BitElimination<W, kWeighted>::same_row(Index u, Index v) const {
  Word difference = 0;
  for (int j = 0; j < W; ++j) difference |= (row_of(u)[j] ^ row_of(v)[j]) & alive_[j];
  return difference == 0;
}

template <int W, bool kWeighted>
void BitElimination<W, kWeighted>::merge(Index into, Index v) {
  Vertex& a = vertex_[into];
  key_[into] -= vertex_[v].weight << (kVertexBits + kStepBits);
  key_[v] = kDone;
  principal_[v / kWordBits] &= ~bit(v);
  a.weight += vertex_[v].weight;
  Index last = v;
  while (vertex_[last].next != kNone) last = vertex_[last].next;
  vertex_[last].next = a.next;
  a.next = v;
}

// Writes the order, a postorder of the steps' tree: each subtree takes a range, whose last part is
// the root's. Ranges are cut off from the end, parents before children.
template <int W, bool kWeighted>
void BitElimination<W, kWeighted>::number(std::span<Index> order) {
  for (Index k = 0; k < steps_; ++k) step_[k].own = step_[k].subtree = 0;
  for (Index v = 0; v < interior_; ++v) ++step_[vertex_[v].step].own;
  for (Index k = 0; k < steps_; ++k) {
    Step& step = step_[k];
    step.parent = steps_;
    for (Index i = step.first, end = k + 1 < steps_ ? step_[k + 1].first : listed_; i < end; ++i)
      step.parent = std::min(step.parent, vertex_[neighbours_[i]].step);
    step.subtree += step.own;
    if (step.parent < steps_) step_[step.parent].subtree += step.subtree;
  }
  Index end = interior_;
  for (Index k = steps_ - 1; k >= 0; --k) {
    Step& step = step_[k];
    Index& limit = step.parent == steps_ ? end : step_[step.parent].end;
    step.first = step.end = limit - step.own;
    limit -= step.subtree;
  }
  for (Index v = 0; v < interior_; ++v) order[step_[vertex_[v].step].first++] = v;
}

template <int W>
void order_with(const Leaf& leaf, BitArrays& arrays, std::span<Index> order) {
  if (leaf.unit != 0)
    BitElimination<W, false>(leaf, arrays).order(order);
  else
    BitElimination<W, true>(leaf, arrays).order(order);
}

}  // namespace

void order_on_bits(const Leaf& leaf, BitArrays& arrays, std::span<Index> order) {
  const Index n = leaf.graph.size();
  if (n <= 128) return order_with<2>(leaf, arrays, order);
  if (n <= 192) return order_with<3>(leaf, arrays, order);
  if (n <= 256) return order_with<4>(leaf, arrays, order);
  if (n <= 320) return order_with<5>(leaf, arrays, order);
  if (n <= 384) return order_with<6>(leaf, arrays, order);
  if (n <= 512) return order_with<8>(leaf, arrays, order);
  order_with<16>(leaf, arrays, order);
}

}  // namespace kauri::ordering::leaf::KAURI_ISA

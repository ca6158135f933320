// Types of minimum degree on a bit matrix that all instruction sets share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ordering/amd/amd.hpp"
#include "ordering/graph/graph_view.hpp"
#include "ordering/graph/scratch.hpp"

namespace kauri::ordering::leaf {

using Word = std::uint64_t;
using Short = std::uint16_t;
constexpr int kWordBits = 64;
constexpr std::size_t kPlanes = 13;  // bits of the largest total weight, BitMatrixLimits::kWeight
constexpr std::size_t kBuckets = 256;

inline Word bit(Index v) { return Word{1} << (v % kWordBits); }

struct Vertex {
  Index weight;  // weight of the vertices that it is the principal of, with its own
  Index next;    // next vertex with the same principal, or kNone
  Index step;    // step in which it is eliminated
  std::uint32_t hash;
};

struct Step {
  Index first;    // beginning of its neighbours that remain principals, in the list of all
                  // steps' neighbours; during number(), place of its next vertex in the order
  Index own;      // number of vertices eliminated in it
  Index subtree;  // number of vertices eliminated in it and in the steps below it
  Index parent;   // the step that eliminates the first of its neighbours; the number of steps if
                  // none of them is in the interior
  Index end;      // end of the places in the order that are still free for its children's ranges
};

/// Memory of the elimination on bits, reused for any number of graphs.
struct BitArrays {
  Scratch<Word> row;
  Scratch<Index> key;
  Scratch<Short> neighbours;
  Scratch<Vertex> vertex;
  Scratch<Step> step;
  std::array<Index, kBuckets> bucket;  // all kNone between pivots
  BitArrays() { bucket.fill(kNone); }
};

/// A graph within BitMatrixLimits.
struct Leaf {
  GraphView graph;
  Index interior;                // number of vertices to order, the first ones, > 0
  Index unit;                    // common weight of all vertices, or 0 if they differ
  std::vector<AmdPivot>* trace;  // may be null
};

using OrderOnBits = void(const Leaf& leaf, BitArrays& arrays, std::span<Index> order);

// Compilations for different instruction sets, which return the same orders.
namespace generic {
OrderOnBits order_on_bits;
}
namespace avx2 {
OrderOnBits order_on_bits;
}

}  // namespace kauri::ordering::leaf

// Reads arbitrary bytes as a graph with weights: nested dissection must return a permutation, which
// is the same with four threads as with one.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/threads/allowed_threads.hpp"
#include "ordering/dissection/dissect.hpp"
#include "tests/fuzz/graph_bytes.hpp"
#include "tests/fuzz/outcome.hpp"
#include "tests/support/process/many_threads.hpp"

namespace {

using kauri::Index;

struct Input {
  kauri::fuzz::Lists graph;
  std::vector<Index> weight;
  kauri::ordering::DissectionOptions options;
  bool four_threads = true;  // one of eight inputs
};

/// Bounds on the size of an input. Most graphs have at most 300 vertices and are one leaf or a few;
/// one input in 32 has up to 1500 vertices. Both are one task and one block of every loop. One of
/// 64 inputs of one kind in eight has up to 22,000 vertices, which makes several tasks and exceeds
/// what a thin level set settles; with Effort::best, which takes much longer, up to 6000.
struct Size {
  Index vertices, length, weights;
};
Size size_of(std::uint8_t kind, std::uint64_t hash) {
  if (hash % 32 != 0) return {300, 1, 300};
  if (hash % 64 != 0 || kind / 6 % 8 != 7) return {1500, 1, 1500};
  return kind % 3 == 2 ? Size{6000, 3, 64} : Size{22000, 6, 64};
}

/// Decodes an input. Byte 0: effort, presence of weights, and range of sizes; then the seed and the
/// number of vertices.
Input input_of(kauri::fuzz::Bytes bytes) {
  constexpr kauri::Effort kEfforts[] = {kauri::Effort::fast, kauri::Effort::standard,
                                        kauri::Effort::best};
  Input input;
  const std::uint64_t hash = bytes.hash();
  input.four_threads = hash % 8 == 0;
  const std::uint8_t kind = bytes.next();
  const Size size = size_of(kind, hash);
  input.options.effort = kEfforts[kind % 3];
  input.options.seed = bytes.next();
  const Index n = bytes.below(size.vertices);
  for (Index v = 0; v < n && kind / 3 % 2 == 1; ++v)
    input.weight.push_back(v < size.weights ? 1 + bytes.next() % 50
                                            : input.weight[v - size.weights]);
  input.graph = kauri::fuzz::lists_of(n, kauri::fuzz::edges_of(bytes, n, size.length));
  return input;
}

std::vector<Index> order_of(const Input& input, int threads) {
  std::vector<Index> order(input.graph.ptr.size() - 1, kauri::kNone);
  kauri::with_threads(threads, [&] {
    kauri::ordering::nested_dissection({input.graph.ptr, input.graph.adjacency, input.weight},
                                       input.options, order);
  });
  return order;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kauri::test::ManyThreads many;
  const Input input = input_of({data, size});
  const auto order = order_of(input, 1);
  std::vector<char> met(order.size(), 0);
  for (const Index v : order) {
    kauri::fuzz::require(v >= 0 && static_cast<std::size_t>(v) < met.size() && met[v] == 0);
    met[v] = 1;
  }
  if (input.four_threads) kauri::fuzz::require(order_of(input, 4) == order);
  return 0;
}

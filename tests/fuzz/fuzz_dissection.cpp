// Any bytes as a graph with weights: nested dissection gives a permutation, and the same one with four threads as with one.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "ordering/dissection/dissect.hpp"
#include "src/base/allowed_threads.hpp"
#include "tests/fuzz/outcome.hpp"

namespace {

using kauri::Index;
using kauri::Offset;

/// Reads what there is, then zeros.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  [[nodiscard]] bool empty() const { return at_ == end_; }
  std::uint8_t next() { return at_ == end_ ? std::uint8_t{0} : *at_++; }
  Index below(Index bound) { return (next() * 256 + next()) % bound; }

 private:
  const std::uint8_t *at_, *end_;
};

struct Input {
  std::vector<Offset> ptr{0};
  std::vector<Index> adjacency, weight;
  kauri::ordering::DissectionOptions options;
};

/// A step is a run of edges from one vertex to others at equal distances: few bytes make paths, grids, stars and chords.
std::vector<std::set<Index>> lists_of(Bytes& bytes, Index n) {
  std::vector<std::set<Index>> list(static_cast<std::size_t>(n));
  Offset edges = 0;
  while (!bytes.empty() && edges < 8000) {
    Index u = bytes.below(n), v = bytes.below(n);
    const Index first_step = bytes.next() % 3, second_step = bytes.next() % 64;
    for (int count = 1 + bytes.next() * 4; count > 0; --count, ++edges) {
      if (u != v) list[u].insert(v), list[v].insert(u);
      u = (u + first_step) % n, v = (v + second_step) % n;
    }
  }
  return list;
}

/// Byte 0: effort and whether there are weights; then the seed and the number of vertices.
Input input_of(Bytes bytes) {
  constexpr kauri::Effort kEfforts[] = {kauri::Effort::fast, kauri::Effort::standard, kauri::Effort::best};
  Input input;
  const std::uint8_t kind = bytes.next();
  input.options.effort = kEfforts[kind % 3];
  input.options.seed = bytes.next();
  const Index n = bytes.below(1500);
  for (Index v = 0; v < n && kind / 3 % 2 == 1; ++v) input.weight.push_back(1 + bytes.next() % 50);
  if (n == 0) return input;
  for (const auto& near : lists_of(bytes, n)) {
    input.adjacency.insert(input.adjacency.end(), near.begin(), near.end());
    input.ptr.push_back(static_cast<Offset>(input.adjacency.size()));
  }
  return input;
}

std::vector<Index> order_of(const Input& input, int threads) {
  std::vector<Index> order(input.ptr.size() - 1, kauri::kNone);
  kauri::with_threads(threads, [&] {
    kauri::ordering::nested_dissection({input.ptr, input.adjacency, input.weight}, input.options, order);
  });
  return order;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Input input = input_of({data, size});
  const auto order = order_of(input, 1);
  std::vector<char> met(order.size(), 0);
  for (const Index v : order) {
    kauri::fuzz::require(v >= 0 && static_cast<std::size_t>(v) < met.size() && met[v] == 0);
    met[v] = 1;
  }
  kauri::fuzz::require(order_of(input, 4) == order);
  return 0;
}

// leaf_minimum_degree(): chooses between the bit matrix and the quotient graph (AMD).
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/leaf/minimum_degree.hpp"

#include <algorithm>
#include <functional>

#include "kauri/core/backend.hpp"
#include "ordering/leaf/bits.hpp"

namespace kauri::ordering {
namespace {

leaf::OrderOnBits* fastest() {
#if defined(__x86_64__)
  if (host_target() != "cpu-generic" && __builtin_cpu_supports("popcnt"))
    return leaf::avx2::order_on_bits;
#endif
  return leaf::generic::order_on_bits;
}

/// Returns the common weight of all vertices, or 0 if weights differ.
Index common_weight(const GraphView& graph) {
  if (graph.weight.empty()) return 1;
  const bool same = std::adjacent_find(graph.weight.begin(), graph.weight.end(),
                                       std::not_equal_to<>()) == graph.weight.end();
  return same ? graph.weight.front() : 0;
}

}  // namespace

struct LeafWorkspace::LeafArrays {
  leaf::OrderOnBits* order_on_bits;
  leaf::BitArrays bits;
  AmdWorkspace amd;
};

LeafWorkspace::LeafWorkspace(bool portable) : storage_(std::make_unique<LeafArrays>()) {
  storage_->order_on_bits = portable ? leaf::generic::order_on_bits : fastest();
}
LeafWorkspace::~LeafWorkspace() = default;

bool leaf_minimum_degree(const GraphView& graph, Index interior, LeafWorkspace& workspace,
                         std::span<Index> order, const LeafOptions& options) {
  if (options.work != nullptr) *options.work = 0;
  if (interior == 0) return true;
  auto& storage = workspace.storage();
  const Index unit = common_weight(graph);
  const Index total = unit != 0 ? graph.size() : graph.total_weight();
  if (graph.size() > BitMatrixLimits::kVertices || interior > BitMatrixLimits::kInterior ||
      total > BitMatrixLimits::kWeight)
    return halo_minimum_degree(
        graph, interior,
        {.trace = options.trace, .most_work = options.most_work, .work = options.work}, storage.amd,
        order);
  storage.order_on_bits({graph, interior, unit, options.trace}, storage.bits, order);
  return true;
}

}  // namespace kauri::ordering

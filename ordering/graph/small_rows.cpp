// Finds the small rows, and builds the graph that remains.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/graph/small_rows.hpp"

#include <algorithm>

#include "base/threads/stopping.hpp"

namespace kauri::ordering {
namespace {

class SmallRows {
 public:
  SmallRows(const GraphView& graph, std::span<const char> kept) : graph_(graph), kept_(kept) {}

  /// Finds the small rows. Returns true if they are at least half of the rows.
  bool find() {
    const Index n = graph_.size();
    const std::vector<Offset> degree = degrees();
    out_.eliminated.assign(static_cast<std::size_t>(n), 0);
    Offset small = 0;
    const StopCheck check_stop;
    for (Index v = 0; v < n; ++v) {
      check_stop.at(v);
      if (!is_kept(v)) continue;
      const auto list = graph_.neighbours(v);
      const Offset least = kSmallRow * std::max<Offset>(degree[v], 1);
      if (degree[v] != 0 && std::all_of(list.begin(), list.end(), [&](Index u) {
            return !is_kept(u) || degree[u] >= least;
          })) {
        out_.eliminated[v] = 1;
        small += graph_.weight_of(v);
      } else {
        ++out_.vertices;
        out_.rows += graph_.weight_of(v);
      }
    }
    return small >= std::max<Offset>(out_.rows, 1);
  }

  /// Builds the remaining graph, after find(). Returns false if it would have more edges than the
  /// given graph, or if joining the neighbours of small rows reads more than kSmallRowWork * (edges
  /// + n) entries of lists.
  bool join() {
    const Index n = graph_.size();
    mark_.assign(static_cast<std::size_t>(n), kNone);
    out_.ptr.reserve(static_cast<std::size_t>(n) + 1);
    out_.ptr.push_back(0);
    const StopCheck check_stop;
    for (Index u = 0; u < n; ++u) {
      check_stop.at(u);
      if (is_kept(u) && out_.eliminated[u] == 0) join(u);
      out_.ptr.push_back(static_cast<Offset>(out_.adjacency.size()));
      if (out_.ptr.back() > graph_.edges() || work_ > kSmallRowWork * (graph_.edges() + n))
        return false;
    }
    return true;
  }

  WithoutSmallRows take() { return std::move(out_); }

 private:
  [[nodiscard]] std::vector<Offset> degrees() const {
    std::vector<Offset> degree(static_cast<std::size_t>(graph_.size()), 0);
    const bool plain = kept_.empty() && graph_.weight.empty();
    for (Index v = 0; v < graph_.size(); ++v) {
      if (plain) {
        degree[v] = graph_.degree(v);
        continue;
      }
      for (const Index u : graph_.neighbours(v))
        if (is_kept(u)) degree[v] += graph_.weight_of(u);
    }
    return degree;
  }

  [[nodiscard]] bool is_kept(Index v) const { return kept_.empty() || kept_[v] != 0; }

  void join(Index u) {
    const auto first = static_cast<std::ptrdiff_t>(out_.adjacency.size());
    mark_[u] = u;
    const auto add = [&](Index v) {
      if (mark_[v] == u || !is_kept(v)) return;
      mark_[v] = u;
      out_.adjacency.push_back(v);
    };
    for (const Index v : graph_.neighbours(u)) {
      if (!is_kept(v)) continue;
      if (out_.eliminated[v] == 0) {
        add(v);
        continue;
      }
      if (static_cast<std::ptrdiff_t>(out_.adjacency.size()) - first == out_.vertices - 1)
        break;  // all remaining vertices are already neighbours of u
      for (const Index w : graph_.neighbours(v)) add(w);
      work_ += graph_.degree(v);
    }
    std::sort(out_.adjacency.begin() + first, out_.adjacency.end());
  }

  const GraphView& graph_;
  const std::span<const char> kept_;
  WithoutSmallRows out_;
  std::vector<Index> mark_;
  Offset work_ = 0;
};

}  // namespace

std::optional<WithoutSmallRows> eliminate_small_rows(const GraphView& graph,
                                                     std::span<const char> kept) {
  SmallRows rows(graph, kept);
  if (!rows.find() || !rows.join()) return {};
  return rows.take();
}

}  // namespace kauri::ordering

// A graph that is made only if it is used.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include "kauri/core/graph.hpp"

namespace kauri::ordering {

/// A given graph, or the graph of a pattern, made by the first call of graph(). Copies of the
/// source share the graph that was made. Borrows the given graph, or the arrays of the pattern.
class GraphSource {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a graph is a source
  GraphSource(const Graph& graph) : given_(&graph), size_(graph.size()) {}
  GraphSource(const Graph&&) = delete;
  /// lower: a checked pattern.
  explicit GraphSource(const Pattern& lower)
      : made_(std::make_shared<Made>(lower)), size_(lower.n) {}

  [[nodiscard]] Index size() const { return size_; }
  /// Pattern of A's lower triangle; null if the graph was given.
  [[nodiscard]] const Pattern* pattern() const { return made_ ? &made_->lower : nullptr; }
  /// Returns the graph; the first call makes it in O(n + nnz). Not thread-safe.
  [[nodiscard]] const Graph& graph() const {
    if (given_) return *given_;
    if (!made_->graph) made_->graph.emplace(made_->lower, Graph::Checked{});
    return *made_->graph;
  }

 private:
  struct Made {
    explicit Made(const Pattern& pattern) : lower(pattern) {}
    Pattern lower;
    std::optional<Graph> graph;
  };

  const Graph* given_ = nullptr;
  std::shared_ptr<Made> made_;
  Index size_;
};

}  // namespace kauri::ordering

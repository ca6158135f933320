// A graph that may never have to be made.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include "kauri/graph.hpp"

namespace kauri::ordering {

/// A graph that is there, or that of a pattern, made when it is first asked for. Copies share it. Borrows what it is made from.
class GraphSource {
 public:
  GraphSource(const Graph& graph) : given_(&graph), size_(graph.size()) {}  // NOLINT(google-explicit-constructor): a graph is one
  GraphSource(const Graph&&) = delete;
  /// lower: checked.
  explicit GraphSource(const Pattern& lower) : made_(std::make_shared<Made>(lower)), size_(lower.n) {}

  [[nodiscard]] Index size() const { return size_; }
  /// Of A's lower triangle; null where the graph was there.
  [[nodiscard]] const Pattern* pattern() const { return made_ ? &made_->lower : nullptr; }
  /// By one thread at a time. O(n + nnz) the first time.
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

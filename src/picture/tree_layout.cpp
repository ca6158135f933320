// Layout of the fronts of an assembly tree in a picture, without recursion: a tree may be n deep.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/picture/tree_layout.hpp"

#include <algorithm>
#include <span>

namespace kauri::picture {
namespace {

/// Returns the operations that a front executes: the sum of c^2 over its p pivot columns, which
/// have c = m down to m - p + 1 entries.
double work_of(const Supernodes& fronts, Index s) {
  const double m = fronts.order(s), p = fronts.pivots(s), q = m - p;
  const auto squares = [](double k) { return k * (k + 1) * (2 * k + 1) / 6; };
  return squares(m) - squares(q);
}

/// Sums over the subtree of each front, and the children of each front. The children of kNone, the
/// roots, are stored last.
class Subtrees {
 public:
  explicit Subtrees(const Supernodes& fronts)
      : fronts_(fronts), sum_(static_cast<std::size_t>(fronts.count())) {
    const Index count = fronts.count();
    ptr_.assign(static_cast<std::size_t>(count) + 2, 0);
    for (Index s = 0; s < count; ++s) ++ptr_[slot(fronts.parent[s]) + 1];
    for (std::size_t k = 1; k < ptr_.size(); ++k) ptr_[k] += ptr_[k - 1];
    std::vector<Index> next(ptr_.begin(), ptr_.end() - 1);
    child_.resize(static_cast<std::size_t>(count));
    for (Index s = 0; s < count; ++s) child_[next[slot(fronts.parent[s])]++] = s;
    for (Index s = 0; s < count; ++s) add_up(s);
  }

  struct Sum {
    Index fronts = 0, height = 0, largest_order = 0;
    Offset columns = 0;
    double work = 0;
  };
  [[nodiscard]] const Sum& of(Index s) const { return sum_[s]; }
  [[nodiscard]] std::span<const Index> children(Index s) const {
    const std::size_t at = slot(s);
    return {child_.data() + ptr_[at], static_cast<std::size_t>(ptr_[at + 1] - ptr_[at])};
  }

 private:
  [[nodiscard]] std::size_t slot(Index s) const {
    return static_cast<std::size_t>(s == kNone ? fronts_.count() : s);
  }
  /// Adds front s to its own sum and that to its parent's. Called in ascending order, in which
  /// children come before their parents.
  void add_up(Index s) {
    Sum& sum = sum_[s];
    const Index p = fronts_.pivots(s);
    sum.height += p;
    sum.largest_order = std::max(sum.largest_order, fronts_.order(s));
    sum.columns += p;
    sum.work += work_of(fronts_, s);
    ++sum.fronts;
    if (fronts_.parent[s] == kNone) return;
    Sum& above = sum_[fronts_.parent[s]];
    above.height = std::max(above.height, sum.height);
    above.largest_order = std::max(above.largest_order, sum.largest_order);
    above.columns += sum.columns;
    above.work += sum.work;
    above.fronts += sum.fronts;
  }

  const Supernodes& fronts_;
  std::vector<Sum> sum_;
  std::vector<Index> ptr_, child_;
};

class TreeLayouter {
 public:
  TreeLayouter(const Supernodes& fronts, const TreeSize& size) : fronts_(fronts), trees_(fronts) {
    out_.size = size;
    Offset columns = 0;
    for (const Index root : trees_.children(kNone)) {
      out_.height = std::max(out_.height, trees_.of(root).height);
      out_.work += trees_.of(root).work;
      columns += trees_.of(root).columns;
    }
    per_column_ = size.width / static_cast<double>(std::max<Offset>(1, columns));
    per_level_ = size.height / static_cast<double>(std::max<Index>(1, out_.height));
  }

  TreeLayout run() {
    std::vector<Small> small;
    place(sort_out(kNone, 0, small), small, {0, 0, kNone}, out_.size.width);
    while (!waiting_.empty()) {
      const Waiting next = waiting_.back();
      waiting_.pop_back();
      add_front(next);
    }
    return std::move(out_);
  }

 private:
  struct At {
    double x, y;
    Index parent;  // index of the shape above in out_.shapes, or kNone
  };
  struct Waiting {
    Index front;
    At at;
  };
  struct Small {
    Index front;
    double y;  // top of the front in pixels
  };

  [[nodiscard]] double width_of(Index s) const {
    return per_column_ * static_cast<double>(trees_.of(s).columns);
  }

  /// Returns the children of s that are at least least_width wide. Adds the narrower ones to
  /// `small`, with the top y of all of them.
  std::vector<Index> sort_out(Index s, double y, std::vector<Small>& small) const {
    std::vector<Index> wide;
    for (const Index child : trees_.children(s)) {
      if (width_of(child) < out_.size.least_width)
        small.push_back({child, y});
      else
        wide.push_back(child);
    }
    return wide;
  }

  /// Adds one shape for the front and the chain below it that is drawn with it, then places the
  /// children of the last front of the chain.
  void add_front(const Waiting& top) {
    TreeShape shape{TreeShape::ShapeKind::front, top.at.x, top.at.y,
                    width_of(top.front),         0,        top.at.parent};
    std::vector<Small> small;
    std::vector<Index> wide{top.front};
    do {
      const Index s = wide.front();
      ++shape.fronts;
      shape.columns += fronts_.pivots(s);
      shape.largest_order = std::max(shape.largest_order, fronts_.order(s));
      shape.work += work_of(fronts_, s);
      shape.height += per_level_ * fronts_.pivots(s);
      wide = sort_out(s, shape.y + shape.height, small);
    } while (wide.size() == 1 && shape.height < out_.size.least_height);
    out_.shapes.push_back(shape);
    place(wide, small,
          {shape.x, shape.y + shape.height, static_cast<Index>(out_.shapes.size()) - 1},
          shape.width);
  }

  /// Places the wide fronts side by side, then all small ones as one shape, centred in the `width`
  /// that begins at at.x.
  void place(const std::vector<Index>& wide, const std::vector<Small>& small, At at, double width) {
    TreeShape rest{TreeShape::ShapeKind::subtrees, 0, at.y, 0, 0, at.parent};
    for (const auto& [s, y] : small) {
      const Subtrees::Sum& sum = trees_.of(s);
      rest.fronts += sum.fronts;
      rest.columns += sum.columns;
      rest.largest_order = std::max(rest.largest_order, sum.largest_order);
      rest.work += sum.work;
      // The shape begins at at.y, the end of the chain above it. If s hangs from an earlier front
      // of the chain, its top y is less than at.y, and only the part of its subtree from at.y on
      // counts.
      rest.height = std::max(rest.height, y + per_level_ * sum.height - at.y);
    }
    rest.width = per_column_ * static_cast<double>(rest.columns);
    double inside = rest.width;
    for (const Index s : wide) inside += width_of(s);
    at.x += std::max(0.0, (width - inside) / 2);
    for (const Index s : wide) {
      waiting_.push_back({s, at});
      at.x += width_of(s);
    }
    rest.x = at.x;
    if (rest.fronts > 0) out_.shapes.push_back(rest);
  }

  const Supernodes& fronts_;
  Subtrees trees_;
  TreeLayout out_;
  double per_column_ = 0, per_level_ = 0;
  std::vector<Waiting> waiting_;
};

}  // namespace

TreeLayout layout_of(const Supernodes& supernodes, const TreeSize& size) {
  return TreeLayouter(supernodes, size).run();
}

}  // namespace kauri::picture

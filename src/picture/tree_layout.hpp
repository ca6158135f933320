// Layout of the fronts of an assembly tree in a picture: roots on top, each front above its
// children.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/core/plan.hpp"

namespace kauri::picture {

struct TreeSize {
  double width = 960, height = 480;  ///< size of the picture in pixels, without its margins
  double least_width = 4;  ///< pixels; a narrower subtree joins the shape of its narrow siblings
  double least_height =
      1.5;  ///< pixels; a lower front is drawn together with its child if it has one wide child
};

/// A shape: a front, several fronts along a chain, or whole subtrees. Its width stands for the
/// columns of the subtree below and including it (of all subtrees together), its height for the
/// columns of its fronts from top to bottom. x, y: upper left corner, in pixels as the sizes.
struct TreeShape {
  enum class ShapeKind { front, subtrees };
  ShapeKind kind;
  double x, y, width, height;
  Index parent = kNone;     ///< index of the shape above, which is less; kNone for roots
  Index fronts = 0;         ///< number of its fronts
  Offset columns = 0;       ///< columns of its fronts
  Index largest_order = 0;  ///< rows of its largest front
  double work = 0;          ///< executed operations of its fronts
};

struct TreeLayout {
  TreeSize size;
  Index height = 0;  ///< columns on the longest path, to which size.height corresponds
  double work = 0;   ///< executed operations of all fronts
  std::vector<TreeShape> shapes;
};

/// Returns the layout of the assembly tree. O(supernodes + shapes); the number of shapes is at most
/// a small multiple of width / least_width * (2 + height / least_height).
TreeLayout layout_of(const Supernodes& supernodes, const TreeSize& size);

}  // namespace kauri::picture

// Where the fronts of an assembly tree go in a picture: roots on top, each front above its children.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/plan.hpp"

namespace kauri::picture {

struct TreeSize {
  double width = 960, height = 480;  ///< of the picture
  double least_width = 4;            ///< subtrees narrower than this are drawn as one shape, neighbours together
  double least_height = 1.5;         ///< fronts lower than this are drawn together with an only wide child
};

/// A front, several along a chain, or whole subtrees. Its width stands for the columns of the subtree that hangs on it (of all of them, if
/// they are subtrees), its height for its columns from top to bottom.
struct TreeShape {
  enum class Kind { front, subtrees };
  Kind kind;
  double x, y, width, height;
  Index parent = kNone;     ///< the shape above, an earlier one; kNone for those of roots
  Index fronts = 0;         ///< in it
  Offset columns = 0;       ///< of these
  Index largest_order = 0;  ///< of these
  double work = 0;          ///< their executed operations
};

struct TreeLayout {
  TreeSize size;
  Index height = 0;  ///< columns on the longest path: what size.height stands for
  double work = 0;   ///< executed operations of all fronts
  std::vector<TreeShape> shapes;
};

/// O(supernodes + shapes); no more shapes than some times width / least_width * (2 + height / least_height).
TreeLayout layout_of(const Supernodes& supernodes, const TreeSize& size);

}  // namespace kauri::picture

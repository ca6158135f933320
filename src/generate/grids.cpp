// Finite differences on square and cubic grids; point (x, y, z) has number (z*N + y)*N + x.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/generate/kinds.hpp"

namespace kauri::gen {

Columns poisson2d(Index points) {
  const Offset side = points;
  Columns a;
  a.reserve(side * side, 3 * side * side);
  for (Offset y = 0; y < side; ++y)
    for (Offset x = 0; x < side; ++x) {
      const Offset here = y * side + x;
      a.add(here, 4);
      if (x + 1 < side) a.add(here + 1, -1);
      if (y + 1 < side) a.add(here + side, -1);
      a.finish_column();
    }
  return a;
}

Columns aniso3d(Index points, double eps) {
  const Offset side = points, plane = side * side;
  const double diagonal = 4 + 2 * eps;
  Columns a;
  a.reserve(plane * side, 4 * plane * side);
  for (Offset z = 0; z < side; ++z)
    for (Offset y = 0; y < side; ++y)
      for (Offset x = 0; x < side; ++x) {
        const Offset here = z * plane + y * side + x;
        a.add(here, diagonal);
        if (x + 1 < side) a.add(here + 1, -1);
        if (y + 1 < side) a.add(here + side, -1);
        if (z + 1 < side) a.add(here + plane, -eps);
        a.finish_column();
      }
  return a;
}

Columns lap27(Index points) {
  const Offset side = points, plane = side * side;
  const auto inside = [side](Offset c) { return 0 <= c && c < side; };
  Columns a;
  a.reserve(plane * side, 14 * plane * side);
  // The 13 later neighbours: steps 14 to 26 of the 27 in numbering order (13 is the point itself).
  for (Offset here = 0; here < plane * side; ++here) {
    const Offset x = here % side, y = here / side % side, z = here / plane;
    a.add(here, 26);
    for (int step = 14; step < 27; ++step) {
      const int dx = step % 3 - 1, dy = step / 3 % 3 - 1, dz = step / 9 - 1;
      if (inside(x + dx) && inside(y + dy) && z + dz < side)
        a.add(here + dz * plane + dy * side + dx, -1);
    }
    a.finish_column();
  }
  return a;
}

Columns shell2d(Index points) {
  const Offset side = points;
  Columns a;
  a.reserve(side * side, 7 * side * side);
  for (Offset y = 0; y < side; ++y)
    for (Offset x = 0; x < side; ++x) {
      const Offset here = y * side + x;
      const bool left = x > 0, right = x + 1 < side, below = y > 0, above = y + 1 < side;
      a.add(here, 16 + left + right + below + above);
      if (right) a.add(here + 1, -8);
      if (x + 2 < side) a.add(here + 2, 1);
      if (above && left) a.add(here + side - 1, 2);
      if (above) a.add(here + side, -8);
      if (above && right) a.add(here + side + 1, 2);
      if (y + 2 < side) a.add(here + 2 * side, 1);
      a.finish_column();
    }
  return a;
}

}  // namespace kauri::gen

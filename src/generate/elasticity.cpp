// Linear elasticity on trilinear bricks, assembled node by node (no list of elements): Hughes, "The
// Finite Element Method", 1987, ch. 3.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>

#include "kauri/core/error.hpp"
#include "src/generate/kinds.hpp"
#include "src/generate/rng.hpp"

namespace kauri::gen {
namespace {

// Corner c of a brick lies at (c & 1, c >> 1 & 1, c >> 2); unknown 3c + i is its displacement along
// axis i.
constexpr int kCorners = 8, kUnknowns = 24;
using Stiffness = std::array<std::array<double, kUnknowns>, kUnknowns>;

int bit(int corner, int axis) { return corner >> axis & 1; }

/// Returns the gradients of the eight trilinear shape functions at a point of the unit brick.
std::array<std::array<double, 3>, kCorners> shape_gradients(const std::array<double, 3>& at) {
  std::array<std::array<double, 3>, kCorners> gradient{};
  for (int c = 0; c < kCorners; ++c) {
    std::array<double, 3> f{}, slope{};
    for (int axis = 0; axis < 3; ++axis) {
      f[axis] = bit(c, axis) ? at[axis] : 1 - at[axis];
      slope[axis] = bit(c, axis) ? 1 : -1;
    }
    gradient[c] = {slope[0] * f[1] * f[2], f[0] * slope[1] * f[2], f[0] * f[1] * slope[2]};
  }
  return gradient;
}

/// Returns the element matrix of the unit brick by 2x2x2 Gauss points. The order of operations is
/// part of the definition (bit equality).
Stiffness brick_stiffness(double young, double poisson) {
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
               mu = young / (2 * (1 + poisson));
  const double gauss[2] = {0.5 - 0.5 / std::sqrt(3.0), 0.5 + 0.5 / std::sqrt(3.0)};
  Stiffness k{};
  for (int q = 0; q < 8; ++q) {
    const auto g = shape_gradients({gauss[bit(q, 0)], gauss[bit(q, 1)], gauss[bit(q, 2)]});
    for (int a = 0; a < kCorners; ++a)
      for (int b = 0; b < kCorners; ++b) {
        const double dot = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) {
            const double shear = i == j ? mu * dot : 0;
            k[3 * a + i][3 * b + j] +=
                (lambda * g[a][i] * g[b][j] + mu * g[a][j] * g[b][i] + shear) / 8;
          }
      }
  }
  return k;
}

struct Mesh {
  Offset cells;               ///< number of cells along a side, N
  std::vector<char> solid;    ///< N^3: not 0 for a voxel that is filled
  std::vector<Index> number;  ///< (N+1)^3: number of each node that carries unknowns, else kNone
  Index nodes = 0;

  [[nodiscard]] Offset corner(Offset x, Offset y, Offset z) const {
    return (z * (cells + 1) + y) * (cells + 1) + x;
  }
  [[nodiscard]] bool is_solid(Offset x, Offset y, Offset z) const {
    const auto inside = [this](Offset c) { return 0 <= c && c < cells; };
    return inside(x) && inside(y) && inside(z) && solid[(z * cells + y) * cells + x];
  }
};

/// Removes random voxels, then all that faces do not connect to the clamped face x = 0: a loose
/// part would make A singular.
void punch_holes(Mesh& mesh, const Holes& holes) {
  enum : char { kEmpty, kLoose, kHeld };
  const Offset side = mesh.cells, plane = side * side;
  Rng rng(holes.seed);
  for (char& voxel : mesh.solid) voxel = rng.uniform() < holes.probability ? kEmpty : kLoose;
  std::vector<Offset> stack;
  const auto hold = [&](bool exists, Offset voxel) {
    if (!exists || mesh.solid[voxel] != kLoose) return;
    mesh.solid[voxel] = kHeld;
    stack.push_back(voxel);
  };
  for (Offset face = 0; face < plane; ++face) hold(true, face * side);
  while (!stack.empty()) {
    const Offset voxel = stack.back(), x = voxel % side, y = voxel / side % side, z = voxel / plane;
    stack.pop_back();
    hold(x > 0, voxel - 1);
    hold(x + 1 < side, voxel + 1);
    hold(y > 0, voxel - side);
    hold(y + 1 < side, voxel + side);
    hold(z > 0, voxel - plane);
    hold(z + 1 < side, voxel + plane);
  }
  for (char& voxel : mesh.solid) voxel = voxel == kHeld;
}

/// Numbers the nodes of solid voxels off the clamped face, x fastest. Throws Error(usage) if there
/// are none.
void number_nodes(Mesh& mesh) {
  const Offset side = mesh.cells;
  mesh.number.assign(static_cast<std::size_t>((side + 1) * (side + 1) * (side + 1)), kNone);
  for (Offset z = 0; z <= side; ++z)
    for (Offset y = 0; y <= side; ++y)
      for (Offset x = 1; x <= side; ++x) {
        bool used = false;
        for (int c = 0; c < kCorners; ++c)
          used = used || mesh.is_solid(x - bit(c, 0), y - bit(c, 1), z - bit(c, 2));
        if (used) mesh.number[mesh.corner(x, y, z)] = mesh.nodes++;
      }
  if (mesh.nodes == 0)
    throw Error(ErrorKind::usage,
                "generate: elast3d: no voxel is left on the clamped face; choose fewer holes");
}

/// The 3 x 3 blocks of a node's columns: rows of the node itself (step 13) and of its 13 neighbours
/// with higher numbers (steps 14 to 26). Step 13 + dx + 3 dy + 9 dz is the node at (dx, dy, dz).
struct Star {
  std::array<std::array<std::array<double, 3>, 3>, 27> block{};  // [step][row][col]
  std::array<bool, 27> met{};
};

Star gather(const Mesh& mesh, const Stiffness& k, Offset x, Offset y, Offset z) {
  Star star;
  for (int own = 0; own < kCorners; ++own) {  // the brick in which this node is corner `own`
    if (!mesh.is_solid(x - bit(own, 0), y - bit(own, 1), z - bit(own, 2))) continue;
    for (int other = 0; other < kCorners; ++other) {
      const int step = 13 + 9 * (bit(other, 2) - bit(own, 2)) + 3 * (bit(other, 1) - bit(own, 1)) +
                       bit(other, 0) - bit(own, 0);
      if (step < 13) continue;
      star.met[step] = true;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) star.block[step][i][j] += k[3 * other + i][3 * own + j];
    }
  }
  return star;
}

}  // namespace

Columns elast3d(Index cells, const Holes& holes) {
  Mesh mesh;
  mesh.cells = cells;
  const Offset side = cells;
  mesh.solid.assign(static_cast<std::size_t>(side * side * side), 1);
  if (holes.probability > 0) punch_holes(mesh, holes);
  number_nodes(mesh);
  const Stiffness k = brick_stiffness(1.0, 0.3);
  const double h = 1.0 / static_cast<double>(side);
  Columns a;
  a.reserve(Offset{3} * mesh.nodes, Offset{holes.probability > 0 ? 90 : 126} * mesh.nodes);
  for (Offset z = 0; z <= side; ++z)
    for (Offset y = 0; y <= side; ++y)
      for (Offset x = 1; x <= side; ++x) {
        if (mesh.number[mesh.corner(x, y, z)] == kNone) continue;
        const Star star = gather(mesh, k, x, y, z);
        for (int j = 0; j < 3; ++j) {
          for (int step = 13; step < 27; ++step) {
            if (!star.met[step]) continue;
            const Index node =
                mesh.number[mesh.corner(x + step % 3 - 1, y + step / 3 % 3 - 1, z + step / 9 - 1)];
            if (node == kNone) continue;  // clamped
            for (int i = step == 13 ? j : 0; i < 3; ++i)
              a.add(Offset{3} * node + i, h * star.block[step][i][j]);
          }
          a.finish_column();
        }
      }
  return a;
}

}  // namespace kauri::gen

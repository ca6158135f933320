// The kinds of test systems. The caller (spec.cpp) checks sizes, so every count here fits its type.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "src/generate/columns.hpp"

namespace kauri::gen {

/// Returns -u_xx - u_yy on points x points grid points by 5-point differences, times h^2: 4 on the
/// diagonal, -1 to each neighbour; zero boundary values.
Columns poisson2d(Index points);

/// Returns -u_xx - u_yy - eps u_zz on points^3 grid points by 7-point differences, times h^2; zero
/// boundary values.
Columns aniso3d(Index points, double eps);

/// Returns the 27-point operator on points^3 grid points: 26 on the diagonal, -1 to each of the
/// neighbours, zero boundary values.
Columns lap27(Index points);

/// Returns the square of poisson2d(points): the 13-point biharmonic operator of a plate.
Columns shell2d(Index points);

/// Random holes: each voxel is left out with this probability; 0 leaves the brick full.
struct Holes {
  std::uint64_t seed = 0;
  double probability = 0;
};

/// Returns linear elasticity (E = 1, nu = 0.3) on cells^3 trilinear bricks of the unit cube, the
/// face x = 0 clamped, three unknowns a node. With holes, only voxels that faces connect to the
/// clamped face remain. Throws Error(usage) if none does.
Columns elast3d(Index cells, const Holes& holes);

/// Returns the Laplacian + shift I of a random geometric graph: n points in the unit cube, each
/// joined to its k < n nearest; weights fall with the distance.
Columns rgg3d(Index n, Index k, std::uint64_t seed, double shift);

/// Returns the Laplacian + shift I of a triangulated grid of n jittered points, each cell cut along
/// a random diagonal; weights are 1/length.
Columns tri2d(Index n, std::uint64_t seed, double shift);

/// Returns the Laplacian + shift I of a graph like a power grid: a random spanning tree of a square
/// grid, numbered at random, with n/10 more edges, of which the share `far` joins random points,
/// not neighbours.
Columns tree(Index n, std::uint64_t seed, double far, double shift);

/// Returns a matrix whose first `dense` rows and columns are full; the others are a band of half
/// width 4.
Columns arrow(Index n, Index dense);

/// Returns dense diagonal blocks of order `block` (the last one may be smaller), with 1 on the
/// diagonal and random entries off it.
Columns blockdiag(Index n, Index block);

/// Returns the Laplacian + shift I of a path of n vertices numbered at random, with the vertices 0
/// to count - 1 joined to `degree` random vertices each (fewer if one is drawn twice).
Columns hubs(Index n, Index count, Index degree, std::uint64_t seed, double shift);

/// Returns the Laplacian + shift I of preferential attachment (Barabasi & Albert 1999): each vertex
/// is joined to `links` earlier ones (fewer if one is drawn twice), drawn with probability
/// proportional to their degree. Degrees follow a power law.
Columns power_law(Index n, Index links, std::uint64_t seed, double shift);

/// Number of unknowns of a point and of a camera of bundle().
constexpr Index kBundlePoint = 3, kBundleCamera = 9;

/// Returns the pattern of the normal equations of bundle adjustment, with diagonally dominant
/// values: points first, then cameras; each point is seen by `views` random cameras. Each point,
/// camera and view is a dense block. n = 3 points + 9 cameras.
Columns bundle(Index cameras, Index points, Index views, std::uint64_t seed);

/// Returns the Kronecker product of `a` with the SPD matrix of order `dof` whose entry (i, j) is
/// 1/(1 + |i - j|).
Columns with_dofs(const Columns& a, Index dof);

/// Returns `a` with rows and columns renumbered at random.
Columns shuffled(const Columns& a, std::uint64_t seed);

}  // namespace kauri::gen

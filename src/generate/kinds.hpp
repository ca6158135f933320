// The kinds of test systems. The caller (spec.cpp) checks sizes, so every count here fits its type.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "src/generate/columns.hpp"

namespace kauri::gen {

/// -u_xx - u_yy on N x N points, 5-point differences, zero boundary values.
Columns poisson2d(Index points);

/// -u_xx - u_yy - eps u_zz on N^3 points, 7-point differences, zero boundary values.
Columns aniso3d(Index points, double eps);

/// 27-point operator on N^3 points: 26 on the diagonal, -1 to each of the neighbours, zero boundary
/// values.
Columns lap27(Index points);

/// The square of the 5-point operator of poisson2d: 13-point biharmonic plate.
Columns shell2d(Index points);

/// Voxels left out at random; probability 0 leaves the brick full.
struct Holes {
  std::uint64_t seed = 0;
  double probability = 0;
};

/// Linear elasticity (E = 1, nu = 0.3) on N^3 trilinear bricks of the unit cube, the face x = 0
/// clamped, three unknowns a node. With holes, only voxels connected to the clamped face through
/// faces remain. Throws Error(usage) if none does.
Columns elast3d(Index cells, const Holes& holes);

/// Laplacian of a random geometric graph: n points in the unit cube, each joined to its k nearest.
Columns rgg3d(Index n, Index k, std::uint64_t seed, double shift);

/// Laplacian of a triangulated grid with jittered points, each cell cut along a random diagonal;
/// weights are 1/length.
Columns tri2d(Index n, std::uint64_t seed, double shift);

/// Like a power grid: a random spanning tree of a square grid with n/10 more edges, numbered at
/// random. A share `far` of those joins random points instead of neighbours.
Columns tree(Index n, std::uint64_t seed, double far, double shift);

/// A band of half width 4 behind `dense` full rows and columns.
Columns arrow(Index n, Index dense);

/// Dense diagonal blocks of the given order (the last one may be smaller), random entries.
Columns blockdiag(Index n, Index block);

/// A path of n vertices numbered at random, and the first `count` of them hubs, each joined to
/// `degree` random vertices (fewer if one is drawn twice).
Columns hubs(Index n, Index count, Index degree, std::uint64_t seed, double shift);

/// Preferential attachment (Barabasi & Albert 1999): each vertex is joined to `links` earlier ones
/// (fewer if one is drawn twice), drawn with probability proportional to their degree. Degrees
/// follow a power law.
Columns power_law(Index n, Index links, std::uint64_t seed, double shift);

/// Unknowns of a point and of a camera.
constexpr Index kBundlePoint = 3, kBundleCamera = 9;

/// The pattern of the normal equations of bundle adjustment, diagonally dominant: points first,
/// then cameras; each point is seen by `views` random cameras. Dense blocks for each point, camera
/// and view. n = 3 points + 9 cameras.
Columns bundle(Index cameras, Index points, Index views, std::uint64_t seed);

/// Kronecker product with the SPD matrix 1/(1+|a-b|) of order `dof`.
Columns with_dofs(const Columns& a, Index dof);

/// Random renumbering of rows and columns.
Columns shuffled(const Columns& a, std::uint64_t seed);

}  // namespace kauri::gen

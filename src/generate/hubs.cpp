// Systems whose rows differ much in length: hubs, bundle adjustment, preferential attachment.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>

#include "src/generate/kinds.hpp"
#include "src/generate/rng.hpp"

namespace kauri::gen {

Columns hubs(Index n, Index count, Index degree, std::uint64_t seed, double shift) {
  Rng rng(seed);
  std::vector<Index> path(static_cast<std::size_t>(n));
  std::iota(path.begin(), path.end(), 0);
  shuffle(path, rng);
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(n) +
                static_cast<std::size_t>(count) * static_cast<std::size_t>(degree));
  for (Index k = 1; k < n; ++k) edges.push_back({path[k - 1], path[k], 1.0});
  for (Index hub = 0; hub < count; ++hub)
    for (Index k = 0; k < degree; ++k)
      if (const auto v = static_cast<Index>(rng.below(n)); v != hub) edges.push_back({hub, v, 0.5});
  return laplacian(n, edges, shift);
}

Columns power_law(Index n, Index links, std::uint64_t seed, double shift) {
  Rng rng(seed);
  std::vector<Index>
      ends;  // each vertex once for each of its edges, so that a uniform draw is one by degree
  ends.reserve(2 * static_cast<std::size_t>(n) * static_cast<std::size_t>(links));
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(n) * static_cast<std::size_t>(links));
  for (Index v = 1; v < n; ++v)
    for (Index k = 0; k < std::min(links, v); ++k) {
      const Index u =
          v <= links ? k
                     : ends[static_cast<std::size_t>(rng.below(static_cast<Offset>(ends.size())))];
      if (u == v) continue;
      edges.push_back({u, v, 1.0});
      ends.push_back(u);
      ends.push_back(v);
    }
  return laplacian(n, edges, shift);
}

namespace {

/// Returns, for each point in turn, `views` different random cameras in ascending order.
std::vector<Index> draw_views(Index cameras, Index points, Index views, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Index> seen;
  seen.reserve(static_cast<std::size_t>(points) * static_cast<std::size_t>(views));
  for (Index p = 0; p < points; ++p) {
    const auto first = static_cast<std::ptrdiff_t>(seen.size());
    while (static_cast<std::ptrdiff_t>(seen.size()) < first + views) {
      const auto camera = static_cast<Index>(rng.below(cameras));
      if (std::find(seen.begin() + first, seen.end(), camera) == seen.end()) seen.push_back(camera);
    }
    std::sort(seen.begin() + first, seen.end());
  }
  return seen;
}

}  // namespace

Columns bundle(Index cameras, Index points, Index views, std::uint64_t seed) {
  const std::vector<Index> seen = draw_views(cameras, points, views, seed);
  std::vector<Offset> points_of(static_cast<std::size_t>(cameras), 0);
  for (const Index camera : seen) ++points_of[camera];
  constexpr Offset kPoint = kBundlePoint, kCamera = kBundleCamera;
  constexpr double kOff = -0.1;
  const auto diagonal = [](Offset others) { return 1 - kOff * static_cast<double>(others); };
  const Offset first = kPoint * points;  // row of the first camera
  Columns a;
  a.reserve(first + kCamera * cameras,
            points * (kPoint * (kPoint + 1) / 2 + kPoint * kCamera * views) +
                cameras * kCamera * (kCamera + 1) / 2);
  for (Offset p = 0; p < points; ++p)
    for (Offset c = 0; c < kPoint; ++c) {
      a.add(kPoint * p + c, diagonal(kPoint - 1 + kCamera * views));
      for (Offset r = c + 1; r < kPoint; ++r) a.add(kPoint * p + r, kOff);
      for (Index view = 0; view < views; ++view)
        for (Offset r = 0; r < kCamera; ++r)
          a.add(first + kCamera * seen[p * views + view] + r, kOff);
      a.finish_column();
    }
  for (Offset camera = 0; camera < cameras; ++camera)
    for (Offset c = 0; c < kCamera; ++c) {
      a.add(first + kCamera * camera + c, diagonal(kCamera - 1 + kPoint * points_of[camera]));
      for (Offset r = c + 1; r < kCamera; ++r) a.add(first + kCamera * camera + r, kOff);
      a.finish_column();
    }
  return a;
}

}  // namespace kauri::gen

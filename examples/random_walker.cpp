// Segments an image by random walks (Grady, Random Walks for Image Segmentation, 2006): a pixel
// belongs to the region whose seeds a walk that avoids edges is most likely to reach first. These
// probabilities solve Laplacian systems: one factor, and a column for each region but one.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.hpp>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace {

using kauri::Index;
using Image = std::vector<double>;

constexpr Index kSize = 160, kPixels = kSize * kSize, kRegions = 3, kNone = -1;
constexpr double kNoise = 0.12, kSharpness = 500;

/// Returns the region of a pixel of the image: a disc and a bar on a background.
Index true_region(Index pixel) {
  const Index column = pixel % kSize, row = pixel / kSize;
  const double x = double(column) / kSize, y = double(row) / kSize;
  if ((x - 0.34) * (x - 0.34) + (y - 0.4) * (y - 0.4) < 0.045) return 1;
  return x > 0.62 && x < 0.8 && y > 0.2 && y < 0.85 ? 2 : 0;
}

/// Returns the region of a pixel on a stroke of the user, else kNone. Strokes run along the border,
/// between the figures, and through each of them.
Index seed(Index pixel) {
  const Index x = pixel % kSize, y = pixel / kSize, last = kSize - 4;
  const bool within = x >= 3 && x <= last && y >= 3 && y <= last;
  if (within && (x == 3 || x == last || y == 3 || y == last)) return 0;
  if (x == 92 && y >= 20 && y < 140) return 0;
  if (x >= 52 && x < 56 && y >= 50 && y < 78) return 1;
  return x == 113 && y >= 45 && y < 120 ? 2 : kNone;
}

Image picture() {
  constexpr double kGrey[kRegions] = {0.2, 0.55, 0.9};
  std::mt19937 random(3);
  Image image(kPixels);
  for (Index i = 0; i < kPixels; ++i) {
    double noise = -6;  // nearly normal, and the same on every machine
    for (int k = 0; k < 12; ++k) noise += random() / 4294967296.0;
    image[i] = kGrey[true_region(i)] + kNoise * noise;
  }
  return image;
}

/// Returns a weighted mean of each pixel and its neighbours, so that noise is not taken for an
/// edge.
Image smooth(const Image& image) {
  Image out = image;
  for (Index y = 1; y + 1 < kSize; ++y)
    for (Index x = 1; x + 1 < kSize; ++x) {
      const Index i = y * kSize + x;
      out[i] =
          (4 * image[i] + image[i - 1] + image[i + 1] + image[i - kSize] + image[i + kSize]) / 8;
    }
  return out;
}

/// The Laplacian of the pixels without a seed, and right-hand sides from the edges to the seeds of
/// all regions but the first.
struct Walks {
  std::vector<Index> unknown = std::vector<Index>(kPixels, kNone), row, col;
  std::vector<double> value, right;
  Index count = 0;

  explicit Walks(const Image& image) {
    for (Index i = 0; i < kPixels; ++i)
      if (seed(i) == kNone) unknown[i] = count++;
    right.assign(static_cast<std::size_t>(count) * (kRegions - 1), 0.0);
    for (Index i = 0; i < kPixels; ++i) {
      if (i % kSize + 1 < kSize) join(image, i, i + 1);
      if (i + kSize < kPixels) join(image, i, i + kSize);
    }
  }
  void join(const Image& image, Index i, Index j) {
    const double weight =
        std::exp(-kSharpness * (image[i] - image[j]) * (image[i] - image[j])) + 1e-6;
    go(i, j, weight);
    go(j, i, weight);
    if (unknown[i] != kNone && unknown[j] != kNone) add(unknown[j], unknown[i], -weight);
  }
  void go(Index from, Index to, double weight) {
    if (unknown[from] == kNone) return;
    add(unknown[from], unknown[from], weight);
    if (seed(to) > 0)
      right[static_cast<std::size_t>(count) * (seed(to) - 1) + unknown[from]] += weight;
  }
  void add(Index i, Index j, double v) {
    row.push_back(i);
    col.push_back(j);
    value.push_back(v);
  }
};

}  // namespace

int main() {
  const Image image = picture();
  Image clear = image;
  for (int k = 0; k < 4; ++k) clear = smooth(clear);
  Walks walks(clear);
  const auto a = kauri::SymmetricMatrix<double>::from_triplets(walks.count, walks.row, walks.col,
                                                               walks.value, kauri::Storage::lower);
  kauri::Solver<double> solver;
  if (const auto done = solver.compute(a.view()); !done) {
    std::printf("%s\n", kauri::describe(done.error()).c_str());
    return 2;
  }
  solver.solve(
      kauri::MatrixView<double>{walks.right.data(), walks.count, kRegions - 1, walks.count});

  Index right = 0, by_grey = 0;
  bool probable = true;
  for (Index i = 0; i < kPixels; ++i) {
    Index found = seed(i);
    if (found == kNone) {
      const double one = walks.right[walks.unknown[i]],
                   two = walks.right[walks.count + walks.unknown[i]], ground = 1 - one - two;
      probable = probable && one > -1e-12 && two > -1e-12 && ground > -1e-12;
      found = ground >= one && ground >= two ? 0 : one >= two ? 1 : 2;
    }
    right += found == true_region(i) ? 1 : 0;
    by_grey += (image[i] < 0.375 ? 0 : image[i] < 0.725 ? 1 : 2) == true_region(i) ? 1 : 0;
  }
  std::printf(
      "%d pixels without a seed: %.1f %% as drawn; by a threshold of the grey values %.1f %%\n",
      walks.count, 100.0 * right / kPixels, 100.0 * by_grey / kPixels);
  return right > 0.97 * kPixels && probable ? 0 : 1;
}

// Generated systems against 64-bit checksums of the reference generators (spdgen), and against
// formulas.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "kauri/extras/generate.hpp"
#include "src/generate/rng.hpp"

namespace kauri {
namespace {

/// FNV-1a over bytes.
class Checksum {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* byte = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) hash_ = (hash_ ^ byte[i]) * 1099511628211U;
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 14695981039346656037U;
};

/// Returns the checksum of n, column pointers, rows and the bits of the values.
std::uint64_t checksum(const SymmetricMatrix<double>& a) {
  const std::int64_t n = a.n();
  Checksum sum;
  sum.add(&n, sizeof n);
  sum.add(a.pattern().col_ptr.data(), a.pattern().col_ptr.size_bytes());
  sum.add(a.pattern().row.data(), a.pattern().row.size_bytes());
  sum.add(a.value().data(), a.value().size_bytes());
  return sum.value();
}

struct Known {
  const char* spec;
  Index n;
  Offset nnz;
  std::uint64_t checksum;
};

// Recorded from matrices that were compared bit for bit with the reference, x86-64, glibc 2.36.
const Known kKnown[] = {
    {"poisson2d 1", 1, 1, 0x1f80736c941b2185},
    {"poisson2d 2", 4, 8, 0xad6f92fa4f194d9b},
    {"poisson2d 7", 49, 133, 0x5c6ac4749d1d5855},
    {"poisson2d 60", 3600, 10680, 0x6b9091572e209ddd},
    {"poisson3d 1", 1, 1, 0x1f65436c9404083d},
    {"poisson3d 2", 8, 20, 0x62c713877e36911},
    {"poisson3d 5", 125, 425, 0xbb80b4518f5bd5cd},
    {"poisson3d 20", 8000, 30800, 0x2a02696662ebe0ce},
    {"lap27 1", 1, 1, 0x1eff4f6c93ad696f},
    {"lap27 2", 8, 36, 0x64bd89930ae7a0bd},
    {"lap27 3", 27, 185, 0x51fd27812309b7d3},
    {"lap27 14", 2744, 33372, 0x491d5265d9332545},
    {"aniso3d 2 0.3", 8, 20, 0xf4d334e662ca581},
    {"aniso3d 9 0.01", 729, 2673, 0xf8660af10824eb6f},
    {"aniso3d 4 1e6", 64, 208, 0x53e3df3631830045},
    {"shell2d 1", 1, 1, 0x1f13336c93bde2e5},
    {"shell2d 2", 4, 10, 0xe7b79634a9ecdd93},
    {"shell2d 3", 9, 35, 0x48518bd4eb3f4345},
    {"shell2d 40", 1600, 10802, 0x5b61bd2d10d44ace},
    {"elast3d 1", 12, 78, 0x5fd33e7665cad58a},
    {"elast3d 2", 54, 909, 0x16e75b2a6290e495},
    {"elast3d 3", 144, 3222, 0x6901435842ab933b},
    {"elast3d 8", 1944, 62847, 0xa422c46bb5b3bc60},
    {"elast3d 6 --holes 7 0.2", 852, 22746, 0x323f6f72132e334b},
    {"elast3d 10 --holes 3 0.5", 3234, 81744, 0xed349d944eaaf140},
    {"elast3d 7 --holes 1 0", 1344, 42054, 0xb690b0f1668cc7ef},
    {"elast3d 9 --holes 18446744073709551615 0.35", 2637, 73287, 0xa71bad8dae47e23d},
    {"rgg3d 2 1 5", 2, 3, 0x32b232d69f88080a},
    {"rgg3d 10 9 1", 10, 55, 0xce100f58f35a5565},
    {"rgg3d 100 3 2", 100, 289, 0x2c22e88896bfa60e},
    {"rgg3d 100 50 2", 100, 3032, 0x5064d9842a3b53fd},
    {"rgg3d 1000 12 1", 1000, 8058, 0x9e3d3e798e11e2b5},
    {"rgg3d 2000 6 4 --shift 0.5", 2000, 9226, 0x17f054e246311dc8},
    {"rgg3d 5000 20 -3", 5000, 61861, 0x4f85c6cd06317785},
    {"tri2d 1 1", 1, 1, 0x482da4f9e72e43df},
    {"tri2d 2 1", 2, 3, 0x5acb711b2e42f486},
    {"tri2d 3 9", 3, 5, 0xb12275cb0bf21036},
    {"tri2d 10 4", 10, 27, 0x4260e14505c8bf59},
    {"tri2d 1000 1", 1000, 3873, 0x2e0add64e5575da7},
    {"tri2d 4321 7 --shift 1", 4321, 17021, 0x84c78f3cb5b0524d},
    {"tree 1 1", 1, 1, 0x482da4f9e72e43df},
    {"tree 2 1", 2, 3, 0xdbd232cc706045a0},
    {"tree 9 1", 9, 17, 0xbac2b192f2ba28d4},
    {"tree 100 3", 100, 209, 0x43ea40b8143a9181},
    {"tree 5000 1", 5000, 10499, 0x55d71d74fec6088},
    {"tree 5000 2 --far 1", 5000, 10499, 0x4669d4d426943d43},
    {"tree 5003 2 --far 0.3 --shift 1e-6", 5003, 10505, 0x7cd913b9f75e52e6},
    {"arrow 1 0", 1, 1, 0x1ee39f6c939576a7},
    {"arrow 5 4", 5, 15, 0x3d165e23acd2b521},
    {"arrow 300 0", 300, 1490, 0x1ec91eaa5f80fd33},
    {"arrow 300 20", 300, 7200, 0xc4ad85b0bb3a7283},
    {"arrow 40 3", 40, 292, 0xfc10c54364eac311},
    {"blockdiag 1 1", 1, 1, 0x21a0246c95e901a8},
    {"blockdiag 10 3", 10, 19, 0xfdf988053c4476fc},
    {"blockdiag 100 100", 100, 5050, 0x9f64510c50a871c},
    {"blockdiag 100 1000", 100, 5050, 0x9f64510c50a871c},
    {"blockdiag 500 32", 500, 8130, 0x534e01f347b09be1},
    {"blockdiag 7 1", 7, 7, 0xa61a41f1d4b62e38},
    {"poisson2d 9 --shuffle 3", 81, 225, 0x4a2aee8899f6efab},
    {"poisson2d 9 --dof 3", 243, 1782, 0xbb65900ed7e0793d},
    {"elast3d 4 --dof 2 --shuffle 11", 600, 30720, 0x274b9b87da625fd8},
    {"tree 300 4 --far 1 --dof 4 --shuffle 5", 1200, 8248, 0x6433e970477822d4},
    {"rgg3d 500 8 1 --shuffle 0 --dof 6", 3000, 96252, 0xb7fa2db6d5fbd722},
    {"lap27 5 --dof 2", 250, 4519, 0x9daec837d5741090},
    {"arrow 60 2 --shuffle 99 --dof 3", 180, 3411, 0x415412e4374aa358},
    {"blockdiag 33 8 --dof 2", 66, 547, 0xfde7e467cb4b603},
    {"aniso3d 6 0.001 --shuffle 1", 216, 756, 0xf571d3d8afde1c57},
    {"shell2d 12 --dof 3 --shuffle 18446744073709551615", 432, 7578, 0x1b5d9efe5e833cf7},
    {"tri2d 700 1 --dof 2", 1400, 10080, 0x5dd670433b008b40},
    {"--shuffle 4 poisson3d --dof 2 4", 128, 768, 0x76a87d503050b2b8},
    {"poisson2d 300", 90000, 269400, 0x4fa539d51dcb4377},
    {"aniso3d 30 0.01", 27000, 105300, 0xcbc0f90ed12758b6},
    {"lap27 20", 8000, 101556, 0x3e76bed62ffbaa5},
    {"shell2d 100", 10000, 69002, 0x5754e9a8b266e28a},
    {"elast3d 12", 6084, 212499, 0x2310c2bf0eab566d},
    {"elast3d 12 --holes 7 0.2", 6051, 194568, 0xe2eb23d311025358},
    {"rgg3d 20000 12 1", 20000, 157629, 0xed6246140dbd9b80},
    {"tri2d 100000 1", 100000, 398735, 0x6dbd0aa77a71e759},
    {"tree 100000 1", 100000, 209999, 0xa423c759befc8f06},
    {"tree 50000 5 --far 1", 50000, 104998, 0xa558f9e530774708},
    {"blockdiag 5000 64", 5000, 162276, 0x97cca42802f3e715},
    {"arrow 20000 10", 20000, 299895, 0xffa911abf0c0e4ad},
    {"poisson3d 20 --shuffle 1", 8000, 30800, 0x6a6b9843fc8fb1f4},
    {"poisson2d 100 --dof 3", 30000, 238200, 0xf05d499c3127f418},
};

/// Returns whether the C library's cbrt and hypot, which the reference and kauri call, give the
/// recorded bits; the last one may differ between versions.
bool same_libm() {
  std::uint64_t hash = 0;
  for (int i = 1; i <= 1000; ++i)
    hash = hash * 31 + std::bit_cast<std::uint64_t>(std::hypot(0.37 * i, 1.1)) +
           std::bit_cast<std::uint64_t>(std::cbrt(10.0 * i));
  return hash == 3930660842954433920U;
}

bool uses_libm(const std::string& spec) {
  return spec.starts_with("rgg3d") || spec.starts_with("tri2d");
}

class Generated : public testing::TestWithParam<Known> {};

TEST_P(Generated, EqualsTheReferenceBitForBit) {
  const Known& known = GetParam();
  const auto a = generate(known.spec);
  EXPECT_EQ(a.n(), known.n) << known.spec;
  EXPECT_EQ(a.nnz(), known.nnz) << known.spec;
  if (uses_libm(known.spec) && !same_libm())
    GTEST_SKIP() << "another C library: values may differ in the last bit";
  EXPECT_EQ(checksum(a), known.checksum) << known.spec;
}

INSTANTIATE_TEST_SUITE_P(Specs, Generated, testing::ValuesIn(kKnown));

TEST(Rng, IsSplitmix64AndSkips) {
  // This is the first output of splitmix64 from the state 0x1234567, computed independently.
  gen::Rng rng(0);
  EXPECT_EQ(rng.next(), 4194204079749860293U);
  gen::Rng ahead(77), step(77);
  ahead.skip(1000);
  for (int i = 0; i < 1000; ++i) step.next();
  EXPECT_EQ(ahead.next(), step.next());
}

TEST(Generate, PoissonByItsFormula) {
  constexpr Index kSide = 5;
  const auto a = generate("poisson2d 5");
  ASSERT_EQ(a.n(), kSide * kSide);
  for (Index j = 0; j < a.n(); ++j)
    for (Offset k = a.pattern().col_ptr[j]; k < a.pattern().col_ptr[j + 1]; ++k) {
      const Index i = a.pattern().row[k];
      const int distance = std::abs(i % kSide - j % kSide) + std::abs(i / kSide - j / kSide);
      EXPECT_LE(distance, 1);
      EXPECT_EQ(a.value()[k], distance == 0 ? 4 : -1);
    }
}

TEST(Generate, LaplacianRowsSumToTheShift) {
  const auto a = generate("rgg3d 500 6 1 --shift 0.25");
  std::vector<double> sum(500, 0);
  for (Index j = 0; j < a.n(); ++j)
    for (Offset k = a.pattern().col_ptr[j]; k < a.pattern().col_ptr[j + 1]; ++k) {
      const Index i = a.pattern().row[k];
      sum[j] += a.value()[k];
      if (i != j) sum[i] += a.value()[k];
    }
  for (const double s : sum) EXPECT_NEAR(s, 0.25, 1e-11);
}

/// Returns the number of off-diagonal entries of each row.
std::vector<Index> lengths(const SymmetricMatrix<double>& a) {
  std::vector<Index> length(static_cast<std::size_t>(a.n()), 0);
  for (Index j = 0; j < a.n(); ++j)
    for (Offset k = a.pattern().col_ptr[j]; k < a.pattern().col_ptr[j + 1]; ++k)
      if (const Index i = a.pattern().row[k]; i != j) ++length[i], ++length[j];
  return length;
}

TEST(Generate, BundleHasDenseBlocksOfPointsCamerasAndViews) {
  constexpr Index kCameras = 7, kPoints = 40, kViews = 3;
  const auto a = generate("bundle 7 40 3 1");
  ASSERT_EQ(a.n(), 3 * kPoints + 9 * kCameras);
  EXPECT_EQ(a.nnz(), kPoints * (6 + 27 * kViews) + kCameras * 45);
  const auto length = lengths(a);
  for (Index v = 0; v < 3 * kPoints; ++v) EXPECT_EQ(length[v], 2 + 9 * kViews);
  Index seen = 0;
  for (Index v = 3 * kPoints; v < a.n(); v += 9) {
    seen += length[v] - 8;
    for (Index r = 1; r < 9; ++r) EXPECT_EQ(length[v + r], length[v]);
  }
  EXPECT_EQ(seen, 3 * kPoints * kViews);
  for (Index j = 0; j < a.n(); ++j)
    EXPECT_NEAR(a.value()[a.pattern().col_ptr[j]], 1 + 0.1 * length[j], 1e-12);
}

TEST(Generate, HubsAndPowersHaveLongRows) {
  const auto hubs = lengths(generate("hubs 5000 3 200 1"));
  for (Index v = 0; v < 3; ++v) {
    EXPECT_GT(hubs[v], 180);
    EXPECT_LE(hubs[v], 200 + 2 + 2);
  }
  EXPECT_LE(*std::max_element(hubs.begin() + 3, hubs.end()), 2 + 3);
  const auto power = lengths(generate("powerlaw 5000 3 1"));
  EXPECT_GT(*std::max_element(power.begin(), power.end()), 100);
  EXPECT_GT(std::count_if(power.begin(), power.end(), [](Index d) { return d <= 3; }), 1500);
  EXPECT_EQ(lengths(generate("powerlaw 2 5 1")), (std::vector<Index>{1, 1}));
  EXPECT_EQ(generate("hubs 1 1 5 1").nnz(), 1);
}

TEST(Generate, ElasticityKeepsRigidMotionsFreeOfForceAwayFromTheClamp) {
  // A translation causes no strain: rows of nodes that do not touch the clamped face sum to zero,
  // axis by axis.
  constexpr Index kCells = 4, kNodes = kCells + 1;
  const auto a = generate("elast3d 4");
  std::vector<double> force(static_cast<std::size_t>(a.n()), 0);
  for (Index j = 0; j < a.n(); ++j)
    for (Offset k = a.pattern().col_ptr[j]; k < a.pattern().col_ptr[j + 1]; ++k) {
      const Index i = a.pattern().row[k];
      if (j % 3 == 0) force[i] += a.value()[k];
      if (i != j && i % 3 == 0) force[j] += a.value()[k];
    }
  ASSERT_EQ(a.n(), 3 * kCells * kNodes * kNodes);
  for (Index i = 0; i < a.n(); ++i) {
    const bool next_to_clamp = i / 3 % kCells == 0;
    if (!next_to_clamp) {
      EXPECT_NEAR(force[i], 0, 1e-14) << i;
    }
  }
}

}  // namespace
}  // namespace kauri

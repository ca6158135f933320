// Permutation: both directions, composition, and its errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/core/permutation.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri {
namespace {

TEST(Permutation, DirectionsAreInverseAndComposeInOrder) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto n = static_cast<Index>(seed);
    const auto p = test::random_order(n, seed), q = test::random_order(n, seed + 1000);
    const auto both = p.then(q);
    ASSERT_EQ(both.size(), n);
    for (Index k = 0; k < n; ++k) {
      ASSERT_EQ(p.new_of(p.old_of(k)), k);
      ASSERT_EQ(p.old_of(p.new_of(k)), k);
      ASSERT_EQ(both.old_of(k), p.old_of(q.old_of(k)));
      ASSERT_EQ(both.new_of(both.old_of(k)), k);
    }
    ASSERT_EQ(p.then(Permutation::identity(n)), p);
    ASSERT_EQ(Permutation::identity(n).then(p), p);
    ASSERT_EQ(p.then(Permutation::from_old_of({p.new_of().begin(), p.new_of().end()})),
              Permutation::identity(n));
  }
  EXPECT_EQ(Permutation().size(), 0);
}

TEST(Permutation, RefusesWhatIsNoBijection) {
  const auto flaw = [](std::vector<Index> old_of) {
    return test::error_text(ErrorKind::input, [&] { (void)Permutation::from_old_of(old_of); });
  };
  EXPECT_EQ(flaw({1, 0}), "no Error");
  EXPECT_EQ(flaw({}), "no Error");
  EXPECT_EQ(flaw({0, 2}), "permutation: entry 1 is 2, expected 0 to 1");
  EXPECT_EQ(flaw({-1, 0}), "permutation: entry 0 is -1, expected 0 to 1");
  EXPECT_EQ(flaw({2, 0, 2}), "permutation: row 2 stands at positions 0 and 2, expected once");
  EXPECT_EQ(test::error_text(ErrorKind::usage,
                             [] { (void)Permutation::identity(2).then(Permutation::identity(3)); }),
            "permutation: composing sizes 2 and 3, expected equal sizes");
}

}  // namespace
}  // namespace kauri

// Tests of the CPU's that hold for every backend, on a CUDA device.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/support/cuda_ways.hpp"
#include "tests/support/factor_bodies.hpp"
#include "tests/support/methods.hpp"

namespace kauri::test {
namespace {

template <class W>
class CudaBodies : public OnCuda<W> {
 protected:
  PlanOf plan_of() {
    return [this](const Pattern& pattern) { return this->plan(pattern); };
  }
};
TYPED_TEST_SUITE(CudaBodies, Ways);

TYPED_TEST(CudaBodies, MisuseAndBadNumbersAreErrors) { misuse_is_an_error<typename TypeParam::T>(this->backend(), this->plan_of()); }

TYPED_TEST(CudaBodies, TinyAndHugeScalesAndTrivialSizes) {
  trivial_sizes_are_exact<typename TypeParam::T>(this->backend(), this->plan_of());
}

TYPED_TEST(CudaBodies, BadNumbersAreNamedByRowAndColumn) { bad_numbers_are_named<typename TypeParam::T>(this->backend(), this->plan_of()); }

TYPED_TEST(CudaBodies, KktSystemsFailAtTheColumnANaiveFactorisationNames) {
  for (const auto method : methods()) {
    SCOPED_TRACE(name_of(method));
    kkt_systems_fail_as_a_naive_factorisation<typename TypeParam::T>(this->backend(),
                                                                     [&](const Pattern& pattern) { return this->plan(pattern, method); });
  }
}

TYPED_TEST(CudaBodies, AMissingDiagonalEntryIsAZeroPivot) {
  missing_diagonal_entry_is_a_zero_pivot<typename TypeParam::T>(this->backend(), this->plan_of());
}

}  // namespace
}  // namespace kauri::test

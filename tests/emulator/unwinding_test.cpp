// Calls that throw halfway leave no copy of the caller's page-locked arrays behind: with each of their launches refused in turn. On the
// emulated device, which counts such copies.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/emulator/machine.hpp"
#include "tests/numeric/cuda/runtime.hpp"
#include "tests/support/cuda_ways.hpp"

namespace kauri::test {
namespace {

/// One array for all that a call is given, so that all of it is watched.
class Pinned {
 public:
  explicit Pinned(std::size_t count) : size_(count) {
    void* data = nullptr;
    require(cudaHostAlloc(&data, count * sizeof(double), cudaHostAllocDefault));
    data_ = static_cast<double*>(data);
    std::fill_n(data_, count, 1.0);
    emulator::watch_copies(std::as_bytes(std::span(data_, size_)));
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() {
    emulator::watch_copies({});
    cudaFreeHost(data_);
  }
  [[nodiscard]] double* data() const { return data_; }

 private:
  std::size_t size_;
  double* data_ = nullptr;
};

class Unwinding : public OnCuda<Way<double, CudaLoops::hopper>> {
 protected:
  void SetUp() override {
    OnCuda::SetUp();
    std::copy(a_.value().begin(), a_.value().end(), value_.data());
  }
  [[nodiscard]] std::span<const double> value() const { return {value_.data(), a_.value().size()}; }
  /// Room behind the values: two matrices of three columns.
  [[nodiscard]] MatrixView<double> matrix(int which) const {
    const Index n = a_.n();
    return {value_.data() + a_.value().size() + static_cast<std::size_t>(which * 3 * n), n, 3, n};
  }
  /// With launch after launch refused, until there are no more.
  void check(const std::string& name, const std::function<void()>& call) const {
    int failures = 0;
    for (bool fails = true; fails; ++failures) {
      emulator::refuse_launches_after(failures);
      fails = false;
      try {
        call();
      } catch (const Error& error) {
        fails = true;
        EXPECT_EQ(error.kind(), ErrorKind::device) << name;
      }
      emulator::refuse_launches_after(-1);
      ASSERT_EQ(emulator::copies_under_way(), 0) << name << ", " << failures << " launches taken";
      ASSERT_LT(failures, 200) << name;
    }
    EXPECT_GT(failures, 1) << name << " launches nothing";
  }

  SymmetricMatrix<double> a_ = generate("poisson2d 12");
  Pinned value_{a_.value().size() + 6 * static_cast<std::size_t>(a_.n())};
};

TEST_F(Unwinding, OfFactorsLeavesNoCopyUnderWay) {
  auto factor = Factor<double>::create(plan(a_.pattern()), backend());
  check("refactorize", [&] { static_cast<void>(refactorize<double>(factor, value())); });
  auto workspace = Workspace<double>::create(factor, 2);
  const MatrixView<double> x = matrix(0), b = matrix(1);
  check("solve", [&] { factor.solve(b, x, workspace); });
  check("multiply", [&] { factor.multiply(System::L, b, x, workspace); });
}

TEST_F(Unwinding, OfProductsAndResidualsLeavesNoCopyUnderWay) {
  auto product = SparseProduct<double>::create(a_.pattern(), backend());
  check("set_values", [&] { product.set_values(value()); });
  check("multiply", [&] { product.multiply(1.0, matrix(0), 0.0, matrix(1)); });
  const SymmetricView<double> a{a_.pattern(), value()};
  check("residual", [&] { residual<double>(a, matrix(0), matrix(1), matrix(1), backend()); });
}

TEST_F(Unwinding, OfMixedFactorsLeavesNoCopyUnderWay) {
  Backend both = cuda_backend();  // for floats, too
  auto factor = MixedFactor::create(a_.pattern(), plan(a_.pattern()), both, 3);
  check("refactorize", [&] { static_cast<void>(factor.refactorize(value())); });
  check("solve", [&] { static_cast<void>(factor.solve(matrix(0), matrix(1))); });
}

}  // namespace
}  // namespace kauri::test

// Calls that throw halfway leave no copy of the caller's page-locked arrays and no kernel on the
// caller's device arrays under way. Each launch in turn is refused, on the emulated device, which
// counts both.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/emulator/machine/machine.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/device/cuda_ways.hpp"

namespace kauri::test {
namespace {

/// One array for all host arguments of a call, so that copies of all of them are counted.
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

class Unwinding : public OnCuda<Way<double, CudaCompute::hopper>> {
 protected:
  void SetUp() override {
    OnCuda::SetUp();
    std::copy(a_.value().begin(), a_.value().end(), value_.data());
  }
  [[nodiscard]] std::span<const double> value() const { return {value_.data(), a_.value().size()}; }
  /// Returns one of two matrices of three columns, behind the values.
  [[nodiscard]] MatrixView<double> matrix(int which) const {
    const Index n = a_.n();
    return {value_.data() + a_.value().size() + static_cast<std::size_t>(which * 3 * n), n, 3, n};
  }
  /// Repeats the call and refuses one launch later each time, until it succeeds. launches: expects
  /// that a call that throws has also waited for its launches.
  void check(const std::string& name, const std::function<void()>& call,
             bool launches = true) const {
    ASSERT_EQ(emulator::launches_under_way(), 0) << "before " << name;
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
      if (launches && fails) {
        ASSERT_EQ(emulator::launches_under_way(), 0)
            << name << ", " << failures << " launches taken";
      }
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
  check(
      "solve", [&] { static_cast<void>(factor.solve(matrix(0), matrix(1))); },
      false);  // kernels that still run use memory of the factor
}

TEST_F(Unwinding, OfBatchesAndFusedSolvesLeavesNoCopyUnderWay) {
  const auto there = plan(a_.pattern());
  auto batch = BatchFactor<double>::create(there, 2, backend());
  auto room = BatchWorkspace<double>::create(batch, 1);
  check("refactorize", [&] { static_cast<void>(refactorize<double>(batch, value(), 0)); });
  const Index n = a_.n();
  check("solve", [&] {
    batch.solve(BatchView<double>{matrix(0).data, 2, n, 1, n, Offset{n}}, room);
  });
  auto fused = FusedSolve<double>::create(a_.pattern(), there, backend());
  const MatrixView<double> b{matrix(0).data, n, 1, n}, x{matrix(1).data, n, 1, n};
  check("fused solve", [&] { static_cast<void>(fused.solve(value(), b, x)); });
}

// Arguments on the device are not copied: kernels work on the caller's arrays.
TEST_F(Unwinding, OfCallsOnTheDeviceLeavesNoKernelUnderWay) {
  const Index n = a_.n();
  const auto plan_there = plan(a_.pattern());
  const auto values = DeviceValues<double>::copy_of(value(), backend());
  const auto numbers = DeviceValues<double>::copy_of(
      std::vector<double>(4 * static_cast<std::size_t>(n), 1.0), backend());
  auto* const first = const_cast<double*>(numbers.span().data());  // the array belongs to this
                                                                   // object
  const DeviceMatrixView<double> b({first, n, 1, n}),
      x({first + 2 * static_cast<std::size_t>(n), n, 1, n});
  const DeviceMatrixView<const double> from(b.view());
  auto factor = Factor<double>::create(plan_there, backend());
  check("refactorize", [&] { static_cast<void>(refactorize(factor, values)); });
  auto workspace = Workspace<double>::create(factor, 1);
  check("solve", [&] { factor.solve(from, x, workspace); });
  check("multiply", [&] { factor.multiply(System::L, from, x, workspace); });
  auto refiner = Refiner<double>::create(a_.pattern(), factor, 1);
  check("set_values", [&] { refiner.set_values(values); });
  check("refine", [&] { static_cast<void>(refiner.refine(factor, from, x, workspace)); });
  auto inverse = SelectedInverse<double>::create(factor);
  check("compute", [&] { inverse.compute(factor); });
  auto product = SparseProduct<double>::create(a_.view(), backend());
  check("set_values of a product", [&] { product.set_values(values); });
  check("multiply by A", [&] { product.multiply(1.0, from, 0.0, x); });
  auto batch = BatchFactor<double>::create(plan_there, 2, backend());
  auto room = BatchWorkspace<double>::create(batch, 1);
  check("refactorize of a batch", [&] { static_cast<void>(refactorize(batch, values, 0)); });
  check("solve of a batch", [&] {
    batch.solve(DeviceBatchView<double>({first, 2, n, 1, n, Offset{n}}), room);
  });
  const auto schur = SchurComplement<double>::on_device(factor, 3);
  check("write", [&] { schur.write(factor, DeviceMatrixView<double>({first, 3, 3, 3})); });
}

}  // namespace
}  // namespace kauri::test

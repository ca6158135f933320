// Tests work of a destroyed factor, batch or refiner that is launched late: this is misuse, but it
// does not change the verdict of another object unnoticed. The emulated device runs the tests as
// well.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "numeric/cuda/runtime/owned.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/process/error_text.hpp"

namespace kauri::test {
namespace {

/// An allocator of the caller that keeps released memory until its end, so that late work finds it
/// unchanged.
class Keeper {
 public:
  Keeper() = default;
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper() {
    cudaDeviceSynchronize();
    for (void* memory : all_) cudaFree(memory);
  }
  CudaOptions::Allocator allocator() {
    return {[](std::size_t bytes, void* user) -> void* {
              void* memory = nullptr;
              if (cudaMalloc(&memory, bytes) != cudaSuccess) return nullptr;
              static_cast<Keeper*>(user)->all_.push_back(memory);
              return memory;
            },
            [](void*, std::size_t, void*) {}, this};
  }

 private:
  std::vector<void*> all_;
};

/// Page-locked memory of the caller, which no other work writes.
class CallerHostBytes {
 public:
  explicit CallerHostBytes(std::size_t size) : size_(size) {
    require(cudaHostAlloc(&data_, size, cudaHostAllocMapped));
    std::memset(data_, kMark, size);
  }
  CallerHostBytes(const CallerHostBytes&) = delete;
  CallerHostBytes& operator=(const CallerHostBytes&) = delete;
  ~CallerHostBytes() { cudaFreeHost(data_); }
  [[nodiscard]] bool untouched() const {
    const auto* const bytes = static_cast<const unsigned char*>(data_);
    return std::all_of(bytes, bytes + size_, [](unsigned char b) { return b == kMark; });
  }

 private:
  static constexpr unsigned char kMark = 0x5a;
  std::size_t size_;
  void* data_ = nullptr;
};

/// The second factor reuses the place of the first one's verdict. The values of the first fail;
/// those of the second are good.
TEST(LateReplays, OfAFactorThatHasEndedAreToldToWhoHasItsPlace) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device";
  Keeper keeper;
  Backend backend = cuda_backend(CudaOptions{.device = 0, .allocator = keeper.allocator()});
  const auto a = generate("poisson2d 12");
  AnalyzeOptions options;
  options.target = backend.target();
  const auto plan = analyze(a.pattern(), options);
  const auto there = DeviceValues<double>::copy_of(a.value(), backend);
  const CallerStream stream;
  std::unique_ptr<CallerGraph> late;
  {
    auto ended = Factor<double>::create(plan, backend);
    ASSERT_FALSE(refactorize(ended, there, -100.0).ok());
    late = std::make_unique<CallerGraph>(
        stream, [&](cudaStream_t s) { enqueue_refactorize(ended, there, -100.0, s); });
  }
  auto factor = Factor<double>::create(plan, backend);
  const auto good = [&] {
    enqueue_refactorize(factor, there, 0.0, stream.get());
    return factor.fetch_verdict(stream.get());
  };
  const DeviceVerdict verdict = good();
  ASSERT_EQ(verdict.status, VerdictStatus::positive_definite);
  enqueue_refactorize(factor, there, 0.0, stream.get());
  late->launch(stream);
  const std::string text =
      error_text(ErrorKind::usage, [&] { static_cast<void>(factor.fetch_verdict(stream.get())); });
  EXPECT_NE(
      text.find("the verdict of a factor was overwritten by work of an object that has ended"),
      std::string::npos)
      << text;
  EXPECT_EQ(good(), verdict);
}

/// The places of a batch's verdicts stay page-locked memory of the backend after the batch: late
/// work writes no memory of the caller, and the next batch that leases the places reports it.
/// `mine` takes the memory that the batch would have freed.
TEST(LateReplays, OfABatchThatHasEndedAreToldToWhoHasItsPlaces) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device";
  Keeper keeper;
  Backend backend = cuda_backend(CudaOptions{.device = 0, .allocator = keeper.allocator()});
  const auto a = generate("poisson2d 6");
  constexpr Index kItems = 300;
  AnalyzeOptions options;
  options.target = backend.target();
  const auto plan = analyze(a.pattern(), options);
  const auto there = DeviceValues<double>::copy_of(a.value(), backend);
  const auto enqueue = [&](BatchFactor<double>& batch, double shift, cudaStream_t s) {
    enqueue_refactorize(batch, there, 0, shift, s);
  };
  const CallerStream stream;
  std::unique_ptr<CallerGraph> late;
  {
    auto ended = BatchFactor<double>::create(plan, kItems, backend, BatchWay::together);
    enqueue(ended, -100.0, stream.get());
    ASSERT_EQ(ended.fetch_verdicts(stream.get())[0].status, VerdictStatus::not_positive_definite);
    late =
        std::make_unique<CallerGraph>(stream, [&](cudaStream_t s) { enqueue(ended, -100.0, s); });
  }
  const CallerHostBytes mine(kItems * sizeof(numeric::cuda::Owned<DeviceVerdict>));
  auto batch = BatchFactor<double>::create(plan, kItems, backend, BatchWay::together);
  const auto good = [&] {
    enqueue(batch, 0.0, stream.get());
    for (const DeviceVerdict& verdict : batch.fetch_verdicts(stream.get()))
      if (verdict.status != VerdictStatus::positive_definite) return false;
    return true;
  };
  ASSERT_TRUE(good());
  enqueue(batch, 0.0, stream.get());
  late->launch(stream);
  const std::string text =
      error_text(ErrorKind::usage, [&] { static_cast<void>(batch.fetch_verdicts(stream.get())); });
  EXPECT_NE(text.find("a verdict of a batch was overwritten by work of an object that has ended"),
            std::string::npos)
      << text;
  EXPECT_TRUE(mine.untouched());
  EXPECT_TRUE(good());
}

/// The second refiner reuses the place of the first one's report, into which captured corrections
/// of the first write late.
TEST(LateReplays, OfARefinerThatHasEndedAreToldToWhoHasItsPlace) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device";
  Keeper keeper;
  Backend backend = cuda_backend(CudaOptions{.device = 0, .allocator = keeper.allocator()});
  const auto a = generate("poisson2d 12");
  const Index n = a.n();
  AnalyzeOptions options;
  options.target = backend.target();
  auto factor = Factor<double>::create(analyze(a.pattern(), options), backend);
  ASSERT_TRUE(refactorize<double>(factor, a.value()).ok());
  auto workspace = Workspace<double>::create(factor, 1);
  const auto values = DeviceValues<double>::copy_of(a.value(), backend);
  const auto b =
      DeviceValues<double>::copy_of(std::vector<double>(static_cast<std::size_t>(n), 1.0), backend);
  const auto x =
      DeviceValues<double>::copy_of(std::vector<double>(static_cast<std::size_t>(n), 0.0), backend);
  const DeviceMatrixView<const double> device_b({b.span().data(), n, 1, n});
  const DeviceMatrixView<double> device_x(
      {const_cast<double*>(x.span().data()), n, 1, n});  // the test owns this memory
  const CallerStream stream;
  const auto enqueue = [&](Refiner<double>& refiner, cudaStream_t s) {
    refiner.enqueue_refine(factor, device_b, device_x, workspace, s);
  };
  std::unique_ptr<CallerGraph> late;
  {
    auto ended = Refiner<double>::create(a.pattern(), factor, 1);
    ended.set_values(values);
    late = std::make_unique<CallerGraph>(stream, [&](cudaStream_t s) { enqueue(ended, s); });
  }
  auto refiner = Refiner<double>::create(a.pattern(), factor, 1);
  refiner.set_values(values);
  enqueue(refiner, stream.get());
  EXPECT_LE(refiner.fetch_report(stream.get()).refinement.final_error.componentwise, 1e-14);
  enqueue(refiner, stream.get());
  late->launch(stream);
  const std::string text =
      error_text(ErrorKind::usage, [&] { static_cast<void>(refiner.fetch_report(stream.get())); });
  EXPECT_NE(
      text.find("the report of a refiner was overwritten by work of an object that has ended"),
      std::string::npos)
      << text;
  enqueue(refiner, stream.get());
  EXPECT_LE(refiner.fetch_report(stream.get()).refinement.final_error.componentwise, 1e-14);
}

}  // namespace
}  // namespace kauri::test

// Work of a factor that has ended, launched late: misuse, but nobody else's verdict changes unseen. On the emulated device too.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/numeric/cuda/runtime.hpp"
#include "tests/support/cuda_ways.hpp"
#include "tests/support/error_text.hpp"

namespace kauri::test {
namespace {

/// Memory of a caller that keeps for later what is given back: late work finds it as it was.
class Keeper {
 public:
  Keeper() = default;
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper() {
    cudaDeviceSynchronize();
    for (void* memory : all_) cudaFree(memory);
  }
  DeviceAllocator allocator() {
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

/// The second factor has the place of the first one's verdict. Values that fail for one, good ones for the other.
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
    late = std::make_unique<CallerGraph>(stream, [&](cudaStream_t s) { enqueue_refactorize(ended, there, -100.0, s); });
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
  const std::string text = error_text(ErrorKind::usage, [&] { static_cast<void>(factor.fetch_verdict(stream.get())); });
  EXPECT_NE(text.find("the verdict of a factor was overwritten by work of an object that has ended"), std::string::npos) << text;
  EXPECT_EQ(good(), verdict);
}

}  // namespace
}  // namespace kauri::test

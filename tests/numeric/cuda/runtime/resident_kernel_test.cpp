// Tests that factors and solves end beside a kernel that never does, if they take fewer
// multiprocessors than the device has. The emulated device runs one kernel at a time, so these
// tests need a CUDA device.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/numeric/cuda/runtime/driver.hpp"
#include "tests/support/device/cuda_ways.hpp"

namespace kauri::test {
namespace {

/// Waits until the number at its argument is not 0.
constexpr const char* kWaiting = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry waiting(.param .u64 flag)
{
  .reg .pred %p;
  .reg .u32 %r;
  .reg .u64 %rd;
  ld.param.u64 %rd, [flag];
again:
  ld.volatile.u32 %r, [%rd];
  setp.eq.u32 %p, %r, 0;
  @%p bra again;
  ret;
}
)";

/// Holds one multiprocessor, with all of its shared memory, until it is destroyed.
class Resident {
 public:
  Resident() {
    require(cudaFree(nullptr));  // makes the context
    require(cudaHostAlloc(&flag_, sizeof(int), cudaHostAllocMapped));
    *static_cast<volatile int*>(flag_) = 0;
    require_driver(
        driver_function<CUresult(CUmodule*, const void*)>("cuModuleLoadData")(&module_, kWaiting));
    CUfunction kernel = nullptr;
    require_driver(driver_function<CUresult(CUfunction*, CUmodule, const char*)>(
        "cuModuleGetFunction")(&kernel, module_, "waiting"));
    int bytes = 0;
    require(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    require_driver(driver_function<CUresult(CUfunction, CUfunction_attribute, int)>(
        "cuFuncSetAttribute", 9000)(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    bytes));
    void* argument = flag_;
    void* arguments[] = {&argument};
    using Launch = CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                            unsigned, CUstream, void**, void**);
    require_driver(driver_function<Launch>("cuLaunchKernel")(kernel, 1, 1, 1, 32, 1, 1,
                                                             static_cast<unsigned>(bytes),
                                                             stream_.get(), arguments, nullptr));
  }
  Resident(const Resident&) = delete;
  Resident& operator=(const Resident&) = delete;
  ~Resident() {
    *static_cast<volatile int*>(flag_) = 1;
    cudaStreamSynchronize(stream_.get());
    driver_function<CUresult(CUmodule)>("cuModuleUnload")(module_);
    cudaFreeHost(flag_);
  }
  [[nodiscard]] bool runs() const { return cudaStreamQuery(stream_.get()) == cudaErrorNotReady; }

 private:
  CallerStream stream_;
  void* flag_ = nullptr;
  CUmodule module_ = nullptr;
};

/// Device memory that is freed at the end: cudaFree() waits for all kernels of the device.
class Kept {
 public:
  Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    for (void* p : memory_) cudaFree(p);
  }
  [[nodiscard]] CudaOptions::Allocator allocator() {
    return {[](std::size_t bytes, void* user) {
              void* p = nullptr;
              if (cudaMalloc(&p, bytes) == cudaSuccess)
                static_cast<Kept*>(user)->memory_.push_back(p);
              return p;
            },
            [](void*, std::size_t, void*) {}, this};
  }

 private:
  std::vector<void*> memory_;
};

template <class T>
void factor_and_solve(const char* spec, Backend& backend) {
  const auto a = generate(spec);
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::amd;
  options.target = backend.target();
  const auto plan = analyze(a.pattern(), options);
  auto factor = Factor<T>::create(plan, backend);
  const std::vector<T> value = cast<T>(a.value());
  for (int run = 0; run < 4; ++run)  // from the third on by a graph
    ASSERT_TRUE(refactorize<T>(factor, value).ok());
  Backend cpu = cpu_backend();
  const Index n = plan->n;
  for (const Index columns : {1, 5, 32}) {
    const std::vector<T> b(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns), T{1});
    std::vector<T> x = b;
    auto workspace = Workspace<T>::create(factor, columns);
    factor.solve({x.data(), n, columns, n}, workspace);
    EXPECT_LT(backward_error<T>({a.pattern(), value}, {x.data(), n, columns, n},
                                {b.data(), n, columns, n}, cpu)
                  .componentwise,
              sizeof(T) == 8 ? 1e-12 : 1e-4);
  }
}

TEST(ResidentKernels, LeaveRoomForFactorsOfFewerMultiprocessors) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device";
  int all = 0;
  require(cudaDeviceGetAttribute(&all, cudaDevAttrMultiProcessorCount, 0));
  const int multiprocessors = std::min(100, all - 1);  // a part of a device has fewer
  for (const bool portable : {false, true}) {
    Kept kept;
    CudaOptions options;
    options.allocator = kept.allocator();
    options.multiprocessors = multiprocessors, options.portable = portable;
    Backend backend = cuda_backend(options);
    const Resident resident;
    for (const char* spec : {"poisson3d 20", "poisson2d 150"}) {
      factor_and_solve<double>(spec, backend);
      factor_and_solve<float>(spec, backend);
    }
    EXPECT_TRUE(resident.runs());
  }
}

}  // namespace
}  // namespace kauri::test

// A CUDA device as an executor.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/executor.hpp"

#include "numeric/cuda/residual.hpp"
#include "numeric/cuda/staging.hpp"

namespace kauri::numeric::cuda {
namespace {

class CudaBytes final : public DeviceBytes {
 public:
  CudaBytes(std::span<const std::byte> host, const DeviceContext& context)
      : device_(context.device),
        staging_(context.staging),
        heap_{context.device, context.heap->allocator, nullptr},
        bytes_(static_cast<Offset>(host.size()), heap_) {
    staging_->copy_now(bytes_.data(), host);
  }
  [[nodiscard]] const void* data() const override { return bytes_.data(); }
  void assign(std::span<const std::byte> host) override {
    const CurrentDevice current(device_);
    staging_->copy_now(bytes_.data(), host);
  }

 private:
  int device_;
  std::shared_ptr<Staging> staging_;
  DeviceHeap heap_;
  DeviceBuffer<std::byte> bytes_;
};

class CudaExecutor final : public Executor {
 public:
  explicit CudaExecutor(const CudaOptions& options) : heap_{options.device, options.allocator, &memory()} {
    const CurrentDevice current(options.device);
    check(cudaGetDeviceProperties(&properties_, options.device), "the device");
    prepare_kernels();
    const int teams = prepare_gathered_fronts() ? kernels::resident_teams() : 0;
    context_ = {options.device, &heap_, std::make_shared<Staging>(), teams >= symbolic::kFewestTeams ? teams : 0};
  }
  [[nodiscard]] BackendKind kind() const override { return BackendKind::cuda; }
  [[nodiscard]] std::string target() const override { return "sm_90"; }
  [[nodiscard]] std::string device() const override { return properties_.name; }
  [[nodiscard]] int threads() const override { return 1; }

  std::unique_ptr<FactorStore<float>> make_factor(std::shared_ptr<const Plan> plan, float) override { return factor<float>(plan); }
  std::unique_ptr<FactorStore<double>> make_factor(std::shared_ptr<const Plan> plan, double) override { return factor<double>(plan); }
  std::unique_ptr<SolveStore<float>> make_workspace(std::shared_ptr<const Plan> plan, Index nrhs, float) override {
    return workspace<float>(plan, nrhs);
  }
  std::unique_ptr<SolveStore<double>> make_workspace(std::shared_ptr<const Plan> plan, Index nrhs, double) override {
    return workspace<double>(plan, nrhs);
  }
  std::unique_ptr<DeviceBytes> make_bytes(std::span<const std::byte> host) override {
    const CurrentDevice current(context_.device);
    return std::make_unique<CudaBytes>(host, context_);
  }
  std::unique_ptr<ResidualStore<float>> make_residual(const Pattern& lower, float) override { return residual<float>(lower); }
  std::unique_ptr<ResidualStore<double>> make_residual(const Pattern& lower, double) override { return residual<double>(lower); }

 private:
  template <class T>
  std::unique_ptr<FactorStore<T>> factor(std::shared_ptr<const Plan> plan) {
    const CurrentDevice current(context_.device);
    return std::make_unique<CudaFactor<T>>(std::move(plan), context_);
  }
  template <class T>
  std::unique_ptr<SolveStore<T>> workspace(std::shared_ptr<const Plan> plan, Index nrhs) {
    const CurrentDevice current(context_.device);
    return std::make_unique<CudaWorkspace<T>>(std::move(plan), nrhs, heap_);
  }
  template <class T>
  std::unique_ptr<ResidualStore<T>> residual(const Pattern& lower) {
    const CurrentDevice current(context_.device);
    return std::make_unique<CudaResidual<T>>(lower, context_);
  }

  DeviceHeap heap_;
  DeviceContext context_;
  cudaDeviceProp properties_{};
};

int devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  static_cast<void>(cudaGetLastError());
  return 0;
}

}  // namespace

std::unique_ptr<Executor> make_executor(const CudaOptions& options) {
  if (const int count = devices(); options.device < 0 || options.device >= count)
    throw Error(ErrorKind::device, "there is no CUDA device " + std::to_string(options.device) + ": " + std::to_string(count) + " found");
  return std::make_unique<CudaExecutor>(options);
}

bool available() { return devices() > 0; }

}  // namespace kauri::numeric::cuda

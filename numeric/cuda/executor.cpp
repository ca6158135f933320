// A CUDA device as an executor.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/executor.hpp"

#include "numeric/cuda/residual.hpp"

namespace kauri::numeric::cuda {
namespace {

class CudaBytes final : public DeviceBytes {
 public:
  CudaBytes(std::span<const std::byte> host, int device) : device_(device), bytes_(upload(host, ledger_)) {}
  [[nodiscard]] const void* data() const override { return bytes_.data(); }
  void assign(std::span<const std::byte> host) override {
    const CurrentDevice current(device_);
    copy_to_device(bytes_.data(), host.data(), host.size());
  }

 private:
  int device_;
  MemoryLedger ledger_;
  DeviceBuffer<std::byte> bytes_;
};

class CudaExecutor final : public Executor {
 public:
  explicit CudaExecutor(int device) : context_{device, &memory()} {
    const CurrentDevice current(device);
    check(cudaGetDeviceProperties(&properties_, device), "the device");
    prepare_kernels();
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
    return std::make_unique<CudaBytes>(host, context_.device);
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
    return std::make_unique<CudaWorkspace<T>>(std::move(plan), nrhs, context_);
  }
  template <class T>
  std::unique_ptr<ResidualStore<T>> residual(const Pattern& lower) {
    const CurrentDevice current(context_.device);
    return std::make_unique<CudaResidual<T>>(lower, context_);
  }

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

std::unique_ptr<Executor> make_executor(int device) {
  if (const int count = devices(); device < 0 || device >= count)
    throw Error(ErrorKind::device, "there is no CUDA device " + std::to_string(device) + ": " + std::to_string(count) + " found");
  return std::make_unique<CudaExecutor>(device);
}

bool available() { return devices() > 0; }

}  // namespace kauri::numeric::cuda

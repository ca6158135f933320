// The CPU backend's executor.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/executor.hpp"

#include <algorithm>
#include <fstream>

#include "numeric/cpu/batch/batch.hpp"
#include "numeric/cpu/batch/border.hpp"
#include "numeric/cpu/factor/factor.hpp"
#include "numeric/cpu/matrix/sparse_product.hpp"
#include "numeric/cpu/refine/mixed.hpp"
#include "numeric/cpu/refine/refiner.hpp"
#include "numeric/cpu/roofline.hpp"
#include "numeric/cpu/runtime/workers.hpp"

namespace kauri::numeric::cpu {
namespace {

/// Returns the processor's name as the system reports it, else the target.
std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  info.exceptions(std::ios::badbit);  // running out of memory while a line is read throws instead of ending the loop
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return host_target();
}

class CpuBytes final : public DeviceBytes {
 public:
  explicit CpuBytes(std::span<const std::byte> host) : bytes_(host.begin(), host.end()) {}
  [[nodiscard]] const void* data() const override { return bytes_.data(); }
  void assign(std::span<const std::byte> host) override { std::copy(host.begin(), host.end(), bytes_.begin()); }

 private:
  std::vector<std::byte> bytes_;
};

class CpuExecutor final : public Executor {
 public:
  explicit CpuExecutor(int threads) : workers_(threads) {}
  [[nodiscard]] BackendKind kind() const override { return BackendKind::cpu; }
  [[nodiscard]] std::string target() const override { return host_target(); }
  [[nodiscard]] std::string kernels(int) const override { return host_target(); }
  [[nodiscard]] std::string device() const override { return processor_name(); }
  [[nodiscard]] int threads() const override { return workers_.threads(); }
  [[nodiscard]] Roofline roofline(int scalar_bytes) override {
    return scalar_bytes == sizeof(float) ? measured_roofline<float>(workers_) : measured_roofline<double>(workers_);
  }
  [[nodiscard]] Roofline scaled_roofline() override { return roofline(sizeof(float)); }

  std::shared_ptr<const PreparedPlanImpl> prepare(std::shared_ptr<const Plan> plan) override {
    return std::make_shared<const PreparedPlanImpl>(std::move(plan));
  }
  void require_memory(const Plan&, float) const override {}
  void require_memory(const Plan&, double) const override {}
  std::unique_ptr<FactorImpl<float>> make_factor(std::shared_ptr<const PreparedPlanImpl> plan, float) override {
    return factor<float>(*plan);
  }
  std::unique_ptr<FactorImpl<double>> make_factor(std::shared_ptr<const PreparedPlanImpl> plan, double) override {
    return factor<double>(*plan);
  }
  std::unique_ptr<FactorImpl<float>> make_scaled_factor(std::shared_ptr<const PreparedPlanImpl> plan) override {
    return factor<float>(*plan);
  }
  [[nodiscard]] std::string scaled_kernels() const override { return kernels(sizeof(float)); }
  std::unique_ptr<WorkspaceImpl<float>> make_workspace(std::shared_ptr<const Plan> plan, Index nrhs, float) override {
    return std::make_unique<CpuWorkspace<float>>(std::move(plan), nrhs, memory());
  }
  std::unique_ptr<WorkspaceImpl<double>> make_workspace(std::shared_ptr<const Plan> plan, Index nrhs, double) override {
    return std::make_unique<CpuWorkspace<double>>(std::move(plan), nrhs, memory());
  }
  std::unique_ptr<BatchImpl<float>> make_batch(std::shared_ptr<const PreparedPlanImpl> plan, Index items, BatchWay way, float) override {
    return cpu::make_batch<float>(plan->plan(), items, way, workers_, alone_, memory());
  }
  std::unique_ptr<BatchImpl<double>> make_batch(std::shared_ptr<const PreparedPlanImpl> plan, Index items, BatchWay way, double) override {
    return cpu::make_batch<double>(plan->plan(), items, way, workers_, alone_, memory());
  }
  [[nodiscard]] Offset batch_bytes(const PreparedPlanImpl& plan, Index items, BatchWay, float) const override {
    return cpu::batch_bytes(*plan.plan(), items, sizeof(float));
  }
  [[nodiscard]] Offset batch_bytes(const PreparedPlanImpl& plan, Index items, BatchWay, double) const override {
    return cpu::batch_bytes(*plan.plan(), items, sizeof(double));
  }
  std::unique_ptr<DeviceBytes> make_bytes(std::span<const std::byte> host) override { return std::make_unique<CpuBytes>(host); }
  void wait(StreamHandle) const override {}
  std::unique_ptr<ResidualImpl<float>> make_residual(const Pattern& lower, float) override {
    return std::make_unique<CpuResidual<float>>(lower, workers_);
  }
  std::unique_ptr<ResidualImpl<double>> make_residual(const Pattern& lower, double) override {
    return std::make_unique<CpuResidual<double>>(lower, workers_);
  }
  std::unique_ptr<RefinerImpl<float>> make_refiner(const Pattern& lower, Index nrhs, float) override {
    return std::make_unique<CpuRefiner<float>>(lower, nrhs, workers_);
  }
  std::unique_ptr<RefinerImpl<double>> make_refiner(const Pattern& lower, Index nrhs, double) override {
    return std::make_unique<CpuRefiner<double>>(lower, nrhs, workers_);
  }
  std::unique_ptr<ProductImpl<float>> make_product(const Pattern& lower, float) override {
    return std::make_unique<CpuProduct<float>>(lower, workers_, memory());
  }
  std::unique_ptr<ProductImpl<double>> make_product(const Pattern& lower, double) override {
    return std::make_unique<CpuProduct<double>>(lower, workers_, memory());
  }
  std::unique_ptr<MixedImpl> make_mixed(const Pattern& lower, Index nrhs) override {
    return std::make_unique<CpuMixed>(lower, nrhs, workers_);
  }
  std::unique_ptr<BorderImpl<float>> make_border(Index n, Offset nnz, Index nrhs, float) override {
    return std::make_unique<CpuBorder<float>>(n, nnz, nrhs, workers_, memory());
  }
  std::unique_ptr<BorderImpl<double>> make_border(Index n, Offset nnz, Index nrhs, double) override {
    return std::make_unique<CpuBorder<double>>(n, nnz, nrhs, workers_, memory());
  }

 private:
  template <class T>
  std::unique_ptr<FactorImpl<T>> factor(const PreparedPlanImpl& plan) {
    return std::make_unique<CpuFactor<T>>(plan.plan(), workers_, memory());
  }
  Workers workers_;
  Workers alone_{1};  // for items that are done side by side, a thread each
};

}  // namespace

std::unique_ptr<Executor> make_executor(int threads) { return std::make_unique<CpuExecutor>(threads); }

}  // namespace kauri::numeric::cpu

// The CPU backend's executor, which makes factors, workspaces and all other objects of the backend.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/executor.hpp"

#include <utility>

#include "numeric/cpu/batch/batch.hpp"
#include "numeric/cpu/batch/border.hpp"
#include "numeric/cpu/factor/factor.hpp"
#include "numeric/cpu/matrix/sparse_product.hpp"
#include "numeric/cpu/refine/mixed.hpp"
#include "numeric/cpu/roofline.hpp"
#include "numeric/cpu/runtime/cpu_bytes.hpp"
#include "numeric/cpu/runtime/file_memory.hpp"
#include "numeric/cpu/runtime/processor.hpp"
#include "numeric/cpu/runtime/workers.hpp"

namespace kauri::numeric::cpu {
namespace {

template <Scalar T>
class CpuScalar final : public ScalarExecutor<T> {
 public:
  /// Borrows all arguments, which must outlive this object. `alone`: a Workers of one thread,
  /// for items of a batch done side by side. factor_file: see CpuOptions.
  CpuScalar(Workers& workers, Workers& alone, MemoryLedger& memory, const std::string& factor_file)
      : workers_(workers), alone_(alone), memory_(memory), factor_file_(factor_file) {}
  std::unique_ptr<FactorImpl<T>> make_factor(
      std::shared_ptr<const PreparedPlanImpl> plan) override {
    return std::make_unique<CpuFactor<T>>(plan->plan(), workers_, memory_, factor_file_);
  }
  std::unique_ptr<WorkspaceImpl<T>> make_workspace(std::shared_ptr<const Plan> plan,
                                                   Index nrhs) override {
    return std::make_unique<CpuWorkspace<T>>(std::move(plan), nrhs, memory_);
  }
  std::unique_ptr<BatchImpl<T>> make_batch(std::shared_ptr<const PreparedPlanImpl> plan,
                                           Index items, BatchWay way) override {
    return cpu::make_batch<T>(plan->plan(), items, way, workers_, alone_, memory_);
  }
  [[nodiscard]] Offset batch_bytes(const PreparedPlanImpl& plan, Index items,
                                   BatchWay) const override {
    return cpu::batch_bytes(*plan.plan(), items, sizeof(T));
  }
  std::unique_ptr<ResidualImpl<T>> make_residual(const Pattern& lower) override {
    return std::make_unique<CpuResidual<T>>(lower, workers_);
  }
  std::unique_ptr<ProductImpl<T>> make_product(const Pattern& lower) override {
    return std::make_unique<CpuProduct<T>>(lower, workers_, memory_);
  }
  std::unique_ptr<BorderImpl<T>> make_border(Index n, Offset nnz, Index nrhs) override {
    return std::make_unique<CpuBorder<T>>(n, nnz, nrhs, workers_, memory_);
  }

 private:
  Workers& workers_;
  Workers& alone_;
  MemoryLedger& memory_;
  const std::string& factor_file_;
};

class CpuExecutor final : public Executor {
 public:
  CpuExecutor(int threads, std::string factor_file)
      : workers_(threads), factor_file_(std::move(factor_file)) {}
  [[nodiscard]] BackendKind kind() const override { return BackendKind::cpu; }
  [[nodiscard]] std::string target() const override { return host_target(); }
  [[nodiscard]] std::string kernels(int) const override { return host_target(); }
  [[nodiscard]] std::string device() const override { return processor_name(); }
  [[nodiscard]] int threads() const override { return workers_.threads(); }
  [[nodiscard]] Roofline roofline(int scalar_bytes) override {
    return scalar_bytes == sizeof(float) ? measured_roofline<float>(workers_)
                                         : measured_roofline<double>(workers_);
  }
  std::shared_ptr<const PreparedPlanImpl> prepare(std::shared_ptr<const Plan> plan) override {
    return std::make_shared<const PreparedPlanImpl>(std::move(plan));
  }
  std::unique_ptr<MixedImpl> make_mixed(const Pattern& lower, Index nrhs) override {
    return std::make_unique<CpuMixed>(lower, nrhs, workers_);
  }
  std::unique_ptr<DeviceBytes> make_bytes(std::span<const std::byte> host) override {
    return std::make_unique<CpuBytes>(host);
  }

 private:
  [[nodiscard]] ScalarExecutor<float>& single_precision() override { return float_; }
  [[nodiscard]] ScalarExecutor<double>& double_precision() override { return double_; }

  Workers workers_;
  Workers alone_{1};  // for items of a batch that are done side by side, one thread each
  std::string factor_file_;
  CpuScalar<float> float_{workers_, alone_, memory(), factor_file_};
  CpuScalar<double> double_{workers_, alone_, memory(), factor_file_};
};

}  // namespace

std::unique_ptr<Executor> make_executor(int threads, const std::string& factor_file) {
  if (!factor_file.empty()) require_disk_folder(factor_file);
  return std::make_unique<CpuExecutor>(threads, factor_file);
}

}  // namespace kauri::numeric::cpu

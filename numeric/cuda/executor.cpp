// The executor of a CUDA device, which makes factors, workspaces and all other objects of a
// backend.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/executor.hpp"

#include <algorithm>

#include "base/common/checked.hpp"
#include "numeric/cuda/batch/batch.hpp"
#include "numeric/cuda/extract/border.hpp"
#include "numeric/cuda/factor/first_run.hpp"
#include "numeric/cuda/matrix/residual.hpp"
#include "numeric/cuda/matrix/sparse_product.hpp"
#include "numeric/cuda/plan/device_bytes.hpp"
#include "numeric/cuda/plan/roofline.hpp"
#include "numeric/cuda/refine/mixed.hpp"
#include "numeric/cuda/refine/refiner.hpp"
#include "numeric/cuda/runtime/availability.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "numeric/cuda/runtime/watchdog.hpp"
#include "numeric/cuda/solve/workspace.hpp"
#include "numeric/loop_batch.hpp"
#include "symbolic/device/cost.hpp"

namespace kauri::numeric::cuda {
namespace {

template <Scalar T>
std::unique_ptr<FactorImpl<T>> factor_of(std::shared_ptr<const PreparedPlanImpl> plan,
                                         const DeviceContext& context) {
  const CurrentDevice current(context.device);
  return std::make_unique<CudaFactor<T>>(
      std::static_pointer_cast<const DevicePlan>(std::move(plan)), context);
}

/// Returns the text of Executor::slower_kernels() for kernels that were chosen on a device of so
/// many multiprocessors, when the options allow solves of `together` columns.
std::string too_few(const KernelSet<double>& set, int multiprocessors, Index together) {
  constexpr int kEnough = 4;  // hold all teams and blocks that any kernel needs at once
  const bool by_level = set.tiled.teams == 0, alone = set.together < together;
  if (multiprocessors >= kEnough || !(by_level || alone)) return {};
  return "the device has " + std::to_string(multiprocessors) +
         (multiprocessors == 1 ? " multiprocessor" : " multiprocessors") + " for this process, " +
         std::to_string(kEnough) + " are needed for the kernels of the whole device: " +
         (by_level ? "large fronts go level by level" : "") + (by_level && alone ? ", and " : "") +
         (alone ? "several right-hand sides are solved one after another" : "") +
         ", which is slower and gives other bits";
}

template <Scalar T>
class CudaScalar final : public ScalarExecutor<T> {
 public:
  /// Borrows both arguments, which must outlive this object. `context` may be filled in after this
  /// call, but before any other.
  CudaScalar(const DeviceContext& context, const DeviceHeap& heap)
      : context_(context), heap_(heap) {}
  void require_memory(const Plan& plan) const override {
    if (!symbolic::is_device_target(plan.target)) return;  // prepare() refuses plans for a CPU
    const CurrentDevice current(context_.device);
    heap_.require(prepared_bytes(plan, context_) + context_.kernels.of<T>().own_bytes(plan));
  }
  std::unique_ptr<FactorImpl<T>> make_factor(
      std::shared_ptr<const PreparedPlanImpl> plan) override {
    return factor_of<T>(std::move(plan), context_);
  }
  std::unique_ptr<WorkspaceImpl<T>> make_workspace(std::shared_ptr<const Plan> plan,
                                                   Index nrhs) override {
    const CurrentDevice current(context_.device);
    return std::make_unique<CudaWorkspace<T>>(std::move(plan), nrhs, context_);
  }
  std::unique_ptr<BatchImpl<T>> make_batch(std::shared_ptr<const PreparedPlanImpl> store,
                                           Index items, BatchWay way) override {
    const CurrentDevice current(context_.device);
    auto prepared = std::static_pointer_cast<const DevicePlan>(std::move(store));
    const std::shared_ptr<const Plan>& plan = prepared->plan();
    heap_.require(batch_bytes(*prepared, items, way));
    if (chosen_way(*plan, way) == BatchWay::together)
      return std::make_unique<CudaBatch<T>>(std::move(prepared), items, context_);
    const auto loop = [](Index count, const std::function<void(Index, int)>& f) {
      for (Index k = 0; k < count; ++k) f(k, 0);
    };
    return std::make_unique<LoopBatch<T>>(
        plan, items, BatchWay::one_by_one, ItemLoop{1, loop}, [&] { return make_factor(prepared); },
        [this, plan](Index nrhs) { return make_workspace(plan, nrhs); },
        [this, plan](Index nrhs) {
          return workspace_bytes<T>(*plan, std::min(nrhs, kSolveBlock), context_);
        });
  }
  [[nodiscard]] Offset batch_bytes(const PreparedPlanImpl& prepared, Index items,
                                   BatchWay way) const override {
    const Plan& plan = *prepared.plan();
    if (chosen_way(plan, way) == BatchWay::together) return CudaBatch<T>::bytes(plan, items);
    return checked_mul(items, context_.kernels.of<T>().own_bytes(plan), "bytes of a batch");
  }
  std::unique_ptr<ResidualImpl<T>> make_residual(const Pattern& lower) override {
    const CurrentDevice current(context_.device);
    return std::make_unique<CudaResidual<T>>(lower, context_);
  }
  std::unique_ptr<RefinerImpl<T>> make_refiner(const Pattern& lower, Index nrhs) override {
    const CurrentDevice current(context_.device);
    return std::make_unique<CudaRefiner<T>>(lower, nrhs, context_);
  }
  std::unique_ptr<ProductImpl<T>> make_product(const Pattern& lower) override {
    const CurrentDevice current(context_.device);
    return std::make_unique<CudaProduct<T>>(lower, context_);
  }
  std::unique_ptr<BorderImpl<T>> make_border(Index n, Offset nnz, Index nrhs) override {
    const CurrentDevice current(context_.device);
    return std::make_unique<CudaBorder<T>>(n, nnz, nrhs, context_);
  }

 private:
  const DeviceContext& context_;
  const DeviceHeap& heap_;
};

class CudaExecutor final : public Executor {
 public:
  explicit CudaExecutor(const CudaOptions& options)
      : opened_{open_device(options.device)},
        heap_{opened_.device, options.allocator, &memory()},
        solves_together_(options.fast_solve ? options.solves_together : 1),
        properties_(properties_of(options.device)) {
    const CurrentDevice current(heap_.device);
    load_kernels(properties_);
    watchdog::arm();
    context_ = {.device = heap_.device,
                .heap = &heap_,
                .staging = std::make_shared<Staging>(),
                .pool = std::make_shared<ResourcePool>(),
                .kernels = select_kernels(options)};
    run_once(context_, target());
    opened_.stays = true;
  }
  [[nodiscard]] BackendKind kind() const override { return BackendKind::cuda; }
  [[nodiscard]] std::string target() const final { return target_of(properties_); }
  [[nodiscard]] std::string kernels(int scalar_bytes) const override {
    return context_.kernels.with(scalar_bytes, [](const auto& set) { return set.name(); });
  }
  [[nodiscard]] std::string scaled_kernels() const override {
    return context_.kernels.scaled.name();
  }
  [[nodiscard]] Roofline roofline(int scalar_bytes) override {
    return context_.kernels.with(
        scalar_bytes, [&](const auto& set) { return roofline_of(scalar_bytes, set.arithmetic()); });
  }
  [[nodiscard]] Roofline scaled_roofline() override {
    return roofline_of(sizeof(float), context_.kernels.scaled.arithmetic());
  }
  [[nodiscard]] std::string device() const override { return properties_.name; }
  [[nodiscard]] std::string device_code() const override { return code_in_words(properties_); }
  [[nodiscard]] std::string slower_kernels() const override {
    return too_few(context_.kernels.double_precision, properties_.multiProcessorCount,
                   solves_together_);
  }
  [[nodiscard]] int threads() const override { return 1; }

  std::shared_ptr<const PreparedPlanImpl> prepare(std::shared_ptr<const Plan> plan) override {
    const CurrentDevice current(context_.device);
    return std::make_shared<const DevicePlan>(std::move(plan), context_);
  }
  std::unique_ptr<FactorImpl<float>> make_scaled_factor(
      std::shared_ptr<const PreparedPlanImpl> plan) override {
    DeviceContext context = context_;
    context.kernels.single_precision = context.kernels.scaled;
    return factor_of<float>(std::move(plan), context);
  }
  std::unique_ptr<DeviceBytes> make_bytes(std::span<const std::byte> host) override {
    const CurrentDevice current(context_.device);
    return std::make_unique<CudaBytes>(host, context_);
  }
  void wait(StreamHandle stream) const override {
    const CurrentDevice current(context_.device);
    check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "work on a stream");
  }
  std::unique_ptr<MixedImpl> make_mixed(const Pattern& lower, Index nrhs) override {
    const CurrentDevice current(context_.device);
    return std::make_unique<CudaMixed>(lower, nrhs, context_);
  }

 private:
  [[nodiscard]] ScalarExecutor<float>& single_precision() override { return float_; }
  [[nodiscard]] ScalarExecutor<double>& double_precision() override { return double_; }
  [[nodiscard]] Roofline roofline_of(int scalar_bytes, CudaCompute compute) const {
    return device_roofline(card_of(context_.device), scalar_bytes, compute);
  }

  /// Owner of the opened device: closes it unless `stays` is set, which is the last step of
  /// CudaExecutor's constructor, so that a constructor that throws leaves no context behind.
  struct Opened {
    Device device;
    bool stays = false;
    ~Opened() {
      if (!stays) close_device(device);
    }
  };
  Opened opened_;
  DeviceHeap heap_;
  const Index solves_together_;
  DeviceContext context_;
  CudaScalar<float> float_{context_, heap_};
  CudaScalar<double> double_{context_, heap_};
  const cudaDeviceProp& properties_;
};

}  // namespace

std::optional<Survey> survey(int device, std::string* why_not) {
  try {
    require_device(device);
    require_code(device);
    const cudaDeviceProp& properties = properties_of(device);
    Survey seen;
    seen.name = properties.name + (" (" + capability(properties) + ")");
    seen.target = target_of(properties);
    seen.card = card_of(device);
    seen.time_limit = has_time_limit(device);
    const std::optional<Offset> free = free_bytes_of(device);
    seen.free_bytes = free.value_or(static_cast<Offset>(properties.totalGlobalMem));
    seen.started = free.has_value();
    return seen;
  } catch (const Error& error) {  // a device that does not answer counts as missing, too
    if (why_not != nullptr) *why_not = error.what();
    return {};
  }
}

std::unique_ptr<Executor> make_executor(const CudaOptions& options) {
  require_device(options.device);
  require_code(options.device);
  require_valid(options, properties_of(options.device));
  return std::make_unique<CudaExecutor>(options);
}

bool available() {
  try {
    require_device(0);
    require_code(0);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace kauri::numeric::cuda

// A CUDA device as an executor, which makes everything that a backend offers.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/executor.hpp"

#include <algorithm>

#include "base/common/aligned_bytes.hpp"
#include "base/common/checked.hpp"
#include "kauri/core/analysis.hpp"
#include "numeric/cuda/batch/batch.hpp"
#include "numeric/cuda/batch/kernels.hpp"
#include "numeric/cuda/extract/border.hpp"
#include "numeric/cuda/extract/determinant_kernels.hpp"
#include "numeric/cuda/extract/norm_estimator_kernels.hpp"
#include "numeric/cuda/extract/schur_kernels.hpp"
#include "numeric/cuda/factor/fallback/kernels.hpp"
#include "numeric/cuda/factor/front_views.hpp"
#include "numeric/cuda/factor/tile_inverses.hpp"
#include "numeric/cuda/factor/verdict_kernels.hpp"
#include "numeric/cuda/inverse/kernels.hpp"
#include "numeric/cuda/matrix/residual.hpp"
#include "numeric/cuda/matrix/sparse_product.hpp"
#include "numeric/cuda/plan/roofline.hpp"
#include "numeric/cuda/refine/mixed.hpp"
#include "numeric/cuda/refine/refiner.hpp"
#include "numeric/cuda/runtime/availability.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "numeric/cuda/runtime/watchdog.hpp"
#include "numeric/cuda/solve/fallback/kernels.hpp"
#include "numeric/cuda/solve/product_kernels.hpp"
#include "numeric/cuda/solve/workspace.hpp"
#include "numeric/loop_batch.hpp"
#include "symbolic/device/cost.hpp"
#include "symbolic/device/schedule.hpp"

namespace kauri::numeric::cuda {
namespace {

std::string target_of(const cudaDeviceProp& properties) {
  return std::string(
      symbolic::device_target(properties.major, properties.minor, properties.multiProcessorCount));
}

class CudaBytes final : public DeviceBytes {
 public:
  CudaBytes(std::span<const std::byte> host, const DeviceContext& context)
      : device_(context.device),
        staging_(context.staging),
        heap_{context.device, context.heap->allocator, nullptr},
        block_(aligned_bytes(static_cast<Offset>(host.size()), 1), heap_),
        bytes_(block_.take<std::byte>(static_cast<Offset>(host.size()))) {
    staging_->copy_now(bytes_.data(), host);
  }
  [[nodiscard]] const void* data() const override { return bytes_.data(); }
  void assign(std::span<const std::byte> host) override {
    const CurrentDevice current(device_);
    staging_->copy_now(bytes_.data(), host);
  }

 private:
  Device device_;
  std::shared_ptr<Staging> staging_;
  DeviceHeap heap_;
  DeviceBlock block_;
  DeviceArray<std::byte> bytes_;
};

/// Factorises a matrix of three dense blocks: a narrow, a small and a tiled front. Work that
/// happens once in a process, at the first copy, launch and graph of each kind, is then not part of
/// the caller's first factor. Ignores Error(memory), so that a backend does not fail for lack of
/// it.
void run_once(DeviceContext context, const std::string& target) {
  std::vector<Offset> col_ptr{0};
  std::vector<Index> row;
  std::vector<double> value;
  Index n = 0;
  for (const Index order :
       {symbolic::DeviceSchedule::kNarrow / 2, symbolic::DeviceSchedule::kSmall - 8,
        symbolic::DeviceSchedule::kSmall + 32}) {
    for (Index j = 0; j < order; ++j) {
      for (Index i = j; i < order; ++i) {
        row.push_back(n + i);
        value.push_back(i == j ? 2.0 * order : 1.0);
      }
      col_ptr.push_back(static_cast<Offset>(row.size()));
    }
    n += order;
  }
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::natural;
  options.target = target;
  const std::shared_ptr<const Plan> plan = analyze({n, col_ptr, row}, options);
  const DeviceHeap heap{context.device, context.heap->allocator, nullptr};
  context.heap = &heap;
  try {
    CudaFactor<double> factor(std::make_shared<const DevicePlan>(plan, context), context);
    for (int run = 0; run < 2; ++run) factor.refactorize(value, 0, ValuesAre::fresh);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::memory) throw;
  }
}

/// Loads the kernels of factors, solves and batches, but for those that select_kernels() loads.
/// Throws Error(device) if the device can run none; the text names this build's architectures.
void load_kernels(const cudaDeviceProp& device) {
  try {
    load_level_kernels();
    load_verdict_kernels();
    load_tile_inverses();
    load_solve_kernels();
    load_view_kernels();
    load_inverse_kernels();
    load_product_kernels();
    load_determinant_kernels();
    load_schur_kernels();
    load_estimator_kernels();
    load_batch_kernels();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::device) throw;
    throw Error(ErrorKind::device, error.what() + (" (" + what_was_built(device) + ")"));
  }
}

void require_valid(const CudaOptions& options) {
  if (options.solves_together != 1 && options.solves_together != 8 && options.solves_together != 32)
    throw Error(ErrorKind::usage, "cuda_backend: solves_together is " +
                                      std::to_string(options.solves_together) +
                                      ", expected 1, 8 or 32");
  if (options.group_columns != 0 && options.group_columns != 8 && options.group_columns != 16 &&
      options.group_columns != 32)
    throw Error(ErrorKind::usage, "cuda_backend: group_columns is " +
                                      std::to_string(options.group_columns) +
                                      ", expected 0, 8, 16 or 32");
}

template <Scalar T>
std::unique_ptr<FactorImpl<T>> factor_of(std::shared_ptr<const PreparedPlanImpl> plan,
                                         const DeviceContext& context) {
  const CurrentDevice current(context.device);
  return std::make_unique<CudaFactor<T>>(
      std::static_pointer_cast<const DevicePlan>(std::move(plan)), context);
}

template <Scalar T>
class CudaScalar final : public ScalarExecutor<T> {
 public:
  /// Borrows both arguments, which must outlive this object. `context` may be set after it is made.
  CudaScalar(const DeviceContext& context, const DeviceHeap& heap)
      : context_(context), heap_(heap) {}
  void require_memory(const Plan& plan) const override {
    if (!symbolic::is_device_target(plan.target)) return;  // refused by prepare()
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
    const auto attribute = [&](cudaDeviceAttr which) {
      int value = 0;
      check(cudaDeviceGetAttribute(&value, which, context_.device), "the device");
      return value;
    };
    constexpr double kHz = 1e3;
    const DeviceRates rates{properties_.major,
                            properties_.minor,
                            properties_.multiProcessorCount,
                            kHz * attribute(cudaDevAttrClockRate),
                            kHz * attribute(cudaDevAttrMemoryClockRate),
                            attribute(cudaDevAttrGlobalMemoryBusWidth)};
    return device_roofline(rates, scalar_bytes, compute);
  }

  /// Owner of the opened device: closes it unless `stays` is set, as the constructor's last step.
  struct Opened {
    Device device;
    bool stays = false;
    ~Opened() {
      if (!stays) close_device(device);
    }
  };
  Opened opened_;
  DeviceHeap heap_;
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
    seen.predicted =
        symbolic::is_predicted(properties.major, properties.minor, properties.multiProcessorCount);
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
  require_valid(options);
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

// Boundary to the backends: the threads or the device of a backend, which make all its objects.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "base/host/memory.hpp"
#include "kauri/core/roofline.hpp"
#include "numeric/batch_impl.hpp"
#include "numeric/factor_impl.hpp"
#include "numeric/matrix_impl.hpp"
#include "numeric/memory_impl.hpp"

namespace kauri::numeric {

class MixedImpl;  // numeric/mixed_impl.hpp

/// Makes a backend's objects of one scalar.
template <Scalar T>
class ScalarExecutor {
 public:
  virtual ~ScalarExecutor() = default;
  /// Throws Error(memory) if a device's free memory cannot hold the prepared plan and one factor,
  /// and Error(usage) if the device makes no factors in T. Never throws on the CPU.
  virtual void require_memory(const Plan&) const {}
  /// Makes a factor. `plan` was prepared by this executor.
  virtual std::unique_ptr<FactorImpl<T>> make_factor(
      std::shared_ptr<const PreparedPlanImpl> plan) = 0;
  virtual std::unique_ptr<WorkspaceImpl<T>> make_workspace(std::shared_ptr<const Plan> plan,
                                                           Index nrhs) = 0;
  /// Makes a batch of `items` factors. `plan` was prepared by this executor. `way` is the caller's
  /// choice, which may be `automatic`. Throws Error: usage (the plan does not allow `way`), memory.
  virtual std::unique_ptr<BatchImpl<T>> make_batch(std::shared_ptr<const PreparedPlanImpl> plan,
                                                   Index items, BatchWay way) = 0;
  /// Returns the bytes that make_batch() with the same arguments takes of this executor's memory.
  [[nodiscard]] virtual Offset batch_bytes(const PreparedPlanImpl& plan, Index items,
                                           BatchWay way) const = 0;
  virtual std::unique_ptr<ResidualImpl<T>> make_residual(const Pattern& lower) = 0;
  /// Makes a refiner for up to nrhs vectors in the device's memory, given the pattern of A and
  /// nrhs. Returns null on the CPU, where HostRefiner (src/engine) refines by residuals and solves
  /// of this executor.
  virtual std::unique_ptr<RefinerImpl<T>> make_refiner(const Pattern&, Index) { return nullptr; }
  virtual std::unique_ptr<ProductImpl<T>> make_product(const Pattern& lower) = 0;
  /// Makes the bordered matrix of an A with n rows and nnz entries in the lower triangle, and nrhs
  /// right-hand sides.
  virtual std::unique_ptr<BorderImpl<T>> make_border(Index n, Offset nnz, Index nrhs) = 0;
};

/// A backend's threads or device.
class Executor {
 public:
  virtual ~Executor() = default;
  [[nodiscard]] virtual BackendKind kind() const = 0;
  [[nodiscard]] virtual std::string target() const = 0;
  /// Returns the name of the kernels for scalars of 4 or 8 bytes, see Backend::kernels().
  [[nodiscard]] virtual std::string kernels(int scalar_bytes) const = 0;
  [[nodiscard]] virtual std::string device() const = 0;
  /// Returns what Backend::device_code() returns.
  [[nodiscard]] virtual std::string device_code() const { return {}; }
  /// Returns why these kernels are slower, with other bits, than those of other devices of the
  /// kind: the device has too few multiprocessors. Empty if they are not.
  [[nodiscard]] virtual std::string slower_kernels() const { return {}; }
  [[nodiscard]] virtual int threads() const = 0;
  [[nodiscard]] virtual Roofline roofline(int scalar_bytes) = 0;
  /// Returns the roofline of the kernels that make_scaled_factor() uses.
  [[nodiscard]] virtual Roofline scaled_roofline() { return roofline(sizeof(float)); }

  virtual std::shared_ptr<const PreparedPlanImpl> prepare(std::shared_ptr<const Plan> plan) = 0;
  /// Returns the maker of objects in T.
  template <Scalar T>
  [[nodiscard]] ScalarExecutor<T>& of() {
    if constexpr (std::is_same_v<T, double>)
      return double_precision();
    else
      return single_precision();
  }
  /// Makes a factor in float for matrices that are scaled to a diagonal in [1/2, 2), so that no
  /// entry of L is 2 or more. `plan` was prepared by this executor. scaled_kernels() returns the
  /// name of its kernels. By default this is make_factor() in float.
  virtual std::unique_ptr<FactorImpl<float>> make_scaled_factor(
      std::shared_ptr<const PreparedPlanImpl> plan) {
    return single_precision().make_factor(std::move(plan));
  }
  [[nodiscard]] virtual std::string scaled_kernels() const { return kernels(sizeof(float)); }
  virtual std::unique_ptr<MixedImpl> make_mixed(const Pattern& lower, Index nrhs) = 0;
  /// Copies bytes from host memory to new memory of the backend.
  virtual std::unique_ptr<DeviceBytes> make_bytes(std::span<const std::byte> host) = 0;
  /// Waits until all work on a stream of the backend or of the caller has ended. Does nothing on
  /// the CPU, which has no streams.
  virtual void wait(StreamHandle) const {}

  [[nodiscard]] MemoryLedger& memory() { return memory_; }

 private:
  [[nodiscard]] virtual ScalarExecutor<float>& single_precision() = 0;
  [[nodiscard]] virtual ScalarExecutor<double>& double_precision() = 0;

  MemoryLedger memory_;
};

}  // namespace kauri::numeric

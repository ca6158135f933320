// Boundary to the backends: factors, their verdicts, and access to entries of L.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/threads/one_call.hpp"
#include "kauri/core/verdict.hpp"
#include "numeric/inverse_impl.hpp"
#include "numeric/solve_impl.hpp"

namespace kauri::numeric {

/// Tells a backend if the values of A have changed since the last call (fresh), or if it may reuse
/// its copy (unchanged).
enum class ValuesAre { fresh, unchanged };

/// Source of the panels of a saved L, read front by front.
template <Scalar T>
class SavedPanels {
 public:
  virtual ~SavedPanels() = default;
  /// Reads the lower trapezoid of supernode s, with m rows and p pivots: column-major, `to` has m*p
  /// entries, all zero on entry. Called once for each s, in ascending order. The pivots read are
  /// positive and finite.
  virtual void read(Index s, std::span<T> to) = 0;
  /// Returns the numbers that HostAccess::copy_diagonal_inverses() wrote for s, or an empty span if
  /// none were saved. The span is valid until the next call.
  virtual std::span<const T> diagonal_inverses(Index s) = 0;
};

/// Entries of L, read and written from host memory.
template <Scalar T>
class HostAccess {
 public:
  virtual ~HostAccess() = default;
  /// Returns L(row, col), in the plan's numbering; 0 outside the structure of L.
  [[nodiscard]] virtual T entry(Index row, Index col) const = 0;
  /// Copies the panel of supernode s, with m rows and p pivots, to host memory: column-major, `to`
  /// has m*p entries. Entries above the diagonal are unspecified.
  virtual void copy_panel(Index s, std::span<T> to) const = 0;
  /// Copies the diagonal of L to `to`, which has length n.
  virtual void copy_diagonal(std::span<T> to) const = 0;
  /// Returns how many numbers copy_diagonal_inverses() writes for supernode s: the inverses of its
  /// diagonal blocks of 16 x 16 (the last one may be smaller), each as its lower triangle by rows.
  /// Solves multiply by them, and L determines them only up to rounding, so a saved factor keeps
  /// them. Returns 0 if the backend keeps none for s.
  [[nodiscard]] virtual Offset diagonal_inverse_entries(Index) const { return 0; }
  /// Copies the inverses of supernode s to host memory, a span of diagonal_inverse_entries(s)
  /// numbers.
  virtual void copy_diagonal_inverses(Index, std::span<T>) const {}
  /// Fills the factor from saved panels and returns its verdict. The factor is then as after the
  /// factorisation that made these numbers, but holds no values of A. If reading throws, the factor
  /// is not valid.
  virtual const DeviceVerdict& restore(SavedPanels<T>& from) = 0;
};

/// Refactorisations and verdicts in the order of a caller's stream. The CPU takes no stream but
/// null: others throw Error(usage), and all work is done when a call returns.
template <Scalar T>
class StreamCalls {
 public:
  virtual ~StreamCalls() = default;
  /// Makes the next FactorImpl::refactorize() start on the device after the work that is on the
  /// caller's stream now; the host does not wait. Throws Error(usage) if the stream is capturing,
  /// and on the CPU if it is not null.
  virtual void begin_after(StreamHandle stream) = 0;
  /// Enqueues the factorisation of A + shift I. value: nnz entries in device memory (host memory on
  /// the CPU).
  virtual void enqueue_refactorize(std::span<const T> value, T shift, StreamHandle stream) = 0;
  /// Returns the address of the verdict, on the device (on the CPU in host memory).
  [[nodiscard]] virtual const DeviceVerdict* verdict_address() const = 0;
  /// Waits for the stream and returns the verdict.
  virtual const DeviceVerdict& fetch_verdict(StreamHandle stream) = 0;
};

/// The values of L on a backend (see kauri::Factor).
template <Scalar T>
class FactorImpl {
 public:
  virtual ~FactorImpl() = default;
  CallFlag fillings;  ///< marks the factor as busy while a public call fills it
  [[nodiscard]] virtual const std::shared_ptr<const Plan>& plan() const = 0;
  /// Returns the verdict as the host last received it; does not wait.
  [[nodiscard]] virtual const DeviceVerdict& verdict() const = 0;
  /// Factorises A + shift I and waits for the verdict. value: nnz entries in host or device memory.
  virtual const DeviceVerdict& refactorize(std::span<const T> value, T shift, ValuesAre values) = 0;
  /// Returns the values in host memory: `value` itself if it lies there, else a copy held by
  /// `room`.
  [[nodiscard]] virtual std::span<const T> on_host(std::span<const T> value,
                                                   std::vector<T>& room) const = 0;
  /// Solves A x = b, or the stages in `steps` alone, with b and x in host memory. b and x have n
  /// rows and equally many columns; x is b itself or does not overlap it. The caller has checked
  /// shapes and that the verdict is good.
  virtual void solve(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                     const SolveSteps& steps) const = 0;
  /// Computes x = L b, or x = L^T b if transposed, in the plan's numbering, with b and x in host
  /// memory. b and x have n rows and equally many columns; x is b itself or does not overlap it.
  virtual void multiply(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                        bool transposed) const = 0;
  [[nodiscard]] virtual HostAccess<T>& host_access() = 0;
  [[nodiscard]] virtual StreamCalls<T>& stream_calls() = 0;
  /// Returns the calls for device memory; null on the CPU.
  [[nodiscard]] virtual const DeviceSolves<T>* device_solves() const { return nullptr; }
  /// Allocates a selected inverse in the memory where L lies.
  [[nodiscard]] virtual std::unique_ptr<InverseImpl<T>> make_inverse() const = 0;
  /// Returns the bytes that make_inverse() allocates.
  [[nodiscard]] virtual Offset inverse_bytes() const = 0;
};

}  // namespace kauri::numeric

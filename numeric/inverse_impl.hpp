// Boundary to the backends: selected inverses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "base/threads/one_call.hpp"
#include "kauri/core/backend.hpp"
#include "kauri/core/plan.hpp"
#include "kauri/core/verdict.hpp"

namespace kauri::numeric {

template <Scalar T>
class FactorImpl;

/// A selected inverse computed and read on the caller's streams. The caller has checked plans and
/// executors, and that a computation precedes each read.
template <Scalar T>
class DeviceInverse {
 public:
  virtual ~DeviceInverse() = default;
  /// Enqueues the computation of Z = A^-1 from `factor`, which has the same plan and executor and
  /// may be invalid, and a copy of its verdict. If the verdict is not good, enqueue_diagonal() and
  /// enqueue_entries() write NaN.
  virtual void enqueue_compute(const FactorImpl<T>& factor, StreamHandle stream) = 0;
  /// Waits for the stream and returns the verdict of the factor that the last computation read.
  virtual const DeviceVerdict& fetch_verdict(StreamHandle stream) = 0;
  /// Enqueues a copy of the diagonal of A^-1 to `there`: device memory, length n, in the caller's
  /// numbering.
  virtual void enqueue_diagonal(std::span<T> there, StreamHandle stream) const = 0;
  /// Enqueues a copy of A^-1's entries in A's pattern to `there`: device memory, length nnz, in the
  /// order of A's entries.
  virtual void enqueue_entries(std::span<T> there, StreamHandle stream) const = 0;
};

/// Entries of A^-1 in the structure of L (see kauri::SelectedInverse). The caller has checked that
/// compute() precedes each read.
template <Scalar T>
class InverseImpl {
 public:
  virtual ~InverseImpl() = default;
  CallFlag fillings;  ///< marks the object as busy while a public call fills it
  [[nodiscard]] virtual const std::shared_ptr<const Plan>& plan() const = 0;
  /// Computes Z = A^-1. `factor` is valid and has the same plan and executor.
  virtual void compute(const FactorImpl<T>& factor) = 0;
  /// Returns the entry of A^-1 in row r, column c of the front of supernode s, both counted in the
  /// front; r >= c, c < p for p pivots.
  [[nodiscard]] virtual T entry(Index s, Index r, Index c) const = 0;
  /// Copies the diagonal of A^-1 to `to`, which has length n, in the plan's numbering.
  virtual void copy_diagonal(std::span<T> to) const = 0;
  /// Copies A^-1's entries in A's pattern to `to`, which has length nnz, in the order of A's
  /// entries.
  virtual void copy_entries(std::span<T> to) const = 0;
  /// Returns the calls for device memory; null on the CPU.
  [[nodiscard]] virtual DeviceInverse<T>* on_device() { return nullptr; }
};

}  // namespace kauri::numeric

// The bordered matrix [c B^T; B A] on the CPU, for kauri::FusedSolve.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/backend.hpp"
#include "numeric/border_shape.hpp"
#include "numeric/cpu/runtime/workers.hpp"

namespace kauri::numeric::cpu {

/// Bordered matrix whose calls are all complete when they return, enqueue_...() included.
template <class T>
class CpuBorder final : public BorderImpl<T> {
 public:
  CpuBorder(Index n, Offset nnz, Index nrhs, Workers& workers, MemoryLedger& ledger);
  [[nodiscard]] Offset bytes() const override { return counted_.bytes(); }
  void require_device_data(std::span<const T>, MatrixView<const T>,
                           MatrixView<const T>) const override {}
  [[nodiscard]] std::span<const T> values() const override { return value_; }
  void set(std::span<const T> value, MatrixView<const T> b) override;
  void enqueue_set(std::span<const T> value, MatrixView<const T> b, StreamHandle stream) override;
  void enqueue_solve(const FactorImpl<T>& factor, WorkspaceImpl<T>& workspace,
                     StreamHandle stream) override;
  void get(MatrixView<T> x) const override;
  void enqueue_get(MatrixView<T> x, StreamHandle stream) const override;

 private:
  BorderShape shape_;
  Workers& workers_;
  Array<T> value_;
  Array<T> begin_;  // right-hand sides of the backward sweep, rows() x nrhs
  Array<T> x_;      // solutions, rows() x nrhs
  Counted counted_;
};

}  // namespace kauri::numeric::cpu

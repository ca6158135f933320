// HostRefiner: the part of kauri::Refiner for backends that compute in host memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "base/host/memory.hpp"
#include "numeric/executor.hpp"

namespace kauri {

/// Refines vectors in host memory by the loop that Engine runs, with memory allocated once. Takes
/// no stream but null; all work is done when a call returns.
template <Scalar T>
class HostRefiner final : public numeric::RefinerImpl<T> {
 public:
  /// Copies the pattern. The executor outlives this object.
  HostRefiner(const Pattern& lower, Index nrhs, numeric::Executor& executor);
  [[nodiscard]] Index nrhs() const override { return nrhs_; }
  [[nodiscard]] Offset bytes() const override;
  void set_values(std::span<const T> value) override;
  void enqueue_values(std::span<const T> value, StreamHandle stream) override;
  DeviceRefinement refine(const numeric::FactorImpl<T>& factor, MatrixView<const T> b,
                          MatrixView<T> x, numeric::WorkspaceImpl<T>& workspace,
                          const RefineOptions& options) override;
  void enqueue_refine(const numeric::FactorImpl<T>& factor, MatrixView<const T> b, MatrixView<T> x,
                      numeric::WorkspaceImpl<T>& workspace, const RefineOptions& options,
                      StreamHandle stream) override;
  [[nodiscard]] const DeviceRefinement* report_address() const override { return &report_; }
  [[nodiscard]] DeviceRefinement fetch_report(StreamHandle stream) const override;

 private:
  Index nrhs_;
  std::vector<Offset> col_ptr_;  // a copy of the pattern, which residuals read
  std::vector<Index> row_;
  std::vector<T> value_;
  std::unique_ptr<numeric::ResidualImpl<T>> residual_;
  Array<T> correction_, better_;  // n x nrhs each
  DeviceRefinement report_;
};

}  // namespace kauri

// Refinement on the CPU with memory allocated once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "numeric/cpu/matrix/residual.hpp"

namespace kauri::numeric::cpu {

template <class T>
class CpuRefiner final : public RefinerImpl<T> {
 public:
  CpuRefiner(const Pattern& lower, Index nrhs, Workers& workers);
  [[nodiscard]] Index nrhs() const override { return nrhs_; }
  [[nodiscard]] Offset bytes() const override;
  void set_values(std::span<const T> value) override;
  void enqueue_values(std::span<const T> value, StreamHandle stream) override;
  DeviceRefinement refine(const FactorImpl<T>& factor, MatrixView<const T> b, MatrixView<T> x,
                          WorkspaceImpl<T>& workspace, const RefineOptions& options) override;
  void enqueue_refine(const FactorImpl<T>& factor, MatrixView<const T> b, MatrixView<T> x,
                      WorkspaceImpl<T>& workspace, const RefineOptions& options,
                      StreamHandle stream) override;
  [[nodiscard]] const DeviceRefinement* report_address() const override { return &report_; }
  [[nodiscard]] DeviceRefinement fetch_report(StreamHandle stream) const override;

 private:
  Index nrhs_;
  std::vector<Offset> col_ptr_;  // a copy of the pattern, which residuals read
  std::vector<Index> row_;
  std::vector<T> value_;
  CpuResidual<T> residual_;
  Array<T> correction_, better_;  // n x nrhs each
  DeviceRefinement report_;
};

}  // namespace kauri::numeric::cpu

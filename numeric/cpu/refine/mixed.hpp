// Mixed precision on the CPU: memory allocated before a solve, loops over fixed chunks of rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "numeric/cpu/matrix/residual.hpp"
#include "numeric/mixed_impl.hpp"

namespace kauri::numeric::cpu {

class CpuMixed final : public MixedImpl {
 public:
  CpuMixed(const Pattern& lower, Index nrhs, Workers& workers);
  [[nodiscard]] Index nrhs() const override { return nrhs_; }
  void reserve(Index nrhs) override;
  [[nodiscard]] Offset bytes() const override;
  void begin_after(StreamHandle stream) override;
  void set_values(std::span<const double> value) override;
  [[nodiscard]] std::span<const float> rounded() const override { return rounded_; }
  [[nodiscard]] std::span<const double> scaled() override { return scaled_; }
  [[nodiscard]] int exponent(Index i) const override {
    return exponent_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] bool positive_diagonal() const override { return positive_; }
  void load(MatrixView<const double> b, std::span<double> error) override;
  void clear(Index column) override;
  void spoil(Index column) override;
  void residuals(std::span<const Index> columns, std::span<BackwardError> error) override;
  bool store(Index column, MatrixView<double> x) override;
  void precondition(const FactorImpl<float>& factor, WorkspaceImpl<float>& workspace,
                    std::span<const Index> columns) override;
  void correct(std::span<const Index> columns) override;
  void correct(const FactorImpl<double>& factor, WorkspaceImpl<double>& workspace, Index first,
               Index count) override;
  void keep(Index column) override;
  void take_back(Index column) override;
  double begin_search(Index column) override;
  Dots curvature(Index column) override;
  void advance(Index column, double step) override;
  Dots project(Index column) override;
  void turn(double beta) override;

 private:
  using Vectors = Array<double>;
  [[nodiscard]] Pattern pattern() const { return {n_, col_ptr_, row_}; }
  [[nodiscard]] MatrixView<double> column(Vectors& of, Index c) const {
    return {at(of, c), n_, 1, n_};
  }
  [[nodiscard]] double* at(Vectors& of, Index c) const { return of.data() + Offset{n_} * c; }
  /// Calls f(begin, end, chunk) for fixed chunks of rows, on all threads.
  template <class F>
  void each_chunk(const F& f);
  /// Calls f(i) for all rows, in the chunks of each_chunk().
  template <class F>
  void each_row(const F& f);
  /// Returns the sums of both members of f(i) over all rows: over each chunk, then over the chunks
  /// in order.
  template <class F>
  Dots sums(const F& f);
  /// Sets z to d of the last precondition() times the power of two that undoes its scaling.
  void take_correction();

  Index n_, nrhs_ = 0, chunks_;
  Workers& workers_;
  std::vector<Offset> col_ptr_;
  std::vector<Index> row_;
  std::vector<int> exponent_;   // n: e of S(i,i) = 2^-e
  std::vector<double> scaled_;  // nnz: H = S A S
  std::vector<float> rounded_;  // nnz: H in float
  CpuResidual<double> residual_;
  bool positive_ = true;
  Vectors c_, y_, before_, r_;        // n x nrhs each
  Array<float> d_;                    // n x nrhs: d of the columns of the last precondition(), in
                                      // their order
  std::vector<int> power_;            // nrhs: c = S b 2^-power
  std::vector<double> grow_;          // nrhs: power of two by which column k of d_ is to be
                                      // multiplied
  Vectors p_, image_, z_, r_before_;  // n each
  std::vector<Dots> part_;            // one partial result for each chunk
};

}  // namespace kauri::numeric::cpu

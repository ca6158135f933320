// Mixed precision on a CUDA device: vectors stay on the device, and the host receives their norms
// and inner products.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "numeric/cuda/factor/factor.hpp"
#include "numeric/cuda/matrix/device_rows.hpp"
#include "numeric/cuda/refine/mixed_kernels.hpp"

namespace kauri::numeric::cuda {

class CudaMixed final : public MixedImpl {
 public:
  CudaMixed(const Pattern& lower, Index nrhs, DeviceContext context)
      : CudaMixed(HostRows(lower), nrhs, std::move(context)) {}
  ~CudaMixed() override {
    stream_->wait();
  }  // a call that threw halfway may have left work on the device
  [[nodiscard]] Index nrhs() const override { return nrhs_; }
  void reserve(Index nrhs) override;
  [[nodiscard]] Offset bytes() const override { return bytes_ + vector_bytes_; }
  void begin_after(StreamHandle stream) override;
  void set_values(std::span<const double> value) override;
  [[nodiscard]] std::span<const float> rounded() const override {
    return {rounded_.data(), static_cast<std::size_t>(rounded_.size())};
  }
  [[nodiscard]] std::span<const double> scaled() override;
  [[nodiscard]] int exponent(Index i) const override;
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
  CudaMixed(const HostRows& host, Index nrhs, DeviceContext context);
  /// Returns the bytes of the vectors of `nrhs` columns.
  [[nodiscard]] Offset bytes_of_vectors(Index nrhs) const;
  /// Returns the address of a column in an array of n x nrhs numbers; correction(k) that of the
  /// k-th column of d_.
  [[nodiscard]] double* at(const DeviceArray<double>& of, Index column) const {
    return of.data() + Offset{n_} * column;
  }
  [[nodiscard]] float* correction(Index k) const { return d_.data() + Offset{n_} * k; }
  /// Enqueues the copy of n numbers on the device.
  void copy(const double* from, double* to);
  /// Sets every byte of a column of y to `byte`.
  void fill(Index column, int byte);
  /// Copies a number from the device, in the stream's order, and waits for it.
  template <class V>
  V fetch(const V* there);
  /// Returns (u.v, u.w) for vectors on the device, and waits.
  Dots dots(const double* u, const double* v, const double* w);

  DeviceContext context_;
  Index n_, nrhs_ = 0;
  Offset bytes_, vector_bytes_ = 0;
  DeviceHeap heap_;
  DeviceBlock block_;                     // arrays of A
  std::unique_ptr<DeviceBlock> vectors_;  // all other arrays
  PooledStream stream_;  // after the blocks: its destructor waits before they are freed
  DeviceRows<double> rows_;
  DeviceArray<double> lower_;               // nnz: A, or S A S once scaled() has been called
  DeviceArray<float> rounded_;              // nnz: S A S in float, in the order of A's entries
  DeviceArray<int> exponent_;               // n: e of S(i,i) = 2^-e
  DeviceArray<double> c_, y_, before_, r_;  // n x nrhs each
  DeviceArray<float>
      d_;  // n x nrhs: corrections of the columns of the last precondition(), side by side
  DeviceArray<double> p_, image_, z_, r_before_,
      vector_;  // n each; image_: H p; vector_: a column of b or x between host and device
  DeviceArray<ResidualNorms>
      norms_;                 // nrhs: worst.residual is the norm of r when M^-1 r is computed
  DeviceArray<double> grow_;  // nrhs: power of two by which column k of d_ is to be multiplied
  DeviceArray<MixedFlags> flags_, of_a_;  // nrhs, for columns of b and x; one for A's diagonal
  DeviceArray<Dots> dots_;                // kDotBlocks parts, and their sum
  std::vector<ResidualNorms> seen_;       // nrhs: norms of the last residuals
  std::vector<bool> has_norm_;  // nrhs: true from correct() to residuals(): norms_[column].x is the
                                // norm of y and the other norms are zero
  bool positive_ = true, scaled_ = false;
};

}  // namespace kauri::numeric::cuda

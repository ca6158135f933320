// Steps of a mixed solve on a CUDA device, each of a few launches.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/refine/mixed.hpp"

#include <algorithm>

#include "base/common/aligned_bytes.hpp"
#include "base/common/checked.hpp"
#include "numeric/backward_error.hpp"
#include "numeric/cuda/runtime/transfer/dense_copy.hpp"
#include "numeric/cuda/runtime/unwinding.hpp"
#include "numeric/dense_view.hpp"
#include "numeric/scaling_rule.hpp"
#include "symbolic/device/schedule.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Returns true if a matrix is in memory of the device or in managed memory, false if it is in host
/// memory. Throws Error(usage) if it is on another device, since kernels access it in place.
template <class T>
bool is_there(const MatrixView<T>& a, const char* name, int device) {
  const cudaMemoryType type = attributes_of(a.data).type;
  if (type != cudaMemoryTypeDevice && type != cudaMemoryTypeManaged) return false;
  require_on_device(a, name, device);
  return true;
}

/// Calls f(first, count, k) for each run of columns first, first + 1, ... in `columns`, which
/// ascends; k is the position of `first` in `columns`. A solve has one run until some of its
/// columns have converged.
template <class F>
void for_each_run(std::span<const Index> columns, const F& f) {
  for (std::size_t k = 0, end = 0; k < columns.size(); k = end) {
    for (end = k + 1; end < columns.size() && columns[end] == columns[end - 1] + 1;) ++end;
    f(columns[k], static_cast<Index>(end - k), static_cast<Index>(k));
  }
}

Offset bytes_of_rows(const HostRows& host) {
  return DeviceRows<double>::bytes(host) + aligned_bytes(host.nnz, sizeof(double)) +
         aligned_bytes(host.nnz, sizeof(float)) + aligned_bytes(host.rows.n(), sizeof(int)) +
         aligned_bytes(1, sizeof(MixedFlags));
}

}  // namespace

CudaMixed::CudaMixed(const HostRows& host, Index nrhs, DeviceContext context)
    : context_(std::move(context)),
      n_(host.rows.n()),
      bytes_(bytes_of_rows(host)),
      heap_{context_.device, context_.heap->allocator, nullptr},
      block_(bytes_, heap_),
      stream_(context_.pool),
      rows_(host, *context_.staging, block_, *stream_) {
  lower_ = block_.take<double>(host.nnz);
  rounded_ = block_.take<float>(host.nnz);
  exponent_ = block_.take<int>(n_);
  of_a_ = block_.take<MixedFlags>(1);
  DeviceRows<double>::load_kernels();
  load_mixed_kernels();
  reserve(nrhs);
}

Offset CudaMixed::bytes_of_vectors(Index nrhs) const {
  const Offset size = checked_mul(n_, nrhs, "scalars of a mixed solve");
  return 4 * aligned_bytes(size, sizeof(double)) + aligned_bytes(size, sizeof(float)) +
         5 * aligned_bytes(n_, sizeof(double)) + aligned_bytes(nrhs, sizeof(ResidualNorms)) +
         aligned_bytes(nrhs, sizeof(double)) + aligned_bytes(nrhs, sizeof(MixedFlags)) +
         aligned_bytes(Offset{kDotBlocks} + 1, sizeof(Dots));
}

void CudaMixed::reserve(Index nrhs) {
  if (nrhs <= nrhs_) return;
  const CurrentDevice current(context_.device);
  stream_->synchronize();
  nrhs_ = 0, vector_bytes_ = 0;
  vectors_.reset();
  const Offset bytes = bytes_of_vectors(nrhs), size = Offset{n_} * nrhs;
  vectors_ = std::make_unique<DeviceBlock>(bytes, heap_);
  for (DeviceArray<double>* v : {&c_, &y_, &before_, &r_}) *v = vectors_->take<double>(size);
  d_ = vectors_->take<float>(size);
  for (DeviceArray<double>* v : {&p_, &image_, &z_, &r_before_, &vector_})
    *v = vectors_->take<double>(n_);
  norms_ = vectors_->take<ResidualNorms>(nrhs);
  grow_ = vectors_->take<double>(nrhs);
  flags_ = vectors_->take<MixedFlags>(nrhs);
  dots_ = vectors_->take<Dots>(Offset{kDotBlocks} + 1);
  const auto columns = static_cast<std::size_t>(nrhs);
  seen_.resize(columns), has_norm_.assign(columns, false);
  // Norms of unused columns are copied to the host with the others.
  check(cudaMemsetAsync(norms_.data(), 0, columns * sizeof(ResidualNorms), stream_->get()),
        "norms");
  nrhs_ = nrhs, vector_bytes_ = bytes;
}

template <class V>
V CudaMixed::fetch(const V* there) {
  V value{};
  check(cudaMemcpyAsync(&value, there, sizeof(V), cudaMemcpyDeviceToHost, stream_->get()),
        "numbers of a mixed solve");
  stream_->synchronize();
  return value;
}

void CudaMixed::copy(const double* from, double* to) {
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(n_) * sizeof(double), cudaMemcpyDefault,
                        stream_->get()),
        "a vector");
}

void CudaMixed::begin_after(StreamHandle stream) {
  const CurrentDevice current(context_.device);
  enqueue_after(static_cast<cudaStream_t>(stream), *stream_, "refactorize");
}

void CudaMixed::set_values(std::span<const double> value) {
  positive_ = true, scaled_ = false;
  if (n_ == 0) return;
  const CurrentDevice current(context_.device);
  const WaitInUnwinding waits(*stream_);
  MixedFlags* flags = of_a_.data();
  const RowsView<double> rows = rows_.view();
  context_.staging->copy(lower_.data(), std::as_bytes(value), stream_->get());
  check(cudaMemsetAsync(flags, 0, sizeof(MixedFlags), stream_->get()), "flags");
  enqueue_exponents(rows, rows_.source().data(), lower_.data(), exponent_.data(), flags,
                    stream_->get());
  enqueue_scaling(rows, rows_.source(), lower_.data(), exponent_.data(), rows_.values(),
                  rounded_.data(), stream_->get());
  positive_ = fetch(flags).wrong == 0;
}

std::span<const double> CudaMixed::scaled() {
  if (!scaled_ && n_ > 0) {
    const CurrentDevice current(context_.device);
    enqueue_gathering(rows_.view(), rows_.source(), lower_.data(), stream_->get());
    stream_->synchronize();
  }
  scaled_ = true;
  return {lower_.data(), static_cast<std::size_t>(lower_.size())};
}

int CudaMixed::exponent(Index i) const {
  const CurrentDevice current(context_.device);
  int value = 0;
  check(cudaMemcpyAsync(&value, exponent_.data() + i, sizeof(value), cudaMemcpyDeviceToHost,
                        stream_->get()),
        "an exponent");
  stream_->synchronize();
  return value;
}

void CudaMixed::load(MatrixView<const double> b, std::span<double> error) {
  const CurrentDevice current(context_.device);
  const WaitInUnwinding waits(*stream_);
  const bool is_copied = !is_there(b, "MixedFactor: b", context_.device);
  for (Index c = 0; c < b.cols; ++c) {
    const MixedFlags none{0, kNoExponent};
    MixedFlags* flags = flags_.data() + c;
    const StridedView<const double> there =
        is_copied ? StridedView<const double>{vector_.data(), 1, n_} : strided(columns(b, c, 1));
    if (is_copied)
      send(*context_.staging, columns(b, c, 1), MatrixView<double>{vector_.data(), n_, 1, n_},
           *stream_);
    check(cudaMemcpyAsync(flags, &none, sizeof(none), cudaMemcpyHostToDevice, stream_->get()),
          "flags");
    enqueue_height(n_, there, exponent_.data(), flags, stream_->get());
    enqueue_load(n_, there, exponent_.data(), flags, at(c_, c), at(y_, c), at(r_, c),
                 norms_.data() + c, stream_->get());
    const MixedFlags found =
        fetch(flags);  // waits: `none` may then end, and page-locked memory of b may change
    error[c] = error_of_zero(found.above, found.wrong == 0);
    has_norm_[c] = false;
  }
}

void CudaMixed::fill(Index column, int byte) {
  const CurrentDevice current(context_.device);
  check(cudaMemsetAsync(at(y_, column), byte, static_cast<std::size_t>(n_) * sizeof(double),
                        stream_->get()),
        "a vector");
  has_norm_[column] = false;
}

void CudaMixed::clear(Index column) { fill(column, 0); }
void CudaMixed::spoil(Index column) { fill(column, 0xff); }  // the bits of a NaN

void CudaMixed::residuals(std::span<const Index> columns, std::span<BackwardError> error) {
  const CurrentDevice current(context_.device);
  for_each_run(columns, [&](Index first, Index count, Index) {
    const ResidualColumns<double> run{
        {at(y_, first), 1, n_}, {at(c_, first), 1, n_}, {at(r_, first), 1, n_}, count};
    const auto begin = has_norm_.begin() + first, end = begin + count;
    if (std::find(begin, end, false) == end)
      enqueue_residual_sums(rows_.view(), run, norms_.data() + first, stream_->get());
    else
      enqueue_residual(rows_.view(), run, norms_.data() + first, stream_->get());
    std::fill(begin, end, false);
  });
  check(cudaMemcpyAsync(seen_.data(), norms_.data(), seen_.size() * sizeof(ResidualNorms),
                        cudaMemcpyDeviceToHost, stream_->get()),
        "errors");
  stream_->synchronize();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const ResidualNorms& norms = seen_[static_cast<std::size_t>(columns[k])];
    error[k] = backward_error(norms.worst, norms.x, norms.b);
  }
}

bool CudaMixed::store(Index column, MatrixView<double> x) {
  const CurrentDevice current(context_.device);
  const WaitInUnwinding waits(*stream_);
  MixedFlags* flags = flags_.data() + column;
  const bool there = is_there(x, "MixedFactor: x", context_.device);
  const StridedView<double> to = there ? strided(x) : StridedView<double>{vector_.data(), 1, n_};
  enqueue_store(n_, at(y_, column), exponent_.data(), to, flags, stream_->get());
  if (!there) receive<double>(*context_.staging, {vector_.data(), n_, 1, n_}, x, *stream_);
  return fetch(flags).wrong == 0;
}

void CudaMixed::precondition(const FactorImpl<float>& factor, WorkspaceImpl<float>& workspace,
                             std::span<const Index> columns) {
  const CurrentDevice current(context_.device);
  for_each_run(columns, [&](Index first, Index count, Index k) {
    enqueue_rounding({n_, count}, at(r_, first), norms_.data() + first, correction(k),
                     grow_.data() + k, stream_->get());
  });
  const MatrixView<float> d{d_.data(), n_, static_cast<Index>(columns.size()), n_};
  factor.device_solves()->enqueue_solve(d, d, workspace, {}, stream_->get());
}

void CudaMixed::correct(std::span<const Index> columns) {
  const CurrentDevice current(context_.device);
  for_each_run(columns, [&](Index first, Index count, Index k) {
    enqueue_addition<float>({n_, count}, correction(k), grow_.data() + k, at(y_, first),
                            at(before_, first), norms_.data() + first, stream_->get());
    std::fill_n(has_norm_.begin() + first, count, true);
  });
}

void CudaMixed::correct(const FactorImpl<double>& factor, WorkspaceImpl<double>& workspace,
                        Index first, Index count) {
  const CurrentDevice current(context_.device);
  const MatrixView<double> r{at(r_, first), n_, count, n_};
  factor.device_solves()->enqueue_solve(r, r, workspace, {}, stream_->get());
  ResidualNorms* norms = norms_.data() + first;
  check(cudaMemsetAsync(norms, 0, static_cast<std::size_t>(count) * sizeof(ResidualNorms),
                        stream_->get()),
        "norms");
  enqueue_addition<double>({n_, count}, r.data, nullptr, at(y_, first), at(before_, first), norms,
                           stream_->get());
  std::fill_n(has_norm_.begin() + first, count, true);
}

void CudaMixed::keep(Index column) {
  const CurrentDevice current(context_.device);
  copy(at(y_, column), at(before_, column));
}

void CudaMixed::take_back(Index column) {
  const CurrentDevice current(context_.device);
  copy(at(before_, column), at(y_, column));
  has_norm_[column] = false;
}

Dots CudaMixed::dots(const double* u, const double* v, const double* w) {
  enqueue_dots(n_, u, v, w, dots_.data(), dots_.data() + kDotBlocks, stream_->get());
  return fetch(dots_.data() + kDotBlocks);
}

double CudaMixed::begin_search(Index column) {
  const CurrentDevice current(context_.device);
  enqueue_growth(n_, d_.data(), grow_.data(), z_.data(), p_.data(), stream_->get());
  return dots(z_.data(), at(r_, column), at(r_, column)).first;
}

Dots CudaMixed::curvature(Index column) {
  const CurrentDevice current(context_.device);
  enqueue_product(rows_.view(), {{p_.data(), 1, n_}, {nullptr, 1, n_}, {image_.data(), 1, n_}, 1},
                  stream_->get());
  return dots(p_.data(), image_.data(), at(r_, column));
}

void CudaMixed::advance(Index column, double step) {
  const CurrentDevice current(context_.device);
  enqueue_advance(n_, at(r_, column), r_before_.data(), step, p_.data(), at(y_, column),
                  stream_->get());
  has_norm_[column] = false;
}

Dots CudaMixed::project(Index column) {
  const CurrentDevice current(context_.device);
  enqueue_growth(n_, d_.data(), grow_.data(), z_.data(), nullptr, stream_->get());
  return dots(z_.data(), at(r_, column), r_before_.data());
}

void CudaMixed::turn(double beta) {
  const CurrentDevice current(context_.device);
  enqueue_turn(n_, z_.data(), beta, p_.data(), stream_->get());
}

}  // namespace kauri::numeric::cuda

// Loops over vectors of a mixed solve. The order of a sum does not depend on the number of threads.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/refine/mixed.hpp"

#include <algorithm>
#include <limits>

#include "numeric/backward_error.hpp"
#include "numeric/cpu/runtime/workers.hpp"
#include "numeric/dense_view.hpp"
#include "numeric/scaling_rule.hpp"

namespace kauri::numeric::cpu {
namespace {

/// Rows of a chunk of each_chunk(); the last chunk may have fewer.
constexpr Offset kVectorChunk = Offset{1} << 13;

template <class V>
Offset bytes_in(const V& array) {
  return static_cast<Offset>(array.size() * sizeof(array[0]));
}

}  // namespace

CpuMixed::CpuMixed(const Pattern& lower, Index nrhs, Workers& workers)
    : n_(lower.n),
      chunks_(static_cast<Index>((Offset{n_} + kVectorChunk - 1) / kVectorChunk)),
      workers_(workers),
      col_ptr_(lower.col_ptr.begin(), lower.col_ptr.end()),
      row_(lower.row.begin(), lower.row.end()),
      exponent_(static_cast<std::size_t>(n_)),
      scaled_(row_.size()),
      rounded_(row_.size()),
      residual_(lower, workers),
      part_(static_cast<std::size_t>(chunks_)) {
  for (Vectors* v : {&p_, &image_, &z_, &r_before_}) v->resize(static_cast<std::size_t>(n_));
  reserve(nrhs);
}

void CpuMixed::reserve(Index nrhs) {
  if (nrhs <= nrhs_) return;
  const auto size = static_cast<std::size_t>(byte_count(n_, nrhs)),
             columns = static_cast<std::size_t>(nrhs);
  try {
    for (Vectors* v : {&c_, &y_, &before_, &r_}) Vectors().swap(*v), v->resize(size);
    Array<float>().swap(d_), d_.resize(size);
    power_.resize(columns), grow_.resize(columns);
  } catch (const std::bad_alloc&) {
    nrhs_ = 0;
    throw Error(ErrorKind::memory, "not enough memory for vectors of " + std::to_string(nrhs) +
                                       " columns of " + std::to_string(n_) + " rows");
  }
  nrhs_ = nrhs;
}

Offset CpuMixed::bytes() const {
  Offset sum = residual_.bytes() + bytes_in(col_ptr_) + bytes_in(row_) + bytes_in(exponent_) +
               bytes_in(scaled_) + bytes_in(rounded_);
  for (const Vectors* v : {&c_, &y_, &before_, &r_, &p_, &image_, &z_, &r_before_})
    sum += bytes_in(*v);
  return sum + bytes_in(d_) + bytes_in(power_) + bytes_in(grow_) + bytes_in(part_);
}

template <class F>
void CpuMixed::each_chunk(const F& f) {
  workers_.execute([&] {
    workers_.parallel(chunks_, [&](Index k) {
      const Offset begin = kVectorChunk * k;
      f(begin, std::min<Offset>(begin + kVectorChunk, n_), k);
    });
  });
}

template <class F>
void CpuMixed::each_row(const F& f) {
  each_chunk([&](Offset begin, Offset end, Index) {
    for (Offset i = begin; i < end; ++i) f(i);
  });
}

template <class F>
Dots CpuMixed::sums(const F& f) {
  each_chunk([&](Offset begin, Offset end, Index k) {
    constexpr int kLanes = 4;  // independent sums side by side
    Dots lane[kLanes]{};
    for (Offset i = begin; i < end; ++i) {
      const Dots term = f(i);
      Dots& sum = lane[i % kLanes];
      sum.first += term.first, sum.second += term.second;
    }
    part_[k] = {(lane[0].first + lane[1].first) + (lane[2].first + lane[3].first),
                (lane[0].second + lane[1].second) + (lane[2].second + lane[3].second)};
  });
  Dots all{0, 0};
  for (const Dots& part : part_) all.first += part.first, all.second += part.second;
  return all;
}

void CpuMixed::begin_after(StreamHandle stream) { require_no_stream(stream); }

void CpuMixed::set_values(std::span<const double> value) {
  positive_ = true;
  for (Index j = 0; j < n_; ++j) {
    const double diagonal = value[col_ptr_[j]];
    positive_ = positive_ && diagonal > 0 && is_finite(diagonal);
    exponent_[j] = scale_exponent(diagonal);
  }
  each_row([&](Offset j) {
    for (Offset k = col_ptr_[j]; k < col_ptr_[j + 1]; ++k) {
      scaled_[k] = scaled_entry(value[k], exponent_[j] + exponent_[row_[k]]);
      rounded_[k] = narrowed<float>(scaled_[k]);
    }
  });
}

void CpuMixed::load(MatrixView<const double> b, std::span<double> error) {
  for (Index c = 0; c < b.cols; ++c) {
    const StridedView<const double> from = strided(columns(b, c, 1));
    int above = kNoExponent;
    bool finite = true;
    for (Index i = 0; i < n_; ++i) {
      above = std::max(above, exponent_above(from(i, 0)) - exponent_[i]);
      finite = finite && is_finite(from(i, 0));
    }
    power_[c] = loading_exponent(above);
    double *to = at(c_, c), *r = at(r_, c);
    each_row([&](Offset i) { r[i] = to[i] = std::scalbn(from(i, 0), -exponent_[i] - power_[c]); });
    clear(c);
    error[c] = error_of_zero(above, finite);
  }
}

void CpuMixed::clear(Index column) { std::fill_n(at(y_, column), n_, 0.0); }
void CpuMixed::spoil(Index column) {
  std::fill_n(at(y_, column), n_, std::numeric_limits<double>::quiet_NaN());
}

void CpuMixed::residuals(std::span<const Index> columns, std::span<BackwardError> error) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Index c = columns[k];
    error[k] = residual_.residual({pattern(), scaled_}, column(y_, c), column(c_, c), column(r_, c),
                                  ValuesAre::unchanged);
  }
}

bool CpuMixed::store(Index column, MatrixView<double> x) {
  const double* y = at(y_, column);
  const StridedView<double> to = strided(x);
  std::fill(part_.begin(), part_.end(), Dots{0, 0});
  each_chunk([&](Offset begin, Offset end, Index k) {
    for (Offset i = begin; i < end; ++i) {
      const double number = std::scalbn(y[i], power_[column] - exponent_[i]);
      to(i, 0) = number;
      if (!is_finite(number)) part_[k].first = 1;
    }
  });
  return std::all_of(part_.begin(), part_.end(), [](const Dots& part) { return part.first == 0; });
}

void CpuMixed::precondition(const FactorImpl<float>& factor, WorkspaceImpl<float>& workspace,
                            std::span<const Index> columns) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const double* r = at(r_, columns[k]);
    const int exponent = shrinking_exponent(norm_inf(r, 1, n_));
    const double shrink = std::scalbn(1.0, -exponent);
    grow_[k] = std::scalbn(1.0, exponent);
    float* d = d_.data() + Offset{n_} * static_cast<Offset>(k);
    each_row([&](Offset i) { d[i] = static_cast<float>(r[i] * shrink); });
  }
  const MatrixView<float> d{d_.data(), n_, static_cast<Index>(columns.size()), n_};
  factor.solve(d, d, workspace, {});
}

void CpuMixed::correct(std::span<const Index> columns) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const float* d = d_.data() + Offset{n_} * static_cast<Offset>(k);
    double *y = at(y_, columns[k]), *before = at(before_, columns[k]);
    each_row([&](Offset i) {
      before[i] = y[i];
      y[i] += static_cast<double>(d[i]) * grow_[k];
    });
  }
}

void CpuMixed::correct(const FactorImpl<double>& factor, WorkspaceImpl<double>& workspace,
                       Index first, Index count) {
  const MatrixView<double> r{at(r_, first), n_, count, n_};
  factor.solve(r, r, workspace, {});
  for (Index c = first; c < first + count; ++c) {
    const double* d = at(r_, c);
    double *y = at(y_, c), *before = at(before_, c);
    each_row([&](Offset i) {
      before[i] = y[i];
      y[i] += d[i];
    });
  }
}

void CpuMixed::keep(Index column) { std::copy_n(at(y_, column), n_, at(before_, column)); }
void CpuMixed::take_back(Index column) { std::copy_n(at(before_, column), n_, at(y_, column)); }

void CpuMixed::take_correction() {
  each_row([&](Offset i) { z_[i] = static_cast<double>(d_[i]) * grow_[0]; });
}

double CpuMixed::begin_search(Index column) {
  take_correction();
  std::copy(z_.begin(), z_.end(), p_.begin());
  const double* r = at(r_, column);
  return sums([&](Offset i) { return Dots{z_[i] * r[i], 0}; }).first;
}

Dots CpuMixed::curvature(Index column) {
  residual_.multiply({pattern(), scaled_}, this->column(p_, 0), this->column(image_, 0));
  const double* r = at(r_, column);
  return sums([&](Offset i) { return Dots{p_[i] * image_[i], p_[i] * r[i]}; });
}

void CpuMixed::advance(Index column, double step) {
  double* y = at(y_, column);
  const double* r = at(r_, column);
  each_row([&](Offset i) {
    r_before_[i] = r[i];
    y[i] += step * p_[i];
  });
}

Dots CpuMixed::project(Index column) {
  take_correction();
  const double* r = at(r_, column);
  return sums([&](Offset i) { return Dots{z_[i] * r[i], z_[i] * r_before_[i]}; });
}

void CpuMixed::turn(double beta) {
  each_row([&](Offset i) { p_[i] = z_[i] + beta * p_[i]; });
}

}  // namespace kauri::numeric::cpu

// Members of kauri::eigen::LLT that read, analyse and factorise a matrix. Include kauri/eigen.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kauri/eigen/llt.hpp"

namespace kauri::eigen {

// NOLINTBEGIN(readability-identifier-naming): programs that exchange Eigen's solver for this one
// call Eigen's names

template <class MatrixType_, int UpLo_, class Ordering_>
template <class F>
LLT<MatrixType_, UpLo_, Ordering_>& LLT<MatrixType_, UpLo_, Ordering_>::told_by_info(const F& f) {
  m_isInitialized = true;
  info_ = Eigen::InvalidInput;
  message_.clear();
  unsolved_ = false;
  breakdown_.reset();
  try {
    info_ = f();
  } catch (const Error& error) {
    message_ = error.what();
    if (error.kind() == ErrorKind::memory || error.kind() == ErrorKind::device ||
        error.kind() == ErrorKind::cancelled)
      throw;
  }
  return *this;
}

template <class MatrixType_, int UpLo_, class Ordering_>
LLT<MatrixType_, UpLo_, Ordering_>& LLT<MatrixType_, UpLo_, Ordering_>::compute(
    const MatrixType& a) {
  analyzePattern(a);
  return info_ == Eigen::Success ? factorize(a) : *this;
}

template <class MatrixType_, int UpLo_, class Ordering_>
LLT<MatrixType_, UpLo_, Ordering_>& LLT<MatrixType_, UpLo_, Ordering_>::analyzePattern(
    const MatrixType& a) {
  return told_by_info([&] {
    lower_.reset();
    spare_.clear();
    factor_.reset();
    analysis_ = {};
    rows_ = a.rows(), cols_ = a.cols();
    read_pattern(a);
    if (next_backend_ || !backend_)
      backend_ = next_backend_ ? next_backend_ : std::make_shared<Backend>(cpu_backend());
    AnalyzeOptions options = options_;
    if (options.target.empty()) options.target = backend_->target();
    if (options.workers == 0) options.workers = backend_->threads();
    if (options.ordering.threads == 0) options.ordering.threads = backend_->threads();
    analysis_ = analyze_with_report(place_.pattern(), options);
    set_permutations();
    return Eigen::Success;
  });
}

template <class MatrixType_, int UpLo_, class Ordering_>
LLT<MatrixType_, UpLo_, Ordering_>& LLT<MatrixType_, UpLo_, Ordering_>::factorize(
    const MatrixType& a) {
  return told_by_info([&] {
    if (!analysis_.plan)
      throw Error(ErrorKind::usage,
                  "kauri::eigen::LLT: factorize() needs the plan of an analysis; call "
                  "analyzePattern() or compute() first");
    read_values(a);
    lower_.reset();
    if (!factor_) factor_ = Factor<Scalar>::create(analysis_.plan, *backend_);
    const Result<void, Breakdown> result = refactorize<Scalar>(*factor_, value_);
    if (result) return Eigen::Success;
    breakdown_ = result.error();
    message_ = "A is " + describe(*breakdown_, 0);
    return Eigen::NumericalIssue;
  });
}

template <class MatrixType_, int UpLo_, class Ordering_>
template <class Visit>
void LLT<MatrixType_, UpLo_, Ordering_>::for_each_entry(const MatrixType& a, const Visit& visit) {
  for (Eigen::Index outer = 0; outer < a.outerSize(); ++outer)
    for (typename MatrixType::InnerIterator it(a, outer); it; ++it)
      if (kFromDiagonalOn ? it.index() >= outer : it.index() <= outer)
        visit(outer, it.index(), it.value());
}

template <class MatrixType_, int UpLo_, class Ordering_>
void LLT<MatrixType_, UpLo_, Ordering_>::read_pattern(const MatrixType& a) {
  if (a.rows() != a.cols())
    throw Error(ErrorKind::input, "analyzePattern: A has " + std::to_string(a.rows()) +
                                      " rows and " + std::to_string(a.cols()) + " columns");
  if (a.rows() > std::numeric_limits<Index>::max())
    throw Error(ErrorKind::overflow, "analyzePattern: A has " + std::to_string(a.rows()) +
                                         " rows, at most 2^31 - 1 are possible");
  outer_ptr_.assign(static_cast<std::size_t>(a.rows()) + 1, 0);
  inner_.clear();
  for_each_entry(a, [&](Eigen::Index outer, Eigen::Index inner, Scalar) {
    inner_.push_back(static_cast<Index>(inner));
    outer_ptr_[static_cast<std::size_t>(outer) + 1] = static_cast<Offset>(inner_.size());
  });
  for (std::size_t j = 1; j < outer_ptr_.size(); ++j)
    outer_ptr_[j] = std::max(outer_ptr_[j], outer_ptr_[j - 1]);

  std::vector<double> number(inner_.size());
  for (std::size_t k = 0; k < number.size(); ++k) number[k] = static_cast<double>(k + 1);
  const Storage half = kFromDiagonalOn ? Storage::lower : Storage::upper;
  place_ = SymmetricMatrix<double>::from_csc(static_cast<Index>(a.rows()), outer_ptr_, inner_,
                                             number, half);
  const auto added = std::count(place_.value().begin(), place_.value().end(), 0.0);
  if (place_.nnz() - added != static_cast<Offset>(inner_.size()))
    throw Error(ErrorKind::input, "analyzePattern: A has an entry twice");
}

template <class MatrixType_, int UpLo_, class Ordering_>
void LLT<MatrixType_, UpLo_, Ordering_>::read_values(const MatrixType& a) {
  std::size_t k = 0;
  bool same = a.rows() == rows_ && a.cols() == cols_;
  entry_.resize(inner_.size());
  if (same)
    for_each_entry(a, [&](Eigen::Index outer, Eigen::Index inner, Scalar value) {
      const auto end = static_cast<std::size_t>(outer_ptr_[static_cast<std::size_t>(outer) + 1]);
      same = same && k >= static_cast<std::size_t>(outer_ptr_[static_cast<std::size_t>(outer)]) &&
             k < end && inner_[k] == inner;
      if (same) entry_[k++] = value;
    });
  if (!same || k != inner_.size())
    throw Error(ErrorKind::usage,
                "factorize: the matrix has another pattern than the one analysed");
  value_.resize(static_cast<std::size_t>(place_.nnz()));
  for (std::size_t e = 0; e < value_.size(); ++e) {
    const auto from = static_cast<std::size_t>(place_.value()[e]);
    value_[e] = from == 0 ? Scalar(0) : entry_[from - 1];
  }
  const std::equal_to<RealScalar>
      equal;  // == may raise warnings of the compiler in programs that include this
  if (equal(shift_offset_, 0) && equal(shift_scale_, 1)) return;
  for (Index j = 0; j < place_.n(); ++j) {
    Scalar& d =
        value_[static_cast<std::size_t>(place_.pattern().col_ptr[static_cast<std::size_t>(j)])];
    d = shift_offset_ + shift_scale_ * d;
  }
}

template <class MatrixType_, int UpLo_, class Ordering_>
void LLT<MatrixType_, UpLo_, Ordering_>::set_permutations() {
  const auto copy = [](std::span<const Index> from, PermutationType& to) {
    to.resize(static_cast<Eigen::Index>(from.size()));
    std::copy(from.begin(), from.end(), to.indices().data());
  };
  copy(analysis_.plan->perm.new_of(), p_);
  copy(analysis_.plan->perm.old_of(), p_inverse_);
}

// NOLINTEND(readability-identifier-naming)

}  // namespace kauri::eigen

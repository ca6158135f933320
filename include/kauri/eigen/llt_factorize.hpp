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
  factor_ = nullptr;
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
    solver_.reset();
    value_.clear();
    rows_ = a.rows(), cols_ = a.cols();
    const SymmetricMatrix<double> lower = read_pattern(a);
    if (!backend_) backend_ = std::make_shared<Backend>(cpu_backend());
    SolverOptions options;
    options.analyze = options_;
    options.stop = options_.ordering.stop;
    solver_.emplace(std::move(options), backend_);
    solver_->analyze(lower.pattern());
    solver_->set_stop({});
    set_permutations();
    return Eigen::Success;
  });
}

template <class MatrixType_, int UpLo_, class Ordering_>
LLT<MatrixType_, UpLo_, Ordering_>& LLT<MatrixType_, UpLo_, Ordering_>::factorize(
    const MatrixType& a) {
  return told_by_info([&] {
    if (!analysis().plan)
      throw Error(ErrorKind::usage,
                  "kauri::eigen::LLT: factorize() needs the plan of an analysis; call "
                  "analyzePattern() or compute() first");
    read_values(a, solver_->plan().pattern());
    lower_.reset();
    const Result<void, Breakdown> result = solver_->refactorize(value_);
    if (result) return factor_ = &solver_->factor(), Eigen::Success;
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

/// Returns A's lower triangle, with a diagonal entry in each column. Sets place_. Values of the
/// result: positions in inner_, from 1, and 0 for a diagonal entry that A lacks.
template <class MatrixType_, int UpLo_, class Ordering_>
SymmetricMatrix<double> LLT<MatrixType_, UpLo_, Ordering_>::read_pattern(const MatrixType& a) {
  if (a.rows() != a.cols())
    throw Error(ErrorKind::input, "analyzePattern: A has " + std::to_string(a.rows()) +
                                      " rows and " + std::to_string(a.cols()) +
                                      " columns, expected a square matrix");
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
  SymmetricMatrix<double> lower = SymmetricMatrix<double>::from_csc(
      static_cast<Index>(a.rows()), outer_ptr_, inner_, number, half);
  const auto added = std::count(lower.value().begin(), lower.value().end(), 0.0);
  if (lower.nnz() - added != static_cast<Offset>(inner_.size()))
    throw Error(
        ErrorKind::input,
        "analyzePattern: A has an entry twice, expected once; setFromTriplets() sums duplicates");
  place_.resize(inner_.size());
  for (std::size_t e = 0; e < lower.value().size(); ++e)
    if (const auto from = static_cast<std::size_t>(lower.value()[e]); from > 0)
      place_[from - 1] = static_cast<Offset>(e);
  return lower;
}

/// Sets value_ to the values of A with setShift(), in the order of `lower`, the pattern analysed.
template <class MatrixType_, int UpLo_, class Ordering_>
void LLT<MatrixType_, UpLo_, Ordering_>::read_values(const MatrixType& a, const Pattern& lower) {
  std::size_t k = 0;
  bool same = a.rows() == rows_ && a.cols() == cols_;
  value_.assign(static_cast<std::size_t>(lower.nnz()), Scalar(0));
  if (same)
    for_each_entry(a, [&](Eigen::Index outer, Eigen::Index inner, Scalar value) {
      const auto end = static_cast<std::size_t>(outer_ptr_[static_cast<std::size_t>(outer) + 1]);
      same = same && k >= static_cast<std::size_t>(outer_ptr_[static_cast<std::size_t>(outer)]) &&
             k < end && inner_[k] == inner;
      if (same) value_[static_cast<std::size_t>(place_[k++])] = value;
    });
  if (!same || k != inner_.size())
    throw Error(ErrorKind::usage,
                "factorize: the matrix has another pattern than the one analysed; call compute(), "
                "or analyzePattern() first");
  const std::equal_to<RealScalar>
      equal;  // == may raise warnings of the compiler in programs that include this
  if (equal(shift_offset_, 0) && equal(shift_scale_, 1)) return;
  for (Index j = 0; j < lower.n; ++j) {
    Scalar& d = value_[static_cast<std::size_t>(lower.col_ptr[static_cast<std::size_t>(j)])];
    d = shift_offset_ + shift_scale_ * d;
  }
}

template <class MatrixType_, int UpLo_, class Ordering_>
void LLT<MatrixType_, UpLo_, Ordering_>::set_permutations() {
  const auto copy = [](std::span<const Index> from, PermutationType& to) {
    to.resize(static_cast<Eigen::Index>(from.size()));
    std::copy(from.begin(), from.end(), to.indices().data());
  };
  copy(solver_->plan().perm.new_of(), p_);
  copy(solver_->plan().perm.old_of(), p_inverse_);
}

// NOLINTEND(readability-identifier-naming)

}  // namespace kauri::eigen

// Members of kauri::eigen::LLT that solve with the factor or return it. Include kauri/eigen.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "kauri/eigen/llt.hpp"

namespace kauri::eigen {

// NOLINTBEGIN(readability-identifier-naming): programs that exchange Eigen's solver for this one
// call Eigen's names

/// Returns a view of a dense matrix or vector (of one column with any step between its entries), or
/// nothing for an expression without an address, another scalar, or gaps in both directions.
template <class MatrixType_, int UpLo_, class Ordering_>
template <class Dense>
auto LLT<MatrixType_, UpLo_, Ordering_>::view_of(Dense& a) {
  using Matrix = std::remove_const_t<Dense>;
  if constexpr (Eigen::internal::has_direct_access<Matrix>::ret != 0 &&
                std::is_same_v<typename Matrix::Scalar, Scalar>) {
    using View = MatrixView<std::remove_pointer_t<decltype(a.data())>>;
    constexpr Layout layout = Matrix::IsRowMajor ? Layout::row_major : Layout::column_major;
    const Eigen::Index inner = a.innerStride(), outer = a.outerStride(),
                       line = Matrix::IsRowMajor ? a.cols() : a.rows();
    const auto rows = static_cast<Index>(a.rows()), cols = static_cast<Index>(a.cols());
    if (cols == 1 && (Matrix::IsRowMajor ? outer : inner) >= 1)  // any step
      return std::optional(
          View{a.data(), rows, 1, Matrix::IsRowMajor ? outer : inner, Layout::row_major});
    return inner == 1 && outer >= line ? std::optional(View{a.data(), rows, cols, outer, layout})
                                       : std::nullopt;
  } else {
    return std::optional<MatrixView<const Scalar>>();
  }
}

template <class MatrixType_, int UpLo_, class Ordering_>
template <class Rhs, class Dest>
void LLT<MatrixType_, UpLo_, Ordering_>::_solve_impl(const Eigen::MatrixBase<Rhs>& b,
                                                     Eigen::MatrixBase<Dest>& x) const {
  eigen_assert((factor_ != nullptr || info_ != Eigen::Success) &&
               "call compute() or factorize() first");
  eigen_assert(b.rows() == rows_);
  if (b.cols() > std::numeric_limits<Index>::max())
    throw Error(ErrorKind::overflow, "solve: B has " + std::to_string(b.cols()) +
                                         " columns, at most 2^31 - 1 are possible");
  if (factor_ == nullptr) {
    x.derived() = DenseColumns::Constant(cols_, b.cols(), std::numeric_limits<Scalar>::quiet_NaN());
    return;
  }
  if (b.size() == 0) return;
  if constexpr (std::is_same_v<decltype(view_of(x.derived())), std::optional<MatrixView<Scalar>>>)
    if (const auto to = view_of(x.derived()); to && x.rows() == b.rows() && x.cols() == b.cols())
      return solve_dense(b, *to);
  DenseColumns columns(b.rows(), b.cols());
  solve_dense(b, *view_of(columns));
  x.derived() = columns;
}

/// Solves A X = B, writing X to x; reads b where it is, or a copy of b if b has no view or may
/// overlap x. The caller has checked that there is a factor and that the shapes fit.
template <class MatrixType_, int UpLo_, class Ordering_>
template <class Rhs>
void LLT<MatrixType_, UpLo_, Ordering_>::solve_dense(const Eigen::MatrixBase<Rhs>& b,
                                                     const MatrixView<Scalar>& x) const {
  const auto end = [](const auto& a) {  // one past the last entry
    const bool by_rows = a.layout == Layout::row_major;
    return a.data + (by_rows ? a.rows - 1 : a.cols - 1) * a.ld + (by_rows ? a.cols : a.rows);
  };
  const std::less_equal<const Scalar*> before;
  if (const auto from = view_of(b.derived());
      from && (before(end(*from), x.data) || before(end(x), from->data)))
    return judge(solver_->solve(*from, x, refine_).final_error);
  const DenseColumns copy = b;
  judge(solver_->solve(*view_of(copy), x, refine_).final_error);
}

/// Makes info() NoConvergence unless these errors are those of a solution, as zeros are.
template <class MatrixType_, int UpLo_, class Ordering_>
void LLT<MatrixType_, UpLo_, Ordering_>::judge(const BackwardError& error) const {
  if (status_of<Scalar>(error) == SolveStatus::ok) return;
  const std::lock_guard lock(mutex_);
  if (!unsolved_) unsolved_message_ = "solve: " + in_words(error, solved_error<Scalar>());
  unsolved_ = true;
}

template <class MatrixType_, int UpLo_, class Ordering_>
template <class Rhs, class Dest>
void LLT<MatrixType_, UpLo_, Ordering_>::_solve_impl(const Eigen::SparseMatrixBase<Rhs>& b,
                                                     Eigen::SparseMatrixBase<Dest>& x) const {
  using ByColumns = Eigen::SparseMatrix<Scalar, Eigen::ColMajor, typename Dest::StorageIndex>;
  const ByColumns rhs = b;
  ByColumns result(cols_, rhs.cols());
  for (Eigen::Index first = 0; first < rhs.cols(); first += kSolveBlock) {
    const DenseColumns given =
        rhs.middleCols(first, std::min<Eigen::Index>(kSolveBlock, rhs.cols() - first));
    DenseColumns columns(cols_, given.cols());
    _solve_impl(given, columns);
    for (Eigen::Index c = 0; c < columns.cols(); ++c) {
      result.startVec(first + c);
      for (Eigen::Index i = 0; i < columns.rows(); ++i)
        if (std::not_equal_to<Scalar>()(columns(i, c), 0))
          result.insertBack(i, first + c) = columns(i, c);
    }
  }
  result.finalize();
  x.derived() = result;
}

template <class MatrixType_, int UpLo_, class Ordering_>
auto LLT<MatrixType_, UpLo_, Ordering_>::lower() const -> const CholMatrixType& {
  const Factor<Scalar>& filled = factor();
  const std::lock_guard lock(mutex_);
  if (lower_) return *lower_;
  const LowerFactor<Scalar> l = lower_factor(filled);
  if (static_cast<std::size_t>(std::numeric_limits<StorageIndex>::max()) < l.row.size())
    throw Error(ErrorKind::overflow, "matrixL: " + std::to_string(l.row.size()) +
                                         " entries are more than StorageIndex counts");
  CholMatrixType made(rows_, cols_);
  made.resizeNonZeros(static_cast<Eigen::Index>(l.row.size()));
  std::copy(l.col_ptr.begin(), l.col_ptr.end(), made.outerIndexPtr());
  std::copy(l.row.begin(), l.row.end(), made.innerIndexPtr());
  std::copy(l.value.begin(), l.value.end(), made.valuePtr());
  return lower_.emplace(std::move(made));
}

template <class MatrixType_, int UpLo_, class Ordering_>
typename MatrixType_::Scalar LLT<MatrixType_, UpLo_, Ordering_>::determinant() const {
  return static_cast<Scalar>(kauri::determinant(factor()));
}

template <class MatrixType_, int UpLo_, class Ordering_>
typename MatrixType_::Scalar LLT<MatrixType_, UpLo_, Ordering_>::logDeterminant() const {
  return static_cast<Scalar>(log_determinant(factor()));
}

template <class MatrixType_, int UpLo_, class Ordering_>
template <class Stream>
void LLT<MatrixType_, UpLo_, Ordering_>::dumpMemory(Stream& s) const {
  Offset total = 0;
  const auto tell = [&](const char* name, Offset bytes) {
    s << name << (bytes >> 20) << "Mb\n";
    total += bytes;
  };
  const auto of = [](const auto& array) {
    return static_cast<Offset>(array.size() * sizeof array[0]);
  };
  const std::shared_ptr<const Plan>& plan = analysis().plan;
  tell("  A:        ",
       of(outer_ptr_) + of(inner_) + of(place_) + 2 * of(value_));  // solver_: a copy
  tell("  plan:     ", plan ? plan->plan_bytes() : 0);
  tell("  L:        ", value_.empty() ? 0 : plan->peak_bytes(sizeof(Scalar)));
  tell("  perm:     ", 2 * static_cast<Offset>(p_.size() * sizeof(StorageIndex)));
  s << "  TOTAL:    " << (total >> 20) << "Mb\n";
}

// NOLINTEND(readability-identifier-naming)

}  // namespace kauri::eigen

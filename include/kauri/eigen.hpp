// LLT: kauri behind the interface of Eigen's solvers, in place of Eigen::SimplicialLLT or
// Eigen::CholmodSupernodalLLT. This is the only public header that needs Eigen (3.4 or newer);
// kauri/kauri.hpp does not include it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kauri/core/backend.hpp"
#include "kauri/extras/lower_factor.hpp"
#include "kauri/solve/refine.hpp"

/// Classes of kauri with the interfaces of Eigen.
namespace kauri::eigen {

// NOLINTBEGIN(readability-identifier-naming): programs that exchange Eigen's solver for this one
// call Eigen's names

/// P A P^T = L L^T of a sparse symmetric positive definite A, and solutions of A X = B:
///
///     kauri::eigen::LLT<Eigen::SparseMatrix<double>> solver(a);  // was:
///     Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> solver(a); if (solver.info() !=
///     Eigen::Success) ... const Eigen::VectorXd x = solver.solve(b);
///
/// MatrixType_: a SparseMatrix of float or double, by columns or by rows, with indices of any type,
/// compressed or not; the call copies other sparse expressions and maps into one, as Eigen's
/// solvers do. No reference to the matrix is kept. UpLo_: the half that is read, Eigen::Lower or
/// Eigen::Upper, whether the other one is stored or not; for Lower | Upper the lower one.
/// Ordering_: Eigen::NaturalOrdering<> for the caller's order, in which L has the same entries; P
/// is then a postorder of the elimination tree, whereas Eigen has no P. For any other type kauri
/// chooses the ordering by the pattern, see setOrdering().
///
/// info() returns the outcome of the last call. Success. NumericalIssue: A is not positive
/// definite; breakdown() has column and pivot. InvalidInput: any other fault of a call or a matrix,
/// which lastErrorMessage() describes (not square, another pattern than the one analysed, a value
/// that is not finite, options that do not fit, counts too large). NoConvergence: with
/// setRefinement(), a solve since the last factorize() left an x that is not finite or whose
/// backward error exceeds solved_error(); lastErrorMessage() has the error, x keeps its values, and
/// further solves are possible. Missing resources are thrown: Error(memory), Error(device),
/// std::bad_alloc. After any failure the object may be used again; a factorize() that fails keeps
/// the plan.
///
/// solve() takes dense and sparse right-hand sides, as Eigen's solvers do. Several threads may call
/// solve() and other const members at once; compute(), analyzePattern(), factorize() and setters
/// must run alone on the object. Dense right-hand sides and solutions, by columns or by rows, are
/// read and written in place; expressions, and a B that may overlap x, are copied. Without a factor
/// (info() is NumericalIssue or InvalidInput) all entries of x, which has cols() rows, are NaN.
/// eigen_assert checks, as in Eigen's solvers, that B has rows() rows and that compute() or
/// factorize() was called: a plan alone solves nothing. Setters of options return *this. Neither
/// copyable nor movable, as Eigen's solvers.
template <class MatrixType_, int UpLo_ = Eigen::Lower,
          class Ordering_ = Eigen::AMDOrdering<typename MatrixType_::StorageIndex>>
class LLT : public Eigen::SparseSolverBase<LLT<MatrixType_, UpLo_, Ordering_>> {
  using Base = Eigen::SparseSolverBase<LLT>;
  using Base::m_isInitialized;
  static_assert((UpLo_ & (Eigen::Lower | Eigen::Upper)) == UpLo_ && UpLo_ != 0,
                "UpLo is Lower, Upper, or both");
  static_assert(kauri::Scalar<typename MatrixType_::Scalar>,
                "kauri factorises in float and double");

 public:
  using MatrixType = MatrixType_;                      ///< a SparseMatrix
  using OrderingType = Ordering_;                      ///< see above
  using Scalar = typename MatrixType::Scalar;          ///< float or double
  using RealScalar = typename MatrixType::RealScalar;  ///< type of shifts: Scalar
  using StorageIndex =
      typename MatrixType::StorageIndex;  ///< index type of matrixL() and permutationP()
  using VectorType = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;     ///< a dense column
  using VectorI = Eigen::Matrix<StorageIndex, Eigen::Dynamic, 1>;  ///< a dense column of indices
  using CholMatrixType =
      Eigen::SparseMatrix<Scalar, Eigen::ColMajor, StorageIndex>;  ///< type of the copy of L
  using MatrixL = Eigen::TriangularView<const CholMatrixType, Eigen::Lower>;  ///< see matrixL()
  using MatrixU = Eigen::TriangularView<const typename CholMatrixType::AdjointReturnType,
                                        Eigen::Upper>;  ///< see matrixU()
  using PermutationType = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic,
                                                   StorageIndex>;  ///< see permutationP()
  /// Template arguments and sizes, under the names of Eigen's solvers.
  enum {
    UpLo = UpLo_,
    ColsAtCompileTime = MatrixType::ColsAtCompileTime,
    MaxColsAtCompileTime = MatrixType::MaxColsAtCompileTime
  };

  /// Makes a solver without a matrix; call compute() or analyzePattern() next.
  LLT() { options_.ordering.method = method_of(static_cast<const OrderingType*>(nullptr)); }
  /// Makes a solver and calls compute(a).
  explicit LLT(const MatrixType& a) : LLT() { compute(a); }

  /// Calls analyzePattern() and, unless that failed, factorize().
  LLT& compute(const MatrixType& a);
  /// Orders and plans by the pattern of the half that is read, without its values. Discards the
  /// previous plan and factor.
  LLT& analyzePattern(const MatrixType& a);
  /// Factorises new values on the pattern analysed, in the existing plan and memory. A matrix of
  /// another pattern (that of the half that is read, with its stored zeros) is InvalidInput.
  LLT& factorize(const MatrixType& a);

  /// Returns the rows of the matrix last analysed.
  [[nodiscard]] Eigen::Index rows() const { return rows_; }
  /// Returns its columns: equal to rows(), unless info() is InvalidInput because they differ.
  [[nodiscard]] Eigen::Index cols() const { return cols_; }
  /// Returns the outcome of the last call, see above.
  [[nodiscard]] Eigen::ComputationInfo info() const {
    eigen_assert(m_isInitialized && "call compute() or analyzePattern() first");
    return unsolved() ? Eigen::NoConvergence : info_;
  }
  /// Returns the reason if info() is not Success, else an empty text.
  [[nodiscard]] const std::string& lastErrorMessage() const {
    return unsolved() ? unsolved_message_ : message_;
  }
  /// Returns the column of A and the pivot at which the factorisation failed if info() is
  /// NumericalIssue, else nothing.
  [[nodiscard]] const std::optional<Breakdown>& breakdown() const { return breakdown_; }

  /// Returns P of P A P^T = L L^T, of the last successful analysis: new_of of Permutation.
  [[nodiscard]] const PermutationType& permutationP() const { return p_; }
  /// Returns the inverse of P: old_of of Permutation.
  [[nodiscard]] const PermutationType& permutationPinv() const { return p_inverse_; }
  /// Returns a view of L in this object, valid until the next factorisation. The first call copies
  /// L out of the factor, O(entries), with the zeros that lower_factor() describes. Throws Error:
  /// usage (without a factor), overflow (StorageIndex cannot count the entries).
  [[nodiscard]] const MatrixL matrixL()
      const {  // NOLINT(readability-const-return-type): selects the const nestedExpression()
    return MatrixL(lower());
  }
  /// Returns a view of L^T; otherwise as matrixL().
  [[nodiscard]] const MatrixU matrixU()
      const {  // NOLINT(readability-const-return-type): as in matrixL()
    return MatrixU(lower().adjoint());
  }
  /// Returns the determinant of A as last factorised, including setShift(), by
  /// kauri::determinant(); 1 without rows. It overflows or vanishes only if it is out of the range
  /// of Scalar. Throws Error(usage) without a factor.
  [[nodiscard]] Scalar determinant() const;
  /// Returns the natural logarithm of determinant(), also where that overflows; 0 without rows.
  /// Throws Error(usage) without a factor.
  [[nodiscard]] Scalar logDeterminant() const;

  /// Sets the shift: from the next factorize() on, a diagonal entry d of A counts as offset + scale
  /// * d.
  LLT& setShift(const RealScalar& offset, const RealScalar& scale = 1) {
    return shift_offset_ = offset, shift_scale_ = scale, *this;
  }
  /// Sets the options of the next analysis. The backend supplies target and numbers of workers and
  /// threads that are not set.
  LLT& setOptions(AnalyzeOptions options) { return options_ = std::move(options), *this; }
  /// Sets the ordering method of the options; by default `natural` for Eigen::NaturalOrdering<>,
  /// else `automatic`.
  LLT& setOrdering(OrderingMethod method) { return options_.ordering.method = method, *this; }
  /// Sets the backend from the next analysis on; it may serve other solvers too, and is kept alive
  /// as long as necessary. null, the default: cpu_backend().
  LLT& setBackend(std::shared_ptr<Backend> backend) {
    return next_backend_ = std::move(backend), *this;
  }
  /// Sets whether solutions are refined, see refine(), and judged by their errors, see info(); by
  /// default neither, as in Eigen's solvers. Each solve() then sets up residuals, O(n + nnz).
  LLT& setRefinement(const RefineOptions& options) { return refine_ = options, *this; }
  /// Switches refinement with the default options on or off.
  LLT& setRefinement(bool on) {
    return refine_ = on ? std::optional<RefineOptions>(RefineOptions{}) : std::nullopt, *this;
  }

  /// Returns the last successful analysis: its plan and the reason for the ordering. The plan is
  /// null if there is none.
  [[nodiscard]] const Analysis& analysis() const { return analysis_; }
  /// Returns kauri's factor. Throws Error(usage) if there is none.
  [[nodiscard]] const Factor<Scalar>& factor() const {
    if (!has_factor()) throw Error(ErrorKind::usage, "kauri::eigen::LLT: there is no factor");
    return *factor_;
  }

  /// Writes the memory of matrix, plan and factor, in megabytes, to a stream, as lines like those
  /// of SimplicialLLT.
  template <class Stream>
  void dumpMemory(Stream& s) const;

  /// Solves for Eigen's expressions of solve(): X dense.
  template <class Rhs, class Dest>
  void _solve_impl(const Eigen::MatrixBase<Rhs>& b, Eigen::MatrixBase<Dest>& x) const;
  /// Solves for Eigen's expressions of solve(): X sparse.
  template <class Rhs, class Dest>
  void _solve_impl(const Eigen::SparseMatrixBase<Rhs>& b, Eigen::SparseMatrixBase<Dest>& x) const;

 private:
  /// True if the half that is read follows the diagonal entry in each stored column or row, false
  /// if it precedes it.
  static constexpr bool kFromDiagonalOn =
      ((UpLo_ & Eigen::Lower) != 0) != static_cast<bool>(MatrixType_::IsRowMajor);
  using DenseColumns = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

  template <class AnyIndex>
  static constexpr OrderingMethod method_of(const Eigen::NaturalOrdering<AnyIndex>* /*ordering*/) {
    return OrderingMethod::natural;
  }
  static constexpr OrderingMethod method_of(const void* /*ordering*/) {
    return OrderingMethod::automatic;
  }

  /// Runs f(), which returns the value of info(), and reports invalid input that f() throws through
  /// info().
  template <class F>
  LLT& told_by_info(const F& f);
  /// Calls visit(outer, inner, value) for each entry of the half that is read, in memory order.
  template <class Visit>
  static void for_each_entry(const MatrixType& a, const Visit& visit);
  void read_pattern(const MatrixType& a);
  void read_values(const MatrixType& a);
  void set_permutations();

  [[nodiscard]] bool has_factor() const {
    return info_ == Eigen::Success && factor_ && factor_->valid();
  }
  template <class Dense>
  static auto view_of(Dense& a);
  template <class Rhs>
  void solve_dense(const Eigen::MatrixBase<Rhs>& b, const MatrixView<Scalar>& x) const;
  void solve_views(const MatrixView<const Scalar>& b, const MatrixView<Scalar>& x) const;
  [[nodiscard]] bool unsolved() const { return info_ == Eigen::Success && unsolved_; }
  void judge(const BackwardError& error) const;
  [[nodiscard]] Workspace<Scalar> take_workspace(Index nrhs) const;
  [[nodiscard]] const CholMatrixType& lower() const;

  AnalyzeOptions options_;
  std::optional<RefineOptions> refine_;
  RealScalar shift_offset_ = 0, shift_scale_ = 1;
  std::shared_ptr<Backend> next_backend_,
      backend_;  // as set; of plan and factor, which it must outlive

  Eigen::ComputationInfo info_ = Eigen::Success;
  std::string message_;
  std::optional<Breakdown> breakdown_;

  Eigen::Index rows_ = 0, cols_ = 0;
  std::vector<Offset> outer_ptr_;  // the half that was read, in the order of the matrix
  std::vector<Index> inner_;
  SymmetricMatrix<double> place_;  // A's lower triangle; values: positions in inner_, from 1; 0: a
                                   // diagonal entry that A lacks
  Analysis analysis_;
  PermutationType p_, p_inverse_;

  std::vector<Scalar> entry_,
      value_;  // entry_: as read, length of inner_; value_: as factorised, in the order of place_
  std::optional<Factor<Scalar>> factor_;
  mutable std::mutex mutex_;                      // guards the members below
  mutable std::vector<Workspace<Scalar>> spare_;  // idle workspaces
  mutable std::optional<CholMatrixType> lower_;
  mutable std::string
      unsolved_message_;  // of the first solve that did not converge; written before the flag
  mutable std::atomic<bool> unsolved_ = false;
};

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
    if (!analysis_.plan) throw Error(ErrorKind::usage, "factorize: no pattern was analysed");
    read_values(a);
    lower_.reset();
    if (!factor_) factor_ = Factor<Scalar>::create(analysis_.plan, *backend_);
    const Result<void, Breakdown> result = refactorize<Scalar>(*factor_, value_);
    if (result) return Eigen::Success;
    breakdown_ = result.error();
    char pivot[32];  // shortest digits that identify the double
    message_ =
        "A is not positive definite: column " + std::to_string(breakdown_->column) + ", pivot ";
    message_.append(pivot, std::to_chars(pivot, pivot + sizeof pivot, breakdown_->pivot).ptr);
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

template <class MatrixType_, int UpLo_, class Ordering_>
Workspace<typename MatrixType_::Scalar> LLT<MatrixType_, UpLo_, Ordering_>::take_workspace(
    Index nrhs) const {
  {
    const std::lock_guard lock(mutex_);
    while (!spare_.empty()) {
      Workspace<Scalar> found = std::move(spare_.back());
      spare_.pop_back();
      if (found.nrhs() >= std::min(nrhs, kSolveBlock)) return found;
    }
  }
  return Workspace<Scalar>::create(*factor_, nrhs);
}

/// Returns a view of a dense matrix, or nothing for an expression without an address, another
/// scalar, or gaps in both directions.
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
  eigen_assert((factor_ || info_ != Eigen::Success) && "call compute() or factorize() first");
  eigen_assert(b.rows() == rows_);
  if (b.cols() > std::numeric_limits<Index>::max())
    throw Error(ErrorKind::overflow, "solve: B has " + std::to_string(b.cols()) +
                                         " columns, at most 2^31 - 1 are possible");
  if (!has_factor()) {
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

/// Solves from b in place, or from a copy if b may overlap x.
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
    return solve_views(*from, x);
  const DenseColumns copy = b;
  solve_views(*view_of(copy), x);
}

template <class MatrixType_, int UpLo_, class Ordering_>
void LLT<MatrixType_, UpLo_, Ordering_>::solve_views(const MatrixView<const Scalar>& b,
                                                     const MatrixView<Scalar>& x) const {
  Workspace<Scalar> workspace = take_workspace(x.cols);
  factor_->solve(b, x, workspace);
  if (refine_)
    judge(refine<Scalar>({place_.pattern(), value_}, *factor_, b, x, workspace, *refine_)
              .final_error);
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(workspace));
}

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
  const auto indices =
      of(outer_ptr_) + of(inner_) + of(place_.pattern().col_ptr) + of(place_.pattern().row);
  tell("  A:        ", indices + of(place_.value()) + of(entry_) + of(value_));
  tell("  plan:     ", analysis_.plan ? analysis_.plan->plan_bytes() : 0);
  tell("  L:        ", factor_ ? analysis_.plan->peak_bytes(sizeof(Scalar)) : 0);
  tell("  perm:     ", 2 * static_cast<Offset>(p_.size() * sizeof(StorageIndex)));
  s << "  TOTAL:    " << (total >> 20) << "Mb\n";
}

// NOLINTEND(readability-identifier-naming)

}  // namespace kauri::eigen

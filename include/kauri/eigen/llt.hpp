// The class LLT of kauri/eigen.hpp. Include that header, which also has the definitions of its
// members.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kauri/core/analysis.hpp"
#include "kauri/core/backend.hpp"
#include "kauri/core/breakdown.hpp"
#include "kauri/extras/lower_factor.hpp"
#include "kauri/solve/solver.hpp"

/// Classes of kauri with the interfaces of Eigen.
namespace kauri::eigen {

// NOLINTBEGIN(readability-identifier-naming): programs that exchange Eigen's solver for this one
// call Eigen's names

/// P A P^T = L L^T of a sparse symmetric positive definite A, and solutions of A X = B:
///
///     kauri::eigen::LLT<Eigen::SparseMatrix<double>> solver(a);  // was Eigen::SimplicialLLT<...>
///     if (solver.info() != Eigen::Success) ...
///     const Eigen::VectorXd x = solver.solve(b);
///
/// MatrixType_: a SparseMatrix of float or double, by columns or by rows, with indices of any type,
/// compressed or not; the call copies other sparse expressions and maps into one, as Eigen's
/// solvers do. No reference to the matrix is kept. UpLo_: the half that is read, Eigen::Lower or
/// Eigen::Upper, whether the other one is stored or not; for Lower | Upper the lower one.
/// Ordering_: Eigen::NaturalOrdering<> for the caller's order, in which L has the same entries; P
/// is then a postorder of the elimination tree, whereas Eigen has no P. For any other type kauri
/// chooses the ordering by the pattern, see setOrdering().
///
/// info() returns the outcome of the last call: Success. NumericalIssue: A is not positive
/// definite; breakdown() has column and pivot. InvalidInput: any other fault of a call or a matrix,
/// which lastErrorMessage() describes (not square, another pattern than the one analysed, a value
/// that is not finite, options that do not fit, counts too large). NoConvergence: with
/// setRefinement(), a solve since the last factorize() left an x that is not finite or whose
/// backward error exceeds solved_error(); lastErrorMessage() has the error, x keeps its values, and
/// further solves are possible. compute(), analyzePattern() and factorize() throw Error of kind
/// memory, device and cancelled, and std::bad_alloc, but no other Error. After any failure the
/// object may be used again; a factorize() that fails keeps the plan.
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
  using OrderingType = Ordering_;                      ///< NaturalOrdering or any other type
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
  /// Returns the columns of the matrix last analysed: rows(), unless info() is InvalidInput because
  /// they differ.
  [[nodiscard]] Eigen::Index cols() const { return cols_; }
  /// Returns the outcome of the last call; the comment of the class lists the values.
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

  /// Returns P of P A P^T = L L^T, of the last successful analysis: P.indices()(i) = new_of(i) of
  /// Permutation, so that (P x)(k) = x(old_of(k)).
  [[nodiscard]] const PermutationType& permutationP() const { return p_; }
  /// Returns the inverse of P: its indices()(k) = old_of(k) of Permutation.
  [[nodiscard]] const PermutationType& permutationPinv() const { return p_inverse_; }
  /// Returns a view of L in this object, valid until the next compute(), analyzePattern() or
  /// factorize(). The first call copies L out of the factor, O(entries), with the zeros that
  /// lower_factor() describes. Throws Error: usage (without a factor), overflow (StorageIndex
  /// cannot count the entries).
  [[nodiscard]] const MatrixL matrixL()
      const {  // NOLINT(readability-const-return-type): selects the const nestedExpression()
    return MatrixL(lower());
  }
  /// Returns a view of L^T in this object. Copies and throws as matrixL() does.
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

  /// Sets the shift: from the next factorize() on, a diagonal entry d of A is replaced by offset +
  /// scale * d, in the factor and in refinement.
  LLT& setShift(const RealScalar& offset, const RealScalar& scale = 1) {
    return shift_offset_ = offset, shift_scale_ = scale, *this;
  }
  /// Sets the options of the next analysis. An empty target, and workers or ordering.threads of 0,
  /// stand for the target and the number of threads of the backend.
  LLT& setOptions(AnalyzeOptions options) { return options_ = std::move(options), *this; }
  /// Sets the ordering method of the options; by default `natural` for Eigen::NaturalOrdering<>,
  /// else `automatic`.
  LLT& setOrdering(OrderingMethod method) { return options_.ordering.method = method, *this; }
  /// Sets the backend from the next analysis on; it may serve other solvers too, and is kept alive
  /// as long as necessary. null, the default: cpu_backend().
  LLT& setBackend(std::shared_ptr<Backend> backend) { return backend_ = std::move(backend), *this; }
  /// Makes each solve() refine its solution as kauri::refine() does and report a backward error
  /// above solved_error() by info(). The first solves prepare in O(n + nnz). The default is off, as
  /// in Eigen. With an option out of range solve() throws Error(usage).
  LLT& setRefinement(const RefineOptions& options) { return refine_ = options, *this; }
  /// Switches refinement with the default options on or off.
  LLT& setRefinement(bool on) {
    return refine_ = on ? std::optional<RefineOptions>(RefineOptions{}) : std::nullopt, *this;
  }

  /// Returns the last successful analysis: its plan and the reason for the ordering. The plan is
  /// null if there is none.
  [[nodiscard]] const Analysis& analysis() const {
    static const Analysis none;
    return solver_ ? solver_->analysis() : none;
  }
  /// Returns kauri's factor, by reference into this object, valid until the next compute() or
  /// analyzePattern(). Throws Error(usage) if there is no valid factor.
  [[nodiscard]] const Factor<Scalar>& factor() const {
    if (factor_ == nullptr)
      throw Error(ErrorKind::usage,
                  "kauri::eigen::LLT: there is no factor; call compute() or factorize() first");
    return *factor_;
  }

  /// Writes the memory of matrix, plan and factor, in units of 2^20 bytes, to a stream, as lines
  /// like those of SimplicialLLT.
  template <class Stream>
  void dumpMemory(Stream& s) const;

  /// Computes x = A^-1 b for a dense b; fills x with NaN without a factor. Eigen calls it to
  /// evaluate the expression solve(b). Throws Error: overflow (b has more than 2^31 - 1 columns),
  /// memory, device; with refinement also usage and cancelled.
  template <class Rhs, class Dest>
  void _solve_impl(const Eigen::MatrixBase<Rhs>& b, Eigen::MatrixBase<Dest>& x) const;
  /// Computes x = A^-1 b for a sparse b, kSolveBlock columns at a time, and keeps the entries of x
  /// that are not zero. Eigen calls it to evaluate the expression solve(b). Throws as for a dense
  /// b.
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

  /// Sets info() to the result of f(). If f() throws an Error, info() is InvalidInput; errors of
  /// kind memory, device and cancelled are then rethrown.
  template <class F>
  LLT& told_by_info(const F& f);
  /// Calls visit(outer, inner, value) for each entry of the half that is read, in memory order.
  template <class Visit>
  static void for_each_entry(const MatrixType& a, const Visit& visit);
  SymmetricMatrix<double> read_pattern(const MatrixType& a);
  void read_values(const MatrixType& a, const Pattern& lower);
  void set_permutations();

  template <class Dense>
  static auto view_of(Dense& a);
  template <class Rhs>
  void solve_dense(const Eigen::MatrixBase<Rhs>& b, const MatrixView<Scalar>& x) const;
  [[nodiscard]] bool unsolved() const { return info_ == Eigen::Success && unsolved_; }
  void judge(const BackwardError& error) const;
  [[nodiscard]] const CholMatrixType& lower() const;

  AnalyzeOptions options_;
  std::optional<RefineOptions> refine_;
  RealScalar shift_offset_ = 0, shift_scale_ = 1;
  std::shared_ptr<Backend> backend_;  // of the next analysis

  Eigen::ComputationInfo info_ = Eigen::Success;
  std::string message_;
  std::optional<Breakdown> breakdown_;

  Eigen::Index rows_ = 0, cols_ = 0;
  // outer_ptr_, inner_: inner indices of the half that was read, by column (row) of the matrix
  std::vector<Offset> outer_ptr_;
  std::vector<Index> inner_;
  std::vector<Offset> place_;  // of each entry of inner_ in value_
  std::vector<Scalar> value_;  // of A's lower triangle, in the order of the plan's pattern
  PermutationType p_, p_inverse_;

  std::optional<Solver<Scalar>> solver_;    // of the last analysis
  const Factor<Scalar>* factor_ = nullptr;  // that of solver_; null unless info_ is Success
  mutable std::mutex mutex_;                // guards the members below
  mutable std::optional<CholMatrixType> lower_;
  mutable std::string
      unsolved_message_;  // about the first solve that did not converge; set before unsolved_
  mutable std::atomic<bool> unsolved_ = false;
};

// NOLINTEND(readability-identifier-naming)

}  // namespace kauri::eigen

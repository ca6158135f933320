// Factor: the values of L with their shared Plan; refactorisation and solves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <type_traits>

#include "kauri/backend.hpp"
#include "kauri/device_matrix.hpp"
#include "kauri/device_values.hpp"
#include "kauri/error.hpp"
#include "kauri/matrix.hpp"
#include "kauri/plan.hpp"
#include "kauri/prepared_plan.hpp"
#include "kauri/verdict.hpp"

namespace kauri {

namespace numeric {
template <Scalar T>
class FactorImpl;
template <Scalar T>
class WorkspaceImpl;
template <Scalar T>
class DeviceSolves;
template <Scalar T>
class NormEstimator;
}  // namespace numeric

template <Scalar T>
class Factor;
template <Scalar T>
class Refiner;
template <Scalar T>
class SchurComplement;
template <Scalar T>
class FusedSolve;

/// Scratch memory of solves, and of what else is enqueued, on one factor at a time, for up to nrhs right-hand sides at once (more are done
/// in blocks). Allocated here and nowhere else; one per thread or stream that solves: a call with one that another thread's call is using
/// throws Error(usage). Outlives what was enqueued with it. Move-only; one moved from may be assigned to and destroyed, nothing else.
template <Scalar T>
class Workspace {
 public:
  /// For factors of that plan on that backend. nrhs >= 1. Throws Error(memory) with the bytes asked for, those of Plan::workspace_bytes().
  static Workspace create(std::shared_ptr<const Plan> plan, Index nrhs, Backend& backend);
  /// For the factor's plan, where the factor lives.
  static Workspace create(const Factor<T>& factor, Index nrhs);
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();
  /// Right-hand sides at once.
  [[nodiscard]] Index nrhs() const;

 private:
  friend class Factor<T>;
  friend class FusedSolve<T>;
  friend class Refiner<T>;
  Workspace(std::unique_ptr<numeric::WorkspaceImpl<T>> store, const numeric::Executor& executor);
  std::unique_ptr<numeric::WorkspaceImpl<T>> store_;
  const numeric::Executor* executor_;
};

/// What a call solves with a factor P A P^T = B = L L^T; x and b have A's numbering where A or P takes or gives it, else B's:
/// B(k,l) = A(old_of(k), old_of(l)).
enum class System {  // NOLINTBEGIN(readability-identifier-naming): matrices have capitals, as in the equations
  A,                 ///< A x = b
  B,                 ///< B x = b
  L,                 ///< L x = b; of P b: half of A x = b
  Lt,                ///< L^T x = b; then P^T x: the other half, and of normal deviates b a sample of the distribution whose precision is A
  P,                 ///< x = P b: x(k) = b(old_of(k))
  Pt,                ///< x = P^T b: x(old_of(k)) = b(k)
};                   // NOLINTEND(readability-identifier-naming)

/// P A P^T = L L^T. Move-only; one moved from may be assigned to and destroyed, nothing else. create() allocates; refactorize() fills;
/// solves are const and safe from several threads with a workspace each; refactorize() is one call at a time, Error(usage) beside another
/// one, and not to be called while the factor is solved with.
template <Scalar T>
class Factor {
 public:
  /// Buffers only: not valid until refactorize() succeeds. Throws Error(memory) with the bytes asked for, those of Plan::peak_bytes() that
  /// the prepared plan does not hold, before any number is looked at; Error(usage) where plan or loops are not those of T and the backend.
  static Factor create(const PreparedPlan& plan);
  /// With a plan prepared for this factor alone. On a device whose memory comes from cudaMalloc Error(memory) is thrown before anything is
  /// uploaded, with all bytes needed, if fewer are free.
  static Factor create(std::shared_ptr<const Plan> plan, Backend& backend);
  Factor(Factor&&) noexcept;
  Factor& operator=(Factor&&) noexcept;
  ~Factor();

  /// What it was made for; lives as long as the factor.
  [[nodiscard]] const Plan& plan() const;
  /// The same, shared.
  [[nodiscard]] std::shared_ptr<const Plan> shared_plan() const;
  /// True after a successful refactorize(), and where fetch_verdict() brought a good verdict.
  [[nodiscard]] bool valid() const { return verdict().status == VerdictStatus::positive_definite; }

  /// Of the last factorisation, as far as the host knows: what refactorize() or fetch_verdict() saw; `none` from enqueue_refactorize() on.
  [[nodiscard]] const DeviceVerdict& verdict() const;
  /// Waits for all work on the stream, and takes over the verdict that lies on the device. For what was enqueued on that stream, and for
  /// replays of graphs that captured it. Throws Error(device) if that work failed.
  const DeviceVerdict& fetch_verdict(StreamHandle stream);
  /// Where the device keeps the verdict, for the stream's own use; the same as long as the factor lives. On the CPU ordinary memory.
  [[nodiscard]] const DeviceVerdict* verdict_address() const;

  /// x holds B (n rows, any number of columns) on entry and X with A X = B on return. Throws Error(usage) if the factor is not valid,
  /// the sizes do not fit, or the workspace belongs to another plan. A device's factor copies page-locked memory as it lies, which is
  /// faster than other memory, and than rows with gaps between them. No solve of this class judges x: a NaN or an infinity in b gives such
  /// an x without an Error; refine() and Solver measure its error.
  ///
  /// stop: asked to stop, by any thread, the call throws Error(cancelled) within some 50 ms, with x anything; factor and workspace are as
  /// before. On a device a solve that has begun runs to its end.
  void solve(MatrixView<T> x, Workspace<T>& workspace, const std::stop_token& stop = {}) const;
  /// The same with B in b, as wide as x, which is kept: x does not overlap it, or is b itself (data, ld and layout). The two may have
  /// different layouts. Throws Error(usage) where x begins at b's first entry but has others elsewhere.
  void solve(MatrixView<const T> b, MatrixView<T> x, Workspace<T>& workspace, const std::stop_token& stop = {}) const;

  /// A part of it, or its steps one after the other: P, L, Lt and Pt in turn give the bits of A. Also for P and Pt the factor is valid.
  void solve(System system, MatrixView<const T> b, MatrixView<T> x, Workspace<T>& workspace, const std::stop_token& stop = {}) const;

  /// The same with b and x on the factor's device: the same bits, and nothing is copied. What writes b has ended before; x is there when
  /// this returns. Throws Error(usage) also where a matrix lies in the host's memory or another device's, and for a factor on the CPU.
  void solve(DeviceMatrixView<T> x, Workspace<T>& workspace) const;
  /// The same with B in b, as wide as x, which is kept: x does not overlap it, or is b itself (data, ld and layout).
  void solve(DeviceMatrixView<const T> b, DeviceMatrixView<T> x, Workspace<T>& workspace) const;
  /// A part of it, likewise on the device.
  void solve(System system, DeviceMatrixView<const T> b, DeviceMatrixView<T> x, Workspace<T>& workspace) const;

  /// Enqueues a solve on the caller's stream, and returns without waiting for it (but that CUDA makes the host wait once about a thousand
  /// launches are enqueued on a stream, of which a solve on devices before Hopper takes some for each level of the tree, and one in float
  /// some for each right-hand side); nothing is allocated. Factor, b, x and workspace are in use until the work is done: what changes them
  /// before comes later in the same stream's order. Several solves may be on several streams at once, with a workspace each.
  ///
  /// The factor is valid, or its verdict has not been fetched since enqueue_refactorize(): on the same stream a solve may follow at once.
  /// If A then is not positive definite, all entries of x are NaN. The stream may be capturing: then the work becomes part of the caller's
  /// graph, with the addresses of factor, workspace, b and x as they are now; a replay reads the numbers that b and the factor hold then.
  ///
  /// Throws Error: usage (as solve()), device (CUDA refused the work).
  void enqueue_solve(DeviceMatrixView<T> x, Workspace<T>& workspace, StreamHandle stream) const;
  /// The same with B in b, as for solve().
  void enqueue_solve(DeviceMatrixView<const T> b, DeviceMatrixView<T> x, Workspace<T>& workspace, StreamHandle stream) const;
  /// A part of it, likewise on the caller's stream: the bits of solve() with that system. Without a good verdict x is NaN for P and Pt,
  /// too.
  void enqueue_solve(System system, DeviceMatrixView<const T> b, DeviceMatrixView<T> x, Workspace<T>& workspace, StreamHandle stream) const;

  /// Enqueues log_determinant() (kauri/lower_factor.hpp) of a factor on a device: the same bits, left in `there`, a number in the memory of
  /// that device, or NaN if A then is not positive definite. Nothing is allocated or waited for, the workspace has room for what is made on
  /// the way, and all holds that is said of enqueue_solve() about verdicts, streams, captures and what is in use until the work is done.
  ///
  /// Throws Error: usage (a factor on the CPU or not valid, a workspace of another plan or backend, a place in other memory), device.
  void enqueue_log_determinant(double* there, Workspace<T>& workspace, StreamHandle stream) const;

  /// x = L b or x = L^T b, by System::L or System::Lt, in B's numbering: then solve(System::Pt) brings L z, of normal deviates z, to the
  /// caller's, a sample of the distribution whose covariance is A. Else as solve(), but Error(usage) for other systems.
  void multiply(System system, MatrixView<const T> b, MatrixView<T> x, Workspace<T>& workspace, const std::stop_token& stop = {}) const;
  /// The same with b and x on the factor's device: the same bits, and nothing is copied. As solve() of such matrices.
  void multiply(System system, DeviceMatrixView<const T> b, DeviceMatrixView<T> x, Workspace<T>& workspace) const;
  /// The same on the caller's stream: all holds that is said of enqueue_solve(), but that some launches for each level of the tree are
  /// enqueued on every device, for as many right-hand sides at once as the workspace has room for.
  void enqueue_multiply(System system, DeviceMatrixView<const T> b, DeviceMatrixView<T> x, Workspace<T>& workspace,
                        StreamHandle stream) const;

  /// Entry (row, col) of L as stored, for tests and extraction; rows and columns of B = P A P^T; zero outside the pattern of L.
  [[nodiscard]] T entry(Index row, Index col) const;

  /// kauri's own: null on the CPU. Throws Error(usage) for what no solve takes.
  [[nodiscard]] std::unique_ptr<numeric::NormEstimator<T>> make_norm_estimator(Workspace<T>& workspace) const;
  /// kauri's own.
  [[nodiscard]] numeric::FactorImpl<T>& store() const { return *store_; }
  /// kauri's own.
  [[nodiscard]] numeric::Executor& executor() const { return *executor_; }

 private:
  friend class Refiner<T>;
  friend class SchurComplement<T>;
  friend class MixedFactor;
  Factor(std::unique_ptr<numeric::FactorImpl<T>> store, numeric::Executor& executor);
  void require_fit(const Workspace<T>& workspace) const;
  void require_fit(const MatrixView<const T>& b, const MatrixView<const T>& x, const Workspace<T>& workspace) const;
  [[nodiscard]] const numeric::DeviceSolves<T>& device_solves() const;
  std::unique_ptr<numeric::FactorImpl<T>> store_;
  numeric::Executor* executor_;  // stays where it is when a Backend moves
};

/// Fills the factor with the Cholesky factor of A + shift*I. value: length plan.nnz, in the order of the pattern analysed. No allocation.
/// A Breakdown leaves the factor invalid, with plan and buffers kept: try again with a larger shift.
/// Throws Error(usage) for a wrong length or a shift that is not finite, Error(input) naming row and column of a NaN or infinite entry that
/// made it fail: then too the factor is not valid until it is filled again. Only the number of values can be checked here; the form below
/// sees the pattern too.
///
/// stop, here and below: asked to stop, by any thread, the call throws Error(cancelled) within some 50 ms. The factor is as it was if that
/// was before the work began, else not valid until it is filled again, which may be at once. On a device the token is looked at before the
/// work begins, which then runs to its end.
template <Scalar T>
Result<void, Breakdown> refactorize(Factor<T>& factor, std::span<const T> value, std::type_identity_t<T> shift = 0,
                                    const std::stop_token& stop = {});

/// The same with values that lie on the factor's device.
template <Scalar T>
Result<void, Breakdown> refactorize(Factor<T>& factor, const DeviceValues<T>& value, std::type_identity_t<T> shift = 0,
                                    const std::stop_token& stop = {});

/// The same with values that work on the caller's stream writes, enqueued by now: the device begins when that work has ended, which the
/// host does not wait for. Null is the default stream, as for enqueue_refactorize(). Throws Error(usage) also where the stream is
/// capturing, and for a stream on the CPU.
template <Scalar T>
Result<void, Breakdown> refactorize(Factor<T>& factor, const DeviceValues<T>& value, std::type_identity_t<T> shift, StreamHandle stream,
                                    const std::stop_token& stop = {});

/// The same, and Error(usage) if a's pattern is not the one analysed, entry by entry: the first that differs is named. O(n + nnz) more.
template <Scalar T>
Result<void, Breakdown> refactorize(Factor<T>& factor, const SymmetricView<T>& a, std::type_identity_t<T> shift = 0,
                                    const std::stop_token& stop = {});

/// The last factorisation once more with another shift, after a Breakdown or not: value as in that call, and unchanged since. On a device
/// these numbers are there already, and are not copied again, whichever form brought them.
template <Scalar T>
Result<void, Breakdown> refactorize_shifted(Factor<T>& factor, std::span<const T> value, std::type_identity_t<T> shift,
                                            const std::stop_token& stop = {});

/// Enqueues a refactorisation on the caller's stream, and returns at once: no memory is allocated, nothing is waited for. (A factor's
/// second refactorisation that is not captured makes a CUDA graph for those that follow, which takes the host a little longer. Where fronts
/// are done level by level, the first two enqueue some launches a level; CUDA itself makes the host wait once about a thousand are enqueued
/// on a stream.) The verdict stays on the device, see Factor::fetch_verdict(); until that is called the factor is not valid. A value that
/// is not finite is no Error here but makes A not positive definite. `value` must stay as it is until the work is done.
///
/// The stream may be capturing: then the work becomes part of the caller's graph, with the addresses of factor and `value` and with `shift`
/// as they are now; a replay reads the numbers that `value` holds then. Calls on one factor, replays among them, are the caller's to keep
/// apart: in one stream's order, or waited for; also before the factor is destroyed. Different factors may run at once on any streams,
/// with the same bits as alone.
///
/// On the CPU the stream is null, and the work is done when this returns. Throws Error: usage (as refactorize(), a stream for the CPU,
/// values that do not lie on the factor's device),
/// device (CUDA refused the work).
template <Scalar T>
void enqueue_refactorize(Factor<T>& factor, const DeviceValues<T>& value, std::type_identity_t<T> shift, StreamHandle stream);

/// create + refactorize.
template <Scalar T>
Result<Factor<T>, Breakdown> factorize(std::shared_ptr<const Plan> plan, std::span<const T> value, Backend& backend,
                                       std::type_identity_t<T> shift = 0, const std::stop_token& stop = {});

}  // namespace kauri

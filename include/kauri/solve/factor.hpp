// Factor: the values of L with their shared Plan; refactorisation and solves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <type_traits>

#include "kauri/core/backend.hpp"
#include "kauri/core/error.hpp"
#include "kauri/core/matrix.hpp"
#include "kauri/core/plan.hpp"
#include "kauri/core/verdict.hpp"
#include "kauri/device/device_matrix.hpp"
#include "kauri/device/device_values.hpp"
#include "kauri/device/prepared_plan.hpp"

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

/// Scratch memory for solves, and for other enqueued work, on one factor at a time, for up to nrhs
/// right-hand sides at once; solves of more columns proceed in blocks. It serves all factors of the
/// same Plan object on its backend (on the CPU, on any CPU backend). Solves allocate nothing else.
/// Each thread or stream that solves needs its own workspace; a call whose workspace is in use by
/// another thread's call throws Error(usage). A workspace must outlive the work enqueued with it.
/// Move-only; one that was moved from may only be assigned to or destroyed.
template <Scalar T>
class Workspace {
 public:
  /// Allocates a workspace for factors of this plan on this backend. Throws Error: memory (with the
  /// bytes asked for, those of Plan::workspace_bytes()), usage (nrhs < 1, a null plan, or a plan
  /// for a CPU on a device's backend).
  static Workspace create(std::shared_ptr<const Plan> plan, Index nrhs, Backend& backend);
  /// Allocates a workspace for the factor's plan on the factor's backend. Throws Error: memory
  /// (with the bytes asked for), usage (nrhs < 1).
  static Workspace create(const Factor<T>& factor, Index nrhs);
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();
  /// Returns the number of right-hand sides that there is room for at once: nrhs of create(), at
  /// most kSolveBlock.
  [[nodiscard]] Index nrhs() const;

 private:
  friend class Factor<T>;
  friend class FusedSolve<T>;
  friend class Refiner<T>;
  Workspace(std::unique_ptr<numeric::WorkspaceImpl<T>> store, const numeric::Executor& executor);
  std::unique_ptr<numeric::WorkspaceImpl<T>> store_;
  const numeric::Executor* executor_;
};

/// Systems that a call can solve with a factor P A P^T = B = L L^T. x and b of System::A, b of P
/// and x of Pt are in A's numbering, all others in that of B: B(k,l) = A(old_of(k), old_of(l)).
enum class System {  // NOLINTBEGIN(readability-identifier-naming): matrices have capitals, as in
                     // the equations
  A,                 ///< A x = b
  B,                 ///< B x = b
  L,                 ///< L x = b; with b replaced by P b, the first half of solving A x = b
  Lt,  ///< L^T x = b; then P^T x is the second half of A x = b, or for b ~ N(0, I) a sample of N(0,
       ///< A^-1)
  P,   ///< x = P b: x(k) = b(old_of(k))
  Pt,  ///< x = P^T b: x(old_of(k)) = b(k)
};     // NOLINTEND(readability-identifier-naming)

/// The Cholesky factor L of a matrix A, P A P^T = L L^T. create() allocates it, refactorize()
/// computes it. Solves are const, and several threads may solve at once with a workspace each.
/// refactorize() takes one call at a time, throws Error(usage) while another one runs, and must not
/// run while the factor is solved with. Move-only; one that was moved from may only be assigned to
/// or destroyed.
template <Scalar T>
class Factor {
 public:
  /// Allocates the buffers; the factor is not valid until refactorize() succeeds. Throws, before
  /// any value of A is read, Error: memory (with the bytes asked for: those of Plan::peak_bytes()
  /// that the prepared plan does not hold), usage (this machine has no kernels for the plan's
  /// target, or the backend's kernels are not for T), input (CpuOptions::factor_file: no file can
  /// be made).
  static Factor create(const PreparedPlan& plan);
  /// Prepares the plan for this factor alone, then creates the factor. On a device whose memory
  /// comes from cudaMalloc it throws Error(memory), with all bytes needed, before it uploads
  /// anything, if fewer bytes are free. Throws Error(usage) also for a null plan and for a plan for
  /// a CPU on a device's backend.
  static Factor create(std::shared_ptr<const Plan> plan, Backend& backend);
  Factor(Factor&&) noexcept;
  Factor& operator=(Factor&&) noexcept;
  ~Factor();

  /// Returns the plan, which lives as long as the factor.
  [[nodiscard]] const Plan& plan() const;
  /// Returns the plan, with shared ownership.
  [[nodiscard]] std::shared_ptr<const Plan> shared_plan() const;
  /// Returns true after a successful refactorize(), or after fetch_verdict() returned a good
  /// verdict.
  [[nodiscard]] bool valid() const { return verdict().status == VerdictStatus::positive_definite; }

  /// Returns the verdict of the last factorisation as the host last read it, in refactorize() or
  /// fetch_verdict(). On a device it is `none` from enqueue_refactorize() until fetch_verdict().
  [[nodiscard]] const DeviceVerdict& verdict() const;
  /// Waits for all work on the stream, then copies the verdict from the device and returns it. Call
  /// it after enqueue_refactorize() or the replay of a graph that captured it. Throws Error: device
  /// (that work failed), usage (a stream for the CPU, where it must be null).
  const DeviceVerdict& fetch_verdict(StreamHandle stream);
  /// Returns the address of the verdict on the device, for later work on the stream; it does not
  /// change while the factor lives. On the CPU it is in ordinary memory.
  [[nodiscard]] const DeviceVerdict* verdict_address() const;

  /// Solves A X = B: x (n rows, any number of columns) holds B on entry and X on return. Throws
  /// Error(usage) if the factor is not valid, the sizes do not fit, or the workspace is in use or
  /// belongs to another Plan object or, on a device, to another backend. A factor on a device
  /// copies b and x directly if they are in page-locked memory, which is faster than from pageable
  /// memory; a row-major matrix with gaps between its rows (ld > cols) never takes the fast path.
  /// No solve of this class judges x: a NaN or an infinity in b yields a NaN or an infinity in x
  /// without an Error; refine() and Solver measure the error of x.
  ///
  /// stop: if any thread requests a stop, the call throws Error(cancelled) within some 50 ms; the
  /// contents of x are then undefined, factor and workspace are unchanged. On a device a solve that
  /// has begun runs to its end.
  void solve(MatrixView<T> x, Workspace<T>& workspace, const std::stop_token& stop = {}) const;
  /// Solves A X = B with B in b, which keeps its values; b and x have the same shape, and may have
  /// different layouts. x must not overlap b unless it is b itself (same data, ld and layout).
  /// Throws Error(usage) also if x begins at b's first entry but is laid out differently.
  void solve(MatrixView<const T> b, MatrixView<T> x, Workspace<T>& workspace,
             const std::stop_token& stop = {}) const;

  /// Solves the system that `system` names, a part of A x = b; see System. Conditions and errors
  /// are those of solve() with b and x. Solves with P, L, Lt and Pt one after another give the same
  /// bits as one with System::A. The factor must be valid for P and Pt, too.
  void solve(System system, MatrixView<const T> b, MatrixView<T> x, Workspace<T>& workspace,
             const std::stop_token& stop = {}) const;

  /// Solves A X = B with x in the memory of the factor's device, which holds B on entry: same bits
  /// as with host memory, and nothing is copied. The work that writes x must have ended before the
  /// call; the call returns when X is complete. Throws Error(usage) also for a matrix in host
  /// memory or in another device's memory, and for a factor on the CPU.
  void solve(DeviceMatrixView<T> x, Workspace<T>& workspace) const;
  /// Solves A X = B with B in b and X in x, both on the device, of the same shape; x must not
  /// overlap b unless it is b itself (same data, ld and layout).
  void solve(DeviceMatrixView<const T> b, DeviceMatrixView<T> x, Workspace<T>& workspace) const;
  /// Solves a part of A x = b, see System, with b and x in the memory of the factor's device.
  void solve(System system, DeviceMatrixView<const T> b, DeviceMatrixView<T> x,
             Workspace<T>& workspace) const;

  /// Enqueues a solve of A X = B on the caller's stream and returns without waiting for it; x, in
  /// the memory of the factor's device, holds B on entry. It allocates nothing. (CUDA itself blocks
  /// the host once about a thousand launches are enqueued on a stream; a solve by sweeps takes one
  /// or a few, a solve level by level some for each level and right-hand side.) Factor, b, x and
  /// workspace are in use until the work is done: work that changes them must come later in the
  /// order of the same stream. Several solves may run on several streams at once, with a workspace
  /// each.
  ///
  /// The factor must be valid, or its verdict not yet fetched since enqueue_refactorize(), so that
  /// a solve may follow at once on the same stream. If A then is not positive definite, all entries
  /// of x are NaN. The stream may be capturing: then the work becomes part of the caller's graph,
  /// with the present addresses of factor, workspace, b and x; a replay reads the values that b and
  /// the factor hold at that time.
  ///
  /// Throws Error: usage (as solve()), device (CUDA refused the work).
  void enqueue_solve(DeviceMatrixView<T> x, Workspace<T>& workspace, StreamHandle stream) const;
  /// Enqueues a solve of A X = B with B in b, under the conditions of solve() with b and x.
  void enqueue_solve(DeviceMatrixView<const T> b, DeviceMatrixView<T> x, Workspace<T>& workspace,
                     StreamHandle stream) const;
  /// Enqueues a solve of a part of A x = b, see System, with the bits of solve(). If A is not
  /// positive definite, all of x is NaN, for P and Pt too.
  void enqueue_solve(System system, DeviceMatrixView<const T> b, DeviceMatrixView<T> x,
                     Workspace<T>& workspace, StreamHandle stream) const;

  /// Enqueues log_determinant() (kauri/extras/lower_factor.hpp) of a factor on a device: it writes
  /// the same bits to `there`, one double in the memory of that device, or NaN if A turns out not
  /// to be positive definite. It allocates nothing, does not wait, and uses the workspace as
  /// scratch. The rules of enqueue_solve() on verdicts, streams, captures and objects in use apply.
  ///
  /// Throws Error: usage (a factor on the CPU or not valid, a workspace of another plan or backend
  /// or in use, `there` null or in other memory), device.
  void enqueue_log_determinant(double* there, Workspace<T>& workspace, StreamHandle stream) const;

  /// Computes x = L b (System::L) or x = L^T b (System::Lt), in B's numbering. For z ~ N(0, I),
  /// solve(System::Pt) of L z is a sample of N(0, A) in the caller's numbering. Shapes, errors,
  /// workspace and stop are as in solve(); throws Error(usage) for other systems.
  void multiply(System system, MatrixView<const T> b, MatrixView<T> x, Workspace<T>& workspace,
                const std::stop_token& stop = {}) const;
  /// Computes x = L b or L^T b with b and x in the memory of the factor's device: same bits as with
  /// host memory, and nothing is copied. Conditions are those of solve() with device matrices.
  void multiply(System system, DeviceMatrixView<const T> b, DeviceMatrixView<T> x,
                Workspace<T>& workspace) const;
  /// Enqueues multiply() on the caller's stream under the rules of enqueue_solve(), except that on
  /// every device it takes some launches for each level of the tree; they process as many columns
  /// at once as the workspace has room for.
  void enqueue_multiply(System system, DeviceMatrixView<const T> b, DeviceMatrixView<T> x,
                        Workspace<T>& workspace, StreamHandle stream) const;

  /// Returns entry (row, col) of L as stored; rows and columns are those of B = P A P^T. Zero
  /// outside the pattern of L. lower_factor() extracts all entries at once. Throws Error(usage) for
  /// an index out of range.
  [[nodiscard]] T entry(Index row, Index col) const;

  /// Internal. Returns null on the CPU. Throws Error(usage) if the factor is not valid or the
  /// workspace does not fit.
  [[nodiscard]] std::unique_ptr<numeric::NormEstimator<T>> make_norm_estimator(
      Workspace<T>& workspace) const;
  /// Internal.
  [[nodiscard]] numeric::FactorImpl<T>& store() const { return *store_; }
  /// Internal.
  [[nodiscard]] numeric::Executor& executor() const { return *executor_; }

 private:
  friend class Refiner<T>;
  friend class SchurComplement<T>;
  friend class MixedFactor;
  Factor(std::unique_ptr<numeric::FactorImpl<T>> store, numeric::Executor& executor);
  void require_fit(const Workspace<T>& workspace) const;
  void require_fit(const MatrixView<const T>& b, const MatrixView<const T>& x,
                   const Workspace<T>& workspace) const;
  [[nodiscard]] const numeric::DeviceSolves<T>& device_solves() const;
  std::unique_ptr<numeric::FactorImpl<T>> store_;
  numeric::Executor* executor_;  // address does not change when the Backend is moved
};

/// Computes the Cholesky factor of A + shift*I. value: length plan.nnz, in the order of the pattern
/// analysed, in host memory. Allocates nothing. A Breakdown leaves the factor invalid and keeps
/// plan and buffers: try again with a larger shift. Throws Error: usage (a wrong number of values,
/// a shift that is not finite, another call that fills the factor meanwhile), input (a NaN or an
/// infinite value made the factorisation fail; the text names its row and column). After
/// Error(input) the factor is not valid until it is refactorised. This form checks only the number
/// of values; the form with a SymmetricView compares the pattern too.
///
/// stop, here and below: if any thread requests a stop, the call throws Error(cancelled) within
/// some 50 ms. If the work had not begun, the factor is unchanged; otherwise it is not valid until
/// it is refactorised, which may be at once. On a device the token is read before the work begins,
/// which then runs to its end.
template <Scalar T>
Result<void, Breakdown> refactorize(Factor<T>& factor, std::span<const T> value,
                                    std::type_identity_t<T> shift = 0,
                                    const std::stop_token& stop = {});

/// Computes the factor of A + shift*I from values in the memory of the factor's device, length
/// plan.nnz, without a copy from the host. Work that writes them must have ended before the call.
/// Throws as the form with values in host memory.
template <Scalar T>
Result<void, Breakdown> refactorize(Factor<T>& factor, const DeviceValues<T>& value,
                                    std::type_identity_t<T> shift = 0,
                                    const std::stop_token& stop = {});

/// Computes the factor from device values that the work already enqueued on the caller's stream
/// writes: the device begins when that work has ended. The call returns when the factor is
/// computed. A null stream is the default stream, as for enqueue_refactorize(). Throws Error(usage)
/// also if the stream is capturing, and for a stream that is not null on the CPU.
template <Scalar T>
Result<void, Breakdown> refactorize(Factor<T>& factor, const DeviceValues<T>& value,
                                    std::type_identity_t<T> shift, StreamHandle stream,
                                    const std::stop_token& stop = {});

/// Computes the factor of A + shift*I from the values of `a`, in host memory. Throws Error(usage)
/// also if a's pattern is not the one analysed, entry by entry; the text names the first entry that
/// differs; and Error(input) for arrays that are not a Pattern. The comparison takes O(n + nnz).
template <Scalar T>
Result<void, Breakdown> refactorize(Factor<T>& factor, const SymmetricView<T>& a,
                                    std::type_identity_t<T> shift = 0,
                                    const std::stop_token& stop = {});

/// Repeats the last factorisation with another shift, which replaces the last one, after a
/// Breakdown or not. value: the values of that factorisation, in host memory. A factor on a device
/// still has them, whichever form of the call it was, and does not copy them again, unless that
/// call was captured in a graph. Throws as refactorize().
template <Scalar T>
Result<void, Breakdown> refactorize_shifted(Factor<T>& factor, std::span<const T> value,
                                            std::type_identity_t<T> shift,
                                            const std::stop_token& stop = {});

/// Enqueues a refactorisation on the caller's stream and returns at once: it allocates no memory
/// and does not wait. (The second refactorisation of a factor outside a capture makes a CUDA graph
/// for the following ones, which takes the host a little longer. If fronts are done level by level,
/// the first two enqueue some launches for each level; CUDA itself blocks the host once about a
/// thousand are enqueued on a stream.) The verdict stays on the device; until
/// Factor::fetch_verdict() Factor::valid() is false, and only calls that enqueue accept the factor.
/// A value that is not finite is no Error here: A then counts as not positive definite. `value`
/// must not change until the work is done.
///
/// The stream may be capturing: then the work becomes part of the caller's graph, with the present
/// addresses of factor and `value` and the present shift; a replay reads the values that `value`
/// holds at that time. The caller must keep calls on one factor apart, replays included, by the
/// order of one stream or by waiting, and must wait before the factor is destroyed. Different
/// factors may run at the same time on any streams, with the same bits as alone.
///
/// On the CPU the stream must be null; the work is done and the verdict known on return. Throws
/// Error: usage (as refactorize(); a stream for the CPU; values that are not in the memory of the
/// factor's device), device (CUDA refused the work).
template <Scalar T>
void enqueue_refactorize(Factor<T>& factor, const DeviceValues<T>& value,
                         std::type_identity_t<T> shift, StreamHandle stream);

/// Creates a factor of the plan and computes it: Factor::create(), then refactorize(). Returns the
/// factor or the Breakdown. Throws as both.
template <Scalar T>
Result<Factor<T>, Breakdown> factorize(std::shared_ptr<const Plan> plan, std::span<const T> value,
                                       Backend& backend, std::type_identity_t<T> shift = 0,
                                       const std::stop_token& stop = {});

}  // namespace kauri

// The boundary between kauri and its backends: one virtual call per phase. Threads, streams, graphs
// and batching stay inside a backend's folder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/host/memory.hpp"
#include "base/threads/one_call.hpp"
#include "kauri/backend.hpp"
#include "kauri/batch.hpp"
#include "kauri/error.hpp"
#include "kauri/matrix.hpp"
#include "kauri/plan.hpp"
#include "kauri/refine.hpp"
#include "kauri/roofline.hpp"
#include "kauri/verdict.hpp"

namespace kauri::numeric {

/// State shared by the factors of one plan on one device (see kauri::PreparedPlan): on the CPU the plan
/// alone, on a device also its lists in device memory.
class PreparedPlanImpl {
 public:
  explicit PreparedPlanImpl(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}
  PreparedPlanImpl(const PreparedPlanImpl&) = delete;
  PreparedPlanImpl& operator=(const PreparedPlanImpl&) = delete;
  virtual ~PreparedPlanImpl() = default;
  [[nodiscard]] const std::shared_ptr<const Plan>& plan() const { return plan_; }

 private:
  std::shared_ptr<const Plan> plan_;
};

/// Scratch memory of solves (see kauri::Workspace).
template <Scalar T>
class WorkspaceImpl {
 public:
  virtual ~WorkspaceImpl() = default;
  [[nodiscard]] virtual Index nrhs() const = 0;
  [[nodiscard]] virtual const Plan& plan() const = 0;
  CallFlag calls;  ///< marks the workspace as busy while a public call works in it
};

/// Memory where a backend computes (see kauri::DeviceValues).
class DeviceBytes {
 public:
  virtual ~DeviceBytes() = default;
  [[nodiscard]] virtual const void* data() const = 0;
  /// Overwrites all bytes with those of host, which has the length given at construction.
  virtual void assign(std::span<const std::byte> host) = 0;
};

/// Stages of a solve, in order; a skipped stage is the identity.
struct SolveSteps {
  bool permute = true;   ///< x := P x, from the caller's numbering to the plan's
  bool forward = true;   ///< x := L^-1 x
  bool backward = true;  ///< x := L^-T x
  bool back = true;      ///< x := P^T x, back to the caller's numbering
  /// Run flag on a device: the address of a number in device memory, or null. If the number is 0
  /// when the stream reaches the solve, the kernels return at once and x keeps its values. The CPU
  /// ignores it.
  const std::int32_t* run_flag = nullptr;
};

/// Tells a backend if the values of A have changed since the last call (fresh), or if it may reuse
/// its copy (unchanged).
enum class ValuesAre { fresh, unchanged };

/// The vector that an estimator step solves for: all entries 1/n (even); magnitudes rising from 1
/// to 2 with alternating signs (alternating); a unit vector (unit); the signs kept from an earlier
/// step (signs).
enum class EstimatorStart { even, alternating, unit, signs };

/// Statistics of the solution x of one estimator step.
struct EstimatorStep {
  double sum;        ///< sum of |x(i)|, the 1-norm
  double largest;    ///< largest |x(i)|
  double at_corner;  ///< |x(corner)|, in the row given to step()
  Index where;       ///< row of the largest |x(i)|, the first of equal ones
  Index turned;      ///< 1 if the sign of an entry differs from the sign kept before, else 0
};
static_assert(sizeof(EstimatorStep) == 3 * sizeof(double) + 2 * sizeof(Index));  // no padding: it is copied from devices byte by byte

/// Applies A^-1 to vectors that stay where the factor computes, as the estimator of ||A^-1||_1
/// needs it.
template <Scalar T>
class NormEstimator {
 public:
  virtual ~NormEstimator() = default;
  /// Solves A x = start vector. corner is the row of the unit vector and of
  /// EstimatorStep::at_corner. The signs of x are kept for a later step, except after
  /// EstimatorStart::signs.
  virtual EstimatorStep step(EstimatorStart start, Index corner) = 0;
};

/// Solves with right-hand sides and solutions in device memory, and other operations on a factor
/// there. The caller has checked shapes, plans and verdicts; x is b itself or does not overlap it.
template <Scalar T>
class DeviceSolves {
 public:
  virtual ~DeviceSolves() = default;
  /// Returns true from enqueue_refactorize() until the host has read a verdict.
  [[nodiscard]] virtual bool awaits_verdict() const = 0;
  /// Solves and waits for x.
  virtual void solve_on_device(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace, const SolveSteps& steps) const = 0;
  virtual void enqueue_solve(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace, const SolveSteps& steps,
                             StreamHandle stream) const = 0;
  /// Computes x = L b, or x = L^T b if transposed, in the plan's numbering, and waits for x.
  virtual void multiply_on_device(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace, bool transposed) const = 0;
  virtual void enqueue_multiply(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace, bool transposed,
                                StreamHandle stream) const = 0;
  /// Calls enqueue(stream) with a stream that the backend owns, and waits for the work enqueued on
  /// it.
  virtual void run_now(const std::function<void(StreamHandle)>& enqueue) const = 0;
  /// Enqueues g = L22 y2: L22 is the block of L on the last g.rows rows and columns, y2 the last
  /// g.rows rows of y. This call and the two below write NaN if the verdict is not good when the
  /// kernel runs.
  virtual void enqueue_last_product(MatrixView<const T> y, MatrixView<T> g, StreamHandle stream) const = 0;
  /// Enqueues y2 = L22^T x2; y2 is the last x2.rows rows of y.
  virtual void enqueue_last_transposed(MatrixView<const T> x2, MatrixView<T> y, StreamHandle stream) const = 0;
  /// Enqueues the lower triangle of s = L22 L22^T.
  virtual void enqueue_last_square(MatrixView<T> s, StreamHandle stream) const = 0;
  /// Enqueues y2 = g, and zeros in the rows of y above y2.
  virtual void enqueue_below_zeros(MatrixView<const T> g, MatrixView<T> y, StreamHandle stream) const = 0;
  /// Enqueues x2 = y2.
  virtual void enqueue_last_rows(MatrixView<const T> y, MatrixView<T> x2, StreamHandle stream) const = 0;
  /// Enqueues y(j, r) = L(n - y.cols + r, j) for all columns j before the last y.cols ones, and
  /// zeros for the last y.cols values of j. Requires a plan in which the last y.cols rows are rows
  /// of every front. Without a good verdict the contents of y are unspecified.
  virtual void enqueue_rows_of_l(MatrixView<T> y, StreamHandle stream) const = 0;
  /// Returns an estimator, see NormEstimator. It holds device memory as long as it lives.
  [[nodiscard]] virtual std::unique_ptr<NormEstimator<T>> make_norm_estimator(WorkspaceImpl<T>& workspace) const = 0;
  /// Returns ln det(L L^T), and waits for it. Takes device memory for the duration of the call.
  [[nodiscard]] virtual double log_determinant() const = 0;
  /// Enqueues a write of ln det(L L^T) to *there in device memory; NaN if the verdict is not good
  /// when the kernel runs. `workspace` is scratch.
  virtual void enqueue_log_determinant(double* there, WorkspaceImpl<T>& workspace, StreamHandle stream) const = 0;
};

template <Scalar T>
class FactorImpl;

/// A selected inverse computed and read on the caller's streams. The caller has checked plans,
/// executors, and that a computation precedes each read.
template <Scalar T>
class DeviceInverse {
 public:
  virtual ~DeviceInverse() = default;
  /// Enqueues the computation of Z from `factor`, which has the same plan and executor and may be
  /// invalid. Keeps the factor's verdict; if it is not good, reads return NaN.
  virtual void enqueue_compute(const FactorImpl<T>& factor, StreamHandle stream) = 0;
  /// Waits for the stream and returns the verdict of the factor that the last computation on it
  /// read.
  virtual const DeviceVerdict& fetch_verdict(StreamHandle stream) = 0;
  /// Enqueues a copy of the diagonal to `there`: device memory, length n, in the caller's
  /// numbering.
  virtual void enqueue_diagonal(std::span<T> there, StreamHandle stream) const = 0;
  /// Enqueues a copy of the entries in A's pattern to `there`: device memory, length nnz, in the
  /// order of A's entries.
  virtual void enqueue_entries(std::span<T> there, StreamHandle stream) const = 0;
};

/// Entries of A^-1 in the structure of L (see kauri::SelectedInverse). The caller has checked that
/// compute() precedes each read.
template <Scalar T>
class InverseImpl {
 public:
  virtual ~InverseImpl() = default;
  CallFlag fillings;  ///< marks the object as busy while a public call fills it
  [[nodiscard]] virtual const std::shared_ptr<const Plan>& plan() const = 0;
  /// Computes Z. `factor` is valid and has the same plan and executor.
  virtual void compute(const FactorImpl<T>& factor) = 0;
  /// Returns entry (r, c) of the front of supernode s, for r >= c and c < p.
  [[nodiscard]] virtual T entry(Index s, Index r, Index c) const = 0;
  /// Copies the diagonal to `to`, which has length n; it is in the plan's numbering.
  virtual void copy_diagonal(std::span<T> to) const = 0;
  /// Copies the entries in A's pattern to `to`, which has length nnz; they are in the order of A's
  /// entries.
  virtual void copy_entries(std::span<T> to) const = 0;
  /// Returns the calls for device memory; null on the CPU.
  [[nodiscard]] virtual DeviceInverse<T>* on_device() { return nullptr; }
};

/// Source of the panels of a saved L, read front by front.
template <Scalar T>
class SavedPanels {
 public:
  virtual ~SavedPanels() = default;
  /// Reads the lower trapezoid of supernode s, with m rows and p pivots: column-major, `to` has m*p
  /// entries, all zero on entry. Called once for each s, in ascending order. The pivots read are
  /// positive and finite.
  virtual void read(Index s, std::span<T> to) = 0;
  /// Returns the numbers that copy_diagonal_inverses() wrote for s, or an empty span if none were
  /// saved. The span is valid until the next call.
  virtual std::span<const T> diagonal_inverses(Index s) = 0;
};

/// The values of L on a backend (see kauri::Factor).
template <Scalar T>
class FactorImpl {
 public:
  virtual ~FactorImpl() = default;
  CallFlag fillings;  ///< marks the factor as busy while a public call fills it
  [[nodiscard]] virtual const std::shared_ptr<const Plan>& plan() const = 0;
  /// Returns the verdict as far as the host has read it.
  [[nodiscard]] virtual const DeviceVerdict& verdict() const = 0;
  [[nodiscard]] virtual const DeviceVerdict* verdict_address() const = 0;
  virtual const DeviceVerdict& fetch_verdict(StreamHandle stream) = 0;
  /// Makes the next refactorize() start on the device after the work that is on the caller's stream
  /// now; the host does not wait. Throws Error(usage) if the stream is capturing, and on the CPU if
  /// it is not null.
  virtual void begin_after(StreamHandle stream) = 0;
  /// Factorises A + shift I and waits for the verdict. value: nnz entries in host or device memory.
  virtual const DeviceVerdict& refactorize(std::span<const T> value, T shift, ValuesAre values) = 0;
  /// Enqueues the factorisation of A + shift I. value: nnz entries in device memory.
  virtual void enqueue_refactorize(std::span<const T> value, T shift, StreamHandle stream) = 0;
  /// Returns the values in host memory: `value` itself if it lies there, else a copy held by
  /// `room`.
  [[nodiscard]] virtual std::span<const T> on_host(std::span<const T> value, std::vector<T>& room) const = 0;
  /// Solves A x = b, or the stages in `steps` alone. b and x have n rows and equally many columns;
  /// x is b itself or does not overlap it. The caller has checked shapes and validity.
  virtual void solve(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace, const SolveSteps& steps) const = 0;
  /// Computes x = L b, or x = L^T b if transposed, in the plan's numbering; shapes and overlap as
  /// for solve().
  virtual void multiply(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace, bool transposed) const = 0;
  /// Returns the calls for device memory; null on the CPU.
  [[nodiscard]] virtual const DeviceSolves<T>* device_solves() const { return nullptr; }
  [[nodiscard]] virtual T entry(Index row, Index col) const = 0;
  /// Copies the panel of supernode s, with m rows and p pivots, to host memory: column-major, `to`
  /// has m*p entries. Entries above the diagonal are unspecified.
  virtual void copy_panel(Index s, std::span<T> to) const = 0;
  /// Copies the diagonal of L to `to`, which has length n.
  virtual void copy_diagonal(std::span<T> to) const = 0;
  /// Returns how many numbers copy_diagonal_inverses() writes for supernode s: the inverses of its
  /// diagonal blocks of 16 x 16 (the last one may be smaller), each as its lower triangle by rows.
  /// Solves multiply by them, and L determines them only up to rounding, so a saved factor keeps
  /// them. Returns 0 if the backend keeps none.
  [[nodiscard]] virtual Offset diagonal_inverse_entries(Index) const { return 0; }
  virtual void copy_diagonal_inverses(Index, std::span<T>) const {}
  /// Fills the factor from saved panels; it is then as after the factorisation that made these
  /// numbers, but holds no values of A. If reading throws, the factor is not valid.
  virtual const DeviceVerdict& restore(SavedPanels<T>& from) = 0;
  /// Allocates a selected inverse in the memory where L lies.
  [[nodiscard]] virtual std::unique_ptr<InverseImpl<T>> make_inverse() const = 0;
  /// Returns the bytes that make_inverse() allocates.
  [[nodiscard]] virtual Offset inverse_bytes() const = 0;
};

/// Scratch memory of solves of a batch (see kauri::BatchWorkspace).
template <Scalar T>
class BatchWorkspaceImpl {
 public:
  virtual ~BatchWorkspaceImpl() = default;
  CallFlag calls;  ///< marks the workspace as busy while a public call works in it
};

/// Values of A of all items of a batch: those of item k begin at data[k * stride].
template <Scalar T>
struct ItemValues {
  const T* data;
  Offset stride;
};

/// The values of L of many items (see kauri::BatchFactor). The caller has checked sizes, workspaces
/// and states.
template <Scalar T>
class BatchImpl {
 public:
  virtual ~BatchImpl() = default;
  CallFlag fillings;  ///< marks the batch as busy while a public call fills it
  [[nodiscard]] virtual const std::shared_ptr<const Plan>& plan() const = 0;
  [[nodiscard]] virtual Index items() const = 0;
  /// Returns the way that was chosen, never `automatic`.
  [[nodiscard]] virtual BatchWay way() const = 0;
  /// Returns the verdicts as far as the host has read them.
  [[nodiscard]] virtual std::span<const DeviceVerdict> verdicts() const = 0;
  [[nodiscard]] virtual const DeviceVerdict* verdict_address(Index k) const = 0;
  virtual std::span<const DeviceVerdict> fetch_verdicts(StreamHandle stream) = 0;
  /// Returns true from enqueue_refactorize() until the host has read the verdicts.
  [[nodiscard]] virtual bool awaits_verdicts() const = 0;
  /// Orders the next refactorize() after the caller's stream, as FactorImpl::begin_after() does.
  virtual void begin_after(StreamHandle stream) = 0;
  /// Factorises all items and waits for their verdicts. value: in host or device memory.
  virtual std::span<const DeviceVerdict> refactorize(const ItemValues<T>& value, T shift) = 0;
  /// Enqueues the factorisation of all items. value: in device memory.
  virtual void enqueue_refactorize(const ItemValues<T>& value, T shift, StreamHandle stream) = 0;
  [[nodiscard]] virtual Offset workspace_bytes(Index nrhs) const = 0;
  [[nodiscard]] virtual std::unique_ptr<BatchWorkspaceImpl<T>> make_workspace(Index nrhs) const = 0;
  /// Solves with b and x in host memory. Items, rows and columns are at least 1, here and below.
  virtual void solve(const BatchView<const T>& b, const BatchView<T>& x, BatchWorkspaceImpl<T>& workspace) const = 0;
  /// Solves with b and x in device memory and waits for x. Batches of the CPU throw Error(usage).
  virtual void solve_on_device(const BatchView<const T>& b, const BatchView<T>& x, BatchWorkspaceImpl<T>& workspace) const = 0;
  virtual void enqueue_solve(const BatchView<const T>& b, const BatchView<T>& x, BatchWorkspaceImpl<T>& workspace,
                             StreamHandle stream) const = 0;
  [[nodiscard]] virtual T entry(Index k, Index row, Index col) const = 0;
};

/// Row access to a pattern, which residuals need beside its lower triangle by columns. Each call
/// takes a matrix with the pattern given at construction.
template <Scalar T>
class ResidualImpl {
 public:
  virtual ~ResidualImpl() = default;
  /// Computes r = b - A x, each row's sum in about twice the precision of T, and returns the
  /// backward errors of x. The caller has checked shapes and the length of a.value. `values` tells
  /// if a.value has changed since the last call.
  virtual BackwardError residual(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<const T> b, MatrixView<T> r,
                                 ValuesAre values) const = 0;
  /// Computes y = A x, each row's sum in about twice the precision of T.
  virtual void multiply(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<T> y) const = 0;
};

/// Products with A where a backend computes (see kauri::SparseProduct). The caller has checked
/// shapes, overlaps and the number of values.
template <Scalar T>
class ProductImpl {
 public:
  virtual ~ProductImpl() = default;
  CallFlag calls;  ///< marks the product as busy while a public call works in it
  [[nodiscard]] virtual Offset bytes() const = 0;
  /// Copies the values of A from host memory.
  virtual void set_values(std::span<const T> host) = 0;
  /// Copies the values of A from device memory, and waits.
  virtual void set_device_values(std::span<const T> value) = 0;
  virtual void enqueue_values(std::span<const T> value, StreamHandle stream) = 0;
  /// Computes y = alpha A x + beta y with x and y in host memory.
  virtual void multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y) = 0;
  /// Computes y = alpha A x + beta y with x and y in device memory, and waits.
  virtual void multiply_on_device(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y) = 0;
  virtual void enqueue_multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y, StreamHandle stream) = 0;
};

/// The bordered matrix [c B^T; B A] and its solutions where a backend computes (see
/// kauri::FusedSolve). Each right-hand side is a column before those of A: a diagonal entry
/// kCorner, then the entries of b. The caller has checked shapes.
template <Scalar T>
class BorderImpl {
 public:
  /// Diagonal entry of the border. It exceeds b . A^-1 b, so that the border's pivots do not fail,
  /// and is small enough that kernels of small fronts do not take these pivots for extraordinary
  /// and repeat their fronts (numeric/cuda/factor/tiled/eliminate.cuh).
  static constexpr T kCorner = sizeof(T) == sizeof(float) ? T(0x1p120) : T(0x1p960);

  virtual ~BorderImpl() = default;
  [[nodiscard]] virtual Offset bytes() const = 0;
  /// Throws Error(usage) if one of the arrays does not lie in the device's memory; on the CPU it
  /// checks nothing.
  virtual void require_device_data(std::span<const T> value, MatrixView<const T> b, MatrixView<const T> x) const = 0;
  /// Returns the values of the bordered matrix, where the backend computes.
  [[nodiscard]] virtual std::span<const T> values() const = 0;
  /// Copies value and b from host memory, and waits.
  virtual void set(std::span<const T> value, MatrixView<const T> b) = 0;
  /// Enqueues copies of value and b from the memory where the backend computes.
  virtual void enqueue_set(std::span<const T> value, MatrixView<const T> b, StreamHandle stream) = 0;
  /// Enqueues X by the backward sweep alone. `factor` is a factor of values(), and its plan orders
  /// the border's rows last. X is NaN if the factor's verdict is not good when the kernels run.
  virtual void enqueue_solve(const FactorImpl<T>& factor, WorkspaceImpl<T>& workspace, StreamHandle stream) = 0;
  /// Copies X to host memory, and waits for it.
  virtual void get(MatrixView<T> x) const = 0;
  /// Enqueues a copy of X to the memory where the backend computes.
  virtual void enqueue_get(MatrixView<T> x, StreamHandle stream) const = 0;
};

/// Iterative refinement where a backend computes (see kauri::Refiner). The caller has checked
/// shapes, plans and addresses, and that all have one pattern.
template <Scalar T>
class RefinerImpl {
 public:
  virtual ~RefinerImpl() = default;
  CallFlag calls;  ///< marks the refiner as busy while a public call works in it
  [[nodiscard]] virtual Index nrhs() const = 0;
  [[nodiscard]] virtual Offset bytes() const = 0;
  /// Copies the values of A from device memory, and waits.
  virtual void set_values(std::span<const T> value) = 0;
  virtual void enqueue_values(std::span<const T> value, StreamHandle stream) = 0;
  /// Refines x and waits for it. The factor may be invalid; factor and workspace belong to this
  /// refiner's executor.
  virtual DeviceRefinement refine(const FactorImpl<T>& factor, MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                                  const RefineOptions& options) = 0;
  virtual void enqueue_refine(const FactorImpl<T>& factor, MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                              const RefineOptions& options, StreamHandle stream) = 0;
  [[nodiscard]] virtual const DeviceRefinement* report_address() const = 0;
  [[nodiscard]] virtual DeviceRefinement fetch_report(StreamHandle stream) const = 0;
};

class MixedImpl;  // numeric/mixed_store.hpp

/// A backend's threads or device, which make all objects above. One overload per scalar, since
/// virtual functions cannot be templates.
class Executor {
 public:
  virtual ~Executor() = default;
  [[nodiscard]] virtual BackendKind kind() const = 0;
  [[nodiscard]] virtual std::string target() const = 0;
  /// Returns the name of the kernels for scalars of this size, see kauri::Backend.
  [[nodiscard]] virtual std::string kernels(int scalar_bytes) const = 0;
  [[nodiscard]] virtual std::string device() const = 0;
  [[nodiscard]] virtual int threads() const = 0;
  [[nodiscard]] virtual Roofline roofline(int scalar_bytes) = 0;
  /// Returns the roofline of the kernels that make_scaled_factor() uses.
  [[nodiscard]] virtual Roofline scaled_roofline() = 0;

  virtual std::shared_ptr<const PreparedPlanImpl> prepare(std::shared_ptr<const Plan> plan) = 0;
  /// Throws Error(memory) if a factor with a plan prepared for it is known not to fit into the free
  /// memory.
  virtual void require_memory(const Plan& plan, float tag) const = 0;
  virtual void require_memory(const Plan& plan, double tag) const = 0;
  /// Makes a factor. `plan` was prepared by this executor.
  virtual std::unique_ptr<FactorImpl<float>> make_factor(std::shared_ptr<const PreparedPlanImpl> plan, float tag) = 0;
  /// Makes a factor for scaled matrices, in which no entry of L is 2 or more. scaled_kernels()
  /// names its kernels as kernels() does those of make_factor().
  virtual std::unique_ptr<FactorImpl<float>> make_scaled_factor(std::shared_ptr<const PreparedPlanImpl> plan) = 0;
  [[nodiscard]] virtual std::string scaled_kernels() const = 0;
  virtual std::unique_ptr<FactorImpl<double>> make_factor(std::shared_ptr<const PreparedPlanImpl> plan, double tag) = 0;
  virtual std::unique_ptr<WorkspaceImpl<float>> make_workspace(std::shared_ptr<const Plan> plan, Index nrhs, float tag) = 0;
  virtual std::unique_ptr<WorkspaceImpl<double>> make_workspace(std::shared_ptr<const Plan> plan, Index nrhs, double tag) = 0;
  /// Makes a batch of `items` factors. `plan` was prepared by this executor; `way` is the way asked
  /// for. Throws Error(usage) if that way is not possible.
  virtual std::unique_ptr<BatchImpl<float>> make_batch(std::shared_ptr<const PreparedPlanImpl> plan, Index items, BatchWay way,
                                                       float tag) = 0;
  virtual std::unique_ptr<BatchImpl<double>> make_batch(std::shared_ptr<const PreparedPlanImpl> plan, Index items, BatchWay way,
                                                        double tag) = 0;
  /// Returns the bytes that make_batch() takes of this executor's memory.
  [[nodiscard]] virtual Offset batch_bytes(const PreparedPlanImpl& plan, Index items, BatchWay way, float tag) const = 0;
  [[nodiscard]] virtual Offset batch_bytes(const PreparedPlanImpl& plan, Index items, BatchWay way, double tag) const = 0;
  virtual std::unique_ptr<DeviceBytes> make_bytes(std::span<const std::byte> host) = 0;
  /// Waits until all work on a stream of the backend or of the caller has ended.
  virtual void wait(StreamHandle stream) const = 0;
  virtual std::unique_ptr<ResidualImpl<float>> make_residual(const Pattern& lower, float tag) = 0;
  virtual std::unique_ptr<ResidualImpl<double>> make_residual(const Pattern& lower, double tag) = 0;
  virtual std::unique_ptr<RefinerImpl<float>> make_refiner(const Pattern& lower, Index nrhs, float tag) = 0;
  virtual std::unique_ptr<RefinerImpl<double>> make_refiner(const Pattern& lower, Index nrhs, double tag) = 0;
  virtual std::unique_ptr<ProductImpl<float>> make_product(const Pattern& lower, float tag) = 0;
  virtual std::unique_ptr<ProductImpl<double>> make_product(const Pattern& lower, double tag) = 0;
  virtual std::unique_ptr<MixedImpl> make_mixed(const Pattern& lower, Index nrhs) = 0;
  /// Makes the bordered matrix of an A with n rows and nnz entries in the lower triangle, and nrhs
  /// right-hand sides.
  virtual std::unique_ptr<BorderImpl<float>> make_border(Index n, Offset nnz, Index nrhs, float tag) = 0;
  virtual std::unique_ptr<BorderImpl<double>> make_border(Index n, Offset nnz, Index nrhs, double tag) = 0;

  [[nodiscard]] MemoryLedger& memory() { return memory_; }

 private:
  MemoryLedger memory_;
};

}  // namespace kauri::numeric

// The boundary between kauri and a device: one virtual call per phase. What happens inside (threads, streams, graphs, batching) is private
// to the device's folder.
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

/// What the factors of a plan on one device share, see kauri::PreparedPlan. On the CPU the plan itself.
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

/// Scratch of solves, see kauri::Workspace.
template <Scalar T>
class WorkspaceImpl {
 public:
  virtual ~WorkspaceImpl() = default;
  [[nodiscard]] virtual Index nrhs() const = 0;
  [[nodiscard]] virtual const Plan& plan() const = 0;
  CallFlag calls;  ///< of the public calls that work in it
};

/// Memory on a device, see kauri::DeviceValues.
class DeviceBytes {
 public:
  virtual ~DeviceBytes() = default;
  [[nodiscard]] virtual const void* data() const = 0;
  /// As many bytes as there are.
  virtual void assign(std::span<const std::byte> host) = 0;
};

/// The steps of a solve, in this order; what is left out leaves numbers as they are.
struct SolveSteps {
  bool permute = true;   ///< to the plan's numbering
  bool forward = true;   ///< by L
  bool backward = true;  ///< by L^T
  bool back = true;      ///< to the caller's numbering
  /// On a device: null, or the address of a number there. If that is 0 when the stream comes to the solve, nothing is done, and x stays.
  const std::int32_t* run_flag = nullptr;
};

/// Whether a device that holds the values of the last call may work with these.
enum class ValuesAre { fresh, unchanged };

/// What an NormEstimator solves for: each entry 1/n; magnitudes from 1 to 2 of alternating signs; a unit vector; the signs that are kept.
enum class EstimatorStart { even, alternating, unit, signs };

/// What is seen of a solution x.
struct EstimatorStep {
  double sum;        ///< of magnitudes
  double largest;    ///< magnitude
  double at_corner;  ///< magnitude in the row that was given
  Index where;       ///< row of the largest; of several the first
  Index turned;      ///< 1 where a sign differs from that which was kept before, else 0
};
static_assert(sizeof(EstimatorStep) == 3 * sizeof(double) + 2 * sizeof(Index));  // no gaps: it is copied from devices, byte by byte

/// x = A^-1 x for vectors x that stay where a factor computes: what an estimate of the norm of the inverse asks.
template <Scalar T>
class NormEstimator {
 public:
  virtual ~NormEstimator() = default;
  /// corner: the row of the unit vector, and of EstimatorStep::at_corner. Signs of x are kept, but those of EstimatorStart::signs.
  virtual EstimatorStep step(EstimatorStart start, Index corner) = 0;
};

/// Solves with right-hand sides and solutions in a device's memory, and what else is left there. Shapes, plans and verdicts were checked by
/// the caller; x is b itself or does not overlap it.
template <Scalar T>
class DeviceSolves {
 public:
  virtual ~DeviceSolves() = default;
  /// True from enqueue_refactorize() until the host knows a verdict.
  [[nodiscard]] virtual bool awaits_verdict() const = 0;
  /// Waits for x.
  virtual void solve_on_device(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace, const SolveSteps& steps) const = 0;
  virtual void enqueue_solve(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace, const SolveSteps& steps,
                             StreamHandle stream) const = 0;
  /// x = L b, or L^T b, in the plan's numbering. Waits for x.
  virtual void multiply_on_device(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace, bool transposed) const = 0;
  virtual void enqueue_multiply(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace, bool transposed,
                                StreamHandle stream) const = 0;
  /// enqueue(stream) on a stream of the device's own; waits for what it has enqueued.
  virtual void run_now(const std::function<void(StreamHandle)>& enqueue) const = 0;
  /// g = L22 y2, of the block L22 of L on the last rows, as many as g has, and those of y, which are y2. NaN where the verdict is not good
  /// then; so are those below.
  virtual void enqueue_last_product(MatrixView<const T> y, MatrixView<T> g, StreamHandle stream) const = 0;
  /// y2 = L22^T x2.
  virtual void enqueue_last_transposed(MatrixView<const T> x2, MatrixView<T> y, StreamHandle stream) const = 0;
  /// s = L22 L22^T, its lower triangle.
  virtual void enqueue_last_square(MatrixView<T> s, StreamHandle stream) const = 0;
  /// y2 = g; zeros above.
  virtual void enqueue_below_zeros(MatrixView<const T> g, MatrixView<T> y, StreamHandle stream) const = 0;
  /// x2 = y2.
  virtual void enqueue_last_rows(MatrixView<const T> y, MatrixView<T> x2, StreamHandle stream) const = 0;
  /// y(j, r) = L(n - y.cols + r, j) for all columns j before the last y.cols ones; zeros for these. Of a plan whose fronts all have the
  /// last rows. Without a good verdict y is anything.
  virtual void enqueue_rows_of_l(MatrixView<T> y, StreamHandle stream) const = 0;
  /// See NormEstimator. Takes memory as long as it lives.
  [[nodiscard]] virtual std::unique_ptr<NormEstimator<T>> make_norm_estimator(WorkspaceImpl<T>& workspace) const = 0;
  /// ln det(L L^T). Waits; takes memory for the time of the call.
  [[nodiscard]] virtual double log_determinant() const = 0;
  /// The same to a number on the device, or NaN where the verdict is not good then.
  virtual void enqueue_log_determinant(double* there, WorkspaceImpl<T>& workspace, StreamHandle stream) const = 0;
};

template <Scalar T>
class FactorImpl;

/// The same on a device's streams. Plans, executors and what was computed were checked by the caller.
template <Scalar T>
class DeviceInverse {
 public:
  virtual ~DeviceInverse() = default;
  /// factor: of the same plan and executor, valid or not. Its verdict is kept, which what is read is NaN by.
  virtual void enqueue_compute(const FactorImpl<T>& factor, StreamHandle stream) = 0;
  /// Waits. Of the factor that the last computation on that stream read.
  virtual const DeviceVerdict& fetch_verdict(StreamHandle stream) = 0;
  /// there: length n, on the device, in the caller's numbering.
  virtual void enqueue_diagonal(std::span<T> there, StreamHandle stream) const = 0;
  /// there: length nnz, on the device, in the order of A's entries.
  virtual void enqueue_entries(std::span<T> there, StreamHandle stream) const = 0;
};

/// Entries of A^-1 at the places of L, see kauri::SelectedInverse. What is read was computed: the caller checked that.
template <Scalar T>
class InverseImpl {
 public:
  virtual ~InverseImpl() = default;
  CallFlag fillings;  ///< of the public calls that fill it
  [[nodiscard]] virtual const std::shared_ptr<const Plan>& plan() const = 0;
  /// factor: valid, of the same plan and executor.
  virtual void compute(const FactorImpl<T>& factor) = 0;
  /// Entry (r, c), r >= c, of the front of supernode s, c < p.
  [[nodiscard]] virtual T entry(Index s, Index r, Index c) const = 0;
  /// to: length n, in the plan's numbering.
  virtual void copy_diagonal(std::span<T> to) const = 0;
  /// to: length nnz, in the order of A's entries.
  virtual void copy_entries(std::span<T> to) const = 0;
  /// Null on the CPU.
  [[nodiscard]] virtual DeviceInverse<T>* on_device() { return nullptr; }
};

/// L from elsewhere, front by front.
template <Scalar T>
class SavedPanels {
 public:
  virtual ~SavedPanels() = default;
  /// The lower trapezoid of supernode s, order m with p pivots: column-major, `to` has m*p places, all zeros. Of each once, ascending.
  /// Pivots are positive and finite.
  virtual void read(Index s, std::span<T> to) = 0;
  /// What copy_diagonal_inverses() gave, if it is there; else nothing. Lives until the next call.
  virtual std::span<const T> diagonal_inverses(Index s) = 0;
};

/// Values of L on a device, see kauri::Factor.
template <Scalar T>
class FactorImpl {
 public:
  virtual ~FactorImpl() = default;
  CallFlag fillings;  ///< of the public calls that fill it
  [[nodiscard]] virtual const std::shared_ptr<const Plan>& plan() const = 0;
  /// As far as the host knows.
  [[nodiscard]] virtual const DeviceVerdict& verdict() const = 0;
  [[nodiscard]] virtual const DeviceVerdict* verdict_address() const = 0;
  virtual const DeviceVerdict& fetch_verdict(StreamHandle stream) = 0;
  /// What refactorize() does from here on comes after what is on the caller's stream by now, on the device: the host does not wait. Throws
  /// Error(usage) where the stream is capturing, and on the CPU unless it is null.
  virtual void begin_after(StreamHandle stream) = 0;
  /// value: in the host's memory or in the device's. Waits for the verdict.
  virtual const DeviceVerdict& refactorize(std::span<const T> value, T shift, ValuesAre values) = 0;
  /// value: in the device's memory.
  virtual void enqueue_refactorize(std::span<const T> value, T shift, StreamHandle stream) = 0;
  /// The same values in the host's memory: `room` holds them if they were not there.
  [[nodiscard]] virtual std::span<const T> on_host(std::span<const T> value, std::vector<T>& room) const = 0;
  /// b and x: n rows, as many columns; x is b itself or does not overlap it. Sizes and validity were checked by the caller.
  virtual void solve(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace, const SolveSteps& steps) const = 0;
  /// x = L b, or L^T b, in the plan's numbering; shapes and x as for solve().
  virtual void multiply(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace, bool transposed) const = 0;
  /// Null on the CPU.
  [[nodiscard]] virtual const DeviceSolves<T>* device_solves() const { return nullptr; }
  [[nodiscard]] virtual T entry(Index row, Index col) const = 0;
  /// The panel of supernode s, order m with p pivots, to the host's memory: column-major, `to` has m*p places. Above the diagonal nothing
  /// is promised.
  virtual void copy_panel(Index s, std::span<T> to) const = 0;
  /// The diagonal of L, length n.
  virtual void copy_diagonal(std::span<T> to) const = 0;
  /// What solves go by beside the panel of supernode s, where L decides it but for roundings: the inverses of its diagonal blocks of 16 x
  /// 16, the last one of fewer, each its lower triangle by rows. How many numbers; none where nothing is kept.
  [[nodiscard]] virtual Offset diagonal_inverse_entries(Index) const { return 0; }
  virtual void copy_diagonal_inverses(Index, std::span<T>) const {}
  /// The factor is as by the factorisation that made these numbers, but that A's values are not there. Where reading throws, it is not
  /// valid.
  virtual const DeviceVerdict& restore(SavedPanels<T>& from) = 0;
  /// Memory for entries of the inverse, where L is.
  [[nodiscard]] virtual std::unique_ptr<InverseImpl<T>> make_inverse() const = 0;
  /// What make_inverse() takes.
  [[nodiscard]] virtual Offset inverse_bytes() const = 0;
};

/// Scratch of solves of a batch, see kauri::BatchWorkspace.
template <Scalar T>
class BatchWorkspaceImpl {
 public:
  virtual ~BatchWorkspaceImpl() = default;
  CallFlag calls;  ///< of the public calls that work in it
};

/// Values of A of all items: item k has its own from data[k * stride] on.
template <Scalar T>
struct ItemValues {
  const T* data;
  Offset stride;
};

/// Values of L of many items, see kauri::BatchFactor. Sizes, workspaces and states were checked by the caller.
template <Scalar T>
class BatchImpl {
 public:
  virtual ~BatchImpl() = default;
  CallFlag fillings;  ///< of the public calls that fill it
  [[nodiscard]] virtual const std::shared_ptr<const Plan>& plan() const = 0;
  [[nodiscard]] virtual Index items() const = 0;
  /// Never `automatic`.
  [[nodiscard]] virtual BatchWay way() const = 0;
  /// As far as the host knows.
  [[nodiscard]] virtual std::span<const DeviceVerdict> verdicts() const = 0;
  [[nodiscard]] virtual const DeviceVerdict* verdict_address(Index k) const = 0;
  virtual std::span<const DeviceVerdict> fetch_verdicts(StreamHandle stream) = 0;
  /// True from enqueue_refactorize() until the host knows a verdict.
  [[nodiscard]] virtual bool awaits_verdicts() const = 0;
  /// As that of FactorImpl.
  virtual void begin_after(StreamHandle stream) = 0;
  /// In the host's memory or in the device's. Waits for the verdicts.
  virtual std::span<const DeviceVerdict> refactorize(const ItemValues<T>& value, T shift) = 0;
  /// In the device's memory.
  virtual void enqueue_refactorize(const ItemValues<T>& value, T shift, StreamHandle stream) = 0;
  [[nodiscard]] virtual Offset workspace_bytes(Index nrhs) const = 0;
  [[nodiscard]] virtual std::unique_ptr<BatchWorkspaceImpl<T>> make_workspace(Index nrhs) const = 0;
  /// In the host's memory. There are items, rows and columns, here and below.
  virtual void solve(const BatchView<const T>& b, const BatchView<T>& x, BatchWorkspaceImpl<T>& workspace) const = 0;
  /// In the device's. The CPU's batches throw Error(usage).
  virtual void solve_on_device(const BatchView<const T>& b, const BatchView<T>& x, BatchWorkspaceImpl<T>& workspace) const = 0;
  virtual void enqueue_solve(const BatchView<const T>& b, const BatchView<T>& x, BatchWorkspaceImpl<T>& workspace,
                             StreamHandle stream) const = 0;
  [[nodiscard]] virtual T entry(Index k, Index row, Index col) const = 0;
};

/// What residuals need of a pattern beside its lower triangle by columns. The calls take a matrix with the pattern it was made of.
template <Scalar T>
class ResidualImpl {
 public:
  virtual ~ResidualImpl() = default;
  /// r = b - A x (each row's sum in about twice the precision of T) and the backward errors of x. Shapes were
  /// checked by the caller, and that a.value has the pattern's length. `values`: of a, since the last call.
  virtual BackwardError residual(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<const T> b, MatrixView<T> r,
                                 ValuesAre values) const = 0;
  /// y = A x, each row's sum in about twice the precision of T.
  virtual void multiply(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<T> y) const = 0;
};

/// Products with A where a backend computes, see kauri::SparseProduct. Shapes, overlaps and the number of values were checked by the
/// caller.
template <Scalar T>
class ProductImpl {
 public:
  virtual ~ProductImpl() = default;
  CallFlag calls;  ///< of the public calls that work in it
  [[nodiscard]] virtual Offset bytes() const = 0;
  /// In the host's memory.
  virtual void set_values(std::span<const T> host) = 0;
  /// On the device. Waits.
  virtual void set_device_values(std::span<const T> value) = 0;
  virtual void enqueue_values(std::span<const T> value, StreamHandle stream) = 0;
  /// y = alpha A x + beta y, in the host's memory.
  virtual void multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y) = 0;
  /// On the device. Waits.
  virtual void multiply_on_device(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y) = 0;
  virtual void enqueue_multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y, StreamHandle stream) = 0;
};

/// A with rows of right-hand sides before its own, and solutions, where a backend computes: see kauri::FusedSolve. A column of values for
/// each right-hand side, a diagonal entry and then b's, comes before those of A. Shapes were checked by the caller.
template <Scalar T>
class BorderImpl {
 public:
  /// Of the border's diagonal: more than b . A^-1 b, so that its pivots do not fail, and not so large that kernels of small fronts take
  /// them for extraordinary, and do these fronts once more (numeric/cuda/factor/tiled/eliminate.cuh).
  static constexpr T kCorner = sizeof(T) == sizeof(float) ? T(0x1p120) : T(0x1p960);

  virtual ~BorderImpl() = default;
  [[nodiscard]] virtual Offset bytes() const = 0;
  /// Throws Error(usage) for what does not lie where it computes.
  virtual void require_device_data(std::span<const T> value, MatrixView<const T> b, MatrixView<const T> x) const = 0;
  /// Of the bordered matrix.
  [[nodiscard]] virtual std::span<const T> values() const = 0;
  /// In the host's memory. Waits.
  virtual void set(std::span<const T> value, MatrixView<const T> b) = 0;
  /// Where it computes.
  virtual void enqueue_set(std::span<const T> value, MatrixView<const T> b, StreamHandle stream) = 0;
  /// X, by the backward sweep alone, of a factor of values(), whose plan has the border's rows last. NaN where its verdict is not good
  /// then.
  virtual void enqueue_solve(const FactorImpl<T>& factor, WorkspaceImpl<T>& workspace, StreamHandle stream) = 0;
  /// To the host's memory. Waits for X.
  virtual void get(MatrixView<T> x) const = 0;
  /// To where it computes.
  virtual void enqueue_get(MatrixView<T> x, StreamHandle stream) const = 0;
};

/// Refinement where a backend computes, see kauri::Refiner. Shapes, plans and addresses of the same pattern were checked by the caller.
template <Scalar T>
class RefinerImpl {
 public:
  virtual ~RefinerImpl() = default;
  CallFlag calls;  ///< of the public calls that work in it
  [[nodiscard]] virtual Index nrhs() const = 0;
  [[nodiscard]] virtual Offset bytes() const = 0;
  /// value: on the device. Waits.
  virtual void set_values(std::span<const T> value) = 0;
  virtual void enqueue_values(std::span<const T> value, StreamHandle stream) = 0;
  /// Of a factor, valid or not, and a workspace of the same executor. Waits.
  virtual DeviceRefinement refine(const FactorImpl<T>& factor, MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                                  const RefineOptions& options) = 0;
  virtual void enqueue_refine(const FactorImpl<T>& factor, MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                              const RefineOptions& options, StreamHandle stream) = 0;
  [[nodiscard]] virtual const DeviceRefinement* report_address() const = 0;
  [[nodiscard]] virtual DeviceRefinement fetch_report(StreamHandle stream) const = 0;
};

class MixedImpl;  // numeric/mixed_store.hpp

/// A device at work: makes the stores. One overload per scalar, since virtual functions cannot be templates.
class Executor {
 public:
  virtual ~Executor() = default;
  [[nodiscard]] virtual BackendKind kind() const = 0;
  [[nodiscard]] virtual std::string target() const = 0;
  /// See kauri::Backend.
  [[nodiscard]] virtual std::string kernels(int scalar_bytes) const = 0;
  [[nodiscard]] virtual std::string device() const = 0;
  [[nodiscard]] virtual int threads() const = 0;
  [[nodiscard]] virtual Roofline roofline(int scalar_bytes) = 0;
  /// Of make_scaled_factor().
  [[nodiscard]] virtual Roofline scaled_roofline() = 0;

  virtual std::shared_ptr<const PreparedPlanImpl> prepare(std::shared_ptr<const Plan> plan) = 0;
  /// Throws Error(memory) if it is known that a factor, with a plan prepared for it, will not find the memory it needs.
  virtual void require_memory(const Plan& plan, float tag) const = 0;
  virtual void require_memory(const Plan& plan, double tag) const = 0;
  /// plan: prepared by this executor.
  virtual std::unique_ptr<FactorImpl<float>> make_factor(std::shared_ptr<const PreparedPlanImpl> plan, float tag) = 0;
  /// The same for matrices of which no entry of L is 2 or more, made by scaled_kernels(), as kernels() has names.
  virtual std::unique_ptr<FactorImpl<float>> make_scaled_factor(std::shared_ptr<const PreparedPlanImpl> plan) = 0;
  [[nodiscard]] virtual std::string scaled_kernels() const = 0;
  virtual std::unique_ptr<FactorImpl<double>> make_factor(std::shared_ptr<const PreparedPlanImpl> plan, double tag) = 0;
  virtual std::unique_ptr<WorkspaceImpl<float>> make_workspace(std::shared_ptr<const Plan> plan, Index nrhs, float tag) = 0;
  virtual std::unique_ptr<WorkspaceImpl<double>> make_workspace(std::shared_ptr<const Plan> plan, Index nrhs, double tag) = 0;
  /// plan: prepared by this executor; `way`: that was asked for. Throws Error(usage) where it cannot be had.
  virtual std::unique_ptr<BatchImpl<float>> make_batch(std::shared_ptr<const PreparedPlanImpl> plan, Index items, BatchWay way,
                                                       float tag) = 0;
  virtual std::unique_ptr<BatchImpl<double>> make_batch(std::shared_ptr<const PreparedPlanImpl> plan, Index items, BatchWay way,
                                                        double tag) = 0;
  /// What that takes of this executor's memory.
  [[nodiscard]] virtual Offset batch_bytes(const PreparedPlanImpl& plan, Index items, BatchWay way, float tag) const = 0;
  [[nodiscard]] virtual Offset batch_bytes(const PreparedPlanImpl& plan, Index items, BatchWay way, double tag) const = 0;
  virtual std::unique_ptr<DeviceBytes> make_bytes(std::span<const std::byte> host) = 0;
  /// Until all work on a stream, of the device's or the caller's, has ended.
  virtual void wait(StreamHandle stream) const = 0;
  virtual std::unique_ptr<ResidualImpl<float>> make_residual(const Pattern& lower, float tag) = 0;
  virtual std::unique_ptr<ResidualImpl<double>> make_residual(const Pattern& lower, double tag) = 0;
  virtual std::unique_ptr<RefinerImpl<float>> make_refiner(const Pattern& lower, Index nrhs, float tag) = 0;
  virtual std::unique_ptr<RefinerImpl<double>> make_refiner(const Pattern& lower, Index nrhs, double tag) = 0;
  virtual std::unique_ptr<ProductImpl<float>> make_product(const Pattern& lower, float tag) = 0;
  virtual std::unique_ptr<ProductImpl<double>> make_product(const Pattern& lower, double tag) = 0;
  virtual std::unique_ptr<MixedImpl> make_mixed(const Pattern& lower, Index nrhs) = 0;
  /// For an A of so many rows and entries.
  virtual std::unique_ptr<BorderImpl<float>> make_border(Index n, Offset nnz, Index nrhs, float tag) = 0;
  virtual std::unique_ptr<BorderImpl<double>> make_border(Index n, Offset nnz, Index nrhs, double tag) = 0;

  [[nodiscard]] MemoryLedger& memory() { return memory_; }

 private:
  MemoryLedger memory_;
};

}  // namespace kauri::numeric

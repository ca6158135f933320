// Solves of a batch: a block of threads does both sweeps of a column of an item, front by front,
// level by level; a front pulls its children's update rows in a fixed order.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/batch/front.cuh"
#include "numeric/cuda/runtime/kernel/dot2.cuh"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"

namespace kauri::numeric::cuda {
namespace {

/// A column of an item that is being solved.
template <class T>
struct BatchColumn {
  const BatchPlan& plan;
  const T* l;  ///< L of the item: BatchMemory::entries of it
  T* x;        ///< n numbers in the plan's numbering: b, then y, then x
  T* update;   ///< BatchPlan::update_rows numbers, at Front::update those of a front
};

/// Returns the address that row 0 of column c of a front's panel would have.
template <class T>
__device__ const T* panel_column(const BatchColumn<T>& column, const Front& f, Index c) {
  return column.l + f.panel + packed_column(c, f.m);
}

/// Computes v = L(k,k)^-1 v for pivots [k0, k0 + width) of front f, by a warp, one row a lane. v
/// has a number for each row of f, in shared memory.
template <class T>
__device__ void forward_diagonal(const BatchColumn<T>& column, const Front& f, Index k0,
                                 Index width, T* v) {
  const Index lane = static_cast<Index>(threadIdx.x) % 32;
  T row[kBatchStrip];
  ColumnWalk<const T> l{panel_column(column, f, k0) + k0 + lane, f.m - k0 - 1, 1};
#pragma unroll
  for (Index k = 0; k < kBatchStrip; ++k, l.next())
    row[k] = k < width && k <= lane && lane < width ? *l.at : T(0);
  const T inverse = lane < width ? T(1) / panel_column(column, f, k0 + lane)[k0 + lane] : T(0);
  T mine = lane < width ? v[k0 + lane] : T(0);
#pragma unroll
  for (Index c = 0; c < kBatchStrip; ++c) {
    if (c >= width) continue;
    const T y = __shfl_sync(kAllLanes, mine * inverse, c);
    mine = lane == c ? y : lane > c ? mine - row[c] * y : mine;
  }
  if (lane < width) v[k0 + lane] = mine;
}

/// Computes y of the pivots of front s in column.x, from b there, and its update rows in
/// column.update, by a team. v: a number for each row of the front, in shared memory.
template <class Team, class T>
__device__ void forward_front(const BatchColumn<T>& column, Index s, T* v) {
  const PlanView& plan = column.plan.plan;
  const Front f = plan.front[s];
  for (Index r = Team::rank(); r < f.m; r += Team::kThreads)
    v[r] = r < f.p ? column.x[f.first + r] : T(0);
  Team::meet();
  for (Index k = f.child_begin; k < f.child_end; ++k) {
    const Front& child = plan.front[plan.child[k]];
    for (Index r = Team::rank(); r < child.m - child.p; r += Team::kThreads)
      v[plan.relative[child.relative + r]] += column.update[child.update + r];
    Team::meet();
  }
  for (Index k0 = 0; k0 < f.p; k0 += kBatchStrip) {
    const Index width = min(kBatchStrip, f.p - k0);
    if (Team::rank() < 32) forward_diagonal(column, f, k0, width, v);
    Team::meet();
    for (Index r = k0 + width + Team::rank(); r < f.m; r += Team::kThreads) {
      T sum = v[r];
      ColumnWalk<const T> l{panel_column(column, f, k0) + r, f.m - k0 - 1, 1};
#pragma unroll
      for (Index c = 0; c < kBatchStrip; ++c, l.next())
        if (c < width) sum -= *l.at * v[k0 + c];
      v[r] = sum;
    }
    Team::meet();
  }
  for (Index r = Team::rank(); r < f.m; r += Team::kThreads)
    (r < f.p ? column.x[f.first + r] : column.update[f.update + r - f.p]) = v[r];
  Team::meet();
}

/// Computes v = L(k,k)^-T v for pivots [k0, k0 + width) of front f, by a warp, one column a lane. v
/// is as for forward_diagonal().
template <class T>
__device__ void backward_diagonal(const BatchColumn<T>& column, const Front& f, Index k0,
                                  Index width, T* v) {
  const Index lane = static_cast<Index>(threadIdx.x) % 32;
  const T* own = panel_column(column, f, k0 + min(lane, width - 1)) + k0;
  T below[kBatchStrip];
#pragma unroll
  for (Index k = 0; k < kBatchStrip; ++k) below[k] = k < width && k >= lane ? own[k] : T(0);
  const T inverse = lane < width ? T(1) / own[lane] : T(0);
  T mine = lane < width ? v[k0 + lane] : T(0);
#pragma unroll
  for (Index k = kBatchStrip; k-- > 0;) {
    if (k >= width) continue;
    const T x = __shfl_sync(kAllLanes, mine * inverse, k);
    mine = lane == k ? x : lane < k ? mine - below[k] * x : mine;
  }
  if (lane < width) v[k0 + lane] = mine;
}

/// Subtracts from v(k0 + c), c < width, the sum over rows r >= k0 + width of L(r, k0 + c) v(r), by
/// a team, one warp a column, in about twice the precision of T: these sums cancel, and caused half
/// of a solve's error in plain arithmetic. N: scalar of the sums, double or T; in T they keep their
/// rounding errors.
template <class N, class Team, class T>
__device__ void subtract_below(const BatchColumn<T>& column, const Front& f, Index k0, Index width,
                               T* v) {
  constexpr Index kWarps = Team::kThreads / 32;
  const Index lane = static_cast<Index>(threadIdx.x) % 32;
  for (Index c = Team::rank() / 32; c < width; c += kWarps) {
    const T* l = panel_column(column, f, k0 + c);
    Dot2Of<N> sum;
    for (Index r = k0 + width + lane; r < f.m; r += 32)
      sum.template subtract<T>(static_cast<N>(l[r]), static_cast<N>(v[r]));
    for (Index by = 16; by > 0; by /= 2) {
      const N other = __shfl_xor_sync(kAllLanes, sum.sum, by),
              error = __shfl_xor_sync(kAllLanes, sum.error, by);
      sum.error = add_rn(sum.error, error);
      sum.template subtract<N>(N(-1), other);
    }
    if (lane == 0) {
      Dot2Of<N> all = sum;
      all.template subtract<N>(N(-1), static_cast<N>(v[k0 + c]));
      v[k0 + c] = static_cast<T>(all.value());
    }
  }
}

/// Computes x of the pivots of front s in column.x, from y there and x of its ancestors, by a team.
/// v: a number for each row of the front, in shared memory. N: see subtract_below().
template <class N, class Team, class T>
__device__ void backward_front(const BatchColumn<T>& column, Index s, T* v) {
  const PlanView& plan = column.plan.plan;
  const Front f = plan.front[s];
  for (Index r = Team::rank(); r < f.m; r += Team::kThreads)
    v[r] = column.x[r < f.p ? f.first + r : plan.row[f.row + r]];
  Team::meet();
  for (Index k0 = (f.p - 1) / kBatchStrip * kBatchStrip; k0 >= 0; k0 -= kBatchStrip) {
    const Index width = min(kBatchStrip, f.p - k0);
    subtract_below<N, Team>(column, f, k0, width, v);
    Team::meet();
    if (Team::rank() < 32) backward_diagonal(column, f, k0, width, v);
    Team::meet();
  }
  for (Index r = Team::rank(); r < f.p; r += Team::kThreads) column.x[f.first + r] = v[r];
  Team::meet();
}

/// Calls of_warp(front, room of the warp) for the narrow fronts of a level, one a warp, then, by
/// all threads of the block, of_block(front, room) for the others. room: batch_solve_rows() numbers
/// in shared memory.
template <class T, class OfWarp, class OfBlock>
__device__ void each_front(const BatchPlan& plan, const BatchLevel& level, T* room,
                           const OfWarp& of_warp, const OfBlock& of_block) {
  const Index warp = static_cast<Index>(threadIdx.x) / 32;
  for (Index k = warp; k < level.narrow; k += kBatchWarps)
    of_warp(plan.plan.order[level.first + k], room + warp * symbolic::DeviceSchedule::kNarrow);
  __syncthreads();
  for (Index k = level.narrow; k < level.count; ++k)
    of_block(plan.plan.order[level.first + k], room);
}

template <class N, class T>
__device__ void solve_column(const BatchColumn<T>& column, T* room) {
  const BatchPlan& plan = column.plan;
  for (Index l = 0; l < plan.levels; ++l)
    each_front(
        plan, plan.level[l], room, [&](Index s, T* v) { forward_front<WarpTeam>(column, s, v); },
        [&](Index s, T* v) { forward_front<BlockTeam>(column, s, v); });
  for (Index l = plan.levels; l-- > 0;)
    each_front(
        plan, plan.level[l], room,
        [&](Index s, T* v) { backward_front<N, WarpTeam>(column, s, v); },
        [&](Index s, T* v) { backward_front<N, BlockTeam>(column, s, v); });
}

template <class T>
__device__ T not_a_number() {
  return std::numeric_limits<T>::quiet_NaN();
}

template <class T, class N>
__global__ void __launch_bounds__(kBatchThreads, kBatchSolves)
    solve_batch(BatchPlan plan, BatchMemory<T> memory, BatchRhs<T> rhs, bool on_chip, Index rows) {
  extern __shared__ __align__(16) unsigned char shared[];
  T* room = reinterpret_cast<T*>(shared);
  T* vector = on_chip ? room + rows
                      : rhs.scratch + Offset{blockIdx.x} * (Offset{plan.n} + plan.update_rows);
  const auto thread = static_cast<Index>(threadIdx.x);
  const Offset columns = Offset{memory.items} * rhs.cols;
  for (Offset k = blockIdx.x; k < columns; k += gridDim.x) {
    const Offset item = k / rhs.cols, c = k % rhs.cols;
    const T* b = &rhs.b(0, c) + item * rhs.b_stride;
    T* x = &rhs.x(0, c) + item * rhs.x_stride;
    if (memory.verdict[item].status != VerdictStatus::positive_definite) {
      for (Index i = thread; i < plan.n; i += kBatchThreads) x[i * rhs.x.row] = not_a_number<T>();
      continue;
    }
    for (Index i = thread; i < plan.n; i += kBatchThreads)
      vector[i] = b[plan.plan.old_of[i] * rhs.b.row];
    __syncthreads();
    solve_column<N>(
        BatchColumn<T>{plan, memory.entries + item * memory.stride, vector, vector + plan.n}, room);
    __syncthreads();
    for (Index i = thread; i < plan.n; i += kBatchThreads)
      x[plan.plan.old_of[i] * rhs.x.row] = vector[i];
    __syncthreads();
  }
}

template <class T>
int solve_bytes(Index n, Index update_rows, Index most_rows) {
  const Offset vector =
      batch_vectors_shared<T>(n, update_rows, most_rows) ? batch_vector(n, update_rows) : 0;
  return static_cast<int>((batch_solve_rows(most_rows) + vector) * Offset{sizeof(T)});
}

}  // namespace

void load_batch_solves() {
  load(solve_batch<float, float>);
  load(solve_batch<float, double>);
  load(solve_batch<double, double>);
}

template <class T>
int batch_solve_blocks(Index n, Index update_rows, Index most_rows) {
  return resident_blocks(solve_batch<T, double>, solve_bytes<T>(n, update_rows, most_rows));
}

template <class T>
void enqueue_batch_solve(const BatchPlan& plan, const BatchMemory<T>& memory,
                         const BatchRhs<T>& rhs, bool in_double, int blocks, cudaStream_t stream) {
  const Offset columns = Offset{memory.items} * rhs.cols;
  if (columns == 0 || plan.n == 0) return;
  auto* const kernel = in_double ? solve_batch<T, double> : solve_batch<T, T>;
  check(kernels::launch(
            kernel, static_cast<unsigned>(std::min(Offset{blocks}, columns)), kBatchThreads,
            static_cast<std::size_t>(solve_bytes<T>(plan.n, plan.update_rows, plan.most_rows)),
            stream, plan, memory, rhs,
            batch_vectors_shared<T>(plan.n, plan.update_rows, plan.most_rows),
            batch_solve_rows(plan.most_rows)),
        "a launch of a batch's solve");
}

template int batch_solve_blocks<float>(Index, Index, Index);
template int batch_solve_blocks<double>(Index, Index, Index);
template void enqueue_batch_solve(const BatchPlan&, const BatchMemory<float>&,
                                  const BatchRhs<float>&, bool, int, cudaStream_t);
template void enqueue_batch_solve(const BatchPlan&, const BatchMemory<double>&,
                                  const BatchRhs<double>&, bool, int, cudaStream_t);

}  // namespace kauri::numeric::cuda

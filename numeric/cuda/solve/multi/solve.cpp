// The solve of several right-hand sides by sweeps: its memory, and the choice of its groups.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "numeric/cuda/solve/multi/memory.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Most rows of A for which four groups, or two, solve 9 to 32 columns, and most entries of L: up
/// to these the chains of tiles bound the time of a solve, not its arithmetic or reads of L. Where
/// hubs tie rows together, each group gathers the hubs' rows, and two groups are faster even for as
/// few rows (M48 of docs/measurements).
constexpr Index kFewestRows = Index{1} << 14, kFewRows = Index{1} << 16;
constexpr Offset kSmallFactor = Offset{1} << 24;

}  // namespace

Index group_width(const Plan& plan, Index width, Index asked) {
  if (width == 8) return 8;
  if (asked != 0) return asked;
  if (plan.n > kFewRows || plan.cost.nnz_l > kSmallFactor) return 32;
  return plan.n <= kFewestRows ? 8 : 16;
}

template <class S, class N>
MultiMemory<S, N> multi_memory(const Plan& plan, const S* l, double* numbers, Index most,
                               Index columns, Index group) {
  const symbolic::MultiNumbers place =
      symbolic::multi_numbers(plan.internals->device.sweeps, plan.n, most);
  const Offset vector = Offset{plan.n} * symbolic::solve_width(columns);
  MultiMemory<S, N> out{};
  out.numbers.l = l;
  out.numbers.x = reinterpret_cast<N*>(numbers + place.scratch);
  out.numbers.y = out.numbers.x + vector;
  out.rows = out.numbers.y + vector;
  out.numbers.update = reinterpret_cast<N*>(numbers);
  place_parts(plan, group, out.numbers);
  out.numbers.ticket = reinterpret_cast<int*>(numbers + place.ticket);
  out.kept = place.kept;
  out.groups = (columns + group - 1) / group;
  out.n = plan.n, out.columns = columns;
  return out;
}

double* scratch_of(const Plan& plan, double* numbers, Index most) {
  return most == 1
             ? numbers
             : numbers +
                   symbolic::multi_numbers(plan.internals->device.sweeps, plan.n, most).scratch;
}

void enqueue_first_unset(const Plan& plan, double* numbers, Index most, cudaStream_t stream) {
  const auto kept = static_cast<std::size_t>(
      symbolic::multi_numbers(plan.internals->device.sweeps, plan.n, most).scratch);
  check(cudaMemsetAsync(numbers, 0xff, kept * sizeof(double), stream), "numbers of a solve");
}

namespace {

/// Returns the memory of a solve by groups of `columns` columns.
template <class S, class N>
MultiMemory<S, N> memory_of(const SeveralSolve<S>& solve, Index columns) {
  const SolveSteps& steps = solve.steps;
  const StridedView<const S> b = strided(solve.b);
  const StridedView<S> x = strided(solve.x);
  MultiMemory<S, N> multi = multi_memory<S, N>(solve.plan, solve.entries, solve.numbers, solve.most,
                                               solve.x.cols, columns);
  multi.numbers.verdict = solve.verdict, multi.numbers.b = b.data, multi.numbers.out = x.data;
  multi.numbers.b_step = b.row, multi.numbers.out_step = x.row;
  multi.numbers.run_flag = steps.run_flag;
  multi.b_row = steps.permute ? solve.sweeps.new_of : nullptr,
  multi.out_row = steps.back ? solve.sweeps.new_of : nullptr;
  multi.b_column = b.column, multi.out_column = x.column;
  return multi;
}

}  // namespace

template <class S>
void enqueue_several(const KernelSet<S>& kernels, const SeveralSolve<S>& solve,
                     cudaStream_t stream) {
  const SolveSteps& steps = solve.steps;
  const Index width = symbolic::solve_width(solve.x.cols),
              columns = std::min(group_width(solve.plan, width, kernels.group_columns),
                                 kernels.widest_group());
  const GroupKernel<S>& group =
      *std::find_if(kernels.group.begin(), kernels.group.end(),
                    [&](const GroupKernel<S>& kernel) { return kernel.columns == columns; });
  if constexpr (sizeof(S) == sizeof(float)) {
    if (group.enqueue_in_float != nullptr)
      return group.enqueue_in_float(solve.sweeps, memory_of<S, float>(solve, columns),
                                    steps.forward, steps.backward, group.blocks, stream);
  }
  group.enqueue(solve.sweeps, memory_of<S, double>(solve, columns), steps.forward, steps.backward,
                group.blocks, stream);
}

template void enqueue_several(const KernelSet<float>&, const SeveralSolve<float>&, cudaStream_t);
template void enqueue_several(const KernelSet<double>&, const SeveralSolve<double>&, cudaStream_t);

}  // namespace kauri::numeric::cuda

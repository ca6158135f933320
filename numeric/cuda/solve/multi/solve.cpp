// The solve of several right-hand sides by sweeps: its memory, and the choice of its groups.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "numeric/cuda/solve/multi/memory.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric::cuda {

void enqueue_several(const KernelSet<double>& kernels, const SeveralSolve<double>& solve,
                     cudaStream_t stream) {
  const SolveSteps& steps = solve.steps;
  const StridedView<const double> b = strided(solve.b);
  const StridedView<double> x = strided(solve.x);
  const Index width = symbolic::solve_width(solve.x.cols),
              columns = group_width(solve.plan, width, kernels.group_columns);
  MultiMemory multi =
      multi_memory(solve.plan, solve.entries, solve.numbers, solve.most, solve.x.cols, columns);
  multi.numbers.verdict = solve.verdict, multi.numbers.b = b.data, multi.numbers.out = x.data;
  multi.numbers.b_step = b.row, multi.numbers.out_step = x.row;
  multi.numbers.run_flag = steps.run_flag;
  multi.b_row = steps.permute ? solve.sweeps.new_of : nullptr,
  multi.out_row = steps.back ? solve.sweeps.new_of : nullptr;
  multi.b_column = b.column, multi.out_column = x.column;
  const GroupKernel& group =
      *std::find_if(kernels.group.begin(), kernels.group.end(),
                    [&](const GroupKernel& kernel) { return kernel.columns == columns; });
  group.enqueue(solve.sweeps, multi, steps.forward, steps.backward, group.blocks, stream);
}

}  // namespace kauri::numeric::cuda

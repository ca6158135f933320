// Runs each kind of kernel of a factorisation once.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/first_run.hpp"

#include <memory>
#include <vector>

#include "kauri/core/analysis.hpp"
#include "numeric/cuda/factor/factor.hpp"

namespace kauri::numeric::cuda {

void run_once(DeviceContext context, const std::string& target) {
  std::vector<Offset> col_ptr{0};
  std::vector<Index> row;
  std::vector<double> value;
  Index n = 0;
  for (const Index order :
       {symbolic::DeviceSchedule::kNarrow / 2, symbolic::DeviceSchedule::kSmall - 8,
        symbolic::DeviceSchedule::kSmall + 32}) {
    for (Index j = 0; j < order; ++j) {
      for (Index i = j; i < order; ++i) {
        row.push_back(n + i);
        value.push_back(i == j ? 2.0 * order : 1.0);
      }
      col_ptr.push_back(static_cast<Offset>(row.size()));
    }
    n += order;
  }
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::natural;
  options.target = target;
  const DeviceHeap heap{context.device, context.heap->allocator, nullptr};
  context.heap = &heap;
  try {
    const std::shared_ptr<const Plan> plan = analyze({n, col_ptr, row}, options);
    CudaFactor<double> factor(std::make_shared<const DevicePlan>(plan, context), context);
    for (int run = 0; run < 2; ++run) factor.refactorize(value, 0, ValuesAre::fresh);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::memory) throw;
  }
}

}  // namespace kauri::numeric::cuda

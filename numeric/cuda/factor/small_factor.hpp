// The small fronts of a plan done by two launches: first the narrow ones, then the others, each in the order of its levels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/small/front.hpp"
#include "numeric/cuda/plan/kernels.hpp"

namespace kauri::numeric::cuda {

/// A small front that is gathered from A's entries and its children's blocks.
struct GatheredFront : kernels::SmallFront {
  Index front;
  Index first;  ///< column
  Index child_begin, child_end;
  Index place;    ///< among the small fronts
  Index awaited;  ///< children of the same launch
  Index parent;   ///< place of its parent, if that is of the same launch, or kNone
  Index unused;   ///< read with all else: whole words are copied
};

static_assert(sizeof(GatheredFront) == symbolic::kDeviceSmallBytes);

/// What such fronts are gathered from, and where they tell what became of them. A front waits for its children, which have lower tickets.
struct GatherSource {
  using Front = GatheredFront;
  static constexpr bool kExact = true;

  PlanView plan;
  FactorMemory<double> memory;
  int* done;    ///< per small front: children of the same launch that are done
  int* ticket;  ///< of the launch
};

/// Once per device. False if it cannot run the kernels.
bool prepare_gathered_fronts();
/// Fronts of at most max_rows rows, children before parents. `done` and `ticket` zero before the launch.
cudaError_t enqueue_gathered_fronts(const GatheredFront* fronts, Index count, Index max_rows, const GatherSource& source,
                                    cudaStream_t stream);

/// Bound to the memory of one factor.
class SmallFactor {
 public:
  SmallFactor() = default;
  /// On the current device: the descriptions are there when the stream has come so far. Throws Error: memory, device.
  SmallFactor(const DevicePlan& plan, const FactorMemory<double>& memory, DeviceBlock& block, cudaStream_t stream);
  void enqueue(const PlanView& view, const FactorMemory<double>& memory, cudaStream_t stream) const;

 private:
  DeviceArray<GatheredFront> front_;
  DeviceArray<int> counters_;  // per front, then two tickets
  Index narrow_ = 0;
};

}  // namespace kauri::numeric::cuda

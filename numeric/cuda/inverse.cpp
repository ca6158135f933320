// Selected inverses on a CUDA device: levels from the root down, tiled fronts as many at a time as there is scratch for.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/inverse.hpp"

#include <algorithm>

#include "numeric/cuda/dense_copy.hpp"
#include "numeric/cuda/factor.hpp"
#include "numeric/cuda/staging.hpp"
#include "symbolic/checked.hpp"
#include "symbolic/device_schedule.hpp"
#include "symbolic/front_cells.hpp"
#include "symbolic/small_layout.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Entries of scratch of a run: at most this share of those of L, or so many, unless one front needs more.
constexpr Offset kScratchShare = 4, kLeastScratch = Offset{1} << 21;

}  // namespace

InverseLayout::InverseLayout(const Plan& plan) : runs(plan.device.level.size()), place(plan.device.front.size()) {
  const DeviceSchedule& device = plan.device;
  place.resize(place.size() - static_cast<std::size_t>(device.small_fronts));
  const Offset most = std::max(kLeastScratch, device.factor_entries / kScratchShare);
  for (std::size_t l = 0; l < device.level.size(); ++l) {
    const Level& level = device.level[l];
    Offset at = 0;
    for (Index k = level.first + level.small; k < level.first + level.count; ++k) {
      const Index s = device.front[k];
      const symbolic::FrontCells cells{plan.supernodes.order(s), plan.supernodes.pivots(s)};
      const Offset below = cells.row_tiles() - cells.pivot_tiles(), block = below * (below + 1) / 2 * kScratchTile;
      const Index parts = cells.m > device.least_part ? kInverseParts : 1;
      const Offset own =
          symbolic::checked_add(block, Offset{parts > 1 ? 2 + parts : 2} * cells.row_tiles() * kScratchTile, "entries of an inverse");
      if (runs[l].empty() || runs[l].back().parts != parts || at + own > most) {
        runs[l].push_back({k, k, parts});
        at = 0;
      }
      runs[l].back().end = k + 1;
      place[static_cast<std::size_t>(device.tiled[s])] = {at, at + block};
      at += own;
      scratch = std::max(scratch, at);
    }
  }
}

template <class T>
Offset CudaInverse<T>::bytes(const Plan& plan, const InverseLayout& layout) {
  using symbolic::aligned_bytes;
  return aligned_bytes(plan.device.factor_entries, sizeof(T)) + aligned_bytes(layout.scratch, sizeof(T)) +
         aligned_bytes(plan.nnz, sizeof(T)) + aligned_bytes(static_cast<Offset>(layout.place.size()), sizeof(InversePlace)) +
         aligned_bytes(plan.n, sizeof(Index));
}

template <class T>
CudaInverse<T>::CudaInverse(std::shared_ptr<const DevicePlan> plan, const DeviceContext& context)
    : CudaInverse(plan, context, InverseLayout(*plan->plan())) {}

/// What no kernel writes of Z, the cells' padding, is zero from here on.
template <class T>
CudaInverse<T>::CudaInverse(std::shared_ptr<const DevicePlan> plan, const DeviceContext& context, InverseLayout layout)
    : context_(context),
      plan_(std::move(plan)),
      runs_(std::move(layout.runs)),
      block_(bytes(*plan_->plan(), layout), *context_.heap),
      stream_(context_.lending) {
  const Plan& p = *plan_->plan();
  z_ = block_.template take<T>(p.device.factor_entries);
  scratch_ = block_.template take<T>(layout.scratch);
  out_ = block_.template take<T>(p.nnz);
  if (z_.size() > 0) check(cudaMemsetAsync(z_.data(), 0, static_cast<std::size_t>(z_.size()) * sizeof(T), stream_->get()), "an inverse");
  Uploader uploader(*context_.staging, block_, *stream_);
  place_ = uploader.copy(layout.place);
  front_of_ = uploader.template make<Index>(p.n, [&](Offset begin, Offset end, Index* out) {
    const auto& first = p.supernodes.first;
    auto s = static_cast<Index>(std::upper_bound(first.begin(), first.end(), begin) - first.begin() - 1);
    for (Offset j = begin; j < end; ++j) {
      while (j >= first[s + 1]) ++s;
      out[j - begin] = s;
    }
  });
  uploader.finish();
}

template <class T>
CudaInverse<T>::~CudaInverse() {
  stream_->wait();
}

template <class T>
void CudaInverse<T>::compute(const FactorStore<T>& factor) {
  const CurrentDevice current(context_.device);
  const InverseMemory<T> memory{static_cast<const CudaFactor<T>&>(factor).entries(), z_.data(), scratch_.data(), place_.data(),
                                front_of_.data()};
  const DeviceSchedule& device = plan()->device;
  for (std::size_t l = device.level.size(); l-- > 0;) {
    for (const InverseRun& run : runs_[l])
      enqueue_tiled_inverses(plan_->view(), device.level[l], run, device.tile_ptr.data(), memory, stream_->get());
    enqueue_small_inverses(plan_->view(), device.level[l], memory, stream_->get());
  }
  stream_->synchronize();
}

template <class T>
T CudaInverse<T>::entry(Index s, Index r, Index c) const {
  const Plan& p = *plan();
  const Index m = p.supernodes.order(s), pivots = p.supernodes.pivots(s);
  const Offset place =
      p.device.tiled[s] == kNone ? symbolic::SmallLayout{m, pivots}.place(r, c) : symbolic::FrontCells{m, pivots}.place(r, c);
  const CurrentDevice current(context_.device);
  T value{};
  check(cudaMemcpy(&value, z_.data() + p.device.panel[s] + place, sizeof(T), cudaMemcpyDeviceToHost), "an entry of the inverse");
  return value;
}

template <class T>
template <class Enqueue>
void CudaInverse<T>::read(const Enqueue& enqueue, std::span<T> to) const {
  const CurrentDevice current(context_.device);
  const std::scoped_lock lock(reading_);
  enqueue(plan_->view(), plan()->supernodes.count(), z_.data(), out_.data(), stream_->get());
  const auto count = static_cast<Index>(to.size());
  if (!to.empty()) cuda::receive<T>(*context_.staging, {out_.data(), count, 1, count}, column_view(to), *stream_);
}

template <class T>
void CudaInverse<T>::copy_diagonal(std::span<T> to) const {
  read(enqueue_diagonal<T>, to);
}

template <class T>
void CudaInverse<T>::copy_entries(std::span<T> to) const {
  read(enqueue_entries<T>, to);
}

template class CudaInverse<float>;
template class CudaInverse<double>;

}  // namespace kauri::numeric::cuda

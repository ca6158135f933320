// Selected inverses on a CUDA device: level by level from the root down, as many tiled fronts in
// one launch as fit into the scratch.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/inverse/inverse.hpp"

#include <algorithm>

#include "base/common/aligned_bytes.hpp"
#include "base/common/checked.hpp"
#include "numeric/cuda/factor/factor.hpp"
#include "numeric/cuda/runtime/transfer/dense_copy.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "numeric/cuda/runtime/unwinding.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/device/small_layout.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cuda {
namespace {

/// The scratch has at most 1 / kScratchShare times the entries of L, or kLeastScratch entries if
/// that is more. It has more only if a single front needs more.
constexpr Offset kScratchShare = 4, kLeastScratch = Offset{1} << 21;

using symbolic::FrontCells;

/// Lists the tiles of a launch, those of the longest sums first, so that blocks that start last
/// have short sums.
class Listing {
 public:
  /// Adds tile (i, j) of a front, a sum of `terms` products of tiles.
  void add(Index front, Index i, Index j, Index terms) {
    listed_.push_back(
        {terms, {front, static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j)}});
  }
  /// Appends the tiles added so far to `tile`, returns their range there, and starts a new list.
  InverseTiles append_to(std::vector<InverseTile>& tile) {
    std::stable_sort(listed_.begin(), listed_.end(),
                     [](const Listed& a, const Listed& b) { return a.terms > b.terms; });
    const InverseTiles out{static_cast<Offset>(tile.size()), static_cast<Index>(listed_.size())};
    for (const Listed& l : listed_) tile.push_back(l.tile);
    listed_.clear();
    return out;
  }

 private:
  struct Listed {
    Index terms;
    InverseTile tile;
  };
  std::vector<Listed> listed_;
};

/// Tiled fronts that the same launches work on. `entries`: entries of scratch that they need
/// together.
struct Group {
  std::vector<Index> front;
  Offset entries = 0;
};
/// Returns groups of fronts in the order of `fronts`: each needs at most `most` entries of scratch,
/// or is one front that needs more. need(s) returns the entries that front s needs; fronts that
/// need none are in no group. Calls place(s, begin) with the place of front s in the scratch.
template <class Need, class Place>
std::vector<Group> group(std::span<const Index> fronts, Offset most, const Need& need,
                         const Place& place) {
  std::vector<Group> out;
  for (const Index s : fronts) {
    const Offset own = need(s);
    if (own == 0) continue;
    if (out.empty() || out.back().entries + own > most) out.emplace_back();
    place(s, out.back().entries);
    out.back().front.push_back(s);
    out.back().entries = checked_add(out.back().entries, own, "entries of an inverse");
  }
  return out;
}

/// Returns the largest number of tiles of products L21 G11 that a front with `pivots` pivot tiles
/// has in one InverseStep.
Offset tiles_of_halves(Index pivots) {
  Offset most = 0;
  for (Offset h = 1; h < pivots; h *= 2) {
    const Offset last = pivots % (2 * h);  // tiles after the last whole pair of blocks
    most = std::max(most, pivots / (2 * h) * h * h + std::max(last - h, Offset{0}) * h);
  }
  return most;
}

/// Appends the steps in making G = L11^-1 for the fronts of a group to layout.steps, and their
/// tiles to layout.tile.
void list_steps(const Plan& plan, const Group& group, InverseLayout& layout) {
  const auto pivots = [&](Index s) {
    return FrontCells{plan.supernodes.order(s), plan.supernodes.pivots(s)}.pivot_tiles();
  };
  Index most = 0;
  for (const Index s : group.front) most = std::max(most, pivots(s));
  for (Index h = 1; h < most; h *= 2) {
    Listing products, quarters;
    for (const Index s : group.front)
      for (Index begin = 0; begin + h < pivots(s); begin += 2 * h)
        for (Index i = begin + h; i < std::min(begin + 2 * h, pivots(s)); ++i)
          for (Index j = begin; j < begin + h; ++j) {
            products.add(s, i, j, begin + h - j);
            quarters.add(s, i, j, i - begin - h + 1);
          }
    const InverseTiles first = products.append_to(layout.tile);
    layout.steps.push_back({h, first, quarters.append_to(layout.tile)});
  }
}

/// Returns the run of a group; appends its tiles to layout.tile.
InverseRun list_run(const Plan& plan, const Group& group, InverseLayout& layout) {
  Listing below, beside, pivots;
  for (const Index s : group.front) {
    const FrontCells cells{plan.supernodes.order(s), plan.supernodes.pivots(s)};
    const Index first = cells.pivot_tiles(), end = cells.row_tiles();
    for (Index i = first; i < end; ++i) {
      for (Index j = first; j <= i; ++j) below.add(s, i, j, 0);
      for (Index j = 0; j < first; ++j) beside.add(s, i, j, end - first);
    }
    for (Index i = 0; i < first; ++i)
      for (Index j = 0; j <= i; ++j) pivots.add(s, i, j, end - i);
  }
  InverseRun run;
  run.below = below.append_to(layout.tile);
  run.beside = beside.append_to(layout.tile);
  run.pivots = pivots.append_to(layout.tile);
  return run;
}

}  // namespace

InverseLayout::InverseLayout(const Plan& plan) : runs(plan.internals->device.level.size()) {
  const symbolic::DeviceSchedule& device = plan.internals->device;
  const auto cells = [&](Index s) {
    return FrontCells{plan.supernodes.order(s), plan.supernodes.pivots(s)};
  };
  const std::span<const Index> fronts = symbolic::tiled_fronts(device);
  place.resize(fronts.size());
  const Offset most = std::max(kLeastScratch, device.factor_entries / kScratchShare);
  const auto place_of = [&](Index s) -> InversePlace& {
    return place[static_cast<std::size_t>(device.tiled[s])];
  };
  for (const Group& g : group(
           fronts, most,
           [&](Index s) { return tiles_of_halves(cells(s).pivot_tiles()) * kScratchTile; },
           [&](Index s, Offset at) { place_of(s).halves = at; })) {
    list_steps(plan, g, *this);
    scratch = std::max(scratch, g.entries);
  }
  Listing listed;
  for (const Index s : fronts)
    for (Index i = cells(s).pivot_tiles(); i < cells(s).row_tiles(); ++i)
      for (Index j = 0; j < cells(s).pivot_tiles(); ++j)
        listed.add(s, i, j, cells(s).pivot_tiles() - j);
  quotients = listed.append_to(tile);
  for (std::size_t l = 0; l < device.level.size(); ++l) {
    const Level& level = device.level[l];
    const auto first = static_cast<std::size_t>(level.first),
               small = static_cast<std::size_t>(level.small);
    const auto tiled = std::span(device.front)
                           .subspan(first + small, static_cast<std::size_t>(level.count) - small);
    for (const Group& g : group(
             tiled, most,
             [&](Index s) {
               return Offset{cells(s).row_tiles()} * (cells(s).row_tiles() + 1) / 2 * kScratchTile;
             },
             [&](Index s, Offset at) { place_of(s).z = at; })) {
      runs[l].push_back(list_run(plan, g, *this));
      scratch = std::max(scratch, g.entries);
    }
  }
}

template <class T>
Offset CudaInverse<T>::bytes(const Plan& plan, const InverseLayout& layout) {
  return aligned_bytes(plan.internals->device.factor_entries, sizeof(T)) +
         aligned_bytes(layout.scratch, sizeof(T)) + aligned_bytes(plan.nnz, sizeof(T)) +
         aligned_bytes(static_cast<Offset>(layout.place.size()), sizeof(InversePlace)) +
         aligned_bytes(static_cast<Offset>(layout.tile.size()), sizeof(InverseTile)) +
         aligned_bytes(plan.n, sizeof(Index)) + aligned_bytes(1, sizeof(DeviceVerdict));
}

template <class T>
CudaInverse<T>::CudaInverse(std::shared_ptr<const DevicePlan> plan, const DeviceContext& context)
    : CudaInverse(plan, context, InverseLayout(*plan->plan())) {}

/// Sets z_ to zero, and so the padding of its cells, to which kernels write nothing but zeros.
template <class T>
CudaInverse<T>::CudaInverse(std::shared_ptr<const DevicePlan> plan, const DeviceContext& context,
                            InverseLayout layout)
    : context_(context),
      plan_(std::move(plan)),
      steps_(std::move(layout.steps)),
      quotients_(layout.quotients),
      runs_(std::move(layout.runs)),
      block_(bytes(*plan_->plan(), layout), *context_.heap),
      stream_(context_.pool) {
  const Plan& p = *plan_->plan();
  z_ = block_.template take<T>(p.internals->device.factor_entries);
  scratch_ = block_.template take<T>(layout.scratch);
  out_ = block_.template take<T>(p.nnz);
  if (z_.size() > 0)
    check(cudaMemsetAsync(z_.data(), 0, static_cast<std::size_t>(z_.size()) * sizeof(T),
                          stream_->get()),
          "an inverse");
  Uploader uploader(*context_.staging, block_, *stream_);
  place_ = uploader.copy(layout.place);
  tile_ = uploader.copy(layout.tile);
  front_of_ = uploader.template make<Index>(p.n, [&](Offset begin, Offset end, Index* out) {
    const auto& first = p.supernodes.first;
    auto s =
        static_cast<Index>(std::upper_bound(first.begin(), first.end(), begin) - first.begin() - 1);
    for (Offset j = begin; j < end; ++j) {
      while (j >= first[s + 1]) ++s;
      out[j - begin] = s;
    }
  });
  verdict_ = uploader.copy(std::span<const DeviceVerdict>(&seen_, 1));
  uploader.finish();
}

template <class T>
CudaInverse<T>::~CudaInverse() {
  stream_->wait();
}

/// Enqueues launches that depend on the pattern alone: the host reads no results between them, so
/// a graph can record them.
template <class T>
void CudaInverse<T>::enqueue(const FactorImpl<T>& impl, cudaStream_t stream) const {
  const auto& factor = static_cast<const CudaFactor<T>&>(impl);
  const InverseMemory<T> memory{factor.entries(), z_.data(),        scratch_.data(),
                                place_.data(),    front_of_.data(), tile_.data()};
  const symbolic::DeviceSchedule& device = plan()->internals->device;
  check(cudaMemcpyAsync(verdict_.data(), factor.verdict_address(), sizeof(DeviceVerdict),
                        cudaMemcpyDefault, stream),
        "a verdict");
  enqueue_quotients<T>(plan_->view(), device.pivot_tiles, steps_, quotients_, memory, stream);
  for (std::size_t l = device.level.size(); l-- > 0;) {
    for (const InverseRun& run : runs_[l])
      enqueue_tiled_inverses(plan_->view(), run, memory, stream);
    enqueue_small_inverses(plan_->view(), device.level[l], memory, stream);
  }
}

template <class T>
void CudaInverse<T>::compute(const FactorImpl<T>& factor) {
  const CurrentDevice current(context_.device);
  const WaitInUnwinding waits(*stream_);
  enqueue(factor, stream_->get());
  stream_->synchronize();
}

template <class T>
void CudaInverse<T>::enqueue_compute(const FactorImpl<T>& factor, StreamHandle stream) {
  const CurrentDevice current(context_.device);
  enqueue(factor, static_cast<cudaStream_t>(stream));
}

template <class T>
const DeviceVerdict& CudaInverse<T>::fetch_verdict(StreamHandle stream) {
  const CurrentDevice current(context_.device);
  check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "work on the caller's stream");
  return seen_ = fetch(verdict_.data(), *stream_, "a verdict");
}

template <class T>
T CudaInverse<T>::entry(Index s, Index r, Index c) const {
  const Plan& p = *plan();
  const Index m = p.supernodes.order(s), pivots = p.supernodes.pivots(s);
  const Offset place = p.internals->device.tiled[s] == kNone
                           ? symbolic::SmallLayout{m, pivots}.place(r, c)
                           : symbolic::FrontCells{m, pivots}.place(r, c);
  const CurrentDevice current(context_.device);
  return fetch(z_.data() + p.internals->device.panel[s] + place, *stream_,
               "an entry of the inverse");
}

template <class T>
template <class Enqueue>
void CudaInverse<T>::read(const Enqueue& enqueue, std::span<T> to) const {
  const CurrentDevice current(context_.device);
  const std::scoped_lock lock(reading_);
  enqueue(plan_->view(), plan()->supernodes.count(), z_.data(), out_.data(), stream_->get());
  const auto count = static_cast<Index>(to.size());
  if (!to.empty())
    cuda::receive<T>(*context_.staging, {out_.data(), count, 1, count}, column_view(to), *stream_);
}

template <class T>
void CudaInverse<T>::copy_diagonal(std::span<T> to) const {
  const auto in_order = [](PlanView plan, Index fronts, const T* z, T* out, cudaStream_t stream) {
    plan.old_of = nullptr;
    cuda::enqueue_diagonal<T>(plan, fronts, z, out, nullptr, stream);
  };
  read(in_order, to);
}

template <class T>
void CudaInverse<T>::copy_entries(std::span<T> to) const {
  const auto entries = [](const PlanView& plan, Index fronts, const T* z, T* out,
                          cudaStream_t stream) {
    cuda::enqueue_entries<T>(plan, fronts, z, out, nullptr, stream);
  };
  read(entries, to);
}

template <class T>
void CudaInverse<T>::enqueue_diagonal(std::span<T> there, StreamHandle stream) const {
  if (there.empty()) return;
  const CurrentDevice current(context_.device);
  require_on_device(there.data(), &there.back(), "selected inverse: the diagonal", context_.device);
  cuda::enqueue_diagonal<T>(plan_->view(), plan()->supernodes.count(), z_.data(), there.data(),
                            verdict_.data(), static_cast<cudaStream_t>(stream));
}

template <class T>
void CudaInverse<T>::enqueue_entries(std::span<T> there, StreamHandle stream) const {
  if (there.empty()) return;
  const CurrentDevice current(context_.device);
  require_on_device(there.data(), &there.back(), "selected inverse: the entries", context_.device);
  cuda::enqueue_entries<T>(plan_->view(), plan()->supernodes.count(), z_.data(), there.data(),
                           verdict_.data(), static_cast<cudaStream_t>(stream));
}

template class CudaInverse<float>;
template class CudaInverse<double>;

}  // namespace kauri::numeric::cuda

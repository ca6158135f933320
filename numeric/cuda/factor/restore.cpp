// Restores a saved L into a factor on a CUDA device, and copies the inverses beside L out of one.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "numeric/cuda/factor/factor.hpp"
#include "numeric/cuda/factor/tile_inverses.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "numeric/cuda/runtime/unwinding.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/small_layout.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cuda {
namespace {

using symbolic::FrontCells;
using symbolic::kInverseOrder;
using symbolic::SmallLayout;

/// Calls visit(first pivot, number of pivots) for each diagonal block of 16 pivots of a front with
/// p pivots; the last block may have fewer.
template <class Visit>
void for_each_block(Index p, const Visit& visit) {
  for (Index first = 0; first < p; first += kInverseOrder)
    visit(first, std::min(kInverseOrder, p - first));
}

/// Returns the inverse of the diagonal block of L with `rows` pivots from pivot `first` on: its
/// lower triangle by rows. l: panel of the front, laid out as `cells`. For L saved without
/// inverses; computes column after column by substitution, as store_inverses() of factor/fallback
/// does.
template <class T>
std::vector<T> inverse_of(const T* l, const FrontCells& cells, Index first, Index rows) {
  std::vector<T> inverse(static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows + 1) / 2);
  const auto at = [&](Index r, Index c) -> T& {
    return inverse[static_cast<std::size_t>(r * (r + 1) / 2 + c)];
  };
  for (Index c = 0; c < rows; ++c)
    for (Index r = c; r < rows; ++r) {
      T value = r == c ? T(1) : T(0);
      for (Index k = c; k < r; ++k) value -= l[cells.place(first + r, first + k)] * at(k, c);
      at(r, c) = value / l[cells.place(first + r, first + r)];
    }
  return inverse;
}

/// Completes a tiled front whose panel has the entries of L and zeros elsewhere: sets the diagonal
/// of the padding behind the pivots to 1, in L and in the last inverse, and fills in the inverses
/// of the diagonal blocks behind L. `saved`: the lower triangles of the front's inverses by rows,
/// one after another; if empty, the inverses are computed.
template <class T>
void complete_tiled(T* panel, const FrontCells& cells, std::span<const T> saved) {
  for (Index k = cells.p; k < cells.pivot_cells() * symbolic::kCell; ++k)
    panel[cells.panel().place(k, k)] = T(1);
  T* inverses = panel + cells.panel().entries();
  for_each_block(cells.p, [&](Index first, Index rows) {
    const std::vector<T> own =
        saved.empty() ? inverse_of(panel, cells, first, rows) : std::vector<T>();
    std::span<const T> triangle = saved.empty() ? std::span<const T>(own) : saved;
    for (Index r = 0; r < kInverseOrder; ++r)
      for (Index c = 0; c <= r; ++c) {
        T& to = inverses[FrontCells::diagonal_place(first + r, first + c)];
        if (r >= rows) {
          to = r == c ? T(1) : T(0);
          continue;
        }
        to = triangle.front();
        triangle = triangle.subspan(1);
      }
    if (!saved.empty()) saved = triangle;
  });
}

template <class T>
void put_panel(const std::vector<T>& from, Index m, Index p, T* panel, const auto& layout) {
  for (Index c = 0; c < p; ++c)
    for (Index r = c; r < m; ++r)
      panel[layout.place(r, c)] =
          from[static_cast<std::size_t>(c) * static_cast<std::size_t>(m) + r];
}

}  // namespace

template <class T>
Offset CudaFactor<T>::diagonal_inverse_entries(Index s) const {
  if (plan()->internals->device.tiled[s] == kNone) return 0;
  Offset entries = 0;
  for_each_block(plan()->supernodes.pivots(s),
                 [&](Index, Index rows) { entries += Offset{rows} * (rows + 1) / 2; });
  return entries;
}

template <class T>
void CudaFactor<T>::copy_diagonal_inverses(Index s, std::span<T> to) const {
  const FrontCells cells{plan()->supernodes.order(s), plan()->supernodes.pivots(s)};
  std::vector<T> blocks(static_cast<std::size_t>(cells.diagonal_entries()));
  const CurrentDevice current(context_.device);
  fetch(std::span(blocks), panel_of(s) + cells.panel().entries(), *stream_, "inverses beside L");
  auto next = to.begin();
  for_each_block(cells.p, [&](Index first, Index rows) {
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c <= r; ++c)
        *next++ = blocks[FrontCells::diagonal_place(first + r, first + c)];
  });
}

/// Writes the saved panel of front s to `to`, which holds zeros, in the front's layout.
template <class T>
void CudaFactor<T>::fill_panel(SavedPanels<T>& from, Index s, std::vector<T>& room, T* to) const {
  const Index m = plan()->supernodes.order(s), pivots = plan()->supernodes.pivots(s);
  room.assign(static_cast<std::size_t>(m) * static_cast<std::size_t>(pivots), T(0));
  from.read(s, room);
  if (plan()->internals->device.tiled[s] == kNone)
    return put_panel(room, m, pivots, to, SmallLayout{m, pivots});
  put_panel(room, m, pivots, to, FrontCells{m, pivots});
  complete_tiled(to, FrontCells{m, pivots}, from.diagonal_inverses(s));
}

/// Copies the saved panels to their places: at once if all of them are on the device, else one by
/// one.
template <class T>
void CudaFactor<T>::restore_panels(SavedPanels<T>& from, cudaStream_t stream) {
  const symbolic::DeviceSchedule& device = plan()->internals->device;
  const Index fronts = plan()->supernodes.count();
  std::vector<T> room;
  if (!host_panels_) {
    std::vector<T> image(static_cast<std::size_t>(device.factor_entries), T(0));
    for (Index s = 0; s < fronts; ++s) fill_panel(from, s, room, image.data() + device.panel[s]);
    const CurrentDevice current(context_.device);
    if (fronts > 0)
      context_.staging->copy(entries_.data(), std::as_bytes(std::span<const T>(image)), stream);
    return;
  }
  const CurrentDevice current(context_.device);
  stream_->synchronize();  // host memory is written here: no copy may be under way
  std::vector<T> panel;
  for (Index s = 0; s < fronts; ++s) {
    const FrontCells cells{plan()->supernodes.order(s), plan()->supernodes.pivots(s)};
    const Offset entries = device.tiled[s] == kNone
                               ? SmallLayout{cells.m, cells.p}.panel_storage()
                               : cells.panel().entries() + cells.diagonal_entries();
    if (T* const there = host_panels_->panel(s)) {
      std::fill_n(there, entries, T(0));
      fill_panel(from, s, room, there);
      continue;
    }
    panel.assign(static_cast<std::size_t>(entries), T(0));
    fill_panel(from, s, room, panel.data());
    context_.staging->copy(entries_.data() + device.panel[s],
                           std::as_bytes(std::span<const T>(panel)), stream);
  }
}

/// Leaves L, the inverses beside it, and the verdict as a factorisation leaves them: copies all
/// panels, then enqueues the inverses of diagonal tiles and the verdict, and waits for them.
template <class T>
const DeviceVerdict& CudaFactor<T>::restore(SavedPanels<T>& from) {
  const Plan& p = *plan();
  seen_ = {};
  holds_values_ = awaits_verdict_ = false;
  const Index fronts = p.supernodes.count();
  const WaitInUnwinding waits(*stream_);
  const cudaStream_t stream = stream_->get();
  restore_panels(from, stream);
  const CurrentDevice current(context_.device);
  enqueue_beginning_of(ValueSource<T>::in_place(), T(0), stream);
  if (fronts > 0)
    check(cudaMemsetAsync(state_.data(), 0, static_cast<std::size_t>(fronts) * sizeof(FrontState),
                          stream),
          "states of fronts");
  enqueue_tile_inverses(view(), p.internals->device.pivot_tiles, memory(), fast_, stream);
  enqueue_verdict(view(), fronts, memory(), verdict_.data(), host_verdict_.place(), stream);
  stream_->synchronize();
  return seen_ = host_verdict_.read("the verdict of a factor");
}

#define KAURI_FACTOR_RESTORE(T)                                                   \
  template Offset CudaFactor<T>::diagonal_inverse_entries(Index) const;           \
  template void CudaFactor<T>::copy_diagonal_inverses(Index, std::span<T>) const; \
  template const DeviceVerdict& CudaFactor<T>::restore(SavedPanels<T>&);
KAURI_FACTOR_RESTORE(float)
KAURI_FACTOR_RESTORE(double)
#undef KAURI_FACTOR_RESTORE

}  // namespace kauri::numeric::cuda

// A batch as a vector of factors, which a loop given by the backend visits one after another or
// side by side.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/matrix/dense_lines.hpp"
#include "numeric/all_known.hpp"
#include "numeric/backend.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric {

/// Workspaces of factors, one for each item that is solved at the same time: part[place] for
/// ItemLoop's `place`.
template <Scalar T>
class LoopBatchWorkspace final : public BatchWorkspaceImpl<T> {
 public:
  std::vector<std::unique_ptr<WorkspaceImpl<T>>> part;
};

/// The loop over the items: run() calls f(k, place) for 0 <= k < items and waits; calls that run at
/// the same time have different values of place in [0, places).
struct ItemLoop {
  int places = 1;
  std::function<void(Index items, const std::function<void(Index k, int place)>& f)> run;
};

/// A batch of `items` factors. `way` is not `automatic`. make_workspace() makes a workspace of one
/// factor, workspace_bytes() returns its bytes.
template <Scalar T>
class LoopBatch final : public BatchImpl<T> {
 public:
  using MakeFactor = std::function<std::unique_ptr<FactorImpl<T>>()>;
  using MakeWorkspace = std::function<std::unique_ptr<WorkspaceImpl<T>>(Index nrhs)>;

  LoopBatch(std::shared_ptr<const Plan> plan, Index items, BatchWay way, ItemLoop loop,
            const MakeFactor& make_factor, MakeWorkspace make_workspace,
            std::function<Offset(Index nrhs)> workspace_bytes)
      : plan_(std::move(plan)),
        way_(way),
        loop_(std::move(loop)),
        make_workspace_(std::move(make_workspace)),
        workspace_bytes_(std::move(workspace_bytes)),
        verdict_(static_cast<std::size_t>(items)) {
    factor_.reserve(static_cast<std::size_t>(items));
    for (Index k = 0; k < items; ++k) factor_.push_back(make_factor());
  }
  [[nodiscard]] const std::shared_ptr<const Plan>& plan() const override { return plan_; }
  [[nodiscard]] Index items() const override { return static_cast<Index>(factor_.size()); }
  [[nodiscard]] BatchWay way() const override { return way_; }
  [[nodiscard]] std::span<const DeviceVerdict> verdicts() const override { return verdict_; }
  [[nodiscard]] const DeviceVerdict* verdict_address(Index k) const override {
    return of(k).stream_calls().verdict_address();
  }
  [[nodiscard]] bool awaits_verdicts() const override { return awaits_verdicts_; }

  std::span<const DeviceVerdict> fetch_verdicts(StreamHandle stream) override {
    for (Index k = 0; k < items(); ++k)
      verdict_[static_cast<std::size_t>(k)] = of(k).stream_calls().fetch_verdict(stream);
    if (all_known(verdict_)) awaits_verdicts_ = false;
    return verdict_;
  }

  void begin_after(StreamHandle stream) override {
    for (Index k = 0; k < items(); ++k) of(k).stream_calls().begin_after(stream);
  }

  std::span<const DeviceVerdict> refactorize(const ItemValues<T>& value, T shift) override {
    forget();
    loop_.run(items(), [&](Index k, int) {
      verdict_[static_cast<std::size_t>(k)] =
          of(k).refactorize(values_of(value, k), shift, ValuesAre::fresh);
    });
    return verdict_;
  }

  void enqueue_refactorize(const ItemValues<T>& value, T shift, StreamHandle stream) override {
    forget();
    loop_.run(items(), [&](Index k, int) {
      of(k).stream_calls().enqueue_refactorize(values_of(value, k), shift, stream);
    });
    awaits_verdicts_ = true;
  }

  [[nodiscard]] Offset workspace_bytes(Index nrhs) const override {
    return loop_.places * workspace_bytes_(nrhs);
  }
  [[nodiscard]] std::unique_ptr<BatchWorkspaceImpl<T>> make_workspace(Index nrhs) const override {
    auto out = std::make_unique<LoopBatchWorkspace<T>>();
    for (int place = 0; place < loop_.places; ++place) out->part.push_back(make_workspace_(nrhs));
    return out;
  }

  void solve(const BatchView<const T>& b, const BatchView<T>& x,
             BatchWorkspaceImpl<T>& workspace) const override {
    loop_.run(items(), [&](Index k, int place) {
      const MatrixView<T> to = x.item(k);
      if (of(k).verdict().status == VerdictStatus::positive_definite)
        return of(k).solve(b.item(k), to, part(workspace, place), {});
      fill_entries(to, std::numeric_limits<T>::quiet_NaN());
    });
  }
  void solve_on_device(const BatchView<const T>& b, const BatchView<T>& x,
                       BatchWorkspaceImpl<T>& workspace) const override {
    loop_.run(items(), [&](Index k, int place) {
      on_device(k).solve_on_device(b.item(k), x.item(k), part(workspace, place), {});
    });
  }
  void enqueue_solve(const BatchView<const T>& b, const BatchView<T>& x,
                     BatchWorkspaceImpl<T>& workspace, StreamHandle stream) const override {
    loop_.run(items(), [&](Index k, int place) {
      on_device(k).enqueue_solve(b.item(k), x.item(k), part(workspace, place), {}, stream);
    });
  }
  [[nodiscard]] T entry(Index k, Index row, Index col) const override {
    return of(k).host_access().entry(row, col);
  }

 private:
  /// Resets all verdicts to `none`, so that an exception leaves no stale ones.
  void forget() {
    std::fill(verdict_.begin(), verdict_.end(), DeviceVerdict{});
    awaits_verdicts_ = false;
  }
  [[nodiscard]] FactorImpl<T>& of(Index k) const { return *factor_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] std::span<const T> values_of(const ItemValues<T>& value, Index k) const {
    return {value.data + k * value.stride, static_cast<std::size_t>(plan_->nnz)};
  }
  static WorkspaceImpl<T>& part(BatchWorkspaceImpl<T>& workspace, int place) {
    return *static_cast<LoopBatchWorkspace<T>&>(workspace).part[static_cast<std::size_t>(place)];
  }
  [[nodiscard]] const DeviceSolves<T>& on_device(Index k) const {
    const DeviceSolves<T>* solves = of(k).device_solves();
    if (solves == nullptr)
      throw Error(ErrorKind::usage,
                  "solve: b and x are marked as device memory, but the batch is on the CPU; pass "
                  "views of the host's memory");
    return *solves;
  }

  std::shared_ptr<const Plan> plan_;
  BatchWay way_;
  ItemLoop loop_;
  MakeWorkspace make_workspace_;
  std::function<Offset(Index nrhs)> workspace_bytes_;
  std::vector<std::unique_ptr<FactorImpl<T>>> factor_;
  std::vector<DeviceVerdict> verdict_;
  bool awaits_verdicts_ = false;
};

}  // namespace kauri::numeric

// Simulates a device's solve on the host from its lists: workers draw tasks in the order of
// tickets, and a worker whose task lacks a number waits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "symbolic/check/find_flaw_sweeps.hpp"
#include "tests/support/systems/front_forest.hpp"

namespace kauri::test {

/// Random L, front by front: L(rows[r], first + c), r >= c, is panel[s][c * m + r]. Columns below
/// the diagonal add up to less than the diagonal.
struct RandomFactor {
  std::vector<std::vector<double>> panel;
  std::vector<double> b;

  RandomFactor(const Supernodes& nodes, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    for (Index s = 0; s < nodes.count(); ++s) {
      const Index m = nodes.order(s), p = nodes.pivots(s);
      panel.emplace_back(static_cast<std::size_t>(m) * static_cast<std::size_t>(p),
                         std::numeric_limits<double>::quiet_NaN());
      for (Index c = 0; c < p; ++c)
        for (Index r = c; r < m; ++r)
          panel.back()[static_cast<std::size_t>(c) * m + r] =
              r == c ? 1.5 + number(random) / 2 : number(random) / m;
    }
    for (Index k = 0; k < nodes.first.back(); ++k) b.push_back(number(random));
  }

  /// Returns the solution of L L^T x = b: y of L y = b, then x of L^T x = y, column by column.
  [[nodiscard]] std::vector<double> solve(const Supernodes& nodes) const {
    std::vector<double> x = b;
    const auto at = [&](Index s, Index r, Index c) {
      return panel[s][static_cast<std::size_t>(c) * nodes.order(s) + r];
    };
    for (Index s = 0; s < nodes.count(); ++s)
      for (Index c = 0; c < nodes.pivots(s); ++c) {
        const double y = x[nodes.first[s] + c] /= at(s, c, c);
        for (Index r = c + 1; r < nodes.order(s); ++r) x[nodes.rows(s)[r]] -= at(s, r, c) * y;
      }
    for (Index s = nodes.count(); s-- > 0;)
      for (Index c = nodes.pivots(s); c-- > 0;) {
        double& sum = x[nodes.first[s] + c];
        for (Index r = c + 1; r < nodes.order(s); ++r) sum -= at(s, r, c) * x[nodes.rows(s)[r]];
        sum /= at(s, c, c);
      }
    return x;
  }
};

/// A model of the sweeps. Numbers are missing (NaN) until they are computed. A task runs as a
/// whole: it computes all of its numbers, or none if it reads a missing one.
class SweepModel {
 public:
  using Lists = symbolic::SweepLists;
  SweepModel(const Supernodes& nodes, const symbolic::DeviceSchedule& schedule, const Lists& lists,
             const RandomFactor& factor)
      : nodes_(nodes), schedule_(schedule), lists_(lists), factor_(factor) {
    const double unset = std::numeric_limits<double>::quiet_NaN();
    x_.assign(factor.b.size(), unset), y_ = x_;
    update_.assign(nodes.row.size() - factor.b.size(), unset);
    forward_part_.assign(static_cast<std::size_t>(lists.forward.parts) * symbolic::kTile, unset);
    backward_part_.assign(static_cast<std::size_t>(lists.backward.parts) * symbolic::kTile, unset);
  }

  /// Runs both sweeps. Returns an empty text, or what went wrong.
  std::string run(std::size_t workers, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (Index k = 0; k < schedule_.small_fronts && wrong_.empty(); ++k)
      attempt([&] { do_front(schedule_.front[k]); }, "a small front");
    if (wrong_.empty())
      sweep(lists_.forward.task, workers, random, [&](const SweepTask& task) { do_forward(task); });
    if (wrong_.empty())
      sweep(lists_.backward.task, workers, random,
            [&](const SweepTask& task) { do_backward(task); });
    for (Index k = schedule_.small_fronts; k-- > 0 && wrong_.empty();)
      attempt([&] { do_front_back(schedule_.front[k]); }, "a small front, backward");
    return wrong_;
  }
  [[nodiscard]] const std::vector<double>& x() const { return x_; }

 private:
  using SweepTask = symbolic::SweepTask;
  using Kind = SweepTask::Kind;
  static constexpr Index kTile = symbolic::kTile;
  static constexpr std::size_t kDrawn =
      2;  // most tasks that a worker has drawn; it runs them one after another

  template <class Do>
  bool attempt(const Do& work, const char* must = nullptr) {
    missing_ = false;
    made_.clear();
    work();
    if (missing_ && must != nullptr) wrong_ = std::string(must) + " lacks a number";
    for (const auto& [at, value] : made_)
      if (!missing_) set(*at, value);
    return !missing_;
  }
  void set(double& at, double value) {
    if (!std::isnan(at)) wrong_ = "a number is made twice";
    at = value;
  }
  double get(const std::vector<double>& from, Offset k) {
    const double value = from.at(static_cast<std::size_t>(k));
    missing_ = missing_ || std::isnan(value);
    return value;
  }
  std::vector<double> numbers(const std::vector<double>& from, Offset first, Index count) {
    std::vector<double> out;
    for (Index k = 0; k < count; ++k) out.push_back(get(from, first + k));
    return out;
  }
  void put(std::vector<double>& to, Offset k, double value) {
    made_.emplace_back(&to.at(static_cast<std::size_t>(k)), value);
  }

  template <class Do>
  void sweep(const std::vector<SweepTask>& tasks, std::size_t workers, std::mt19937_64& random,
             const Do& work) {
    constexpr int kIdle = 64;  // rounds without progress; in each, a worker that could draw does so
                               // with probability 1/2
    std::vector<std::deque<std::size_t>> drawn(workers);
    std::size_t next = 0, done = 0;
    for (int idle = 0; done < tasks.size() && wrong_.empty(); ++idle) {
      if (idle == kIdle)
        wrong_ =
            "all wait, after " + std::to_string(done) + " tasks of " + std::to_string(tasks.size());
      for (std::size_t turn = 0; turn < workers; ++turn) {
        std::deque<std::size_t>& mine = drawn[random() % workers];
        if (next < tasks.size() && (mine.empty() || (mine.size() < kDrawn && random() % 2 == 0)))
          mine.push_back(next++), idle = 0;
        else if (!mine.empty() && attempt([&] { work(tasks[mine.front()]); }))
          mine.pop_front(), ++done, idle = 0;
      }
    }
  }

  [[nodiscard]] double l(Index s, Index r, Index c) const {
    return factor_.panel[s].at(static_cast<std::size_t>(c) *
                                   static_cast<std::size_t>(nodes_.order(s)) +
                               static_cast<std::size_t>(r));
  }
  [[nodiscard]] symbolic::FrontCells cells(Index s) const {
    return {nodes_.order(s), nodes_.pivots(s)};
  }
  /// Returns the sum of the children's updates to row r of a front, one after another.
  double updates(Index s, Index r) {
    double sum = 0;
    const std::size_t row = static_cast<std::size_t>(nodes_.row_ptr[s] + s + r);
    for (Offset k = lists_.rows.ptr.at(row); k < Offset{lists_.rows.ptr.at(row + 1)}; ++k)
      sum += get(update_, k);
    return sum;
  }
  [[nodiscard]] Offset slot(Index s, Index r) const {
    return lists_.rows.slot.at(
        static_cast<std::size_t>(nodes_.row_ptr[s] - nodes_.first[s] + r - nodes_.pivots(s)));
  }

  void do_front(Index s) {
    const Index m = nodes_.order(s), p = nodes_.pivots(s);
    std::vector<double> v;
    for (Index r = 0; r < m; ++r)
      v.push_back((r < p ? factor_.b[nodes_.first[s] + r] : 0.0) + updates(s, r));
    for (Index c = 0; c < p; ++c) {
      v[c] /= l(s, c, c);
      for (Index r = c + 1; r < m; ++r) v[r] -= l(s, r, c) * v[c];
    }
    for (Index r = 0; r < p; ++r) put(y_, nodes_.first[s] + r, v[r]);
    for (Index r = p; r < m; ++r) put(update_, slot(s, r), v[r]);
  }
  void do_front_back(Index s) {
    const Index m = nodes_.order(s), p = nodes_.pivots(s);
    std::vector<double> v(static_cast<std::size_t>(p));
    for (Index c = p; c-- > 0;) {
      v[c] = get(y_, nodes_.first[s] + c);
      for (Index r = c + 1; r < m; ++r)
        v[c] -= l(s, r, c) * (r < p ? v[r] : get(x_, nodes_.rows(s)[r]));
      v[c] /= l(s, c, c);
      put(x_, nodes_.first[s] + c, v[c]);
    }
  }

  void do_forward(const SweepTask& task) {
    const symbolic::FrontCells front = cells(task.front);
    std::vector<double> own;  // y of tile row 0, for the rows below it in the same task
    for (Index i = task.row; i < task.row + task.rows && !missing_; ++i) {
      if (task.kind == Kind::gather) {
        const Index first = task.column * symbolic::kGatherRows,
                    end = std::min(first + symbolic::kGatherRows, front.rows_of(i));
        for (Index r = first; r < end; ++r)
          put(forward_part_, Offset{task.part} * kTile + r,
              updates(task.front, front.first_row(i) + r));
        continue;
      }
      std::vector<double> sum(static_cast<std::size_t>(kTile), 0.0);
      const Index end = std::min({task.column + task.columns, i, front.pivot_tiles()});
      for (Index k = task.column; k < end && !missing_; ++k) {
        const std::vector<double> y =
            i > 0 && task.row == 0
                ? own
                : numbers(y_, nodes_.first[task.front] + k * kTile, front.rows_of(k));
        for (Index c = 0; c < front.rows_of(k) && !missing_; ++c)
          for (Index r = 0; r < front.rows_of(i); ++r)
            sum[r] += l(task.front, front.first_row(i) + r, k * kTile + c) * y.at(c);
      }
      if (task.kind == Kind::part)
        for (Index r = 0; r < kTile; ++r) put(forward_part_, Offset{task.part} * kTile + r, sum[r]);
      else
        finish_forward(task, front, i, sum, own);
    }
  }
  void finish_forward(const SweepTask& task, const symbolic::FrontCells& front, Index i,
                      std::vector<double>& sum, std::vector<double>& own) {
    const Index s = task.front;
    for (Index r = 0; r < front.rows_of(i); ++r) {
      const Index row = front.first_row(i) + r;
      double start = row < front.p ? factor_.b[nodes_.first[s] + row] : 0.0;
      start += task.kind == Kind::gathered
                   ? get(forward_part_, Offset{task.part + task.parts} * kTile + r)
                   : updates(s, row);
      for (Index q = 0; q < task.parts; ++q)
        start -= get(forward_part_, Offset{task.part + q} * kTile + r);
      sum[r] = start - sum[r];
      if (row >= front.p) {
        put(update_, slot(s, row), sum[r]);
        continue;
      }
      for (Index c = 0; c < r; ++c) sum[r] -= l(s, row, front.first_row(i) + c) * sum[c];
      sum[r] /= l(s, row, row);
      put(y_, nodes_.first[s] + row, sum[r]);
      if (i == 0) own.push_back(sum[r]);
    }
  }

  void do_backward(const SweepTask& task) {
    const symbolic::FrontCells front = cells(task.front);
    const Index s = task.front, first = task.column * kTile, columns = front.rows_of(task.column);
    std::vector<double> sum(static_cast<std::size_t>(kTile), 0.0);
    for (Index i = task.row + task.rows; i-- > task.row && !missing_;)
      for (Index r = front.first_row(i); r < front.first_row(i) + front.rows_of(i) && !missing_;
           ++r) {
        const double x = get(x_, nodes_.rows(s)[r]);
        for (Index c = 0; c < columns; ++c) sum[c] -= l(s, r, first + c) * x;
      }
    if (task.kind == Kind::part) {
      for (Index c = 0; c < kTile; ++c) put(backward_part_, Offset{task.part} * kTile + c, sum[c]);
      return;
    }
    for (Index c = columns; c-- > 0;) {
      sum[c] += get(y_, nodes_.first[s] + first + c);
      for (Index q = 0; q < task.parts; ++q)
        sum[c] += get(backward_part_, Offset{task.part + q} * kTile + c);
      for (Index r = c + 1; r < columns; ++r) sum[c] -= l(s, first + r, first + c) * sum[r];
      sum[c] /= l(s, first + c, first + c);
      put(x_, nodes_.first[s] + first + c, sum[c]);
    }
  }

  const Supernodes& nodes_;
  const symbolic::DeviceSchedule& schedule_;
  const Lists& lists_;
  const RandomFactor& factor_;
  std::vector<double> x_, y_, update_, forward_part_, backward_part_;
  std::vector<std::pair<double*, double>> made_;
  bool missing_ = false;
  std::string wrong_;
};

inline SweepModel::Lists lists_of(const FrontForest& forest) {
  return symbolic::list_sweeps(forest.nodes, forest.assembly, forest.device);
}

inline std::string flaw_in(const FrontForest& forest, const SweepModel::Lists& lists) {
  return symbolic::find_flaw_sweeps(forest.nodes, forest.device, lists.forward, lists.backward);
}

/// Fronts with random numbers, and the solution.
struct SweepSystem {
  const FrontForest& forest;
  RandomFactor factor;
  std::vector<double> x;
  SweepSystem(const FrontForest& fronts, std::uint64_t seed)
      : forest(fronts), factor(fronts.nodes, seed), x(factor.solve(fronts.nodes)) {}

  /// Runs the lists with this many workers. Returns an empty text, or what goes wrong.
  [[nodiscard]] std::string flaw_in_run(const SweepModel::Lists& lists, std::size_t workers,
                                        std::uint64_t seed) const {
    SweepModel model(forest.nodes, forest.device, lists, factor);
    std::string wrong = model.run(workers, seed);
    for (std::size_t k = 0; k < x.size() && wrong.empty(); ++k)
      if (!(std::abs(model.x()[k] - x[k]) <= 1e-11 * std::max(1.0, std::abs(x[k]))))
        wrong = "x is another";
    return wrong;
  }
};

}  // namespace kauri::test

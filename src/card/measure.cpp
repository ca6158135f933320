// Measures a device by made systems, whose work is counted as predictions count it: the measured
// constants are those of symbolic/device/cost.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/card/measure.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/progress/stopwatch.hpp"
#include "kauri/core/analysis.hpp"
#include "kauri/device/device_values.hpp"
#include "kauri/extras/card.hpp"
#include "kauri/solve/factor.hpp"
#include "numeric/cuda/executor.hpp"
#include "symbolic/device/cost.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/plan/plan_facts.hpp"

namespace kauri::card {
namespace {

using symbolic::DeviceCost;
using symbolic::DeviceWork;
using symbolic::kTile;

/// Least seconds that any figure is given: a clock may find none between two calls.
constexpr double kLeastSeconds = 1e-9;

/// Returns a matrix of `count` arrows of this many rows each, whose first row is full: elimination
/// makes each a dense front, from few entries of A.
SymmetricMatrix<double> arrows(Index count, Index rows) {
  std::vector<Offset> col_ptr{0};
  std::vector<Index> row;
  std::vector<double> value;
  for (Index first = 0; first < count * rows; first += rows) {
    for (Index j = 0; j < rows; ++j) {
      row.push_back(first + j), value.push_back(j == 0 ? rows + 1 : 2);
      for (Index i = 1; j == 0 && i < rows; ++i) row.push_back(i + first), value.push_back(-1);
      col_ptr.push_back(static_cast<Offset>(row.size()));
    }
  }
  return SymmetricMatrix<double>::from_csc(count * rows, col_ptr, row, value, Storage::lower);
}

/// Returns a tridiagonal matrix, whose elimination tree is a chain.
SymmetricMatrix<double> chain(Index rows) {
  std::vector<Offset> col_ptr{0};
  std::vector<Index> row;
  std::vector<double> value;
  for (Index j = 0; j < rows; ++j) {
    row.push_back(j), value.push_back(3);
    if (j + 1 < rows) row.push_back(j + 1), value.push_back(-1);
    col_ptr.push_back(static_cast<Offset>(row.size()));
  }
  return SymmetricMatrix<double>::from_csc(rows, col_ptr, row, value, Storage::lower);
}

/// Returns the least seconds of a call that is repeated, at least twice, until all took `enough`.
template <class Call>
double least_seconds(double enough, const Call& call) {
  constexpr int kMost = 50;
  double least = std::numeric_limits<double>::infinity(), all = 0;
  for (int k = 0; k < 2 || (k < kMost && all < enough); ++k) {
    const double seconds = seconds_of(call);
    least = std::min(least, seconds), all += seconds;
  }
  return std::max(least, kLeastSeconds);
}

/// Least seconds of a factorisation and of a solve of one system, and the work that they do.
struct Times {
  double factor_s, solve_s;
  DeviceWork work;
};

/// Times a system with values and vectors on the device. Fronts are those of A in its own order;
/// none are merged if `fundamental`.
template <Scalar T>
Times times_of(const SymmetricMatrix<double>& a, bool fundamental, Backend& backend,
               double enough) {
  AnalyzeOptions options;
  options.target = backend.target();
  options.ordering.method = OrderingMethod::natural;
  options.amalgamate = !fundamental;
  const std::shared_ptr<const Plan> plan = analyze(a.pattern(), options);
  auto factor = Factor<T>::create(plan, backend);
  auto workspace = Workspace<T>::create(factor, 1);
  const std::vector<T> numbers(a.value().begin(), a.value().end()),
      ones(static_cast<std::size_t>(a.n()), T(1));
  const auto values = DeviceValues<T>::copy_of(numbers, backend),
             b = DeviceValues<T>::copy_of(ones, backend),
             x = DeviceValues<T>::copy_of(ones, backend);
  const auto fill = [&] {
    if (!refactorize(factor, values))
      throw Error(ErrorKind::device,
                  "measure_card: the device says that a system is not positive definite, which it "
                  "is");
  };
  // The memory of x belongs to this function, which lets the device write there.
  const DeviceMatrixView<const T> from({b.span().data(), a.n(), 1, a.n()});
  const DeviceMatrixView<T> to({const_cast<T*>(x.span().data()), a.n(), 1, a.n()});
  const auto solve = [&] { factor.solve(from, to, workspace); };
  fill(), fill(), solve();  // the second factorisation makes a graph
  Times out;
  out.factor_s = least_seconds(enough, fill);
  out.solve_s = least_seconds(enough, solve);
  out.work = symbolic::device_work(*plan);
  return out;
}

/// Work of two systems, of which the second one has more, and the seconds of each.
struct Slope {
  double less, more;
  double less_s, more_s;

  /// Returns work per second: of what the second system has more; of all of it if it took no longer
  /// than the first.
  [[nodiscard]] double rate() const {
    return more_s > less_s ? (more - less) / (more_s - less_s) : more / more_s;
  }
};

/// Returns the products of tiles that the large fronts take, and as many for each tile of L as its
/// loading and its triangular solve take the time of.
double products_of(const DeviceWork& work, const DeviceCost& cost) {
  double products = 0;
  for (const DeviceWork::Level& level : work.tiled)
    products += level.products + level.panel_tiles * cost.panel_tile_s / cost.product_s;
  return products;
}

double panel_tiles_of(const DeviceWork& work) {
  double tiles = 0;
  for (const DeviceWork::Level& level : work.tiled) tiles += level.panel_tiles;
  return tiles;
}

template <Scalar T>
DeviceCard::Rates rates_of(Backend& backend, const Sizes& sizes) {
  const DeviceCost& cost = symbolic::device_cost(backend.target(), sizeof(T));
  const auto fronts = [&](Index count) {
    return times_of<T>(arrows(count, sizes.rows), false, backend, sizes.seconds);
  };
  const auto levels = [&](Index count) {
    return times_of<T>(chain(count), true, backend, sizes.seconds);
  };
  const Times few = fronts(sizes.fronts), many = fronts(2 * sizes.fronts), one = levels(1),
              deep = levels(sizes.levels);
  constexpr double kProduct = 2.0 * kTile * kTile * kTile, kReads = 2.0 * kTile * kTile * sizeof(T);
  const double more = std::max(1, deep.work.narrow.levels - one.work.narrow.levels);
  DeviceCard::Rates out;
  out.flops_per_s = kProduct * Slope{products_of(few.work, cost), products_of(many.work, cost),
                                     few.factor_s, many.factor_s}
                                   .rate();
  out.read_bytes_per_s =
      kReads *
      Slope{panel_tiles_of(few.work), panel_tiles_of(many.work), few.solve_s, many.solve_s}.rate();
  out.start_s = one.factor_s;
  out.level_s = std::max((deep.factor_s - one.factor_s) / more, kLeastSeconds);
  out.sweep_start_s = one.solve_s;
  out.sweep_level_s = std::max((deep.solve_s - one.solve_s) / more, kLeastSeconds);
  return out;
}

/// Sets the seconds of a small copy from pageable memory, and the rate of a large one.
void measure_copies(DeviceCard& card, Backend& backend, const Sizes& sizes) {
  const std::vector<double> many(static_cast<std::size_t>(sizes.copied), 1.0), one(1, 1.0);
  const auto seconds = [&](const std::vector<double>& numbers) {
    auto there = DeviceValues<double>::copy_of(numbers, backend);
    return least_seconds(sizes.seconds, [&] { there.assign(numbers); });
  };
  card.copy_s = seconds(one);
  card.copy_bytes_per_s =
      sizeof(double) *
      Slope{1, static_cast<double>(sizes.copied), card.copy_s, seconds(many)}.rate();
}

}  // namespace

void require_whole(const CudaOptions& options) {
  const auto refuse = [](const std::string& found, const std::string& expected) {
    throw Error(ErrorKind::usage,
                "measure_card: " + found + ", expected " + expected +
                    ": a card is measured as a whole, with the kernels that kauri takes by itself; "
                    "predictions for a part of it reckon with that part");
  };
  if (options.multiprocessors != 0)
    refuse("multiprocessors is " + std::to_string(options.multiprocessors), "0");
  if (options.compute != CudaCompute::automatic) refuse("compute is not automatic", "automatic");
  if (options.portable) refuse("portable is true", "false");
  if (!options.fast_solve) refuse("fast_solve is false", "true");
}

Sizes sizes_for(int processors, Offset free_bytes) {
  Sizes sizes;
  const Offset each = Offset{sizes.rows} * sizes.rows * Offset{sizeof(double)} / 2,
               most = free_bytes / (4 * 2 * each);
  sizes.fronts =
      static_cast<Index>(std::clamp(most, Offset{1}, std::max(Offset{1}, Offset{processors})));
  return sizes;
}

Sizes sizes_in_double(const DeviceCard& card, Sizes sizes) {
  if (symbolic::has_slow_double(card)) sizes.rows /= 2;
  return sizes;
}

DeviceCard measured(DeviceCard card, Backend& backend, const Sizes& sizes) {
  card.in_double = rates_of<double>(backend, sizes_in_double(card, sizes));
  card.in_float = rates_of<float>(backend, sizes);
  measure_copies(card, backend, sizes);
  return card;
}

}  // namespace kauri::card

namespace kauri {

AnalyzeOptions::DeviceOffer::Card measure_card(const CudaOptions& options) {
  card::require_whole(options);
  Backend backend = cuda_backend(options);
  std::string why_not;
  const auto seen = numeric::cuda::survey(options.device, &why_not);
  if (!seen) throw Error(ErrorKind::device, why_not);
  return card::measured(seen->card, backend,
                        card::sizes_for(seen->card.processors, seen->free_bytes));
}

}  // namespace kauri

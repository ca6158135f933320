// analyze(): from a pattern to the plan, by the ordering asked for or the best of several.
// SPDX-License-Identifier: BSD-3-Clause
#include <new>
#include <utility>

#include "symbolic/contest.hpp"
#include "symbolic/level_structure.hpp"

namespace kauri {
namespace symbolic {
namespace {

/// METIS may at best spare this part of the predicted job: what nested dissection gains on the largest three-dimensional grids.
constexpr double kMetisHope = 0.6;

/// Nested dissection costs much more than minimum degree: only where what it may spare could pay for it.
void consider_metis(Contest& contest) {
  if (!ordering_available(OrderingMethod::metis)) return contest.skip(OrderingMethod::metis, "kauri was built without METIS");
  const double price = contest.predicted_order_seconds(OrderingMethod::metis), hope = kMetisHope * contest.best_seconds();
  if (hope > price) return contest.try_method(OrderingMethod::metis);
  contest.skip(OrderingMethod::metis,
               "not tried: " + in_seconds(price) + " predicted for the ordering, at most " + in_seconds(hope) + " to spare");
}

/// A banded ordering: only where the graph is long and thin.
void consider_rcm(Contest& contest) {
  const double hope = banded_entries(contest.graph()), least = static_cast<double>(contest.best_cost().nnz_l);
  if (hope < least) return contest.try_method(OrderingMethod::rcm);
  contest.skip(OrderingMethod::rcm,
               "not tried: its levels promise no less than " + in_digits(hope) + " entries of L against " + in_digits(least));
}

Analysis run_contest(const Pattern& lower, const AnalyzeOptions& options) {
  Contest contest(lower, options);
  contest.try_method(OrderingMethod::amd);
  contest.try_method(OrderingMethod::natural);
  consider_rcm(contest);
  consider_metis(contest);
  return contest.finish_best(contest.comparison());
}

Analysis run_one(const Pattern& lower, const AnalyzeOptions& options) {
  Contest contest(lower, options);
  if (options.permutation)
    contest.try_given();
  else
    contest.try_method(options.ordering.method);
  return contest.finish_best(contest.comparison() + ", as asked for");
}

Analysis run_all(const Pattern& lower, const AnalyzeOptions& options) {
  Contest contest(lower, options);
  if (options.permutation) contest.plan_given();
  for (const OrderingMethod method :
       {OrderingMethod::natural, OrderingMethod::rcm, OrderingMethod::minimum_degree, OrderingMethod::amd, OrderingMethod::metis}) {
    if (ordering_available(method))
      contest.plan_method(method);
    else
      contest.skip(method, "kauri was built without it");
  }
  return contest.finish_planned();
}

/// f(), with memory that ran out told as an Error of kauri.
template <class F>
Analysis guarded(const Pattern& lower, F&& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::memory, "analyze: not enough memory for the plan of a matrix with n = " + std::to_string(lower.n) + " and " +
                                       std::to_string(lower.nnz()) + " entries");
  }
}

}  // namespace
}  // namespace symbolic

Analysis analyze_with_report(const Pattern& lower, const AnalyzeOptions& options) {
  return symbolic::guarded(lower, [&] {
    const bool contest = !options.permutation && options.ordering.method == OrderingMethod::automatic;
    return contest ? symbolic::run_contest(lower, options) : symbolic::run_one(lower, options);
  });
}

std::shared_ptr<const Plan> analyze(const Pattern& lower, const AnalyzeOptions& options) {
  return analyze_with_report(lower, options).plan;
}

Analysis compare_orderings(const Pattern& lower, const AnalyzeOptions& options) {
  return symbolic::guarded(lower, [&] { return symbolic::run_all(lower, options); });
}

}  // namespace kauri

// Implements analyze(): from a pattern to the plan, by the ordering asked for or the best of
// several.
// SPDX-License-Identifier: BSD-3-Clause
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/threads/allowed_threads.hpp"
#include "base/threads/stopping.hpp"
#include "ordering/orderer.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/choose/ordering_selection.hpp"
#include "symbolic/choose/rules.hpp"

namespace kauri {
namespace symbolic {
namespace {

Analysis run_selection(const Pattern& lower, const AnalyzeOptions& options) {
  OrderingSelector selector(lower, options);
  return selector.finish(rules::select_ordering(selector));
}

Analysis run_one(const Pattern& lower, const AnalyzeOptions& options) {
  OrderingSelector selector(lower, options);
  if (options.permutation)
    selector.try_given();
  else
    selector.try_method(options.ordering.method);
  return selector.finish(selector.comparison() + ", as asked for");
}

Analysis run_all(const Pattern& lower, const AnalyzeOptions& options) {
  OrderingSelector selector(lower, options);
  if (options.permutation) selector.plan_given();
  for (const OrderingMethod method :
       {OrderingMethod::natural, OrderingMethod::rcm, OrderingMethod::minimum_degree,
        OrderingMethod::amd, OrderingMethod::parallel_amd, OrderingMethod::nested_dissection,
        OrderingMethod::metis}) {
    if (ordering_compared(method))
      selector.plan_method(method);
    else
      selector.skip(method, ordering_available(method)
                                ? "the system's METIS takes over signals of the process, so it "
                                  "runs only if it is named"
                                : "kauri was built without METIS");
  }
  return selector.finish(rules::select_ordering(selector));
}

#ifdef KAURI_CHECKED
constexpr Index kLargestChecked =
    20000;  // rows; the check of a larger plan may take longer than the analysis

/// Throws std::logic_error if the plan of a candidate is not sound, which is a fault of kauri.
Analysis checked(Analysis analysis) {
  if (analysis.plan->n > kLargestChecked) return analysis;
  for (const Analysis::Candidate& candidate : analysis.candidates)
    if (const std::string flaw = candidate.plan ? find_flaw(*candidate.plan) : ""; !flaw.empty())
      throw std::logic_error("analyze: a plan that is not sound: " + flaw);
  return analysis;
}
#else
Analysis checked(Analysis analysis) { return analysis; }
#endif

/// Checks the options, calls f() with as many threads as options.threads allows and with
/// options.stop, and turns std::bad_alloc into Error(memory).
template <class F>
Analysis guarded(const Pattern& lower, const OrderingOptions& options, F&& f) {
  const StopScope scope(options.stop);
  try {
    ordering::require_sound(options, "analyze");
    Analysis found;
    with_threads(options.threads, [&] { found = checked(f()); });
    return found;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::memory, "analyze: not enough memory for the plan of a matrix with n = " +
                                       std::to_string(lower.n) + " and " +
                                       std::to_string(lower.nnz()) + " entries");
  }
}

}  // namespace
}  // namespace symbolic

Analysis analyze_with_report(const Pattern& lower, const AnalyzeOptions& options) {
  return symbolic::guarded(lower, options.ordering, [&] {
    const bool selector =
        !options.permutation && options.ordering.method == OrderingMethod::automatic;
    return selector ? symbolic::run_selection(lower, options) : symbolic::run_one(lower, options);
  });
}

std::shared_ptr<const Plan> analyze(const Pattern& lower, const AnalyzeOptions& options) {
  return analyze_with_report(lower, options).plan;
}

Analysis compare_orderings(const Pattern& lower, const AnalyzeOptions& options) {
  return symbolic::guarded(lower, options.ordering,
                           [&] { return symbolic::run_all(lower, options); });
}

}  // namespace kauri

// Implements the rules of `automatic`.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/choose/rules.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>

#include "base/common/in_digits.hpp"
#include "ordering/features/graph_features.hpp"
#include "symbolic/choose/envelope.hpp"

namespace kauri::symbolic::rules {
namespace {

/// Returns a WorkLimit of the steps that take `times` the seconds predicted for method `other`.
WorkLimit limit_by(OrderingSelector& selector, double times, OrderingMethod other) {
  const double seconds = selector.predicted_order_seconds(other);
  const Offset most = order_work(times * seconds);
  return {most, "it takes more than the " + in_digits(static_cast<double>(most)) + " steps of " +
                    in_digits(times) + " times the " + in_seconds(seconds) + " predicted for " +
                    std::string(name_of(other))};
}

/// Lists a method as not tried, and returns the reason, if the seconds that it may save (max_gain)
/// do not exceed those of running it and drafting its plan, taken as `share` of the predicted
/// seconds on one core. Else returns nullopt.
std::optional<std::string> skip_if_costly(OrderingSelector& selector, OrderingMethod method,
                                          double max_gain, double share = 1) {
  const double cost = share * selector.predicted_trial_seconds(method);
  if (max_gain > cost) return {};
  std::string why = "the ordering is predicted to take " + in_seconds(cost) +
                    " and can save at most " + in_seconds(max_gain);
  selector.skip(method, "not tried: " + why);
  return why;
}

/// Returns the predicted seconds of the best job that are due to L's entries beyond those of A: no
/// ordering saves more.
double fill_seconds(const OrderingSelector& selector) {
  return (1 - static_cast<double>(selector.entries()) /
                  static_cast<double>(std::max<Offset>(1, selector.best_entries()))) *
         selector.best_seconds();
}

void skip_all(OrderingSelector& selector, std::initializer_list<OrderingMethod> methods,
              const std::string& why) {
  for (const OrderingMethod method : methods) selector.skip(method, "not tried: " + why);
}

/// Chooses the natural ordering, which costs no time to find, and returns the reason, if no other
/// ordering need be tried. Sets `job` to the seconds predicted from its envelope, or a lower bound
/// of them.
std::optional<std::string> natural_suffices(OrderingSelector& selector, double& job) {
  const double amd = selector.predicted_first_trial_seconds(OrderingMethod::amd),
               enough = kNaturalLimit * amd;
  job = selector.envelope_seconds(OrderingMethod::natural, enough);
  if (job >= enough) return {};
  selector.try_method(OrderingMethod::natural);
  std::string why = "by the envelope of the natural ordering the job takes " + in_seconds(job) +
                    ", while amd alone takes " + in_seconds(amd);
  skip_all(selector,
           {OrderingMethod::amd, OrderingMethod::parallel_amd, OrderingMethod::rcm,
            OrderingMethod::nested_dissection},
           why);
  return why;
}

/// Tries the natural ordering, or skips it if its envelope is too large against the best candidate
/// so far. job: as natural_suffices() has set it.
void consider_natural(OrderingSelector& selector, double job) {
  const double enough = kEnvelopeLimit * selector.best_seconds();
  if (job < enough) job = selector.envelope_seconds(OrderingMethod::natural, enough);
  if (job < enough) return selector.try_method(OrderingMethod::natural);
  selector.skip(OrderingMethod::natural, "not tried: its envelope predicts at least " +
                                             in_seconds(job) + ", the best ordering " +
                                             in_seconds(selector.best_seconds()));
}

/// Tries a banded ordering, but only if the graph is long and thin.
void consider_rcm(OrderingSelector& selector) {
  const ordering::GraphView& graph = selector.compressed().view();
  const double best = selector.best_seconds(),
               look = level_seconds(graph.size(), graph.edges() / 2 + graph.size());
  if (look >= kSearchShare * best)
    return selector.skip(OrderingMethod::rcm,
                         "not tried: to find its levels takes " + in_seconds(look) +
                             ", the job with the best ordering " + in_seconds(best));
  const double job = selector.band_seconds(banded_entries(graph));
  if (job >= best)
    return selector.skip(OrderingMethod::rcm, "not tried: its levels predict at least " +
                                                  in_seconds(job) + ", the best ordering " +
                                                  in_seconds(best));
  if (skip_if_costly(selector, OrderingMethod::rcm, fill_seconds(selector))) return;
  const double enough = kEnvelopeLimit * best,
               envelope = selector.envelope_seconds(
                   OrderingMethod::rcm, enough, limit_by(selector, kLostBand, OrderingMethod::amd));
  if (envelope < enough) return selector.try_method(OrderingMethod::rcm);
  selector.skip(OrderingMethod::rcm, "judged by its envelope: at least " + in_seconds(envelope) +
                                         ", the best ordering " + in_seconds(best));
}

/// The largest component of the reduced graph, by vertices, and the spread of its degrees.
struct Body {
  explicit Body(OrderingSelector& selector)
      : graph(selector.largest_component()), spread(ordering::degree_spread(graph)) {}
  /// Returns the share of one core's seconds that dissection takes on a device's host.
  [[nodiscard]] double host_share() const { return irregular ? kIrregularShare : kLatticeShare; }

  ordering::GraphView graph;
  ordering::DegreeSpread spread;
  bool irregular = ordering::is_irregular_mesh(spread);
};

/// Returns pamd, minimum degree in rounds by all threads, for a large irregular mesh if the plan
/// may be for a device; else amd, minimum degree by one thread.
OrderingMethod minimum_degree(const OrderingSelector& selector, const Body& body) {
  return selector.for_device() && body.irregular && body.graph.size() >= kRounds
             ? OrderingMethod::parallel_amd
             : OrderingMethod::amd;
}

/// Tries minimum degree. Returns the reason if it was given up, so that there is no candidate yet.
std::optional<std::string> try_minimum_degree(OrderingSelector& selector, const Body& body) {
  const OrderingMethod method = minimum_degree(selector, body);
  const bool in_rounds = method == OrderingMethod::parallel_amd;
  if (!in_rounds)
    selector.skip(
        OrderingMethod::parallel_amd,
        "not tried: it is for large irregular meshes and devices; otherwise amd takes less time");
  const WorkLimit limit = limit_by(selector, kRunaway, OrderingMethod::nested_dissection);
  const bool taken = selector.try_within(method, limit);
  if (in_rounds)
    selector.skip(OrderingMethod::amd,
                  "not tried: on a large irregular mesh pamd replaces it and uses all threads");
  if (taken) return {};
  return std::string(name_of(method)) + " given up: " + limit.why;
}

/// Tries nested dissection. Returns the reason if it was given up.
std::optional<std::string> try_dissection(OrderingSelector& selector) {
  const WorkLimit limit = limit_by(selector, kLostDissection, OrderingMethod::amd);
  if (selector.try_within(OrderingMethod::nested_dissection, limit)) return {};
  return "nd given up: " + limit.why;
}

/// Tries rcm, which takes the time of a few searches, after minimum degree and dissection were
/// given up; then amd, which may take the seconds that it can save the job with rcm.
void try_last_resort(OrderingSelector& selector) {
  selector.try_method(OrderingMethod::rcm);
  const double seconds = fill_seconds(selector);
  selector.try_within(OrderingMethod::amd,
                      {order_work(seconds), "it takes more than the " + in_seconds(seconds) +
                                                " that it can save the job with rcm"});
}

/// Returns the predicted seconds of the best job in which a device waits for the longest path
/// through the tree, not for products. No ordering saves them on most graphs, but dissection does
/// on a long body: returns 0 for a CPU's plan, for other graphs, and for waits of at most `least`
/// seconds, for which the levels are not searched.
double path_seconds(OrderingSelector& selector, const Body& body, double least) {
  if (!selector.on_device() || body.graph.size() == 0) return 0;
  const double waits = selector.best_seconds() - selector.device_seconds(selector.best_flops());
  if (waits <= least) return 0;
  const double width = ordering::level_width(body.graph);
  return body.graph.size() >= kLong * width * width ? waits : 0;
}

/// Tries nested dissection if it may save more seconds than it takes. Returns the reason if it is
/// not run or was given up.
std::optional<std::string> consider_dissection(OrderingSelector& selector, const Body& body) {
  const double work =
      selector.best_flops() / static_cast<double>(std::max<Offset>(1, selector.best_entries()));
  const double share = selector.on_device() ? body.host_share() : 1;
  const double cost = share * selector.predicted_trial_seconds(OrderingMethod::nested_dissection);
  double max_gain = dissection_gain(work) * fill_seconds(selector);
  if (max_gain <= cost) max_gain = std::max(max_gain, path_seconds(selector, body, cost));
  if (auto why = skip_if_costly(selector, OrderingMethod::nested_dissection, max_gain, share))
    return "nd not tried: " + *why;
  return try_dissection(selector);
}

/// Returns true if the seconds of minimum degree on a body, plus the seconds that a device needs
/// for the operations that minimum degree leaves beyond dissection's, exceed the seconds of
/// dissection by all threads. Both include a draft. width: vertices of a separator. Minimum degree
/// counts with one core's seconds, in rounds too, and the shares of dissection were fitted against
/// these.
bool outweighs_dissection(OrderingSelector& selector, const Body& body, double width) {
  const double rows = width * selector.size() / selector.compressed().size();
  return selector.device_seconds(kBodyWork * rows * rows * rows) +
             selector.predicted_trial_seconds(minimum_degree(selector, body)) >
         body.host_share() * selector.predicted_trial_seconds(OrderingMethod::nested_dissection);
}

/// Returns the vertices of one ring of a level of `width` vertices. A level has as many rings as
/// neighbours reach over: 8 neighbours are one ring on a surface, 24 are two.
double ring_width(const Body& body, double width) {
  return width / std::max(kThinnest, (std::sqrt(body.spread.mean + 1) - 1) / 2);
}

/// Returns the seconds in which AnalyzeOptions::cores cores dissect a mesh, if that is less than
/// one core takes for minimum degree plus what all cores take for the additional operations of its
/// factorisations; else, and for a graph that is no mesh, nullopt. width: vertices of a separator.
std::optional<double> outruns_minimum_degree(OrderingSelector& selector, const Body& body,
                                             double width) {
  if (!body.irregular && !ordering::is_lattice(body.spread)) return {};
  const double rows = width * selector.size() / selector.compressed().size();
  const double speed = selector.cores() / (1 + kSharedCore * (selector.cores() - 1));
  const double degree = (body.irregular ? kIrregularDegree : kLatticeDegree) *
                        selector.predicted_order_seconds(OrderingMethod::amd);
  const double dissection = (body.irregular ? kIrregularDissection : kLatticeDissection) *
                            selector.predicted_order_seconds(OrderingMethod::nested_dissection) /
                            speed;
  if (dissection >= degree + selector.core_seconds(kSurfaceWork * rows * rows * rows) / speed)
    return {};
  return dissection;
}

std::string in_levels(Index n, double width) {
  return in_digits(n) + " vertices in levels of " + in_digits(width);
}

/// Implements dissect_at_once() without a device, for a graph of sufficient size without hubs:
/// takes bodies, and large surfaces, if all cores need less time for ordering and factorisations
/// with dissection (M09).
std::optional<std::string> dissect_on_host(OrderingSelector& selector, const Body& body) {
  const Index n = body.graph.size();
  const bool flat = ordering::growth_dimension(body.graph) < kBody;
  if (flat && n < kDissectedSurface) return {};
  const double width = ordering::level_width(body.graph);
  if (width > kWidestBody * std::cbrt(static_cast<double>(n) * n)) return {};
  if (!flat && width * width * width >= kWide * n) return in_levels(n, width);
  const auto seconds =
      outruns_minimum_degree(selector, body, flat ? ring_width(body, width) : width);
  if (!seconds) return {};
  return in_digits(n) + " vertices, dissected by " + std::to_string(selector.cores()) +
         " cores in " + in_seconds(*seconds);
}

/// Implements dissect_at_once() for plans that may be for a device.
std::optional<std::string> dissect_for_device(OrderingSelector& selector, const Body& body) {
  const Index n = body.graph.size();
  const bool few = body.spread.mean <= kMostNeighbours && !body.irregular;
  if (few && n >= kDissectedSurface)
    return in_digits(n) +
           " vertices of few neighbours for a device, which factorises faster than one thread "
           "orders";
  // Width of a cube, the widest lattice with this many neighbours: 26 in one layer, 124 in two.
  const double cube = std::cbrt(static_cast<double>(n) * n),
               layers = (std::cbrt(body.spread.mean + 1) - 1) / 2;
  if (!few && !outweighs_dissection(selector, body, std::max(layers, 1.0) * cube)) return {};
  const double width = ordering::level_width(body.graph);
  if (width > kWidestBody * cube || width * width * width < kWide * n) return {};
  if (!few && !outweighs_dissection(selector, body, width)) return {};
  return in_levels(n, width);
}

/// Returns the reason why nested dissection is as good as certain to win, so that minimum degree is
/// not run before it; else nullopt.
std::optional<std::string> dissect_at_once(OrderingSelector& selector, const Body& body) {
  const ordering::GraphView& graph = body.graph;
  const Index n = graph.size();
  if (n < kDissected) return {};
  const Offset chords = graph.edges() / 2 - n + 1;
  if (static_cast<double>(chords) <= kChords * n)
    return in_digits(n) + " vertices, a tree but for " + in_digits(static_cast<double>(chords)) +
           " edges";
  if (ordering::hanging_share(graph) > kMostHanging || ordering::has_hubs(body.spread)) return {};
  return selector.for_device() ? dissect_for_device(selector, body)
                               : dissect_on_host(selector, body);
}

/// If dissect_at_once() gives a reason, runs nested dissection, lists the other methods as skipped
/// for that reason, and returns the reason of the choice. Returns nullopt if dissect_at_once()
/// gives none, or if dissection was given up; sets `lost` to the reason of the latter.
std::optional<std::string> only_dissection(OrderingSelector& selector, const Body& body,
                                           std::optional<std::string>& lost) {
  std::optional<std::string> why = dissect_at_once(selector, body);
  if (!why || (lost = try_dissection(selector))) return {};
  skip_all(selector,
           {OrderingMethod::natural, OrderingMethod::amd, OrderingMethod::parallel_amd,
            OrderingMethod::rcm},
           *why);
  return "nd alone: " + *why;
}

}  // namespace

std::string select_ordering(OrderingSelector& selector) {
  std::optional<std::string> why;
  double natural = 0;
  const bool banded = !selector.on_device();
  if (banded) {
    why = natural_suffices(selector, natural);
  } else {
    skip_all(selector, {OrderingMethod::natural, OrderingMethod::rcm},
             "the fronts of a band, one behind the other, leave a device without work");
  }
  if (why) return selector.comparison() + "; " + *why;
  const Body body(selector);
  std::optional<std::string> lost;  // why dissection was given up
  why = only_dissection(selector, body, lost);
  if (!why) {
    why = try_minimum_degree(selector, body);
    const bool given_up = why.has_value();
    if (given_up && !lost) lost = try_dissection(selector);
    if (given_up && lost) try_last_resort(selector);
    if (banded) {
      consider_natural(selector, natural);
      if (!(given_up && lost)) consider_rcm(selector);
    }
    if (!given_up && !lost) lost = consider_dissection(selector, body);
  }
  std::string text = selector.comparison();
  for (const auto& reason : {why, lost})
    if (reason) text += "; " + *reason;
  return text;
}

}  // namespace kauri::symbolic::rules

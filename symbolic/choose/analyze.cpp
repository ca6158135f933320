// analyze(): from a pattern to the plan, by the ordering asked for or the best of several.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/threads/allowed_threads.hpp"
#include "base/threads/stopping.hpp"
#include "ordering/features/graph_features.hpp"
#include "ordering/orderer.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/choose/envelope.hpp"
#include "symbolic/choose/ordering_selection.hpp"

namespace kauri {
namespace symbolic {
namespace {

/// The numbering as it is is taken without a look at any other if its job is promised to take less than this many times what it takes to
/// get from minimum degree to a draft. An envelope is more than L, often twice as much, and minimum degree leaves a job too.
constexpr double kNaturalLimit = 2;

/// A banded ordering is judged by its envelope up to this many times the best job: L may be a little less.
constexpr double kEnvelopeLimit = 1.2;

/// Few graphs are long and thin: a look whether one is may cost this part of the best job.
constexpr double kSearchShare = 0.03;

/// Vertices of the reduced graph's largest component from which on dissection may be run at once, and surfaces may; and the share of those
/// with two neighbours or less, at most, in what is no tree or network of chains. For a device, which factorises what either leaves in
/// milliseconds, the sooner ordering is the better one: dissection's time grows with the edges, minimum degree's with the vertices. On 16
/// threads dissection of lattices was 1.4 to 1.7 times as fast with six neighbours a vertex, 1.3 to 2.1 times as slow with twelve and more,
/// and 1.2 to 1.3 times as slow on surfaces of less than 140,000 vertices.
constexpr Index kDissected = 50000, kDissectedSurface = 140000;
constexpr double kMostHanging = 0.5, kMostNeighbours = 8;

/// The least cube of a graph's mean level per vertex: some 10,000 in bodies, 100 on surfaces, though 4750 where neighbours reach over some
/// rings; and, for a host, the least dimension by which neighbourhoods grow. 2 to 16 cores solved bodies 0.98 to 6 times as fast by
/// dissection, surfaces of less than 140,000 vertices 0.4 to 1.1 times.
constexpr double kWide = 1000, kBody = 2;

/// Vertices of an irregular mesh from which on minimum degree is run in rounds by all threads of a device's host: 16 took as long as one
/// with 45,000 to 90,000 vertices of six neighbours, 0.7 times as long with 50,000 of twelve, and 0.4 to 0.8 with more.
constexpr Index kRounds = 40000;

/// No body's levels have more than so many times n^(2/3) vertices (those of lattices, with neighbours in k layers, k n^(2/3)).
constexpr double kWidestBody = 4;

/// In bodies minimum degree leaves about so many operations more than dissection, per cube of the rows in a separator ("elast3d 50",
/// "lap27 80": 21, 27).
constexpr double kBodyWork = 20;

/// Edges beyond those of a tree, per vertex, up to which all but a part of the vertices hang in trees and chains: twice as many are left
/// when these are eliminated, as dissection does before it begins, in less time than minimum degree takes.
constexpr double kChords = 0.1;

/// Of the seconds predicted for a dissection by one core those on a device's host, whose threads share it: 16 took 0.11 to 0.28 of them on
/// lattices, 0.25 to 0.6 on irregular meshes, where more is searched than level sets.
constexpr double kLatticeShare = 0.2, kIrregularShare = 0.4;

/// Of lattices and irregular meshes of 160,000 to a million vertices, measured over predicted seconds of one core of an EPYC and of a Xeon:
/// minimum degree 0.5 to 1.7 and 1.3 to 2.5, dissection, by 2 to 16 cores at the speed below, 0.36 to 0.84 and 0.83 to 1.4.
constexpr double kLatticeDegree = 0.8, kIrregularDegree = 2, kLatticeDissection = 0.55, kIrregularDissection = 1.2;

/// What each further core takes of a core's speed: surfaces were dissected in 0.55 of the time by two, in 0.2 to 0.3 by 16.
constexpr double kSharedCore = 0.17;

/// On surfaces minimum degree leaves so many operations more per cube of a ring of the mean level: as these, what it takes longer in all
/// by eight cores was 0.8 to 1.6 times as much.
constexpr double kSurfaceWork = 60;

/// No graph has levels of less than this part of a ring.
constexpr double kThinnest = 0.6;

/// Levels of a long body, at least, per vertex of one of them: minimum degree leaves it a tree as deep as it is long, dissection one of
/// some separators.
constexpr double kLong = 16;

/// Minimum degree is given up where it has visited as many entries of lists as it would in this many times the seconds predicted for
/// dissection, which is run instead. On meshes, lattices and networks it takes a tenth to a fifth of them; only long lists that pivots read
/// again and again take more.
constexpr double kRunaway = 2;

/// If what a method may spare does not pay for running it, which takes `share` of its seconds on one core: why. Then it is listed as not
/// tried.
std::optional<std::string> skip_if_costly(OrderingSelector& selector, OrderingMethod method, double max_gain, double share = 1) {
  const double cost = share * selector.predicted_trial_seconds(method);
  if (max_gain > cost) return {};
  std::string why = in_seconds(cost) + " predicted for the ordering, at most " + in_seconds(max_gain) + " to spare";
  selector.skip(method, "not tried: " + why);
  return why;
}

/// Predicted seconds of the best job that L's entries beyond those of A are to blame for: no ordering spares more.
double fill_seconds(const OrderingSelector& selector) {
  return (1 - static_cast<double>(selector.entries()) / static_cast<double>(std::max<Offset>(1, selector.best_entries()))) *
         selector.best_seconds();
}

void skip_all(OrderingSelector& selector, std::initializer_list<OrderingMethod> methods, const std::string& why) {
  for (const OrderingMethod method : methods) selector.skip(method, "not tried: " + why);
}

/// The numbering as it is costs no ordering. If nothing else needs a look: why. `job` becomes the seconds that its envelope promises, or
/// less.
std::optional<std::string> natural_suffices(OrderingSelector& selector, double& job) {
  const double amd = selector.predicted_first_trial_seconds(OrderingMethod::amd), enough = kNaturalLimit * amd;
  job = selector.envelope_seconds(OrderingMethod::natural, enough);
  if (job >= enough) return {};
  selector.try_method(OrderingMethod::natural);
  std::string why = "the envelope of the natural ordering promises " + in_seconds(job) + ", to run amd takes " + in_seconds(amd);
  skip_all(selector, {OrderingMethod::amd, OrderingMethod::parallel_amd, OrderingMethod::rcm, OrderingMethod::nested_dissection}, why);
  return why;
}

/// The same against what minimum degree has reached.
void consider_natural(OrderingSelector& selector, double job) {
  const double enough = kEnvelopeLimit * selector.best_seconds();
  if (job < enough) job = selector.envelope_seconds(OrderingMethod::natural, enough);
  if (job < enough) return selector.try_method(OrderingMethod::natural);
  selector.skip(OrderingMethod::natural,
                "not tried: its envelope promises no less than " + in_seconds(job) + " against " + in_seconds(selector.best_seconds()));
}

/// A banded ordering: only where the graph is long and thin.
void consider_rcm(OrderingSelector& selector) {
  const ordering::GraphView& graph = selector.compressed().view();
  const double best = selector.best_seconds(), look = level_seconds(graph.size(), graph.edges() / 2 + graph.size());
  if (look >= kSearchShare * best)
    return selector.skip(OrderingMethod::rcm, "not tried: to look at its levels takes " + in_seconds(look) + " of " + in_seconds(best));
  const double job = selector.band_seconds(banded_entries(graph));
  if (job >= best)
    return selector.skip(OrderingMethod::rcm,
                         "not tried: its levels promise no less than " + in_seconds(job) + " against " + in_seconds(best));
  if (skip_if_costly(selector, OrderingMethod::rcm, fill_seconds(selector))) return;
  const double enough = kEnvelopeLimit * best, envelope = selector.envelope_seconds(OrderingMethod::rcm, enough);
  if (envelope < enough) return selector.try_method(OrderingMethod::rcm);
  selector.skip(OrderingMethod::rcm, "judged by its envelope: no less than " + in_seconds(envelope) + " against " + in_seconds(best));
}

/// The largest component of the reduced graph.
struct Body {
  explicit Body(OrderingSelector& selector) : graph(selector.largest_component()), spread(ordering::degree_spread(graph)) {}
  /// Part of what dissection takes on one core.
  [[nodiscard]] double host_share() const { return irregular ? kIrregularShare : kLatticeShare; }

  ordering::GraphView graph;
  ordering::DegreeSpread spread;
  bool irregular = ordering::is_irregular_mesh(spread);
};

/// Minimum degree by all threads of a device's host where that is faster, else by one.
OrderingMethod minimum_degree(const OrderingSelector& selector, const Body& body) {
  return selector.for_device() && body.irregular && body.graph.size() >= kRounds ? OrderingMethod::parallel_amd : OrderingMethod::amd;
}

/// If it was given up, so that there is no job yet: why.
std::optional<std::string> try_minimum_degree(OrderingSelector& selector, const Body& body) {
  const OrderingMethod method = minimum_degree(selector, body);
  const bool in_rounds = method == OrderingMethod::parallel_amd;
  if (!in_rounds)
    selector.skip(OrderingMethod::parallel_amd, "not tried: it is for large irregular meshes and devices, else amd is sooner done");
  const double seconds = selector.predicted_order_seconds(OrderingMethod::nested_dissection);
  const Offset most = order_work(kRunaway * seconds);
  const std::string why = "it takes more than the " + in_digits(static_cast<double>(most)) + " steps of " + in_digits(kRunaway) +
                          " times the " + in_seconds(seconds) + " predicted for nd";
  const bool taken = selector.try_within(method, most, why);
  if (in_rounds) selector.skip(OrderingMethod::amd, "not tried: of an irregular mesh pamd does the same by all threads");
  if (taken) return {};
  return std::string(name_of(method)) + " given up: " + why;
}

/// Predicted seconds of the best job in which a device waits for the path through the tree, not for products. Those of most graphs no
/// ordering spares, but those of a long body dissection does: of others nothing, and nothing below `least`, for which no look is taken.
double path_seconds(OrderingSelector& selector, const Body& body, double least) {
  if (!selector.on_device() || body.graph.size() == 0) return 0;
  const double waits = selector.best_seconds() - selector.device_seconds(selector.best_flops());
  if (waits <= least) return 0;
  const double width = ordering::level_width(body.graph);
  return body.graph.size() >= kLong * width * width ? waits : 0;
}

/// Nested dissection costs much more than minimum degree. If it is not run for that: why.
std::optional<std::string> consider_dissection(OrderingSelector& selector, const Body& body) {
  const double work = selector.best_flops() / static_cast<double>(std::max<Offset>(1, selector.best_entries()));
  const double share = selector.on_device() ? body.host_share() : 1;
  const double cost = share * selector.predicted_trial_seconds(OrderingMethod::nested_dissection);
  double max_gain = dissection_gain(work) * fill_seconds(selector);
  if (max_gain <= cost) max_gain = std::max(max_gain, path_seconds(selector, body, cost));
  if (auto why = skip_if_costly(selector, OrderingMethod::nested_dissection, max_gain, share)) return "nd not tried: " + *why;
  selector.try_method(OrderingMethod::nested_dissection);
  return {};
}

/// For a device, of what minimum degree suits: whether the device would take longer with its ordering of a body, and the host to find that,
/// than all threads take to dissect it. `width`: vertices of a separator. Minimum degree counts with one core's seconds, in rounds too, and
/// the shares of dissection were set against that.
bool outweighs_dissection(OrderingSelector& selector, const Body& body, double width) {
  const double rows = width * selector.size() / selector.compressed().size();
  return selector.device_seconds(kBodyWork * rows * rows * rows) + selector.predicted_trial_seconds(minimum_degree(selector, body)) >
         body.host_share() * selector.predicted_trial_seconds(OrderingMethod::nested_dissection);
}

/// Vertices of one ring of a level that has `width`: on a surface a vertex has 8 neighbours in one ring, 24 in two.
double ring_width(const Body& body, double width) { return width / std::max(kThinnest, (std::sqrt(body.spread.mean + 1) - 1) / 2); }

/// Seconds in which the host that AnalyzeOptions::cores tells of has dissected a mesh, if that is less than one core takes for minimum
/// degree, and all of them for what that leaves to factorisations beyond dissection. `width`: vertices of a separator.
std::optional<double> outruns_minimum_degree(OrderingSelector& selector, const Body& body, double width) {
  if (!body.irregular && !ordering::is_lattice(body.spread)) return {};
  const double rows = width * selector.size() / selector.compressed().size();
  const double speed = selector.cores() / (1 + kSharedCore * (selector.cores() - 1));
  const double degree = (body.irregular ? kIrregularDegree : kLatticeDegree) * selector.predicted_order_seconds(OrderingMethod::amd);
  const double dissection = (body.irregular ? kIrregularDissection : kLatticeDissection) *
                            selector.predicted_order_seconds(OrderingMethod::nested_dissection) / speed;
  if (dissection >= degree + selector.core_seconds(kSurfaceWork * rows * rows * rows) / speed) return {};
  return dissection;
}

std::string in_levels(Index n, double width) { return in_digits(n) + " vertices in levels of " + in_digits(width); }

/// dissect_at_once() for a host, of a graph of some size without hubs: bodies, and large surfaces where all cores are sooner done with
/// both.
std::optional<std::string> dissect_on_host(OrderingSelector& selector, const Body& body) {
  const Index n = body.graph.size();
  const bool flat = ordering::growth_dimension(body.graph) < kBody;
  if (flat && n < kDissectedSurface) return {};
  const double width = ordering::level_width(body.graph);
  if (width > kWidestBody * std::cbrt(static_cast<double>(n) * n)) return {};
  if (!flat && width * width * width >= kWide * n) return in_levels(n, width);
  const auto seconds = outruns_minimum_degree(selector, body, flat ? ring_width(body, width) : width);
  if (!seconds) return {};
  return in_digits(n) + " vertices, dissected by " + std::to_string(selector.cores()) + " cores in " + in_seconds(*seconds);
}

/// The same for a device.
std::optional<std::string> dissect_for_device(OrderingSelector& selector, const Body& body) {
  const Index n = body.graph.size();
  const bool few = body.spread.mean <= kMostNeighbours && !body.irregular;
  if (few && n >= kDissectedSurface)
    return in_digits(n) + " vertices of few neighbours for a device, which factorises faster than one thread orders";
  // A cube's, the widest of a lattice with so many neighbours: 26 in one layer, 124 in two.
  const double cube = std::cbrt(static_cast<double>(n) * n), layers = (std::cbrt(body.spread.mean + 1) - 1) / 2;
  if (!few && !outweighs_dissection(selector, body, std::max(layers, 1.0) * cube)) return {};
  const double width = ordering::level_width(body.graph);
  if (width > kWidestBody * cube || width * width * width < kWide * n) return {};
  if (!few && !outweighs_dissection(selector, body, width)) return {};
  return in_levels(n, width);
}

/// Where nested dissection is as good as certain to win, minimum degree is not run before it. If so: why.
std::optional<std::string> dissect_at_once(OrderingSelector& selector, const Body& body) {
  const ordering::GraphView& graph = body.graph;
  const Index n = graph.size();
  if (n < kDissected) return {};
  const Offset chords = graph.edges() / 2 - n + 1;
  if (static_cast<double>(chords) <= kChords * n)
    return in_digits(n) + " vertices, a tree but for " + in_digits(static_cast<double>(chords)) + " edges";
  if (ordering::hanging_share(graph) > kMostHanging || ordering::has_hubs(body.spread)) return {};
  return selector.for_device() ? dissect_for_device(selector, body) : dissect_on_host(selector, body);
}

/// The same, and it is run: the others are listed with the reason.
std::optional<std::string> only_dissection(OrderingSelector& selector, const Body& body) {
  std::optional<std::string> why = dissect_at_once(selector, body);
  if (!why) return {};
  selector.try_method(OrderingMethod::nested_dissection);
  skip_all(selector, {OrderingMethod::natural, OrderingMethod::amd, OrderingMethod::parallel_amd, OrderingMethod::rcm}, *why);
  return "nd alone: " + *why;
}

/// The choice of `automatic`, from the cheapest to the dearest; returns its reason.
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
  why = only_dissection(selector, body);
  if (!why) {
    why = try_minimum_degree(selector, body);
    const bool given_up = why.has_value();
    if (given_up) selector.try_method(OrderingMethod::nested_dissection);
    if (banded) {
      consider_natural(selector, natural);
      consider_rcm(selector);
    }
    if (!given_up) why = consider_dissection(selector, body);
  }
  return selector.comparison() + (why ? "; " + *why : "");
}

Analysis run_selection(const Pattern& lower, const AnalyzeOptions& options) {
  OrderingSelector selector(lower, options);
  return selector.finish(select_ordering(selector));
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
  for (const OrderingMethod method : {OrderingMethod::natural, OrderingMethod::rcm, OrderingMethod::minimum_degree, OrderingMethod::amd,
                                      OrderingMethod::parallel_amd, OrderingMethod::nested_dissection, OrderingMethod::metis}) {
    if (ordering_compared(method))
      selector.plan_method(method);
    else
      selector.skip(method, ordering_available(method) ? "the system's METIS takes over signals of the process: asked for by name alone"
                                                       : "kauri was built without METIS");
  }
  return selector.finish(select_ordering(selector));
}

#ifdef KAURI_CHECKED
constexpr Index kLargestChecked = 20000;  // rows: the check may take longer than the analysis

/// A plan that is not sound is a fault of kauri's own.
Analysis checked(Analysis analysis) {
  if (analysis.plan->n > kLargestChecked) return analysis;
  for (const Candidate& candidate : analysis.candidates)
    if (const std::string flaw = candidate.plan ? find_flaw(*candidate.plan) : ""; !flaw.empty())
      throw std::logic_error("analyze: a plan that is not sound: " + flaw);
  return analysis;
}
#else
Analysis checked(Analysis analysis) { return analysis; }
#endif

/// f() by as many threads as it may have, with memory that ran out told as an Error of kauri.
template <class F>
Analysis guarded(const Pattern& lower, const OrderingOptions& options, F&& f) {
  const StopScope scope(options.stop);
  try {
    ordering::require_sound(options, "analyze");
    Analysis found;
    with_threads(options.threads, [&] { found = checked(f()); });
    return found;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::memory, "analyze: not enough memory for the plan of a matrix with n = " + std::to_string(lower.n) + " and " +
                                       std::to_string(lower.nnz()) + " entries");
  }
}

}  // namespace
}  // namespace symbolic

Analysis analyze_with_report(const Pattern& lower, const AnalyzeOptions& options) {
  return symbolic::guarded(lower, options.ordering, [&] {
    const bool selector = !options.permutation && options.ordering.method == OrderingMethod::automatic;
    return selector ? symbolic::run_selection(lower, options) : symbolic::run_one(lower, options);
  });
}

std::shared_ptr<const Plan> analyze(const Pattern& lower, const AnalyzeOptions& options) {
  return analyze_with_report(lower, options).plan;
}

Analysis compare_orderings(const Pattern& lower, const AnalyzeOptions& options) {
  return symbolic::guarded(lower, options.ordering, [&] { return symbolic::run_all(lower, options); });
}

}  // namespace kauri

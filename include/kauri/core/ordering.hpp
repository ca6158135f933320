// Fill-reducing orderings: from a graph to a permutation. No call here reads a value of A.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kauri/core/graph.hpp"
#include "kauri/core/permutation.hpp"

namespace kauri {

/// Ordering methods.
enum class OrderingMethod {
  natural,         ///< the caller's numbering, unchanged but for OrderingOptions::last
  rcm,             ///< reverse Cuthill-McKee, pseudo-peripheral start (George & Liu 1979)
  minimum_degree,  ///< exact external degree, multiple elimination (Liu 1985; George & Liu 1989)
  amd,             ///< approximate minimum degree (Amestoy, Davis & Duff 1996)
  parallel_amd,  ///< amd by several threads, in rounds of pivots without a common neighbour (Chang,
                 ///< Buluc & Demmel 2025)
  nested_dissection,  ///< nested dissection by kauri (George 1973)
  metis,              ///< nested dissection by METIS (Karypis & Kumar 1998)
  automatic,  ///< analyze() tries several of these methods; the least predicted time of the whole
              ///< job wins
};

/// Returns "natural", "rcm", "md", "amd", "pamd", "nd", "metis" or "auto". Throws Error(usage) for
/// a value that names no method.
std::string_view name_of(OrderingMethod method);
/// Returns the method of this name, as name_of() writes it; empty for an unknown name.
std::optional<OrderingMethod> ordering_from_name(std::string_view name);
/// Returns false for metis if kauri was built without it, else true.
bool ordering_available(OrderingMethod method);
/// Returns true for the methods that compare_orderings() runs: all available ones, except metis if
/// it is the system's library. While that library orders, it installs its own handlers of SIGTERM
/// and SIGABRT for the whole process; a METIS that is compiled into kauri installs none
/// (docs/limits.md). The program's command `compare` also runs these methods if none is named.
bool ordering_compared(OrderingMethod method);

/// Rule by which minimum_degree chooses among vertices of least degree whose degree no elimination
/// has updated yet. Vertices of the same degree that have been updated are eliminated before those,
/// the most recently updated first.
enum class TieBreak {
  first,              ///< the vertex numbered first
  last,               ///< the vertex numbered last
  pseudo_peripheral,  ///< the vertex farthest, by breadth-first level, from the middle of its
                      ///< component: outside in
};

/// Time that nested dissection spends on separators: how many ways it tries for each, and how
/// thoroughly it refines them.
enum class Effort {
  fast,      ///< least time
  standard,  ///< the default
  best,      ///< least fill
};

/// Returns "fast", "standard" or "best". Throws Error(usage) for a value that names no effort.
std::string_view name_of(Effort effort);

/// Options of order(), order_within(), reorder() and analyze().
struct OrderingOptions {
  OrderingMethod method =
      OrderingMethod::automatic;  ///< automatic: analyze() chooses; order() refuses it
  std::uint64_t seed =
      1;  ///< seeds every random choice; the same seed gives the same permutation everywhere
  TieBreak tie_break = TieBreak::last;  ///< minimum_degree: choice among vertices of one degree
  bool compress = true;  ///< merge indistinguishable vertices (equal closed neighbourhoods) first,
                         ///< if one in 64 or more is merged
  bool aggressive = true;  ///< amd, parallel_amd: aggressive element absorption
  double dense = 10.0;  ///< rows of degree > max(16, dense*sqrt(n)) are ordered last; none are if
                        ///< dense is <= 0 or NaN
  int delta = 0;  ///< minimum_degree: vertices whose degree exceeds the least by at most this,
                  ///< >= 0, are eliminated together
  Effort effort = Effort::standard;  ///< nested_dissection: more effort takes more time and mostly
                                     ///< leaves less fill
  /// Rows of A that are eliminated last, in this sequence: for example those of a Schur complement.
  /// The other rows are ordered as if these were absent. In a plan they are the last columns of L
  /// and form one supernode, the last, whose columns are stored as if all their entries below the
  /// diagonal were nonzero. Each row is >= 0, < n, and listed at most once.
  std::vector<Index> last{};
  /// Most threads that a call uses, >= 0; 0 stands for the threads of cpu_backend(0). oneTBB's
  /// present limit for the process applies too. Threads share the connected components, the work of
  /// nested_dissection and parallel_amd inside a component, the reduction of the graph before every
  /// method, and the symbolic phase. The permutation does not depend on their number.
  int threads = 0;
  /// Cancels order(), order_within(), reorder() and whole analyses: once any thread requests a
  /// stop, the call throws Error(cancelled) within some 50 ms. METIS cannot be interrupted and runs
  /// to its end first. A token without a stop source costs nothing.
  std::stop_token stop{};
};

/// Returns a fill-reducing permutation of the graph by one method (not `automatic`, whose choice
/// needs the symbolic phase: see analyze()). An empty graph is allowed. The result depends on the
/// graph and the options alone. Rows of options.last stand last. O(n + nnz) beside the method's
/// time.
///
/// `natural` returns the identity, except that options.last come last. For every other method the
/// graph is reduced first:
/// - Indistinguishable vertices are merged (options.compress), if that merges one vertex in 64 or
///   more. Members of a merged vertex stay together, ascending.
/// - Small rows of a block arrow, each of whose neighbours has at least four times its degree, are
///   eliminated if they are half of all rows or more and leave no more edges than there were. Each
///   comes right before the first of its neighbours.
/// - Dense rows (options.dense, with n counting neither small rows nor options.last) come last, but
///   before options.last, ordered by least member. If small rows were eliminated and more than half
///   of the rest would be dense, none are. Vertices that become indistinguishable without dense
///   rows are merged, too.
/// - Each connected component is ordered separately, in the order of the components' least
///   vertices.
///
/// metis: seed 1 selects METIS's own default (its seed -1), so that results can be compared. A
/// METIS that is compiled into kauri touches no state of the process. The system's METIS does: one
/// call at a time runs in it, and others wait; it reseeds and draws from rand(), so its result
/// repeats on one C library; and while it orders it has its own handlers of SIGTERM and SIGABRT. A
/// SIGTERM that another thread takes then may end the process by SIGSEGV. One that the ordering
/// thread takes ends the ordering by Error(cancelled) and is raised again.
///
/// Throws Error: usage (`automatic`; an unknown method; metis if it is not available; delta < 0,
/// threads < 0, an unknown effort or tie_break, which analyze() refuses too, whatever the method),
/// input (rows of options.last that are out of range or named twice), overflow (a graph too large
/// for METIS), memory (METIS runs out of memory, or the system refuses a thread), cancelled.
Permutation order(const Graph& graph, const OrderingOptions& options);

}  // namespace kauri

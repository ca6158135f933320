// Fill-reducing orderings: graph -> permutation. No value of A is seen here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kauri/graph.hpp"
#include "kauri/permutation.hpp"

namespace kauri {

/// How a permutation is found.
enum class OrderingMethod {
  natural,            ///< the caller's numbering as it is
  rcm,                ///< reverse Cuthill-McKee, pseudo-peripheral start (George & Liu 1979)
  minimum_degree,     ///< exact external degree, multiple elimination (Liu 1985; George & Liu 1989)
  amd,                ///< approximate minimum degree (Amestoy, Davis & Duff 1996)
  parallel_amd,       ///< the same by several threads, in rounds of pivots without a common neighbour (Chang, Buluc & Demmel 2025)
  nested_dissection,  ///< kauri's own nested dissection (George 1973)
  metis,              ///< nested dissection by METIS (Karypis & Kumar 1998)
  automatic,          ///< several of the above are tried; the least predicted time of the whole job wins
};

/// "natural", "rcm", "md", "amd", "pamd", "nd", "metis", "auto".
std::string_view name_of(OrderingMethod method);
/// The inverse of name_of; empty for an unknown name.
std::optional<OrderingMethod> ordering_from_name(std::string_view name);
/// False for metis when kauri was built without it; true for all others.
bool ordering_available(OrderingMethod method);
/// True for what compare_orderings() and the program's `compare` plan where no method is named: all that are available, but for a METIS
/// that is the system's library. While it orders, it has handlers of its own for SIGTERM and SIGABRT of the whole process; a METIS that is
/// compiled into kauri has none (docs/limits.md).
bool ordering_compared(OrderingMethod method);

/// Which of several vertices of least degree is eliminated first (minimum_degree only). The rule holds among vertices that no elimination
/// has touched yet; those whose degree changed go before them, the latest first.
enum class TieBreak {
  first,              ///< the one numbered first
  last,               ///< the one numbered last
  pseudo_peripheral,  ///< the one farthest, by breadth-first level, from the middle of the component: outside in
};

/// How much time nested dissection spends on separators: what is tried for each, and how it is polished.
enum class Effort {
  fast,      ///< least time
  standard,  ///< the default
  best,      ///< least fill
};

/// "fast", "default", "best".
std::string_view name_of(Effort effort);
/// The inverse of name_of; empty for an unknown name.
std::optional<Effort> effort_from_name(std::string_view name);

/// What order() does, and how; analyze() too.
struct OrderingOptions {
  OrderingMethod method = OrderingMethod::automatic;  ///< automatic: analyze() chooses; order() refuses it
  std::uint64_t seed = 1;                             ///< of every random choice; the same seed gives the same permutation everywhere
  TieBreak tie_break = TieBreak::last;                ///< minimum_degree: among vertices of one degree
  bool compress = true;                               ///< merge indistinguishable vertices first (equal closed neighbourhoods), if many are
  bool aggressive = true;                             ///< amd, parallel_amd: aggressive element absorption
  double dense = 10.0;                                ///< rows of degree > max(16, dense*sqrt(n)) are ordered last; <= 0: none is
  int delta = 0;                     ///< minimum_degree: vertices within this of the least degree are eliminated together, >= 0
  Effort effort = Effort::standard;  ///< nested_dissection: more of it takes more time and mostly leaves less fill
  /// Rows that come last, in this sequence: those of a Schur complement, or of unknowns that others wait for. The rest is ordered as if
  /// they were not there. An analysis keeps them the last rows of its plan, as one front, of which the rows count as dense: they are what
  /// is left when all others are eliminated. Each at most once, each >= 0 and < n.
  std::vector<Index> last{};
  /// This many threads at most: on components, inside them by nested_dissection and parallel_amd, on what is done around every method, and
  /// on analyses; >= 0; 0: as many as cpu_backend(0) has; no more than oneTBB allows the process now. Never reaches the permutation.
  int threads = 0;
  /// Asked to stop, by any thread, the call throws Error(cancelled) within some 50 ms: order(), order_within(), reorder(), and analyses
  /// with all that they do. METIS cannot be interrupted, and is run to its end first. A token that nobody can ask to stop costs nothing.
  std::stop_token stop{};
};

/// A fill-reducing permutation of the graph by one method (not automatic: that choice needs the symbolic phase, see analyze()).
/// natural is the identity, but for options.last. For the others indistinguishable vertices, one in 64 or more, are merged (the members
/// stay together, ascending), dense rows are set aside and come last (by their least member), what is indistinguishable without them is
/// merged as well, and each connected component is ordered by itself, in the order of its least vertex. Empty graphs are fine.
/// Deterministic: a function of graph and options alone. O(n + nnz) beyond the method's own time. Rows of options.last stand last.
///
/// metis: seed 1 is METIS's own default (its seed -1), so that results compare. A METIS that is compiled into kauri touches nothing of the
/// process. The system's keeps state of it: one call at a time runs in it, the others wait, it reseeds and draws from rand(), so that its
/// result repeats on one C library, and it has handlers of its own for SIGTERM and SIGABRT meanwhile: a SIGTERM that another thread takes
/// then may end the process by SIGSEGV, one that comes to the ordering thread ends the ordering by Error(cancelled) and is raised again.
///
/// Throws Error(usage) for automatic, for metis where it is not available, for delta < 0, threads < 0 and an effort that there is not
/// (analyze() too, whatever the method), Error(input) for rows of options.last that are out of range or named twice, Error(overflow) for a
/// graph too large for METIS, Error(memory) where METIS runs out of memory or the system refuses a thread.
Permutation order(const Graph& graph, const OrderingOptions& options);

}  // namespace kauri

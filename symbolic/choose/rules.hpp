// The rules of `automatic`: which orderings are tried, in which sequence, and the constants that
// decide. M02, M03 and M09 are sections of docs/measurements/ordering.md; docs/orderings.md has
// more figures.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kauri/core/types.hpp"
#include "symbolic/choose/ordering_selection.hpp"

namespace kauri::symbolic::rules {

/// Makes the choice of `automatic`, trying orderings from the cheapest to the dearest, and returns
/// its reason.
std::string select_ordering(OrderingSelector& selector);

/// The natural ordering is chosen without a look at any other if the job with its envelope as L is
/// predicted to take less than this many times the seconds from the pattern to a draft of minimum
/// degree. An envelope has more entries than L, often twice as many, and the job of minimum degree
/// takes time too.
inline constexpr double kNaturalLimit = 2;

/// The natural ordering, or rcm, is dropped by its envelope alone if the job with that many entries
/// of L is predicted to take this many times the seconds of the best job or more; L may have
/// somewhat fewer entries than the envelope.
inline constexpr double kEnvelopeLimit = 1.2;

/// Share of the best job's seconds that the search of levels (banded_entries()), which predicts the
/// job with rcm, may cost: few graphs are long and thin.
inline constexpr double kSearchShare = 0.03;

/// kDissected, kDissectedSurface: least vertices of the reduced graph's largest component for which
/// dissection may be run at once, in general and on surfaces. kMostHanging: greatest share of
/// vertices with two neighbours or less in a graph that is no tree or network of chains.
/// kMostNeighbours: greatest mean degree of a graph, other than an irregular mesh, on which
/// dissection is taken as the faster ordering.
/// For a device, which factorises the result of either ordering in milliseconds, the faster
/// ordering is the better one: dissection's time grows with the edges, minimum degree's with the
/// vertices. On 16 threads dissection of lattices was 1.4 to 1.7 times as fast with six neighbours
/// a vertex, 1.3 to 2.1 times as slow with twelve and more, and 1.2 to 1.3 times as slow on
/// surfaces of less than 140,000 vertices.
inline constexpr Index kDissected = 50000, kDissectedSurface = 140000;
inline constexpr double kMostHanging = 0.5, kMostNeighbours = 8;

/// kWide: least cube of the vertices in a mean level, per vertex of the graph; it is some 10,000 in
/// bodies and 100 on surfaces, though 4750 if neighbours reach over several rings. kBody, used
/// without a device: least growth_dimension() of a body. 2 to 16 cores solved bodies 0.98 to 6
/// times as fast by dissection, surfaces of less than 140,000 vertices 0.4 to 1.1 times.
inline constexpr double kWide = 1000, kBody = 2;

/// Least vertices of an irregular mesh for which minimum degree is run in rounds by all threads of
/// a device's host: 16 threads took as long as one with 45,000 to 90,000 vertices of six
/// neighbours, 0.7 times as long with 50,000 of twelve, and 0.4 to 0.8 with more.
inline constexpr Index kRounds = 40000;

/// The levels of a body have at most kWidestBody n^(2/3) vertices (those of a lattice with
/// neighbours in k layers have k n^(2/3)).
inline constexpr double kWidestBody = 4;

/// Operations that minimum degree leaves in a body beyond those of dissection, per cube of the rows
/// in a separator: about 20 ("elast3d 50", "lap27 80": 21, 27).
inline constexpr double kBodyWork = 20;

/// Most edges beyond those of a tree, per vertex, of a graph that is taken as hanging trees and
/// chains. Eliminating these leaves twice as many vertices as it has edges beyond a tree;
/// dissection does it before it begins, in less time than minimum degree takes (M02).
inline constexpr double kChords = 0.1;

/// Seconds of a dissection on a device's host, whose threads share it, over those predicted for one
/// core: 16 threads took 0.11 to 0.28 on lattices, 0.25 to 0.6 on irregular meshes, for which more
/// is searched than level sets.
inline constexpr double kLatticeShare = 0.2, kIrregularShare = 0.4;

/// Measured over predicted seconds of one core, on lattices and on irregular meshes of 160,000 to a
/// million vertices, on an EPYC and a Xeon: minimum degree took 0.5 to 1.7 and 1.3 to 2.5;
/// dissection, by 2 to 16 cores with the speed of kSharedCore, 0.36 to 0.84 and 0.83 to 1.4.
inline constexpr double kLatticeDegree = 0.8, kIrregularDegree = 2, kLatticeDissection = 0.55,
                        kIrregularDissection = 1.2;

/// c cores dissect at c / (1 + kSharedCore (c - 1)) times the speed of one: two cores dissected
/// surfaces in 0.55 of one core's time, 16 in 0.2 to 0.3.
inline constexpr double kSharedCore = 0.17;

/// Operations that minimum degree leaves on a surface beyond those of dissection, per cube of the
/// vertices in a ring of the mean level. The time that minimum degree took longer in all on eight
/// cores, converted to operations, was 0.8 to 1.6 times this.
inline constexpr double kSurfaceWork = 60;

/// Least number of rings of neighbours that ring_width() takes a level to consist of.
inline constexpr double kThinnest = 0.6;

/// Least levels of a long body, per vertex of a level: minimum degree leaves it a tree as deep as
/// the body is long, dissection a tree of a few separators (M03).
inline constexpr double kLong = 16;

/// An ordering is given up once its steps take a multiple of another one's predicted seconds.
/// kRunaway: minimum degree, in the seconds of dissection. On meshes, lattices and networks it
/// takes a tenth to a fifth of these; only long lists that pivots read again and again take more.
/// kLostDissection: dissection, in the seconds of amd. On meshes and lattices it takes 7.7 to
/// 10.2 times these; a part that is left to minimum degree because nothing divides it well may take
/// more. kLostBand: rcm, in the seconds of amd. On meshes and lattices it takes 0.3 to 0.8 of
/// these; each search that ends farther away than the one before takes 0.1 to 0.3 more.
inline constexpr double kRunaway = 2, kLostDissection = 25, kLostBand = 4;

}  // namespace kauri::symbolic::rules

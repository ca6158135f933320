// Lists sums of children's entries, a few columns of the parent front at a time: finds the
// children's columns that meet them, counts the terms of each entry, and, once all sums have
// their places, writes the terms.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/child_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "base/common/checked.hpp"
#include "base/host/memory.hpp"
#include "base/threads/blocks.hpp"
#include "symbolic/device/child_rows.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/small_layout.hpp"

namespace kauri::symbolic {
namespace {

/// A listed child: the rows of its contribution block as rows of the parent, and the place of its
/// entries.
struct Listed {
  std::span<const Index> row;
  Offset block;
  Index m, p;
  bool tiled;

  [[nodiscard]] Offset place(Index r, Index c) const {
    return block +
           (tiled ? FrontCells{m, p}.block().place(r, c) : SmallLayout{m, p}.place(p + r, p + c));
  }
};

/// Columns of the parent front that are listed together, in patches of kPatchRows rows; a patch has
/// as many entries as a group has sums. A child's entries that meet a patch lie side by side: those
/// of a column in a packed block, those of a row in a block of cells.
constexpr Index kPatchRows = 8, kPatchColumns = kSumGroup / kPatchRows;
static_assert((kPatchRows & (kPatchRows - 1)) == 0);

/// Number of sums and of terms; later the beginning of each.
struct Extent {
  Offset sums = 0, terms = 0;
};

/// Extents of the sums for kPatchColumns columns of the parent front: of each stage of partial
/// sums, and of the last sums, which are added to the front.
struct SumPart {
  std::vector<Extent> partial;
  Extent last;
  Offset scratch = 0;  // place of the results of the partial sums, one behind the other

  /// Returns the extent of the sums of stage k, or null if these columns have none there. is_last:
  /// k is the last stage of the front, which holds the sums that are added to it.
  Extent* stage(std::size_t k, bool is_last) {
    return is_last ? &last : k < partial.size() ? &partial[k] : nullptr;
  }
};

/// The terms of each entry, divided into runs of at most kFanIn terms, each of which one sum adds
/// up.
struct Runs {
  std::vector<Offset> first;  // per entry: index of its first run
  std::vector<Offset> term;   // per run: beginning of its terms
  std::vector<Offset> place;  // per run: place of its sum, if that is scratch
};

constexpr Index runs_of(Index terms) { return (terms + kFanIn - 1) / kFanIn; }

/// The parent front, for which the sums are listed.
class Host {
 public:
  Host(const Supernodes& nodes, const Assembly& assembly, Index s, DeviceSchedule& out)
      : out_(out), s_(s), cells_{nodes.order(s), nodes.pivots(s)} {
    for (Offset k = assembly.child_ptr[s]; k < assembly.child_ptr[s + 1]; ++k)
      if (const Index c = assembly.child[k]; is_listed(nodes, assembly, s, c))
        take(nodes, assembly, c);
  }
  [[nodiscard]] bool none() const { return child_.empty(); }

  std::vector<Index> list() {
    const std::vector<Offset> begin = columns();
    const Blocks blocks(cells_.m, kPatchColumns);
    std::vector<SumPart> part(at(blocks.count()));
    blocks.for_each([&](Index b, Index c, Index end) {
      if (begin[c] != begin[end]) measure(count(c, begin), part[b]);
    });
    std::vector<Index> stages = make_room(part);
    blocks.for_each([&](Index b, Index c, Index end) {
      if (begin[c] != begin[end]) fill(c, begin, part[b]);
    });
    return stages;
  }

 private:
  struct Column {
    Index child, column;
  };
  static std::size_t at(Offset k) { return static_cast<std::size_t>(k); }

  void take(const Supernodes& nodes, const Assembly& assembly, Index c) {
    Listed child{{}, out_.block[c], nodes.order(c), nodes.pivots(c), out_.tiled[c] != kNone};
    const std::size_t before = rows_.size();
    const Offset begin = nodes.row_ptr[c] - nodes.first[c], q = nodes.contribution(c);
    rows_.resize(before + at(q));
    list_parent_rows(nodes, assembly, begin, begin + q, rows_.data() + before);
    child_.push_back(child);
    row_end_.push_back(static_cast<Offset>(rows_.size()));
  }
  [[nodiscard]] std::span<const Index> rows_of(Index k) const {
    const Offset begin = k == 0 ? 0 : row_end_[k - 1];
    return std::span(rows_).subspan(at(begin), at(row_end_[k] - begin));
  }

  /// Sorts the children's columns by the parent's columns, children in their order. Returns the
  /// beginning of each column's list.
  std::vector<Offset> columns() {
    std::vector<Offset> begin(at(cells_.m) + 1, 0);
    for (const Index r : rows_) ++begin[r + 1];
    for (Index c = 0; c < cells_.m; ++c) begin[c + 1] += begin[c];
    column_.resize(rows_.size());
    std::vector<Offset> next = begin;
    for (Index k = 0; k < static_cast<Index>(child_.size()); ++k) {
      child_[k].row = rows_of(k);
      for (Index j = 0; j < static_cast<Index>(child_[k].row.size()); ++j)
        column_[at(next[child_[k].row[j]]++)] = {k, j};
    }
    return begin;
  }
  /// Returns the index ("slot") of entry (r, first + c) in the sums of columns [first, first +
  /// kPatchColumns).
  static Index slot(Index r, Index c) {
    return (r & -kPatchRows) * kPatchColumns + c * kPatchRows + (r & (kPatchRows - 1));
  }
  /// Counts the terms of each slot, for the columns from c0 on.
  [[nodiscard]] std::vector<Index> count(Index c0, const std::vector<Offset>& begin) const {
    std::vector<Index> terms(at(slot(cells_.m - 1, kPatchColumns - 1)) + 1, 0);
    for (Index c = c0; c < std::min(c0 + kPatchColumns, cells_.m); ++c)
      for (Offset k = begin[c]; k < begin[c + 1]; ++k)
        for (const Index r : child_[column_[at(k)].child].row.subspan(at(column_[at(k)].column)))
          ++terms[slot(r, c - c0)];
    return terms;
  }

  /// Adds up the sums and terms of some columns, by stage. count: terms of each slot. An entry with
  /// more than kFanIn terms is first summed in runs of kFanIn, whose sums become the entry's terms.
  static void measure(const std::vector<Index>& count, SumPart& out) {
    for (Index terms : count) {
      if (terms == 0) continue;
      for (std::size_t k = 0; terms > kFanIn; terms = runs_of(terms), ++k) {
        if (k == out.partial.size()) out.partial.emplace_back();
        out.partial[k].sums += runs_of(terms);
        out.partial[k].terms += terms;
      }
      ++out.last.sums;
      out.last.terms += terms;
    }
  }

  /// Makes room in out_.sums, and turns each extent into the positions at which its sums and terms
  /// begin there: stage by stage, and by columns within each stage; scratch goes by columns.
  /// Returns the beginning of each stage.
  std::vector<Index> make_room(std::vector<SumPart>& part) {
    std::size_t partial = 0;
    for (SumPart& p : part) {
      partial = std::max(partial, p.partial.size());
      p.scratch = out_.entries;
      for (const Extent& stage : p.partial)
        out_.entries = checked_add(out_.entries, stage.sums, "entries of device memory");
    }
    DeviceSchedule::Sums& sums = out_.sums;
    Extent next{static_cast<Offset>(sums.place.size()), static_cast<Offset>(sums.term.size())};
    std::vector<Index> stages{static_cast<Index>(next.sums)};
    for (std::size_t k = 0; k <= partial; ++k) {
      for (SumPart& p : part)
        if (Extent* const stage = p.stage(k, k == partial); stage != nullptr) {
          const Extent begin = std::exchange(*stage, next);
          next.sums += begin.sums, next.terms += begin.terms;
        }
      next.sums = (next.sums + kSumGroup - 1) / kSumGroup * kSumGroup;
      if (next.sums > std::numeric_limits<Index>::max())
        throw Error(ErrorKind::overflow, "symbolic: more than 2^31 sums of children's entries");
      stages.push_back(static_cast<Index>(next.sums));
      sums.place.resize(at(next.sums), -1);
      sums.ptr.resize(at(next.sums) + 1, next.terms);
    }
    resize_large(sums.term, next.terms);
    return stages;
  }

  /// Writes places and terms of all sums for kPatchColumns columns of the front from c0 on.
  void fill(Index c0, const std::vector<Offset>& begin, SumPart& part) const {
    std::vector<Index> terms = count(c0, begin);
    const std::vector<Offset> last = fill_last(c0, terms, part.last);
    Runs runs = lay(terms, last, part, 0);
    gather(c0, begin, runs);
    for (std::size_t k = 1; k <= part.partial.size(); ++k) {
      for (Index& n : terms) n = n > kFanIn ? runs_of(n) : 0;
      Runs next = lay(terms, last, part, k);
      for (std::size_t e = 0; e < terms.size(); ++e)
        for (Index t = 0; t < terms[e]; ++t)
          out_.sums.term[next.term[next.first[e] + t / kFanIn] + t % kFanIn] =
              runs.place[runs.first[e] + t];
      runs = std::move(next);
    }
  }

  void add_sum(Extent& stage, Offset place, Index terms) const {
    out_.sums.place[stage.sums] = place;
    out_.sums.ptr[++stage.sums] = stage.terms += terms;
  }

  /// Lists the last sums of these columns, which are added to the front. Returns the beginning of
  /// their terms, by slot.
  std::vector<Offset> fill_last(Index c0, const std::vector<Index>& count, Extent& last) const {
    std::vector<Offset> begin(count.size());
    for (Index e = 0; e < static_cast<Index>(count.size()); ++e) {
      const Index r = e / kSumGroup * kPatchRows + e % kPatchRows,
                  c = c0 + e % kSumGroup / kPatchRows;
      Index terms = count[e];
      while (terms > kFanIn) terms = runs_of(terms);
      begin[e] = last.terms;
      if (terms > 0)
        add_sum(last, (c < cells_.p ? out_.panel[s_] : out_.block[s_]) + cells_.place(r, c), terms);
    }
    return begin;
  }

  /// Lays out runs of the counted terms. If an entry has one run, this belongs to its last sum;
  /// several runs belong to sums of stage k: the first runs of all entries come first, then the
  /// second ones.
  Runs lay(const std::vector<Index>& count, const std::vector<Offset>& last, SumPart& part,
           std::size_t k) const {
    Runs runs;
    runs.first.reserve(count.size());
    std::vector<std::size_t> left;  // entries with further runs
    Offset total = 0;
    for (std::size_t e = 0; e < count.size(); ++e) {
      runs.first.push_back(total);
      total += runs_of(count[e]);
      if (count[e] > kFanIn) left.push_back(e);
    }
    runs.term.resize(at(total));
    runs.place.resize(at(total));
    for (std::size_t e = 0; e < count.size(); ++e)
      if (count[e] > 0 && count[e] <= kFanIn) runs.term[runs.first[e]] = last[e];
    for (Index run = 0; !left.empty(); ++run) {
      Extent& stage = part.partial[k];
      for (const std::size_t e : left) {
        runs.term[runs.first[e] + run] = stage.terms;
        runs.place[runs.first[e] + run] = part.scratch;
        add_sum(stage, part.scratch++, std::min(kFanIn, count[e] - run * kFanIn));
      }
      std::erase_if(left, [&](std::size_t e) { return runs_of(count[e]) <= run + 1; });
    }
    return runs;
  }

  void gather(Index c0, const std::vector<Offset>& begin, const Runs& runs) const {
    struct Cursor {
      Offset to;
      Index left, run;
    };
    std::vector<Cursor> next;
    next.reserve(runs.first.size());
    for (const Offset first : runs.first)
      next.push_back(
          {first < static_cast<Offset>(runs.term.size()) ? runs.term[first] : 0, kFanIn, 0});
    const auto put = [&](Index e, Offset place) {
      Cursor& cursor = next[e];
      if (cursor.left == 0)
        cursor = {runs.term[runs.first[e] + cursor.run + 1], kFanIn, cursor.run + 1};
      out_.sums.term[cursor.to++] = place;
      --cursor.left;
    };
    for (Index c = c0; c < std::min(c0 + kPatchColumns, cells_.m); ++c)
      for (Offset k = begin[c]; k < begin[c + 1]; ++k) {
        const Listed& child = child_[column_[at(k)].child];
        const Index j = column_[at(k)].column, rows = static_cast<Index>(child.row.size());
        if (child.tiled) {
          for (Index i = j; i < rows; ++i) put(slot(child.row[i], c - c0), child.place(i, j));
        } else {  // a packed column
          const Offset first = child.place(j, j) - j;
          for (Index i = j; i < rows; ++i) put(slot(child.row[i], c - c0), first + i);
        }
      }
  }

  DeviceSchedule& out_;
  Index s_;
  FrontCells cells_;
  std::vector<Listed> child_;
  std::vector<Index> rows_;      // rows of all listed children, as rows of the parent
  std::vector<Offset> row_end_;  // per child: end of its rows in rows_
  std::vector<Column> column_;   // columns of the children's blocks, by column of the parent
};

}  // namespace

bool is_listed(const Supernodes& nodes, const Assembly& assembly, Index s, Index c) {
  return is_listed(static_cast<Index>(assembly.child_ptr[s + 1] - assembly.child_ptr[s]),
                   nodes.contribution(c));
}

std::vector<Offset> sum_steps(const DeviceSchedule::Sums& sums) {
  if (sums.place.empty()) return {};
  std::vector<Offset> steps{0};
  for (std::size_t k = 0; k < sums.place.size(); k += kSumGroup) {
    Offset most = 0;
    for (std::size_t lane = 0; lane < kSumGroup; ++lane)
      most = std::max(most, sums.ptr[k + lane + 1] - sums.ptr[k + lane]);
    steps.push_back(steps.back() + (most + kSumPair - 1) / kSumPair);
  }
  return steps;
}

template <class Place>
void write_sum_places(const DeviceSchedule::Sums& sums, Offset begin, Offset end, Place* out) {
  std::transform(sums.place.begin() + begin, sums.place.begin() + end, out,
                 [](Offset place) { return static_cast<Place>(place); });
}

template <class Place>
void write_sum_terms(const DeviceSchedule::Sums& sums, Offset begin, Offset end,
                     SumStep<Place>* out) {
  const std::span<const Offset> steps = sums.step;
  auto group = static_cast<std::size_t>(std::upper_bound(steps.begin(), steps.end(), begin) -
                                        steps.begin() - 1);
  for (Offset step = begin; step < end; ++group) {
    const Offset last = std::min(end, steps[group + 1]), before = (step - steps[group]) * kSumPair;
    for (std::size_t lane = 0; lane < kSumGroup; ++lane) {
      Offset t = sums.ptr[group * kSumGroup + lane] + before;
      const Offset stop = sums.ptr[group * kSumGroup + lane + 1];
      for (Offset s = 0; s < last - step; ++s)
        for (std::size_t i = 0; i < kSumPair; ++i, ++t)
          out[s][lane * kSumPair + i] =
              t < stop ? static_cast<Place>(sums.term[t]) : kNoPlace<Place>;
    }
    out += last - step, step = last;
  }
}

template void write_sum_places(const DeviceSchedule::Sums&, Offset, Offset, std::uint32_t*);
template void write_sum_places(const DeviceSchedule::Sums&, Offset, Offset, Offset*);
template void write_sum_terms(const DeviceSchedule::Sums&, Offset, Offset, SumStep<std::uint32_t>*);
template void write_sum_terms(const DeviceSchedule::Sums&, Offset, Offset, SumStep<Offset>*);

std::vector<Index> list_sums(const Supernodes& nodes, const Assembly& assembly, Index s,
                             DeviceSchedule& out) {
  Host host(nodes, assembly, s, out);
  return host.none() ? std::vector<Index>{} : host.list();
}

}  // namespace kauri::symbolic

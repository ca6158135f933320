// A few columns of the host at a time: whose columns meet them, how many terms each entry has, the terms.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/child_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "src/base/blocks.hpp"
#include "src/base/memory.hpp"
#include "symbolic/checked.hpp"
#include "symbolic/child_rows.hpp"
#include "symbolic/front_cells.hpp"
#include "symbolic/small_layout.hpp"

namespace kauri::symbolic {
namespace {

/// The rows of a child's contribution block as rows of the host, and where its entries are.
struct Listed {
  std::span<const Index> row;
  Offset block;
  Index m, p;
  bool tiled;

  [[nodiscard]] Offset place(Index r, Index c) const {
    return block + (tiled ? FrontCells{m, p}.block().place(r, c) : SmallLayout{m, p}.place(p + r, p + c));
  }
};

/// Columns of the host that are listed together, in patches of so many rows: a group of sums. Children's entries of a patch lie side by
/// side: rows of packed ones, columns of those in cells.
constexpr Index kPatchRows = 8, kPatchColumns = kSumGroup / kPatchRows;

Index count_of(const std::vector<Offset>& sums) {
  if (sums.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    throw Error(ErrorKind::overflow, "symbolic: more than 2^31 sums of children's entries");
  return static_cast<Index>(sums.size());
}

/// Sums of one stage.
struct Stage {
  std::vector<Offset> place, terms, term;  // per sum: where to, how many; all of them

  void push(Offset to, std::span<const Offset> from) {
    place.push_back(to);
    terms.push_back(static_cast<Offset>(from.size()));
    term.insert(term.end(), from.begin(), from.end());
  }
};

/// Sums of some columns of the host: partial ones, stage by stage, and those that add to the front. Scratch is numbered as if there were no
/// other columns.
struct Part {
  std::vector<Stage> partial;
  Stage last;
  Offset scratch = 0;
};

class Host {
 public:
  Host(const Supernodes& nodes, const Assembly& assembly, Index s, DeviceSchedule& out)
      : out_(out), s_(s), cells_{nodes.order(s), nodes.pivots(s)} {
    for (Offset k = assembly.child_ptr[s]; k < assembly.child_ptr[s + 1]; ++k)
      if (const Index c = assembly.child[k]; is_listed(nodes, assembly, s, c)) take(nodes, assembly, c);
  }
  [[nodiscard]] bool none() const { return child_.empty(); }

  std::vector<Index> list() {
    const std::vector<Offset> begin = columns();
    const Blocks blocks(cells_.m, kPatchColumns);
    std::vector<Part> part(at(blocks.count()));
    blocks.for_each([&](Index b, Index c, Index end) {
      if (begin[c] == begin[end]) return;
      std::vector<Offset> terms, first;
      count(c, begin, first);
      gather(c, begin, first, terms);
      add_columns(c, first, terms, part[b]);
    });
    return append(part);
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

  /// Children's columns by the host's columns, children in their order. Returns where each column's begin.
  std::vector<Offset> columns() {
    std::vector<Offset> begin(at(cells_.m) + 1, 0);
    for (const Index r : rows_) ++begin[r + 1];
    for (Index c = 0; c < cells_.m; ++c) begin[c + 1] += begin[c];
    column_.resize(rows_.size());
    std::vector<Offset> next = begin;
    for (Index k = 0; k < static_cast<Index>(child_.size()); ++k) {
      child_[k].row = rows_of(k);
      for (Index j = 0; j < static_cast<Index>(child_[k].row.size()); ++j) column_[at(next[child_[k].row[j]]++)] = {k, j};
    }
    return begin;
  }
  /// Place of entry (r, first + c) in the order of the sums of columns [first, first + kPatchColumns).
  static Index slot(Index r, Index c) { return r / kPatchRows * kSumGroup + c * kPatchRows + r % kPatchRows; }
  /// first[slot]: where its terms begin. Columns from c0 on.
  void count(Index c0, const std::vector<Offset>& begin, std::vector<Offset>& first) const {
    first.assign(at(slot(cells_.m - 1, kPatchColumns - 1)) + kPatchRows + 1, 0);
    for (Index c = c0; c < std::min(c0 + kPatchColumns, cells_.m); ++c)
      for (Offset k = begin[c]; k < begin[c + 1]; ++k)
        for (const Index r : child_[column_[at(k)].child].row.subspan(at(column_[at(k)].column))) ++first[slot(r, c - c0) + 1];
    for (std::size_t e = 1; e < first.size(); ++e) first[e] += first[e - 1];
  }
  void gather(Index c0, const std::vector<Offset>& begin, const std::vector<Offset>& first, std::vector<Offset>& terms) const {
    terms.resize(at(first.back()));
    std::vector<Offset> next = first;
    for (Index c = c0; c < std::min(c0 + kPatchColumns, cells_.m); ++c)
      for (Offset k = begin[c]; k < begin[c + 1]; ++k) {
        const Listed& child = child_[column_[at(k)].child];
        for (Index j = column_[at(k)].column, i = j; i < static_cast<Index>(child.row.size()); ++i)
          terms[at(next[slot(child.row[i], c - c0)]++)] = child.place(i, j);
      }
  }

  /// The sums of columns from c0 on.
  void add_columns(Index c0, std::vector<Offset>& first, std::vector<Offset>& terms, Part& out) const {
    std::vector<Offset> next_first, next;
    while (reduce(first, terms, next_first, next, out)) std::swap(first, next_first), std::swap(terms, next);
    for (Index e = 0; e + 1 < static_cast<Index>(first.size()); ++e) {
      const Index r = e / kSumGroup * kPatchRows + e % kPatchRows, c = c0 + e % kSumGroup / kPatchRows;
      if (first[e] == first[e + 1]) continue;
      out.last.place.push_back((c < cells_.p ? out_.panel[s_] : out_.block[s_]) + cells_.place(r, c));
      out.last.terms.push_back(first[e + 1] - first[e]);
    }
    out.last.term = std::move(terms);  // in the order of the slots
  }

  /// Entries with more than kFanIn terms to sums of as many at a time, which become the entry's terms. False if there are none.
  bool reduce(const std::vector<Offset>& first, const std::vector<Offset>& terms, std::vector<Offset>& next_first,
              std::vector<Offset>& next, Part& out) const {
    const auto parts = [](Offset count) { return count <= kFanIn ? Offset{0} : (count + kFanIn - 1) / kFanIn; };
    Offset most = 0;
    next_first.assign(first.size(), 0);
    for (std::size_t r = 0; r + 1 < first.size(); ++r) {
      const Offset count = first[r + 1] - first[r];
      most = std::max(most, parts(count));
      next_first[r + 1] = next_first[r] + (parts(count) > 0 ? parts(count) : count);
    }
    if (most == 0) return false;
    Stage& stage = out.partial.emplace_back();
    stage.term.reserve(terms.size());
    next.resize(at(next_first.back()));
    for (std::size_t r = 0; r + 1 < first.size(); ++r)
      if (parts(first[r + 1] - first[r]) == 0)
        std::copy(terms.begin() + first[r], terms.begin() + first[r + 1], next.begin() + next_first[r]);
    for (Offset part = 0; part < most; ++part)
      for (std::size_t r = 0; r + 1 < first.size(); ++r) {
        const Offset count = first[r + 1] - first[r];
        if (part >= parts(count)) continue;
        const Offset place = checked_add(out_.entries, out.scratch++, "entries of device memory");
        next[at(next_first[r] + part)] = place;
        stage.push(place, std::span(terms).subspan(at(first[r] + part * kFanIn), at(std::min<Offset>(kFanIn, count - part * kFanIn))));
      }
    return true;
  }

  /// Stage by stage, in each by columns; scratch is numbered through.
  std::vector<Index> append(const std::vector<Part>& part) {
    std::vector<Offset> scratch{0};
    std::size_t partial = 0;
    for (const Part& p : part) {
      scratch.push_back(scratch.back() + p.scratch);
      partial = std::max(partial, p.partial.size());
    }
    const Offset entries = out_.entries;
    out_.entries = checked_add(entries, scratch.back(), "entries of device memory");
    std::vector<Index> stages{count_of(out_.sums.place)};
    for (std::size_t k = 0; k <= partial; ++k) {
      append_stage(part, scratch, entries, k, k == partial);
      stages.push_back(count_of(out_.sums.place));
    }
    return stages;
  }
  void append_stage(const std::vector<Part>& part, const std::vector<Offset>& scratch, Offset entries, std::size_t k, bool last) {
    DeviceSchedule::Sums& sums = out_.sums;
    const auto stage_of = [&](std::size_t b) { return last ? &part[b].last : k < part[b].partial.size() ? &part[b].partial[k] : nullptr; };
    std::vector<std::size_t> place{sums.place.size()}, term{sums.term.size()};
    for (std::size_t b = 0; b < part.size(); ++b) {
      const Stage* const stage = stage_of(b);
      place.push_back(place.back() + (stage ? stage->place.size() : 0));
      term.push_back(term.back() + (stage ? stage->term.size() : 0));
    }
    sums.place.resize((place.back() + kSumGroup - 1) / kSumGroup * kSumGroup, -1);
    sums.ptr.resize(sums.place.size() + 1, static_cast<Offset>(term.back()));
    resize_large(sums.term, static_cast<Offset>(term.back()));
    Blocks(static_cast<Index>(part.size()), 1).for_each([&](Index b, Index, Index) {
      const Stage* const stage = stage_of(at(b));
      if (stage == nullptr) return;
      const auto numbered = [&](Offset p) { return p >= entries ? p + scratch[b] : p; };
      std::transform(stage->place.begin(), stage->place.end(), sums.place.begin() + static_cast<Offset>(place[b]), numbered);
      std::transform(stage->term.begin(), stage->term.end(), sums.term.begin() + static_cast<Offset>(term[b]), numbered);
      auto end = static_cast<Offset>(term[b]);
      for (std::size_t e = 0; e < stage->terms.size(); ++e) sums.ptr[place[b] + e + 1] = end += stage->terms[e];
    });
  }

  DeviceSchedule& out_;
  Index s_;
  FrontCells cells_;
  std::vector<Listed> child_;
  std::vector<Index> rows_;      // of all listed children, as rows of the host
  std::vector<Offset> row_end_;  // per child
  std::vector<Column> column_;
};

}  // namespace

bool is_listed(const Supernodes& nodes, const Assembly& assembly, Index s, Index c) {
  return is_listed(static_cast<Index>(assembly.child_ptr[s + 1] - assembly.child_ptr[s]), nodes.contribution(c));
}

std::vector<Offset> sum_steps(const DeviceSchedule::Sums& sums) {
  if (sums.place.empty()) return {};
  std::vector<Offset> steps{0};
  for (std::size_t k = 0; k < sums.place.size(); k += kSumGroup) {
    Offset most = 0;
    for (std::size_t lane = 0; lane < kSumGroup; ++lane) most = std::max(most, sums.ptr[k + lane + 1] - sums.ptr[k + lane]);
    steps.push_back(steps.back() + (most + kSumPair - 1) / kSumPair);
  }
  return steps;
}

template <class Place>
void write_sum_places(const DeviceSchedule::Sums& sums, Offset begin, Offset end, Place* out) {
  std::transform(sums.place.begin() + begin, sums.place.begin() + end, out, [](Offset place) { return static_cast<Place>(place); });
}

template <class Place>
void write_sum_terms(const DeviceSchedule::Sums& sums, Offset begin, Offset end, SumStep<Place>* out) {
  const std::span<const Offset> steps = sums.step;
  auto group = static_cast<std::size_t>(std::upper_bound(steps.begin(), steps.end(), begin) - steps.begin() - 1);
  for (Offset step = begin; step < end; ++group) {
    const Offset last = std::min(end, steps[group + 1]), before = (step - steps[group]) * kSumPair;
    for (std::size_t lane = 0; lane < kSumGroup; ++lane) {
      Offset t = sums.ptr[group * kSumGroup + lane] + before;
      const Offset stop = sums.ptr[group * kSumGroup + lane + 1];
      for (Offset s = 0; s < last - step; ++s)
        for (std::size_t i = 0; i < kSumPair; ++i, ++t)
          out[s][lane * kSumPair + i] = t < stop ? static_cast<Place>(sums.term[t]) : kNoPlace<Place>;
    }
    out += last - step, step = last;
  }
}

template void write_sum_places(const DeviceSchedule::Sums&, Offset, Offset, std::uint32_t*);
template void write_sum_places(const DeviceSchedule::Sums&, Offset, Offset, Offset*);
template void write_sum_terms(const DeviceSchedule::Sums&, Offset, Offset, SumStep<std::uint32_t>*);
template void write_sum_terms(const DeviceSchedule::Sums&, Offset, Offset, SumStep<Offset>*);

std::vector<Index> list_sums(const Supernodes& nodes, const Assembly& assembly, Index s, DeviceSchedule& out) {
  Host host(nodes, assembly, s, out);
  return host.none() ? std::vector<Index>{} : host.list();
}

}  // namespace kauri::symbolic

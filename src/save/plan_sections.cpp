// A plan as sections of a file.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/save/plan_sections.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "base/host/memory.hpp"
#include "src/io/text/text.hpp"

namespace kauri::save {
namespace {

using symbolic::PlanCore;

constexpr Offset kIndex = sizeof(Index);

/// Returns the bytes of section "name": the flag for a given ordering, the workers, and the names
/// of ordering and target with their lengths.
Offset name_bytes(const PlanCore& core) {
  return 2 * kIndex + 2 + static_cast<Offset>(name_of(core.ordering).size() + core.target.size());
}

template <class Indices>
void write_indices(std::string_view name, const Indices& indices, Writer& writer) {
  writer.begin(name, static_cast<Offset>(indices.size()) * kIndex);
  writer.numbers(std::span<const Index>(indices));
  writer.end();
}

/// Most indices that memory is allocated for before a pipe has sent any.
constexpr Offset kUnseen = Offset{1} << 18;

/// Reads section `name` of `count` indices. Reader::begin() checks that the file holds them before
/// memory is allocated; a pipe only promises them, so its memory grows with what has come.
template <class Indices>
void read_indices(std::string_view name, Offset count, Indices& indices, Reader& reader) {
  reader.begin(name, count * kIndex);
  for (Offset have = 0; have < count;) {
    const Offset next = reader.is_measured() ? count : std::min(count, std::max(kUnseen, 2 * have));
    resize_large(indices, next);
    reader.numbers(std::span<Index>(indices).subspan(static_cast<std::size_t>(have)));
    have = next;
  }
  reader.end();
}

void read_names(PlanCore& core, Reader& reader) {
  reader.begin("name");
  const auto given = reader.number<std::uint32_t>(), workers = reader.number<std::uint32_t>();
  const std::string ordering = reader.text();
  core.target = reader.text();
  reader.end();
  const auto method = ordering_from_name(ordering);
  if (!method || method == OrderingMethod::automatic)
    reader.fail("an ordering \"" + io::printable(ordering) +
                "\", which this kauri does not know; save the plan by this one");
  if (given > 1)
    reader.fail("a mark of the caller's permutation of " + std::to_string(given) +
                ", expected 0 or 1");
  if (workers < 1 || workers > static_cast<std::uint32_t>(std::numeric_limits<int>::max()))
    reader.fail(std::to_string(workers) + " workers, expected 1 or more");
  core.ordering = *method;
  core.given = given == 1;
  core.workers = static_cast<int>(workers);
}

}  // namespace

Offset plan_bytes(const PlanCore& core) {
  const std::size_t indices =
      core.old_of.size() + core.pivots.size() + core.length.size() + core.row.size();
  return name_bytes(core) + static_cast<Offset>(indices) * kIndex +
         kPlanSections * static_cast<Offset>(kSectionHead + kChecksum);
}

void write_plan(const PlanCore& core, Writer& writer) {
  writer.begin("name", name_bytes(core));
  writer.number<std::uint32_t>(core.given ? 1 : 0);
  writer.number(static_cast<std::uint32_t>(core.workers));
  writer.text(name_of(core.ordering));
  writer.text(core.target);
  writer.end();
  write_indices("perm", core.old_of, writer);
  write_indices("node", core.pivots, writer);
  write_indices("cols", core.length, writer);
  write_indices("rows", core.row, writer);
}

PlanCore read_plan(const Header& header, Reader& reader) {
  PlanCore core;
  core.last = static_cast<Index>(header.last);
  read_names(core, reader);
  read_indices("perm", Offset{header.n}, core.old_of, reader);
  read_indices("node", Offset{header.supernodes}, core.pivots, reader);
  read_indices("cols", Offset{header.n}, core.length, reader);
  read_indices("rows", static_cast<Offset>(header.nnz) - header.n, core.row, reader);
  return core;
}

}  // namespace kauri::save

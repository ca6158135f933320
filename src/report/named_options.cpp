// The table of named options, and how their values are parsed and written.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/solve/named_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/common/digits.hpp"
#include "base/common/nearest.hpp"
#include "base/threads/per_process.hpp"
#include "src/checks/misuse.hpp"
#include "symbolic/common/cost_table.hpp"

namespace kauri {
namespace {

struct TableEntry {
  NamedOption option;
  std::function<bool(SolverOptions&, std::string_view)>
      set;  ///< sets the option from the text; returns false if the option does not accept the text
  std::function<std::optional<std::string>(const SolverOptions&)> get;
};
using Table = std::vector<TableEntry>;

/// Returns "a, b or c".
std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (std::size_t k = 0; k < words.size(); ++k)
    all += (k == 0 ? "" : k + 1 < words.size() ? ", " : " or ") + words[k];
  return all;
}

/// Returns the number that all of the text spells; nothing if it spells none.
template <class Number>
std::optional<Number> read_all(std::string_view text) {
  Number x{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (code != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return x;
}

// The callable `member` of the functions below: member(options) returns a reference to the member
// of SolverOptions that the option sets; options may be const.

template <class Member>
TableEntry boolean_entry(std::string name, Member member, std::string help) {
  return {{std::move(name), OptionKind::boolean, {}, "true or false", "", std::move(help)},
          [member](SolverOptions& options, std::string_view text) {
            const bool yes = text == "true" || text == "1", no = text == "false" || text == "0";
            if (yes || no) member(options) = yes;
            return yes || no;
          },
          [member](const SolverOptions& options) {
            return std::optional<std::string>(member(options) ? "true" : "false");
          }};
}

/// Makes the entry of a numeric option; good(x) returns true if the option accepts x.
template <class Member, class Good>
TableEntry number_entry(std::string name, OptionKind kind, std::string accepts, Member member,
                        Good good, std::string help) {
  using Number = std::remove_cvref_t<decltype(member(std::declval<SolverOptions&>()))>;
  return {{std::move(name), kind, {}, std::move(accepts), "", std::move(help)},
          [member, good](SolverOptions& options, std::string_view text) {
            const std::optional<Number> x = read_all<Number>(text);
            if (!x || !good(*x)) return false;
            member(options) = *x;
            return true;
          },
          [member](const SolverOptions& options) {
            return std::optional<std::string>(digits(member(options)));
          }};
}

template <class Member>
TableEntry integer_entry(std::string name, std::int32_t least, Member member, std::string help) {
  return number_entry(
      std::move(name), OptionKind::integer,
      "an integer from " + std::to_string(least) + " to 2^31 - 1", member,
      [least](std::int32_t x) { return x >= least; }, std::move(help));
}

template <class Member>
TableEntry choice_entry(std::string name, const std::vector<std::int32_t>& choices, Member member,
                        std::string help) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const std::int32_t choice : choices) words.push_back(std::to_string(choice));
  return number_entry(
      std::move(name), OptionKind::integer, joined(words), member,
      [choices](std::int32_t x) {
        return std::find(choices.begin(), choices.end(), x) != choices.end();
      },
      std::move(help));
}

/// Range that a number must be in: from `least` on, or above `least`.
enum class Bound { from, above };
template <class Member>
TableEntry real_entry(std::string name, Bound bound, double least, Member member,
                      std::string help) {
  const std::string accepts = bound == Bound::from ? "a number, " + digits(least) + " or more"
                                                   : "a number above " + digits(least);
  return number_entry(
      std::move(name), OptionKind::number, accepts, member,
      [=](double x) { return bound == Bound::from ? x >= least : x > least; }, std::move(help));
}

template <class Member, class Value>
TableEntry word_entry(std::string name, std::vector<std::pair<std::string, Value>> values,
                      Member member, std::string help) {
  std::vector<std::string> words;
  words.reserve(values.size());
  for (const auto& [word, value] : values) words.push_back(word);
  std::string accepts = joined(words);
  return {{std::move(name), OptionKind::word, std::move(words), std::move(accepts), "",
           std::move(help)},
          [member, values](SolverOptions& options, std::string_view text) {
            for (const auto& [word, value] : values)
              if (word == text) return member(options) = value, true;
            return false;
          },
          [member, values](const SolverOptions& options) -> std::optional<std::string> {
            for (const auto& [word, value] : values)
              if (value == member(options)) return word;
            return std::nullopt;
          }};
}

/// Returns pairs of name_of(value) and value.
template <class Value>
std::vector<std::pair<std::string, Value>> named(std::initializer_list<Value> values) {
  std::vector<std::pair<std::string, Value>> out;
  for (const Value value : values) out.emplace_back(name_of(value), value);
  return out;
}

template <class Member>
TableEntry text_entry(std::string name, std::string accepts, Member member, std::string help) {
  return {{std::move(name), OptionKind::text, {}, std::move(accepts), "", std::move(help)},
          [member](SolverOptions& options, std::string_view text) {
            member(options) = text;
            return true;
          },
          [member](const SolverOptions& options) {
            return std::optional<std::string>(member(options));
          }};
}

void add_job(Table& table) {
  table.push_back(word_entry(
      "backend",
      std::vector<std::pair<std::string, BackendChoice>>{{"auto", BackendChoice::automatic},
                                                         {"cpu", BackendChoice::cpu},
                                                         {"cuda", BackendChoice::cuda}},
      [](auto& o) -> auto& { return o.backend; },
      "where to compute; auto: the backend predicted to finish first"));
  table.push_back(integer_entry(
      "threads", 0, [](auto& o) -> auto& { return o.threads; },
      "CPU threads, also of orderings; 0: one per hardware thread within the quotas of the "
      "process; results do not depend on it"));
  table.push_back(word_entry(
      "precision",
      std::vector<std::pair<std::string, Precision>>{
          {"full", Precision::full}, {"mixed", Precision::mixed}, {"auto", Precision::automatic}},
      [](auto& o) -> auto& { return o.precision; },
      "precision of a solver's L: full, that of A; mixed, float, with half the memory and x in "
      "double by refinement or conjugate gradients; auto: mixed on a device with slow double, if "
      "that is predicted to finish clearly first"));
  table.push_back(boolean_entry(
      "roofline", [](auto& o) -> auto& { return o.roofline; },
      "report each phase's share of the roofline, which is measured once on a CPU, in some tenths "
      "of a second"));
  table.push_back(text_entry(
      "card", "the name of a file, or nothing", [](auto& o) -> auto& { return o.card; },
      "file of kauri tune with measured rates of the device, by which its times are predicted; "
      "nothing: by what its driver reports"));
}

void add_ordering(Table& table) {
  using enum OrderingMethod;
  table.push_back(word_entry(
      "ordering.method",
      named({natural, rcm, minimum_degree, amd, parallel_amd, nested_dissection, metis, automatic}),
      [](auto& o) -> auto& { return o.analyze.ordering.method; },
      "method that finds the permutation; auto: try several and take the least predicted time of "
      "the whole job"));
  table.push_back(number_entry(
      "ordering.seed", OptionKind::integer, "an integer from 0 to 2^64 - 1",
      [](auto& o) -> auto& { return o.analyze.ordering.seed; }, [](std::uint64_t) { return true; },
      "seed of every random choice; the same seed gives the same permutation on every machine"));
  table.push_back(word_entry(
      "ordering.effort", named({Effort::fast, Effort::standard, Effort::best}),
      [](auto& o) -> auto& { return o.analyze.ordering.effort; },
      "effort of nd: more takes more time and mostly leaves less fill"));
  table.push_back(word_entry(
      "ordering.tie_break",
      std::vector<std::pair<std::string, TieBreak>>{{"first", TieBreak::first},
                                                    {"last", TieBreak::last},
                                                    {"peripheral", TieBreak::pseudo_peripheral}},
      [](auto& o) -> auto& { return o.analyze.ordering.tie_break; },
      "which of several rows of least degree md eliminates first"));
  table.push_back(boolean_entry(
      "ordering.compress", [](auto& o) -> auto& { return o.analyze.ordering.compress; },
      "merge indistinguishable rows first"));
  table.push_back(boolean_entry(
      "ordering.aggressive", [](auto& o) -> auto& { return o.analyze.ordering.aggressive; },
      "amd and pamd only: aggressive element absorption"));
  table.push_back(number_entry(
      "ordering.dense", OptionKind::number, "a number",
      [](auto& o) -> auto& { return o.analyze.ordering.dense; },
      [](double x) { return !std::isnan(x); },
      "rows of degree above max(16, dense*sqrt(n)) are ordered last; 0 or less: no row is"));
  table.push_back(integer_entry(
      "ordering.delta", 0, [](auto& o) -> auto& { return o.analyze.ordering.delta; },
      "md only: rows within this of the least degree are eliminated together"));
  table.push_back(integer_entry(
      "ordering.threads", 0, [](auto& o) -> auto& { return o.analyze.ordering.threads; },
      "CPU threads of orderings and analyses; 0: as many as the option threads"));
}

void add_analysis(Table& table) {
  std::vector<std::pair<std::string, std::string>> targets{{"auto", ""}};
  for (const symbolic::CostTable& costs : symbolic::cost_tables())
    targets.emplace_back(costs.target, costs.target);
  table.push_back(word_entry(
      "analyze.target", std::move(targets), [](auto& o) -> auto& { return o.analyze.target; },
      "target that plans are made for; auto: the target of the backend"));
  table.push_back(integer_entry(
      "analyze.workers", 0, [](auto& o) -> auto& { return o.analyze.workers; },
      "number of tasks at once that memory is planned for; 0: as many as threads of the backend"));
  table.push_back(boolean_entry(
      "analyze.amalgamate", [](auto& o) -> auto& { return o.analyze.amalgamate; },
      "merge small supernodes, which is faster; false: L has no entry that is always zero"));
  table.push_back(integer_entry(
      "analyze.solves", 0, [](auto& o) -> auto& { return o.analyze.solves; },
      "expected solves per factorisation; used in the choices of auto"));
  table.push_back(integer_entry(
      "analyze.factorizations", 0, [](auto& o) -> auto& { return o.analyze.factorizations; },
      "expected factorisations of the pattern; used in the choices of auto"));
  table.push_back(integer_entry(
      "analyze.cores", 1, [](auto& o) -> auto& { return o.analyze.cores; },
      "number of cores that auto assumes for a machine without a device, so that it chooses alike "
      "on all"));
  table.push_back(number_entry(
      "analyze.device_bytes", OptionKind::integer, "an integer from 0 to 2^63 - 1",
      [](auto& o) -> auto& { return o.analyze.device_bytes; }, [](Offset x) { return x >= 0; },
      "most bytes of a device's memory for plan and factor; what does not fit of L goes to host "
      "memory; 0: no limit"));
}

void add_refinement(Table& table) {
  table.push_back(integer_entry(
      "refine.max_steps", 0, [](auto& o) -> auto& { return o.refine.max_steps; },
      "most corrections of a solution; 0: no refinement"));
  table.push_back(real_entry(
      "refine.target", Bound::from, 0, [](auto& o) -> auto& { return o.refine.target; },
      "stop when the componentwise backward error is at most this; 0: eps of the scalar"));
  table.push_back(real_entry(
      "refine.stagnation", Bound::from, 0, [](auto& o) -> auto& { return o.refine.stagnation; },
      "stop when a correction does not shrink the error by this factor"));
}

void add_mixed(Table& table) {
  table.push_back(real_entry(
      "mixed.first_shift", Bound::above, 0, [](auto& o) -> auto& { return o.mixed.first_shift; },
      "first shift of a factor in float that breaks down without a shift, in units of A's "
      "diagonal"));
  table.push_back(real_entry(
      "mixed.shift_growth", Bound::above, 1, [](auto& o) -> auto& { return o.mixed.shift_growth; },
      "factor from one shift to the next that is tried"));
  table.push_back(integer_entry(
      "mixed.shifts", 0, [](auto& o) -> auto& { return o.mixed.shifts; },
      "most shifts that are tried"));
  table.push_back(boolean_entry(
      "mixed.allow_double", [](auto& o) -> auto& { return o.mixed.allow_double; },
      "make a factor in double if the one in float fails"));
  table.push_back(integer_entry(
      "mixed_solve.max_steps", 1, [](auto& o) -> auto& { return o.mixed_solve.max_steps; },
      "most corrections of a solution in mixed precision"));
  table.push_back(integer_entry(
      "mixed_solve.max_cg_steps", -1, [](auto& o) -> auto& { return o.mixed_solve.max_cg_steps; },
      "most steps of conjugate gradients; -1: as many as take no longer than a factor in double"));
  table.push_back(real_entry(
      "mixed_solve.target", Bound::from, 0, [](auto& o) -> auto& { return o.mixed_solve.target; },
      "a column is done when its componentwise backward error is at most this; 0: eps of double"));
  table.push_back(real_entry(
      "mixed_solve.accept", Bound::from, 0, [](auto& o) -> auto& { return o.mixed_solve.accept; },
      "backward error that is accepted when further steps gain nothing; 0: 4 eps of double"));
}

void add_cpu(Table& table) {
  table.push_back(text_entry(
      "cpu.factor_file", "the name of a folder, or nothing",
      [](auto& o) -> auto& { return o.cpu.factor_file; },
      "folder on a disk in which each factor on the CPU lies in a file, for factors larger than "
      "the memory; nothing: factors lie in memory"));
}

void add_device(Table& table) {
  using enum CudaCompute;
  table.push_back(integer_entry(
      "cuda.device", 0, [](auto& o) -> auto& { return o.cuda.device; },
      "number of the device, as CUDA counts devices"));
  table.push_back(word_entry(
      "cuda.compute",
      std::vector<std::pair<std::string, CudaCompute>>{{"auto", automatic},
                                                       {"hopper", hopper},
                                                       {"tensor", tensor},
                                                       {"fma", fma},
                                                       {"tf32x3", tf32x3},
                                                       {"tf32", tf32},
                                                       {"fp16x3", fp16x3}},
      [](auto& o) -> auto& { return o.cuda.compute; },
      "arithmetic of the products in large fronts"));
  table.push_back(boolean_entry(
      "cuda.fast_solve", [](auto& o) -> auto& { return o.cuda.fast_solve; },
      "solve by sweeps at the speed of memory"));
  table.push_back(choice_entry(
      "cuda.solves_together", {1, 8, 32}, [](auto& o) -> auto& { return o.cuda.solves_together; },
      "most right-hand sides that these sweeps solve together"));
  table.push_back(choice_entry(
      "cuda.group_columns", {0, 8, 16, 32}, [](auto& o) -> auto& { return o.cuda.group_columns; },
      "of 9 to 32 right-hand sides, how many a group of the device's blocks solves; 0: chosen by "
      "the sizes of A and L"));
  table.push_back(integer_entry(
      "cuda.multiprocessors", 0, [](auto& o) -> auto& { return o.cuda.multiprocessors; },
      "multiprocessors that large fronts and sweeps take; 0: all"));
  table.push_back(real_entry(
      "cuda.launch_seconds", Bound::from, 0, [](auto& o) -> auto& { return o.cuda.launch_seconds; },
      "most seconds that one launch of large fronts is predicted to take; 0: no limit, but 0.5 on "
      "a device that ends long kernels"));
  table.push_back(boolean_entry(
      "cuda.portable", [](auto& o) -> auto& { return o.cuda.portable; },
      "run the kernels that all devices run, also where there are faster ones"));
}

struct AllOptions {
  AllOptions() {
    for (auto* add :
         {add_job, add_ordering, add_analysis, add_refinement, add_mixed, add_cpu, add_device})
      add(table);
    const SolverOptions initial;
    for (TableEntry& entry : table) {
      entry.option.initial = entry.get(initial).value();
      named.push_back(entry.option);
    }
  }
  Table table;
  std::vector<NamedOption> named;
};

/// Table of all options, made once a process. Not a local static: if a thread made it while another
/// thread forks, its guard would stay locked in the child.
PerProcess<const AllOptions> all_options;

const Table& table() { return all_options.here().table; }

const TableEntry& entry_of(std::string_view name) {
  std::vector<std::string> names;
  for (const TableEntry& entry : table()) {
    if (entry.option.name == name) return entry;
    names.push_back(entry.option.name);
  }
  const std::string meant = nearest(name, names);
  misuse("option '" + std::string(name) + "' is unknown" +
         (meant.empty() ? "; kauri options lists the names" : "; did you mean " + meant + "?"));
}

}  // namespace

std::string_view name_of(OptionKind kind) {
  switch (kind) {
    case OptionKind::boolean:
      return "boolean";
    case OptionKind::integer:
      return "integer";
    case OptionKind::number:
      return "number";
    case OptionKind::word:
      return "word";
    case OptionKind::text:
      return "text";
  }
  return "unknown";
}

const std::vector<NamedOption>& named_options() { return all_options.here().named; }

const NamedOption& named_option(std::string_view name) { return entry_of(name).option; }

void set_option(SolverOptions& options, std::string_view name, std::string_view value) {
  const TableEntry& entry = entry_of(name);
  if (entry.set(options, value)) return;
  const std::string meant = nearest(value, entry.option.words);
  misuse("option " + entry.option.name + ": '" + std::string(value) + "' was given, expected " +
         entry.option.accepts + (meant.empty() ? "" : "; did you mean " + meant + "?"));
}

std::string get_option(const SolverOptions& options, std::string_view name) {
  const TableEntry& entry = entry_of(name);
  const std::optional<std::string> text = entry.get(options);
  if (!text)
    misuse("option " + entry.option.name + ": it holds a value that has no name, expected " +
           entry.option.accepts);
  return *text;
}

}  // namespace kauri

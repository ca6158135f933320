// save_plan, save_factor and their inverses: the sections of a file, and what is made of them.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/extras/save.hpp"

#include <algorithm>
#include <functional>
#include <new>
#include <utility>

#include "base/threads/allowed_threads.hpp"
#include "src/checks/misuse.hpp"
#include "src/io/file/file.hpp"
#include "src/io/text/text.hpp"
#include "src/save/factor_sections.hpp"
#include "src/save/plan_sections.hpp"
#include "symbolic/common/cost_table.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/plan/internals.hpp"
#include "symbolic/plan/plan_facts.hpp"
#include "symbolic/plan/spill.hpp"

namespace kauri {
namespace save {
namespace {

constexpr Offset kHeader = kHeaderBytes;

/// to_file() calls write(writer) with a writer to a file, which replaces an old file when all is
/// written; to_memory() with a writer to memory.
template <class Write>
void to_file(const std::string& path, const Write& write) {
  io::FileWriter file(path);
  Writer writer([&](std::span<const std::byte> bytes) {
    file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  });
  write(writer);
  file.close();
}

template <class Write>
std::vector<std::byte> to_memory(Offset bytes, const Write& write) {
  std::vector<std::byte> out;
  out.reserve(static_cast<std::size_t>(bytes));
  Writer writer(
      [&](std::span<const std::byte> some) { out.insert(out.end(), some.begin(), some.end()); });
  write(writer);
  return out;
}

symbolic::PlanCore taken_apart(const Plan& plan) {
  symbolic::PlanCore core;
  with_threads(0, [&] { core = symbolic::core_of(plan); });
  return core;
}

Header header_of(const Plan& plan, const symbolic::PlanCore& core, std::string_view kind) {
  Header header;
  header.format = kSaveFormat;
  std::copy(kind.begin(), kind.end(), header.kind.begin());
  header.n = static_cast<std::uint32_t>(plan.n);
  header.nnz = static_cast<std::uint64_t>(plan.nnz);
  header.supernodes = static_cast<std::uint32_t>(core.pivots.size());
  header.last = static_cast<std::uint32_t>(core.last);
  header.sections = kPlanSections;
  header.bytes = static_cast<std::uint64_t>(kHeader + plan_bytes(core));
  return header;
}

struct PlanFile {
  explicit PlanFile(const Plan& plan)
      : core(taken_apart(plan)), header(header_of(plan, core, kPlanKind)) {}
  void operator()(Writer& writer) const {
    writer.header(header);
    write_plan(core, writer);
  }
  symbolic::PlanCore core;
  Header header;
};

template <Scalar T>
struct FactorFile {
  explicit FactorFile(const Factor<T>& of) : factor(of) {
    if (!factor.valid())
      misuse(
          "save_factor: the factor is not valid (no successful factorisation yet, or the last one "
          "broke down): call refactorize() first");
    core = taken_apart(factor.plan());
    header = header_of(factor.plan(), core, kFactorKind);
    header.scalar_bytes = sizeof(T);
    header.sections = kFactorSections;
    header.bytes += static_cast<std::uint64_t>(factor_bytes(factor));
  }
  void operator()(Writer& writer) const {
    writer.header(header);
    write_plan(core, writer);
    write_factor(factor, writer);
  }
  const Factor<T>& factor;
  symbolic::PlanCore core;
  Header header;
};

/// Throws Error(input) naming the file if this version has no cost table for the saved target.
void check_target(const std::string& target, const Reader& reader) {
  const auto tables = symbolic::cost_tables();
  if (std::none_of(tables.begin(), tables.end(),
                   [&](const symbolic::CostTable& table) { return table.target == target; }))
    io::fail(reader.name(), "it was made for target \"" + io::printable(target) +
                                "\", which this kauri does not know: ask for another one");
}

/// Upper bounds of the bytes that a plan takes, while it is made, for each entry and each row of A,
/// and for each row of a front: the row's number, its place in the parent, and schedules.
constexpr std::size_t kEntryBytes = 48, kRowBytes = 256, kFrontRowBytes = 16;

/// Counts in `allowance` the lists of a plan's rows, those of a device's tasks, and a factor with
/// scalar_bytes bytes for each entry of the panels; 0 means no factor.
void take_fronts(const symbolic::FrontTree& fronts, std::string_view target,
                 std::size_t scalar_bytes, const std::string& name, io::Allowance& allowance) {
  std::size_t rows = 0, places = 0;
  for (Index s = 0; s < fronts.count(); ++s) {
    rows += static_cast<std::size_t>(fronts.order[s]);
    places +=
        static_cast<std::size_t>(fronts.order[s]) * static_cast<std::size_t>(fronts.pivots[s]);
  }
  allowance.take(name, rows, kFrontRowBytes, "rows of fronts");
  if (symbolic::is_device_target(target))
    allowance.take(name, static_cast<std::size_t>(symbolic::most_list_bytes(fronts)), 1,
                   "bytes of tasks");
  allowance.take(name, places, scalar_bytes, "places of L");
}

/// Reads the plan's sections and returns the plan. Its target is options.target if given, else
/// choose(saved target). with_factor: a factor follows; checks that the file has enough bytes for
/// its L, and counts these bytes, too, against options.max_bytes. Does not read the factor.
std::shared_ptr<const Plan> read_whole_plan(
    const Header& header, Reader& reader, const LoadOptions& options,
    const std::function<std::string(const std::string&)>& choose, bool with_factor) {
  if (options.workers < 0)
    misuse("load: workers is " + std::to_string(options.workers) + ", expected 0 or more");
  if (!options.target.empty()) symbolic::cost_table(options.target);
  io::Allowance allowance(options.max_bytes);
  const auto rows = static_cast<std::size_t>(header.n);
  allowance.take(reader.name(), static_cast<std::size_t>(header.nnz), kEntryBytes, "entries of A");
  allowance.take(reader.name(), rows, kRowBytes, "rows of A");
  const symbolic::PlanCore core = read_plan(header, reader);
  const std::string target = options.target.empty() ? choose(core.target) : options.target;
  check_target(target, reader);
  std::shared_ptr<const Plan> plan;
  try {
    const auto look = [&](const symbolic::FrontTree& fronts) {
      if (with_factor) check_factor_bytes(fronts.pivots, fronts.order, header, reader);
      take_fronts(fronts, target, with_factor ? header.scalar_bytes : 0, reader.name(), allowance);
    };
    with_threads(0, [&] {
      const auto made = symbolic::restore_plan(
          core, target, options.workers > 0 ? options.workers : core.workers, look);
      if (options.device_bytes > 0)
        symbolic::spill(*made, options.device_bytes,
                        with_factor ? header.scalar_bytes : static_cast<int>(sizeof(double)));
      plan = made;
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input ||
        std::string_view(error.what()).starts_with(io::shown(reader.name()) + ": "))
      throw;
    io::fail(reader.name(), std::string("damaged: ") + error.what() + "; save it again");
  }
  if (options.on_message)
    if (const std::string text = symbolic::too_large_block(*plan); !text.empty())
      options.on_message({MessageLevel::warning, Phase::symbolic, text, {}});
  return plan;
}

/// Returns f(), with std::bad_alloc turned into Error(memory).
template <class F>
auto guarded(const Reader& reader, const F& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::memory,
                io::shown(reader.name()) + ": not enough memory for what it holds");
  }
}

/// Reads the plan alone; in a factor's file the sections after the plan are not read.
std::shared_ptr<const Plan> plan_from(Source source, const LoadOptions& options) {
  Reader reader(std::move(source));
  return guarded(reader, [&] {
    const Header header = reader.header();
    auto plan = read_whole_plan(
        header, reader, options, [](const std::string& saved) { return saved; }, false);
    if (!header.is_factor()) reader.finish();
    return plan;
  });
}

/// Ranks CPU targets by their instruction sets, the fewest as 0; 3 for other targets.
int rank_of(std::string_view target) {
  return target == "cpu-avx512" ? 2 : target == "cpu-avx2" ? 1 : target == "cpu-generic" ? 0 : 3;
}

/// Returns the target for a factor's plan: the saved one if the backend is the CPU and this machine
/// can run it, since solves then have the bits of solves with the saved factor; else the backend's.
std::string target_on(const Backend& backend, const std::string& saved) {
  const bool runs = backend.kind() == BackendKind::cpu && rank_of(saved) <= rank_of(host_target());
  return runs ? saved : backend.target();
}

template <Scalar T>
Factor<T> factor_from(Source source, Backend& backend, const LoadOptions& options) {
  Reader reader(std::move(source));
  return guarded(reader, [&] {
    const auto scalar = [](std::uint32_t bytes) {
      return bytes == sizeof(float) ? "float" : "double";
    };
    const Header header = reader.header();
    if (!header.is_factor()) io::fail(reader.name(), "it holds a plan, asked for a factor");
    if (header.scalar_bytes != sizeof(T))
      io::fail(reader.name(), std::string("it holds a factor in ") + scalar(header.scalar_bytes) +
                                  ", asked for " + scalar(sizeof(T)));
    auto plan = read_whole_plan(
        header, reader, options,
        [&](const std::string& saved) { return target_on(backend, saved); }, true);
    auto factor = Factor<T>::create(std::move(plan), backend);
    read_factor(factor, reader);
    reader.finish();
    return factor;
  });
}

SavedInfo info_from(Source source) {
  Reader reader(std::move(source));
  const Header header = reader.header();
  SavedInfo info;
  info.kind = header.is_factor() ? SavedKind::factor : SavedKind::plan;
  info.scalar_bytes = static_cast<int>(header.scalar_bytes);
  info.format = static_cast<int>(header.format);
  info.n = static_cast<Index>(header.n);
  info.nnz = static_cast<Offset>(header.nnz);
  info.supernodes = static_cast<Index>(header.supernodes);
  return info;
}

}  // namespace
}  // namespace save

void save_plan(const std::string& path, const Plan& plan) {
  save::to_file(path, save::PlanFile(plan));
}

std::vector<std::byte> save_plan(const Plan& plan) {
  const save::PlanFile file(plan);
  return save::to_memory(static_cast<Offset>(file.header.bytes), file);
}

std::shared_ptr<const Plan> load_plan(const std::string& path, const LoadOptions& options) {
  return save::plan_from(save::Source(path), options);
}

std::shared_ptr<const Plan> load_plan(std::span<const std::byte> bytes,
                                      const LoadOptions& options) {
  return save::plan_from(save::Source(bytes, options.name), options);
}

template <Scalar T>
void save_factor(const std::string& path, const Factor<T>& factor) {
  save::to_file(path, save::FactorFile<T>(factor));
}

template <Scalar T>
std::vector<std::byte> save_factor(const Factor<T>& factor) {
  const save::FactorFile<T> file(factor);
  return save::to_memory(static_cast<Offset>(file.header.bytes), file);
}

template <Scalar T>
Factor<T> load_factor(const std::string& path, Backend& backend, const LoadOptions& options) {
  return save::factor_from<T>(save::Source(path), backend, options);
}

template <Scalar T>
Factor<T> load_factor(std::span<const std::byte> bytes, Backend& backend,
                      const LoadOptions& options) {
  return save::factor_from<T>(save::Source(bytes, options.name), backend, options);
}

SavedInfo saved_info(const std::string& path) { return save::info_from(save::Source(path)); }

SavedInfo saved_info(std::span<const std::byte> bytes, const std::string& name) {
  return save::info_from(save::Source(bytes, name));
}

template void save_factor(const std::string&, const Factor<float>&);
template void save_factor(const std::string&, const Factor<double>&);
template std::vector<std::byte> save_factor(const Factor<float>&);
template std::vector<std::byte> save_factor(const Factor<double>&);
template Factor<float> load_factor<float>(const std::string&, Backend&, const LoadOptions&);
template Factor<double> load_factor<double>(const std::string&, Backend&, const LoadOptions&);
template Factor<float> load_factor<float>(std::span<const std::byte>, Backend&, const LoadOptions&);
template Factor<double> load_factor<double>(std::span<const std::byte>, Backend&,
                                            const LoadOptions&);

}  // namespace kauri

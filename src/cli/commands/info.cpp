// kauri info: facts of a system that need no factorisation, and of this build of kauri.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "kauri/core/error.hpp"
#include "kauri/core/graph.hpp"
#include "kauri/core/ordering.hpp"
#include "kauri/core/version.hpp"
#include "src/cli/commands/commands.hpp"
#include "src/cli/job/job.hpp"
#include "src/cli/job/limits.hpp"
#include "src/cli/options/named.hpp"
#include "src/cli/report/report.hpp"
#include "src/cli/terminal/facts.hpp"
#include "src/cli/terminal/progress.hpp"
#include "src/cli/terminal/text.hpp"
#include "src/engine/symbolic.hpp"
#include "symbolic/common/device_units.hpp"

namespace kauri::cli {
namespace {

struct InfoOptions {
  SystemOptions system;
  JobOptions job;
  bool json = false;
};

/// The CUDA device of the options: its backend, which is made because only a backend can name its
/// kernels; or, if there is none, `failure`, the reason.
struct Cuda {
  bool there = false;  // the device, its driver and the code of this build can be used together
  std::optional<Backend> backend;
  std::string failure;
  bool time_limit = false;  // ends_long_kernels()
  double ratio = 0;         // float_over_double()
};

Cuda find_cuda(const CudaOptions& options) {
  Cuda out;
  out.failure = why_no_device(options.device);
  out.there = out.failure.empty();
  if (!out.there) return out;
  out.time_limit = ends_long_kernels(options.device);
  out.ratio = float_over_double(options.device).value_or(0);
  try {
    out.backend.emplace(cuda_backend(options));
  } catch (const Error& error) {
    out.failure = error.what();
  }
  return out;
}

Json cuda_json(const Cuda& cuda) {
  if (!cuda.backend) return {{"fail", cuda.failure}};
  return {{"device", cuda.backend->device()},
          {"target", cuda.backend->target()},
          {"code", cuda.backend->device_code()},
          {"kernels",
           {{"double", cuda.backend->kernels(sizeof(double))},
            {"float", cuda.backend->kernels(sizeof(float))}}},
          {"slower_kernels", slower_kernels(*cuda.backend)},
          {"time_limit", cuda.time_limit},
          {"float_over_double", cuda.ratio}};
}

void add_cuda(Facts& lines, const Cuda& cuda) {
  if (!cuda.there) return lines.add("CUDA device", "no", cuda.failure);
  if (!cuda.backend) return lines.add("CUDA device", "none that can be used", cuda.failure);
  lines.add("CUDA device", cuda.backend->device(),
            fmt::format("{}: kernels {} in double, {} in float{}", cuda.backend->target(),
                        cuda.backend->kernels(sizeof(double)), cuda.backend->kernels(sizeof(float)),
                        cuda.time_limit ? "; it ends long kernels" : ""));
  if (const std::string code = cuda.backend->device_code(); !code.empty())
    lines.add("its code", code);
  if (const std::string text = slower_kernels(*cuda.backend); !text.empty())
    lines.add("its kernels", "slower", text);
  lines.add("its float", fmt::format("{:.3g} times double", cuda.ratio),
            cuda.ratio >= symbolic::kSlowDouble ? "see --precision auto" : "");
}

Json build_json(const Backend& backend, const Cuda& cuda) {
  Json build;
  build["version"] = version();
  build["compiler"] = KAURI_COMPILER;
  build["build_type"] = KAURI_BUILD_TYPE;
  build["target"] = backend.target();
  build["metis"] = ordering_available(OrderingMethod::metis);
  build["metis_inside"] = ordering_compared(OrderingMethod::metis);
  build["cuda_device"] = cuda.there;
  build["cuda"] = cuda_json(cuda);
  build["sanitizers"] = KAURI_SANITIZERS;
  build["available_bytes"] = available_bytes();
  return build;
}

void add_facts(Json& object, const System& system, const MatrixFacts& facts) {
  add_size(object, system);
  object["nnz_full"] = facts.entries_full;
  object["read_s"] = system.read_s;
  object["entries_per_row_min"] = facts.least_in_row;
  object["entries_per_row_mean"] = facts.mean_in_row;
  object["entries_per_row_max"] = facts.most_in_row;
  object["diagonal_positive"] = facts.positive_diagonal;
  object["diagonal_zero"] = facts.zero_diagonal;
  object["diagonal_negative"] = facts.negative_diagonal;
  object["components"] = facts.components;
  object["bandwidth"] = facts.bandwidth;
  object["gershgorin_least"] = facts.gershgorin_least;
  object["gershgorin_greatest"] = facts.gershgorin_greatest;
  object["positive_definite"] = verdict_name(facts);
}

std::string system_text(const System& system, const MatrixFacts& facts) {
  Facts lines;
  lines.add("entries in all", integer(facts.entries_full), "both halves");
  lines.add("in a row", fmt::format("{:.1f}", facts.mean_in_row),
            fmt::format("on average; from {} to {}", facts.least_in_row, facts.most_in_row));
  lines.add("diagonal", fmt::format("{} positive", integer(facts.positive_diagonal)),
            fmt::format("{} zero, {} negative", integer(facts.zero_diagonal),
                        integer(facts.negative_diagonal)));
  lines.add("components", integer(facts.components));
  lines.add("bandwidth", integer(facts.bandwidth));
  lines.add("eigenvalues in",
            fmt::format("[{:.4g}, {:.4g}]", facts.gershgorin_least, facts.gershgorin_greatest),
            "by Gershgorin's discs");
  lines.add("positive definite", verdict_name(facts), verdict_reason(facts));
  return fmt::format("{}\n\n{}\n", title(system), lines.text());
}

std::string build_text(const Backend& backend, const Cuda& cuda) {
  Facts lines;
  lines.add("kauri", std::string(version()), std::string(commit()));
  lines.add("compiler", KAURI_COMPILER, KAURI_BUILD_TYPE);
  lines.add("device", backend.device(),
            fmt::format("{} threads, target {}", backend.threads(), backend.target()));
  const bool metis = ordering_available(OrderingMethod::metis),
             inside = ordering_compared(OrderingMethod::metis);
  lines.add("METIS", metis ? "yes" : "no",
            inside  ? "inside kauri"
            : metis ? "the system's library"
                    : "");
  add_cuda(lines, cuda);
  lines.add("memory", bytes(static_cast<double>(available_bytes())), "available");
  return lines.text();
}

int info(const InfoOptions& options) {
  const Backend backend = make_backend(options.job);
  const bool with_system = !options.system.files.empty() || !options.system.specs.empty();
  Json object = header("info", "", backend, options.job, nullptr);
  if (!with_system) object["system"] = nullptr;
  const Cuda cuda = find_cuda(options.job.solver.cuda);
  object["build"] = build_json(backend, cuda);
  std::string text;
  if (with_system) {
    const System system = [&] {
      const Phase phase(options.json, "reading");
      return load_one(options.system, {}, threads_of(options.job));
    }();
    const MatrixFacts facts = [&] {
      const Phase phase(options.json, "looking at " + system.name);
      return facts_of(system.matrix.view());
    }();
    object["system"] = system.name;
    add_facts(object, system, facts);
    text = system_text(system, facts);
  }
  if (options.json)
    print_object(object);
  else
    print(text + build_text(backend, cuda));
  return kOk;
}

}  // namespace

void add_info(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("info", "show facts of a system, and of this build of kauri");
  const auto options = std::make_shared<InfoOptions>();
  add_system_options(*command, options->system, false);
  add_backend_options(*command, options->job);
  add_set_option(*command, options->job);
  add_json_option(*command, options->json);
  command->callback([options, &exit_code] { exit_code = info(*options); });
}

}  // namespace kauri::cli

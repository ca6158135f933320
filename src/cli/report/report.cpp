// JSON objects and the lines of text that several subcommands print.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/report/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "kauri/core/breakdown.hpp"
#include "kauri/core/error.hpp"
#include "kauri/core/version.hpp"
#include "kauri/solve/named_options.hpp"
#include "src/cli/job/job.hpp"
#include "src/cli/terminal/text.hpp"
#include "symbolic/plan/plan_facts.hpp"

namespace kauri::cli {

Json whole(double count) {
  constexpr double kBeyond = 0x1p63;
  if (count > -kBeyond && count < kBeyond) return static_cast<std::int64_t>(count);
  return count;
}

Json changed_options(const JobOptions& options) {
  Json object = Json::object();
  for (const NamedOption& option : named_options())
    if (std::string value = get_option(options.solver, option.name); value != option.initial)
      object[option.name] = std::move(value);
  return object;
}

Json header(std::string_view command, const std::string& system, const Backend& backend,
            const JobOptions& options, const Json& ordering) {
  Json object = {{"schema", fmt::format("kauri.{}/1", command)},
                 {"system", system},
                 {"solver", fmt::format("kauri {}", version())},
                 {"commit", commit()}};
  add_backend(object, backend, options);
  object["scalar"] = options.scalar;
  add_ordering(object, ordering, options);
  object["options"] = changed_options(options);
  return object;
}

void add_ordering(Json& object, const Json& ordering, const JobOptions& options) {
  object["ordering"] = ordering;
  const bool nd = ordering == Json(name_of(OrderingMethod::nested_dissection));
  object["effort"] = nd ? Json(name_of(options.solver.analyze.ordering.effort)) : Json(nullptr);
}

namespace {

std::string kernels_of(const Backend& backend, const JobOptions& options) {
  return is_mixed(options) ? backend.mixed_kernels() : backend.kernels(scalar_bytes(options));
}

}  // namespace

void add_backend(Json& object, const Backend& backend, const JobOptions& options) {
  object["device"] = backend.device();
  object["backend"] = backend.kind() == BackendKind::cuda ? "cuda" : "cpu";
  object["threads"] = backend.threads();
  object["kernels"] = kernels_of(backend, options);
}

void add_targets(Json& object, const Analysis& analysis) {
  object["target_reason"] = analysis.target_reason;
  object["targets"] = Json::array();
  for (const Analysis::Forecast& forecast : analysis.forecasts)
    object["targets"].push_back({{"target", forecast.target},
                                 {"predicted_start_s", forecast.start_s},
                                 {"predicted_create_s", forecast.create_s},
                                 {"predicted_values_s", forecast.values_s},
                                 {"predicted_factor_s", forecast.factor_s},
                                 {"predicted_solve_s", forecast.solve_s},
                                 {"predicted_job_s", forecast.job_s},
                                 {"bytes", forecast.bytes},
                                 {"scaled", forecast.scaled}});
}

void add_precisions(Json& object, const Symbolic& symbolic) {
  const auto json_of = [](const Analysis::Forecast& of) {
    return Json{{"predicted_create_s", of.create_s}, {"predicted_values_s", of.values_s},
                {"predicted_factor_s", of.factor_s}, {"predicted_solve_s", of.solve_s},
                {"predicted_job_s", of.job_s},       {"bytes", of.bytes}};
  };
  object["precision_reason"] = symbolic.precision_reason(symbolic.precision());
  const auto& both = symbolic.analysis.precisions;
  object["precisions"] =
      both ? Json{{"full", json_of(both->full)}, {"mixed", json_of(both->mixed)}} : Json(nullptr);
}

std::string precision_line(const Symbolic& symbolic) {
  return symbolic.analysis.precisions
             ? "precision " + symbolic.precision_reason(symbolic.precision()) + "\n"
             : "";
}

std::string target_lines(const Analysis& analysis) {
  if (analysis.forecasts.empty()) return "";
  std::string text = analysis.target_reason + "\n";
  for (const Analysis::Forecast& forecast : analysis.forecasts)
    text +=
        fmt::format("  {}: {} to factorise, {} to solve, {} for the whole job\n", forecast.target,
                    seconds(forecast.factor_s), seconds(forecast.solve_s), seconds(forecast.job_s));
  return text;
}

Json system_header(std::string_view command, const System& system, const Backend& backend,
                   const JobOptions& options, const Json& ordering) {
  Json object = header(command, system.name, backend, options, ordering);
  add_size(object, system);
  return object;
}

void add_size(Json& object, const System& system) {
  object["n"] = system.matrix.n();
  object["nnz_lower"] = system.matrix.nnz();
}

std::string title(const System& system) {
  return fmt::format("{}: {} rows, {} entries in the lower triangle", system.name,
                     integer(system.matrix.n()), integer(system.matrix.nnz()));
}

std::string where(const Backend& backend, const JobOptions& options) {
  const std::string kernels = kernels_of(backend, options);
  return fmt::format("{}{}, {} thread{}, {}", backend.target(),
                     kernels == backend.target() ? "" : fmt::format(" ({})", kernels),
                     backend.threads(), backend.threads() == 1 ? "" : "s",
                     is_mixed(options) ? "mixed precision" : options.scalar);
}

const char* name_of(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::not_positive_definite:
      return "not_positive_definite";
    case Status::not_finite:
      return "not_finite";
    case Status::unconverged:
      return "not_converged";
  }
  return "";
}

ExitCode exit_code_of(Status status) {
  return status == Status::ok                      ? kOk
         : status == Status::not_positive_definite ? kNotPositiveDefinite
                                                   : kInput;
}

void add_mixed(Json& object, const std::optional<MixedReport>& mixed, const JobOptions& options) {
  const auto if_there = [&](const auto& value) {
    return mixed ? Json(value(*mixed)) : Json(nullptr);
  };
  object["precision"] = is_mixed(options) ? "mixed" : "full";
  object["path"] = if_there([](const MixedReport& m) { return std::string(name_of(m.path)); });
  object["float_shift"] = if_there([](const MixedReport& m) { return m.shift; });
  object["contraction"] = if_there([](const MixedReport& m) { return m.contraction; });
  object["cg_steps"] = if_there([](const MixedReport& m) { return m.cg_steps; });
  object["cg_contraction"] = if_there([](const MixedReport& m) { return m.cg_contraction; });
  object["unconverged"] = if_there([](const MixedReport& m) { return m.unconverged; });
}

Status status_of(const MixedReport& mixed, bool finite) {
  const Status status = status_of<double>(mixed.error, finite);
  return status == Status::ok && !mixed.converged() ? Status::unconverged : status;
}

std::string reason_of(Status status, const std::optional<Breakdown>& breakdown,
                      const JobOptions& options) {
  if (status == Status::not_finite)
    return fmt::format("not finite: the solution or its residual overflows {}", options.scalar);
  if (status == Status::unconverged && is_mixed(options))
    return "not solved to the precision of double: the backward error of x is above what is "
           "accepted";
  if (status == Status::unconverged)
    return fmt::format(
        "not solved: the backward error of x is above {:.2g}, the root of the precision of {}",
        options.scalar == "float" ? solved_error<float>() : solved_error<double>(), options.scalar);
  return breakdown ? describe(*breakdown) : "";
}

ExitCode exit_code_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::usage:
    case ErrorKind::input:
      return kInput;
    case ErrorKind::overflow:
    case ErrorKind::memory:
    case ErrorKind::device:
    case ErrorKind::cancelled:
      return kResources;
  }
  return kInput;
}

void print(std::string_view text) {
  const std::string safe = for_terminal(text);
  std::fwrite(safe.data(), 1, safe.size(), stdout);
}

void print_object(const Json& object) {
  print(object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void print_line(const Json& object) {
  print(object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  std::fflush(stdout);
}

void complain(std::string_view text) {
  const std::string line = fmt::format("kauri: {}\n", for_terminal(text));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void warn_of_plan(const std::string& system, const Plan& plan, const Backend& backend) {
  for (const std::string& text : {symbolic::too_large_block(plan), slower_kernels(backend)})
    if (!text.empty()) complain(fmt::format("warning: {}: {}", system, text));
}

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw Error(ErrorKind::input, "standard output: cannot be written");
}

}  // namespace kauri::cli

// JSON objects and the lines of text that several subcommands print.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/report.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "kauri/error.hpp"
#include "kauri/version.hpp"
#include "src/cli/text.hpp"

namespace kauri::cli {

Json whole(double count) {
  constexpr double kBeyond = 0x1p63;
  if (count > -kBeyond && count < kBeyond) return static_cast<std::int64_t>(count);
  return count;
}

Json header(std::string_view command, const std::string& system, const Backend& backend, const JobOptions& options, const Json& ordering) {
  return {{"schema", fmt::format("kauri.{}/1", command)},
          {"system", system},
          {"solver", fmt::format("kauri {}", version())},
          {"commit", commit()},
          {"device", backend.device()},
          {"backend", backend.kind() == BackendKind::cuda ? "cuda" : "cpu"},
          {"threads", backend.threads()},
          {"scalar", options.scalar},
          {"ordering", ordering}};
}

Json system_header(std::string_view command, const System& system, const Backend& backend, const JobOptions& options,
                   const Json& ordering) {
  Json object = header(command, system.name, backend, options, ordering);
  add_size(object, system);
  return object;
}

void add_size(Json& object, const System& system) {
  object["n"] = system.matrix.n();
  object["nnz_lower"] = system.matrix.nnz();
}

std::string title(const System& system) {
  return fmt::format("{}: {} rows, {} entries in the lower triangle", system.name, integer(system.matrix.n()),
                     integer(system.matrix.nnz()));
}

std::string where(const Backend& backend, const JobOptions& options) {
  return fmt::format("{}, {} thread{}, {}", backend.target(), backend.threads(), backend.threads() == 1 ? "" : "s", options.scalar);
}

const char* name_of(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::indefinite:
      return "not_positive_definite";
    case Status::not_finite:
      return "not_finite";
  }
  return "";
}

ExitCode exit_code_of(Status status) { return status == Status::ok ? kOk : status == Status::indefinite ? kIndefinite : kInput; }

std::string reason_of(Status status, const std::optional<Breakdown>& breakdown, const JobOptions& options) {
  if (status == Status::not_finite) return fmt::format("not finite: the solution or its residual overflows {}", options.scalar);
  if (!breakdown) return "";
  return fmt::format("not positive definite: column {} (counted from 0) met the pivot {:.6g}", breakdown->column, breakdown->pivot);
}

ExitCode exit_code_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::usage:
    case ErrorKind::input:
      return kInput;
    case ErrorKind::overflow:
    case ErrorKind::memory:
    case ErrorKind::device:
      return kResources;
  }
  return kInput;
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_object(const Json& object) { print(object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"); }

void print_line(const Json& object) {
  print(object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  std::fflush(stdout);
}

void complain(std::string_view text) {
  const std::string line = fmt::format("kauri: {}\n", text);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw Error(ErrorKind::input, "standard output: cannot be written");
}

}  // namespace kauri::cli

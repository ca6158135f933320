// Command lines of the benchmarks that time one system after another, and the plans of these
// systems.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/source.hpp"
#include "kauri/core/analysis.hpp"
#include "kauri/core/backend.hpp"
#include "kauri/core/error.hpp"
#include "kauri/core/ordering.hpp"

namespace kauri::bench {

/// Adds the option --method NAME: an ordering.
inline void add_method(CLI::App& app, OrderingMethod& method) {
  app.add_option_function<std::string>("--method", [&method](const std::string& name) {
    const auto found = ordering_from_name(name);
    if (!found) throw CLI::ValidationError("--method", "there is no ordering " + name);
    method = *found;
  });
}

/// Adds the option --compute NAME: the arithmetic of a device for float.
inline void add_compute(CLI::App& app, CudaCompute& compute) {
  const std::map<std::string, CudaCompute> names{{"auto", CudaCompute::automatic},
                                                 {"fma", CudaCompute::fma},
                                                 {"tf32x3", CudaCompute::tf32x3},
                                                 {"tf32", CudaCompute::tf32},
                                                 {"fp16x3", CudaCompute::fp16x3}};
  app.add_option("--compute", compute, "of the device")->transform(CLI::CheckedTransformer(names));
}

/// A system, its name, and its plan.
struct PlannedSystem {
  std::string name;
  SymmetricMatrix<double> a;
  std::shared_ptr<const Plan> plan;
};

/// Returns the system that a command line names by SYSTEM[:PERMUTATION_FILE], planned for the
/// backend with the permutation of the file or, without one, by the method. Throws Error.
inline PlannedSystem planned(const std::string& argument, OrderingMethod method,
                             const Backend& backend) {
  const std::size_t colon = argument.find(':');
  PlannedSystem out{argument.substr(0, colon), load(argument.substr(0, colon)), nullptr};
  AnalyzeOptions options;
  options.ordering.method = method, options.target = backend.target();
  if (colon != std::string::npos)
    options.permutation = Permutation::from_old_of(read_permutation(argument.substr(colon + 1)));
  out.plan = analyze(out.a.pattern(), options);
  return out;
}

/// Parses the command line and calls job(systems) with the systems named on it. Returns the exit
/// status of main().
inline int with_systems(CLI::App& app, int count, char** argument,
                        const std::function<void(const std::vector<std::string>&)>& job) {
  std::vector<std::string> systems;
  app.add_option("SYSTEM", systems, "the name of a generated system, or a file")->required();
  CLI11_PARSE(app, count, argument);
  try {
    job(systems);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), error.what());
    return 2;
  }
  return 0;
}

}  // namespace kauri::bench

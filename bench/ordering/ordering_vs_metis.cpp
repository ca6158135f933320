// Compares kauri's nested dissection with METIS_NodeND, which runs with its default options on the
// uncompressed graph of A.
//   ordering_vs_metis [--only own|metis] [--effort E] [--threads T] [--seed S] [--pairs P] SOURCE
//       ...
// Prints flops of L and seconds, the least of P alternating runs of each. One thread (the default)
// is timed by its CPU clock. With --only one of the two runs, and the peak memory of the process is
// that ordering's.
// SPDX-License-Identifier: BSD-3-Clause
#include <metis.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/ordering/order_costs.hpp"
#include "bench/source.hpp"
#include "kauri/core/ordering.hpp"
#include "kauri/solve/named_options.hpp"

namespace {

using kauri::Graph;
using kauri::Index;
using kauri::bench::costs_of;
using kauri::bench::now_on;

struct Order {
  std::vector<Index> old_of;
  double seconds = 1e30;
};

Order metis_order(const Graph& graph, clockid_t clock) {
  idx_t n = graph.size();
  std::vector<idx_t> ptr(graph.ptr().begin(), graph.ptr().end()),
      adjacency(graph.adjacency().begin(), graph.adjacency().end());
  Order found{std::vector<Index>(static_cast<std::size_t>(n))};
  std::vector<idx_t> new_of(static_cast<std::size_t>(n));
  const double start = now_on(clock);
  const int status = METIS_NodeND(&n, ptr.data(), adjacency.data(), nullptr, nullptr,
                                  found.old_of.data(), new_of.data());
  found.seconds = now_on(clock) - start;
  if (status != METIS_OK) throw std::runtime_error("METIS_NodeND failed");
  return found;
}

Order own_order(const Graph& graph, const kauri::OrderingOptions& options, clockid_t clock) {
  const double start = now_on(clock);
  const kauri::Permutation permutation = kauri::order(graph, options);
  const double seconds = now_on(clock) - start;
  return {{permutation.old_of().begin(), permutation.old_of().end()}, seconds};
}

/// Returns the peak resident memory of the process so far.
long peak_kilobytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("kauri's nested dissection against METIS_NodeND");
  kauri::SolverOptions named;
  kauri::OrderingOptions& options = named.analyze.ordering;
  options.method = kauri::OrderingMethod::nested_dissection;
  options.threads = 1;
  int pairs = 1;
  std::string only, effort = get_option(named, "ordering.effort");
  std::vector<std::string> sources;
  app.add_option("--only", only)->check(CLI::IsMember({"own", "metis"}));
  app.add_option("--effort", effort)->check(CLI::IsMember({"fast", "standard", "best"}));
  app.add_option("--threads", options.threads);
  app.add_option("--seed", options.seed);
  app.add_option("--pairs", pairs)->check(CLI::PositiveNumber);
  app.add_option("SOURCE", sources)->required();
  CLI11_PARSE(app, argc, argv);
  set_option(named, "ordering.effort", effort);
  const clockid_t clock = options.threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;

  std::vector<double> work, time;
  for (const std::string& source : sources) {
    const Graph graph(kauri::bench::load(source).pattern());
    const auto held_before = peak_kilobytes();
    Order own, metis;
    for (int k = 0; k < pairs; ++k) {
      if (only != "metis")
        if (Order o = own_order(graph, options, clock); o.seconds < own.seconds) own = std::move(o);
      if (only != "own")
        if (Order o = metis_order(graph, clock); o.seconds < metis.seconds) metis = std::move(o);
    }
    nlohmann::ordered_json line{
        {"system", source}, {"n", graph.size()}, {"more_kb", peak_kilobytes() - held_before}};
    if (only != "metis")
      line["flops"] = costs_of(graph, own.old_of).flops, line["order_s"] = own.seconds;
    if (only != "own")
      line["flops_metis"] = costs_of(graph, metis.old_of).flops, line["metis_s"] = metis.seconds;
    if (only.empty()) {
      work.push_back(costs_of(graph, own.old_of).flops / costs_of(graph, metis.old_of).flops),
          time.push_back(own.seconds / metis.seconds);
      line["flops_ratio"] = work.back(), line["time_ratio"] = time.back();
    }
    std::puts(line.dump().c_str());
    std::fflush(stdout);
  }
  if (!work.empty())
    std::puts(nlohmann::ordered_json{{"systems", work.size()},
                                     {"flops_ratio", kauri::bench::geometric_mean(work)},
                                     {"time_ratio", kauri::bench::geometric_mean(time)}}
                  .dump()
                  .c_str());
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "ordering_vs_metis: %s\n", e.what());
  return 1;
}

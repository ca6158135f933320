// Compares kauri's symbolic phase with METIS_NodeND, which runs with its default options on the
// uncompressed graph of A (METIS merges indistinguishable vertices itself).
//   symbolic_vs_metis [--pairs P] SOURCE ...
// SOURCE is a file or, if no file has that name, a specification of kauri::generate. Prints one
// JSON line per system: seconds of wall time, the least of P pairs; reorder_s and symbolic_s belong
// to an analysis with METIS's ordering. P > 1 reuses memory that a program's first analysis must
// request from the system; P = 1 is the time that a program observes.
// SPDX-License-Identifier: BSD-3-Clause
#include <metis.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/progress/stopwatch.hpp"
#include "bench/source.hpp"
#include "kauri/core/analysis.hpp"

namespace {

double metis_seconds(const kauri::Graph& graph) {
  idx_t n = graph.size();
  std::vector<idx_t> ptr(graph.ptr().begin(), graph.ptr().end()),
      adjacency(graph.adjacency().begin(), graph.adjacency().end());
  std::vector<idx_t> old_of(static_cast<std::size_t>(n)), new_of(static_cast<std::size_t>(n));
  int status = METIS_OK;
  const double seconds = kauri::seconds_of([&] {
    status = METIS_NodeND(&n, ptr.data(), adjacency.data(), nullptr, nullptr, old_of.data(),
                          new_of.data());
  });
  if (status != METIS_OK) throw std::runtime_error("METIS_NodeND failed");
  return seconds;
}

void compare(const std::string& source, int pairs) {
  const auto a = kauri::bench::load(source);
  const kauri::Graph graph(a.pattern());
  kauri::AnalyzeOptions options;
  options.ordering.method = kauri::OrderingMethod::metis;
  double metis = 0, reorder = 0, symbolic = 0;
  for (int k = 0; k < pairs; ++k) {
    const kauri::Analysis analysis = kauri::analyze_with_report(a.pattern(), options);
    const double seconds = metis_seconds(graph);
    const auto keep = [k](double& least, double x) { least = k == 0 ? x : std::min(least, x); };
    keep(metis, seconds), keep(reorder, analysis.order_s), keep(symbolic, analysis.symbolic_s);
  }
  std::printf(
      "{\"system\": \"%s\", \"n\": %d, \"nnz\": %lld, \"metis_s\": %.6f, \"reorder_s\": %.6f, "
      "\"symbolic_s\": %.6f, \"ratio\": %.4f}\n",
      source.c_str(), a.n(), static_cast<long long>(a.nnz()), metis, reorder, symbolic,
      symbolic / metis);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  int pairs = 1;
  std::vector<std::string> sources;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--pairs" && i + 1 < argc)
      pairs = std::stoi(argv[++i]);
    else
      sources.push_back(word);
  }
  if (pairs < 1) throw std::runtime_error("--pairs must be at least 1");
  for (const std::string& source : sources) compare(source, pairs);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "symbolic_vs_metis: %s\n", e.what());
  return 1;
}

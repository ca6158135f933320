// Compares kauri's approximate minimum degree with SuiteSparse AMD.
//   ordering_vs_amd [--shuffles S] [--pairs P] [--no-compress] SOURCE ...
// SOURCE is a file or, if no file has that name, a specification of kauri::generate. Prints one
// JSON line per system and numbering (shuffle 0 is the system's own numbering): nnzL of both,
// median CPU seconds of both over P interleaved pairs of calls; then a line for all systems. kauri
// is timed from Graph to Permutation, AMD from the full pattern to the permutation (amd_order).
// SPDX-License-Identifier: BSD-3-Clause
#include <amd.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is POSIX

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/source.hpp"
#include "kauri/core/ordering.hpp"

namespace {

using kauri::Graph;
using kauri::Index;
using kauri::Offset;
using kauri::bench::median;

struct Settings {
  int shuffles = 5;
  int pairs = 7;
  kauri::OrderingOptions options;
  std::vector<std::string> sources;
};

Graph graph_from(Index n, const std::vector<std::pair<Index, Index>>& edges) {
  std::vector<Offset> ptr(static_cast<std::size_t>(n) + 1, 0);
  for (const auto& [u, v] : edges) ++ptr[u + 1], ++ptr[v + 1];
  std::partial_sum(ptr.begin(), ptr.end(), ptr.begin());
  std::vector<Index> adjacency(static_cast<std::size_t>(ptr.back()));
  std::vector<Offset> next(ptr.begin(), ptr.end() - 1);
  for (const auto& [u, v] : edges) adjacency[next[u]++] = v, adjacency[next[v]++] = u;
  for (Index v = 0; v < n; ++v)
    std::sort(adjacency.begin() + ptr[v], adjacency.begin() + ptr[v + 1]);
  return Graph(std::move(ptr), std::move(adjacency));
}

Graph shuffled(const Graph& graph, unsigned seed) {
  std::vector<Index> name(static_cast<std::size_t>(graph.size()));
  std::iota(name.begin(), name.end(), 0);
  std::shuffle(name.begin(), name.end(), std::mt19937_64(seed));
  std::vector<std::pair<Index, Index>> edges;
  for (Index v = 0; v < graph.size(); ++v)
    for (const Index u : graph.neighbours(v))
      if (u < v) edges.emplace_back(name[u], name[v]);
  return graph_from(graph.size(), edges);
}

// Counts the entries of L by walking up the elimination tree from each entry of the lower triangle
// (Liu 1990): O(nnz(L)) time, O(n) space.
Offset nnz_of_factor(const Graph& graph, const kauri::Permutation& p) {
  const Index n = graph.size();
  std::vector<Index> parent(static_cast<std::size_t>(n), kauri::kNone),
      mark(static_cast<std::size_t>(n), kauri::kNone);
  Offset count = n;
  for (Index i = 0; i < n; ++i) {
    mark[i] = i;
    for (const Index u : graph.neighbours(p.old_of(i)))
      for (Index j = p.new_of(u); j < i && mark[j] != i; j = parent[j]) {
        if (parent[j] == kauri::kNone) parent[j] = i;
        mark[j] = i;
        ++count;
      }
  }
  return count;
}

// Returns the CPU seconds of this thread, the only one that either ordering uses; other load of the
// machine affects them less than wall time.
double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

kauri::Permutation order_by_amd(const Graph& graph, const std::vector<int>& ptr,
                                const std::vector<int>& adjacency, double& seconds) {
  std::vector<Index> old_of(static_cast<std::size_t>(graph.size()));
  double control[AMD_CONTROL], info[AMD_INFO];
  const double start = cpu_seconds();
  amd_defaults(control);
  if (amd_order(graph.size(), ptr.data(), adjacency.data(), old_of.data(), control, info) != AMD_OK)
    throw std::runtime_error("amd_order failed");
  seconds = cpu_seconds() - start;
  return kauri::Permutation::from_old_of(std::move(old_of));
}

kauri::Permutation order_by_kauri(const Graph& graph, const kauri::OrderingOptions& options,
                                  double& seconds) {
  const double start = cpu_seconds();
  auto p = kauri::order(graph, options);
  seconds = cpu_seconds() - start;
  return p;
}

struct Ratios {
  double fill, time;
};

Ratios compare(const std::string& system, int shuffle, const Graph& graph,
               const Settings& settings) {
  const std::vector<int> ptr(graph.ptr().begin(), graph.ptr().end()),
      adjacency(graph.adjacency().begin(), graph.adjacency().end());
  std::vector<double> own, theirs, ratio;
  kauri::Permutation p, q;
  for (int k = 0; k < settings.pairs; ++k) {
    double a = 0, b = 0;
    p = order_by_kauri(graph, settings.options, a);
    q = order_by_amd(graph, ptr, adjacency, b);
    own.push_back(a), theirs.push_back(b), ratio.push_back(a / b);
  }
  const Offset fill_own = nnz_of_factor(graph, p), fill_theirs = nnz_of_factor(graph, q);
  std::printf(
      "{\"system\": \"%s\", \"n\": %d, \"shuffle\": %d, \"nnzL\": %lld, \"nnzL_amd\": %lld, "
      "\"fill_ratio\": %.4f, \"order_s\": %.6f, "
      "\"order_amd_s\": %.6f, \"time_ratio\": %.4f}\n",
      system.c_str(), graph.size(), shuffle, static_cast<long long>(fill_own),
      static_cast<long long>(fill_theirs),
      static_cast<double>(fill_own) / static_cast<double>(fill_theirs), median(own), median(theirs),
      median(ratio));
  std::fflush(stdout);
  return {static_cast<double>(fill_own) / static_cast<double>(fill_theirs), median(ratio)};
}

/// Measures all numberings of one system and returns the medians.
Ratios compare(const std::string& source, const Settings& settings) {
  const Graph graph(kauri::bench::load(source).pattern());
  std::vector<double> fill, time;
  for (int k = 0; k <= settings.shuffles; ++k) {
    const Ratios one =
        compare(source, k, k == 0 ? graph : shuffled(graph, static_cast<unsigned>(k)), settings);
    fill.push_back(one.fill), time.push_back(one.time);
  }
  return {median(fill), median(time)};
}

Settings parse(int argc, char** argv) {
  Settings s;
  s.options.method = kauri::OrderingMethod::amd;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--shuffles" && i + 1 < argc)
      s.shuffles = std::stoi(argv[++i]);
    else if (word == "--pairs" && i + 1 < argc)
      s.pairs = std::stoi(argv[++i]);
    else if (word == "--no-compress")
      s.options.compress = false;
    else
      s.sources.push_back(word);
  }
  if (s.pairs < 1) throw std::runtime_error("--pairs must be at least 1");
  return s;
}

}  // namespace

int main(int argc, char** argv) try {
  const Settings settings = parse(argc, argv);
  std::vector<double> fill, time;
  for (const std::string& source : settings.sources) {
    const Ratios medians = compare(source, settings);
    fill.push_back(medians.fill), time.push_back(medians.time);
  }
  if (fill.empty()) throw std::runtime_error("no system");
  std::printf(
      "{\"systems\": %zu, \"fill_ratio_mean\": %.4f, \"fill_ratio_worst\": %.4f, \"time_ratio\": "
      "%.4f, \"time_ratio_worst\": %.4f}\n",
      fill.size(), kauri::bench::geometric_mean(fill), *std::max_element(fill.begin(), fill.end()),
      median(time), *std::max_element(time.begin(), time.end()));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "ordering_vs_amd: %s\n", e.what());
  return 1;
}

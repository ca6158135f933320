// ordering_vs_metis [--pairs P] SOURCE ...: kauri's nested dissection against METIS_NodeND with its default options on the graph of A as it
// is.
// SPDX-License-Identifier: BSD-3-Clause
#include <metis.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is POSIX

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/source.hpp"
#include "kauri/ordering.hpp"
#include "ordering/dissection/dissect.hpp"
#include "ordering/reduce.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/elimination_tree.hpp"

namespace {

using kauri::Graph;
using kauri::Index;
using kauri::Offset;

// The time of this thread where it is the only one, else that on the clock.
clockid_t clock_kind = CLOCK_THREAD_CPUTIME_ID;

double cpu_seconds() {
  timespec now;
  clock_gettime(clock_kind, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::vector<Index> metis_order(const Graph& graph, double& seconds) {
  idx_t n = graph.size();
  std::vector<idx_t> ptr(graph.ptr().begin(), graph.ptr().end()), adjacency(graph.adjacency().begin(), graph.adjacency().end());
  std::vector<idx_t> old_of(static_cast<std::size_t>(n)), new_of(static_cast<std::size_t>(n));
  const double start = cpu_seconds();
  const int status = METIS_NodeND(&n, ptr.data(), adjacency.data(), nullptr, nullptr, old_of.data(), new_of.data());
  seconds = cpu_seconds() - start;
  if (status != METIS_OK) throw std::runtime_error("METIS_NodeND failed");
  return old_of;
}

std::vector<Index> own_order(const Graph& graph, const kauri::ordering::DissectionOptions& options, double& seconds) {
  const double start = cpu_seconds();
  const kauri::ordering::Reduction reduction(graph, true, 10.0);
  std::vector<Index> old_of, order;
  for (Index c = 0; c < reduction.components(); ++c) {
    order.resize(static_cast<std::size_t>(reduction.size(c)));
    kauri::ordering::nested_dissection(reduction.component(c), options, order);
    reduction.expand(c, order, old_of);
  }
  reduction.append_dense(old_of);
  seconds = cpu_seconds() - start;
  return old_of;
}

double flops(const Graph& graph, const std::vector<Index>& old_of) {
  const kauri::ordering::CompressedGraph whole(graph, false);
  const kauri::symbolic::Pairs pairs(whole, old_of);
  const auto tree = kauri::symbolic::elimination_tree(pairs);
  const auto position = kauri::symbolic::postorder(tree);
  std::vector<Index> parent(tree.size());
  for (std::size_t j = 0; j < parent.size(); ++j) parent[position[j]] = tree[j] == kauri::kNone ? kauri::kNone : position[tree[j]];
  double sum = 0;
  for (const Index c : kauri::symbolic::column_counts(pairs, position, parent)) sum += static_cast<double>(c) * c;
  return sum;
}

}  // namespace

int main(int argc, char** argv) try {
  int pairs = 1;
  kauri::ordering::DissectionOptions options;
  options.threads = 1;
  std::vector<std::string> sources;
  bool metis = true;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto next = [&] { return std::atoi(argv[++i]); };
    if (word == "--pairs") pairs = next();
    else if (word == "--effort") options.effort = std::vector{kauri::Effort::fast, kauri::Effort::standard, kauri::Effort::best}.at(static_cast<std::size_t>(next()));
    else if (word == "--threads") options.threads = next();
    else if (word == "--seed") options.seed = static_cast<std::uint64_t>(next());
    else if (word == "--own") metis = false;
    else sources.push_back(word);
  }
  if (options.threads != 1) clock_kind = CLOCK_MONOTONIC;
  std::vector<double> work, time;
  for (const std::string& source : sources) {
    const auto a = kauri::bench::load(source);
    const Graph graph(a.pattern());
    double least = 1e30, least_metis = 1e30;
    std::vector<Index> own, theirs;
    for (int k = 0; k < pairs; ++k) {
      double s = 0, t = 1;
      own = own_order(graph, options, s);
      if (metis) theirs = metis_order(graph, t);
      least = std::min(least, s), least_metis = std::min(least_metis, t);
    }
    const double f = flops(graph, own), g = metis ? flops(graph, theirs) : 1;
    std::printf("{\"system\": \"%s\", \"n\": %d, \"flops\": %.4g, \"flops_metis\": %.4g, \"flops_ratio\": %.4f, \"order_s\": %.4f, \"metis_s\": %.4f, \"time_ratio\": %.3f}\n",
                source.c_str(), a.n(), f, g, f / g, least, least_metis, least / least_metis);
    std::fflush(stdout);
    work.push_back(f / g), time.push_back(least / least_metis);
  }
  std::printf("{\"systems\": %zu, \"flops_ratio\": %.4f, \"time_ratio\": %.4f}\n", work.size(), kauri::bench::geometric_mean(work), kauri::bench::geometric_mean(time));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "ordering_vs_metis: %s\n", e.what());
  return 1;
}

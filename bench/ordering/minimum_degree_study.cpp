// Prints fill and time of exact minimum degree, one line of JSON per tie rule, beside SuiteSparse's
// AMD on the same graph.
//   minimum_degree_study [--delta D] SOURCE ...
// SOURCE is a file or, if no file has that name, a specification of kauri::generate. The last line
// has the geometric means.
// SPDX-License-Identifier: BSD-3-Clause
#include <amd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>

#include "base/progress/stopwatch.hpp"
#include "bench/source.hpp"
#include "ordering/minimum_degree/minimum_degree.hpp"
#include "symbolic/check/quotient_elimination.hpp"

namespace {

using namespace kauri;
Offset nnz_of_factor(const Graph& graph, std::vector<Index> old_of) {
  const std::vector<Index> count =
      symbolic::quotient_column_counts(graph, Permutation::from_old_of(std::move(old_of)));
  return std::accumulate(count.begin(), count.end(), Offset{0});
}

std::vector<Index> suitesparse_amd(const Graph& graph) {
  std::vector<int> ptr(graph.ptr().begin(), graph.ptr().end());
  std::vector<Index> old_of(static_cast<std::size_t>(graph.size()));
  if (amd_order(graph.size(), ptr.data(), graph.adjacency().data(), old_of.data(), nullptr,
                nullptr) < AMD_OK)
    throw std::runtime_error("amd_order failed");
  return old_of;
}

constexpr std::array<std::pair<TieBreak, const char*>, 3> kRules{
    {{TieBreak::first, "first"},
     {TieBreak::last, "last"},
     {TieBreak::pseudo_peripheral, "pseudo_peripheral"}}};
using Ratios = std::array<std::vector<double>, kRules.size()>;  // one list per rule

void study(const std::string& source, int delta, Ratios& ratios) {
  const Graph graph(bench::load(source).pattern());
  std::vector<Index> old_of;
  const double amd_s = seconds_of([&] { old_of = suitesparse_amd(graph); });
  const Offset amd_fill = nnz_of_factor(graph, old_of);
  ordering::MinimumDegreeWorkspace workspace;
  for (std::size_t rule = 0; rule < kRules.size(); ++rule) {
    const auto [tie, name] = kRules[rule];
    OrderingOptions options;
    options.tie_break = tie;
    options.delta = delta;
    const double own_s = seconds_of(
        [&] { old_of = ordering::minimum_degree(ordering::view_of(graph), options, workspace); });
    const Offset fill = nnz_of_factor(graph, old_of);
    const double ratio = static_cast<double>(fill) / static_cast<double>(amd_fill);
    ratios[rule].push_back(ratio);
    std::printf(
        "{\"system\": \"%s\", \"n\": %d, \"tie\": \"%s\", \"delta\": %d, \"nnzL\": %lld, "
        "\"nnzL_amd\": %lld, \"ratio\": %.4f, "
        "\"order_s\": %.4f, \"amd_s\": %.4f}\n",
        source.c_str(), graph.size(), name, delta, static_cast<long long>(fill),
        static_cast<long long>(amd_fill), ratio, own_s, amd_s);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  int delta = 0;
  Ratios ratios;
  for (int a = 1; a < argc; ++a) {
    if (std::strcmp(argv[a], "--delta") == 0 && a + 1 < argc)
      delta = std::stoi(argv[++a]);
    else
      study(argv[a], delta, ratios);
  }
  if (ratios[0].empty()) throw std::runtime_error("no system");
  for (std::size_t rule = 0; rule < kRules.size(); ++rule)
    std::printf("%s\"%s\": %.4f%s", rule == 0 ? "{" : ", ", kRules[rule].second,
                bench::geometric_mean(ratios[rule]), rule + 1 == kRules.size() ? "}\n" : "");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "minimum_degree_study: %s\n", error.what());
  return 1;
}

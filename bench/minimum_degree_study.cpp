// Fill and time of exact minimum degree, one line of JSON per tie rule, beside SuiteSparse's AMD on the same graph.
//   minimum_degree_study [--delta D] FILE.kspd...
// .kspd: "KSPD0001", int64 n, int64 nnz, int64 row_ptr[n+1], int32 col[nnz] (lower triangle, rows ascending), values (not read).
// SPDX-License-Identifier: BSD-3-Clause
#include <amd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>

#include "ordering/minimum_degree.hpp"
#include "symbolic/quotient_elimination.hpp"

namespace {

using namespace kauri;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Graph read_kspd(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[8];
  std::int64_t n = 0, nnz = 0;
  file.read(magic, 8).read(reinterpret_cast<char*>(&n), 8).read(reinterpret_cast<char*>(&nnz), 8);
  if (!file || std::memcmp(magic, "KSPD0001", 8) != 0) throw std::runtime_error(path + ": no KSPD0001 file");
  std::vector<Offset> row_ptr(static_cast<std::size_t>(n) + 1);
  std::vector<Index> col(static_cast<std::size_t>(nnz));
  file.read(reinterpret_cast<char*>(row_ptr.data()), 8 * (n + 1)).read(reinterpret_cast<char*>(col.data()), 4 * nnz);
  if (!file) throw std::runtime_error(path + ": shorter than its header says");
  std::vector<Offset> ptr(row_ptr.size(), 0);
  const auto each_edge = [&](auto&& f) {
    for (Index i = 0; i < static_cast<Index>(n); ++i)
      for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
        if (col[k] != i) f(i, col[k]);
  };
  each_edge([&](Index i, Index j) { ++ptr[i + 1], ++ptr[j + 1]; });
  std::partial_sum(ptr.begin(), ptr.end(), ptr.begin());
  std::vector<Offset> next(ptr.begin(), ptr.end() - 1);
  std::vector<Index> adjacency(static_cast<std::size_t>(ptr.back()));
  each_edge([&](Index i, Index j) { adjacency[next[i]++] = j, adjacency[next[j]++] = i; });
  return {std::move(ptr), std::move(adjacency)};
}

Offset nnz_of_factor(const Graph& graph, std::vector<Index> old_of) {
  const std::vector<Index> count = symbolic::quotient_column_counts(graph, Permutation::from_old_of(std::move(old_of)));
  return std::accumulate(count.begin(), count.end(), Offset{0});
}

std::vector<Index> suitesparse_amd(const Graph& graph) {
  std::vector<int> ptr(graph.ptr().begin(), graph.ptr().end());
  std::vector<Index> old_of(static_cast<std::size_t>(graph.size()));
  if (amd_order(graph.size(), ptr.data(), graph.adjacency().data(), old_of.data(), nullptr, nullptr) < AMD_OK)
    throw std::runtime_error("amd_order failed");
  return old_of;
}

void study(const std::string& path, int delta) {
  const Graph graph = read_kspd(path);
  auto start = Clock::now();
  std::vector<Index> old_of = suitesparse_amd(graph);
  const double amd_s = seconds_since(start);
  const Offset amd_fill = nnz_of_factor(graph, std::move(old_of));
  const std::string system = path.substr(path.find_last_of('/') + 1);
  ordering::MinimumDegreeWorkspace workspace;
  const std::pair<TieBreak, const char*> rules[] = {
      {TieBreak::first, "first"}, {TieBreak::last, "last"}, {TieBreak::pseudo_peripheral, "pseudo_peripheral"}};
  for (const auto& [tie, name] : rules) {
    OrderingOptions options;
    options.tie_break = tie;
    options.delta = delta;
    start = Clock::now();
    old_of = ordering::minimum_degree(ordering::view_of(graph), options, workspace);
    const double own_s = seconds_since(start);
    const Offset fill = nnz_of_factor(graph, std::move(old_of));
    std::printf(
        "{\"system\": \"%s\", \"n\": %d, \"tie\": \"%s\", \"delta\": %d, \"nnzL\": %lld, \"nnzL_amd\": %lld, \"ratio\": %.4f, "
        "\"order_s\": %.4f, \"amd_s\": %.4f}\n",
        system.c_str(), graph.size(), name, delta, static_cast<long long>(fill), static_cast<long long>(amd_fill),
        static_cast<double>(fill) / static_cast<double>(amd_fill), own_s, amd_s);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  int delta = 0;
  for (int a = 1; a < argc; ++a) {
    if (std::strcmp(argv[a], "--delta") == 0 && a + 1 < argc)
      delta = std::stoi(argv[++a]);
    else
      study(argv[a], delta);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "minimum_degree_study: %s\n", error.what());
  return 1;
}

// Compares approximate minimum degree by several threads with one thread on the same reduced graph.
//   parallel_amd [options] SOURCE ...
// Prints one JSON line per system and number of threads: least seconds of both over interleaved
// runs, entries and operations of L, figures of the rounds, and the time of each part. SOURCE is a
// file or, if no file has that name, a specification of kauri::generate.
// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/threads/allowed_threads.hpp"
#include "bench/ordering/order_costs.hpp"
#include "bench/source.hpp"
#include "kauri/core/ordering.hpp"
#include "ordering/graph/reduce.hpp"
#include "ordering/parallel_amd/parallel_amd.hpp"

namespace {

using namespace kauri;
using ordering::ParallelAmdOptions;
using ordering::ParallelAmdReport;
using ordering::Reduction;

struct Settings {
  ParallelAmdOptions options;
  std::vector<int> threads{1, 2, 4, 8, 16};
  int runs = 3;
  unsigned shuffle = 0;
  bool processor = false;
  std::vector<std::string> sources;
};

/// Returns the same graph with its vertices in a random order.
Graph shuffled(const Graph& graph, unsigned seed) {
  const auto n = static_cast<std::size_t>(graph.size());
  std::vector<Index> old_of(n), new_of(n);
  std::iota(old_of.begin(), old_of.end(), 0);
  std::shuffle(old_of.begin(), old_of.end(), std::mt19937_64(seed));
  for (std::size_t k = 0; k < n; ++k) new_of[old_of[k]] = static_cast<Index>(k);
  std::vector<Offset> ptr{0};
  std::vector<Index> adjacency;
  for (const Index v : old_of) {
    for (const Index u : graph.neighbours(v)) adjacency.push_back(new_of[u]);
    std::sort(adjacency.begin() + ptr.back(), adjacency.end());
    ptr.push_back(static_cast<Offset>(adjacency.size()));
  }
  return Graph(std::move(ptr), std::move(adjacency));
}

Graph load(const std::string& source, unsigned shuffle) {
  Graph graph(bench::load(source).pattern());
  return shuffle == 0 ? std::move(graph) : shuffled(graph, shuffle);
}

struct Order {
  std::vector<Index> old_of;
  double seconds = 1e30;
};

/// Calls method(component, order) on each component that leaves a choice.
template <class Method>
Order order_by(const Reduction& reduction, clockid_t clock, Method&& method) {
  Order found;
  std::vector<Index> order;
  found.seconds = 0;
  for (Index c = 0; c < reduction.components(); ++c) {
    order.resize(static_cast<std::size_t>(reduction.size(c)));
    std::iota(order.begin(), order.end(), 0);
    const double start = bench::now_on(clock);
    if (order.size() > 2) method(reduction.component(c), order);
    found.seconds += bench::now_on(clock) - start;
    reduction.expand(c, order, found.old_of);
  }
  reduction.append_rest(found.old_of);
  return found;
}

class Study {
 public:
  Study(const std::string& source, const Settings& settings)
      : source_(source),
        settings_(settings),
        graph_(load(source, settings.shuffle)),
        reduction_(ordering::GraphSource(graph_), true, 10.0) {}

  void run() {
    for (const int threads : settings_.threads) with_threads(threads, [&] { measure(threads); });
  }
  std::vector<double> fill_ratio, flops_ratio;

 private:
  void measure(int threads) {
    // On a loaded machine CPU time measures one thread better than wall time.
    const clockid_t clock = settings_.processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    Order least_amd, least;
    ParallelAmdReport report;
    for (int k = 0; k < settings_.runs; ++k) {
      Order one = order_by(reduction_, clock, [&](const GraphView& view, std::span<Index> order) {
        ordering::AmdWorkspace workspace;  // constructed for each call, as order() does
        (void)ordering::approximate_minimum_degree(
            view, {.aggressive = settings_.options.aggressive}, workspace, order);
      });
      ParallelAmdReport seen;
      ParallelAmdOptions options = settings_.options;
      options.report = &seen;
      Order many = order_by(reduction_, clock, [&](const GraphView& view, std::span<Index> order) {
        ordering::AmdWorkspace workspace;
        ordering::parallel_minimum_degree(view, options, workspace, order);
      });
      if (expected_.empty()) expected_ = many.old_of, compare(one.old_of);
      if (many.old_of != expected_)
        throw std::runtime_error(source_ + ": another order by " + std::to_string(threads) +
                                 " threads");
      if (one.seconds < least_amd.seconds) least_amd = std::move(one);
      if (many.seconds < least.seconds) least = std::move(many), report = seen;
    }
    print(threads, least_amd.seconds, least.seconds, report);
  }

  using GraphView = ordering::GraphView;

  void compare(const std::vector<Index>& amd) {
    amd_ = bench::costs_of(graph_, amd);
    own_ = bench::costs_of(graph_, expected_);
    fill_ratio.push_back(own_.entries / amd_.entries);
    flops_ratio.push_back(own_.flops / amd_.flops);
  }

  void print(int threads, double amd_s, double s, const ParallelAmdReport& report) const {
    nlohmann::ordered_json line{
        {"system", source_},
        {"n", graph_.size()},
        {"vertices", reduction_.size()},
        {"threads", threads},
        {"amd_s", amd_s},
        {"s", s},
        {"time_ratio", s / amd_s},
        {"fill_ratio", fill_ratio.back()},
        {"flops_ratio", flops_ratio.back()},
        {"nnzL_amd", amd_.entries},
        {"flops_amd", amd_.flops},
        {"rounds", report.rounds},
        {"alone", report.alone},
        {"alone_s", report.alone_s},
        {"winners", static_cast<double>(report.winners) /
                        static_cast<double>(std::max<Offset>(report.rounds, 1))},
        {"tries", static_cast<double>(report.candidates) /
                      static_cast<double>(std::max<Offset>(report.winners, 1))},
        {"entries", static_cast<double>(report.claimed) /
                        static_cast<double>(std::max<Offset>(report.winners, 1))},
        {"collections", report.collections}};
    for (int phase = 0; phase < ParallelAmdReport::kStages; ++phase)
      line["phases"][ParallelAmdReport::kNames[phase]] = report.seconds[phase];
    std::puts(line.dump().c_str());
    std::fflush(stdout);
  }

  const std::string source_;
  const Settings& settings_;
  const Graph graph_;
  const Reduction reduction_;
  std::vector<Index> expected_;
  bench::OrderCosts amd_, own_;
};

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("approximate minimum degree by several threads");
  Settings s;
  app.add_option("--threads", s.threads)->delimiter(',');
  app.add_option("--runs", s.runs, "of each, the least counts")->check(CLI::PositiveNumber);
  app.add_option("--shuffle", s.shuffle, "seed of another numbering; 0: that of the system");
  app.add_flag("--processor", s.processor, "processor time of all threads in place of the clock");
  app.add_option("--factor", s.options.factor);
  app.add_option("--slack", s.options.slack);
  app.add_option("--tries", s.options.tries);
  app.add_option("--ahead", s.options.ahead);
  app.add_option("--most", s.options.most);
  app.add_option("--elbow", s.options.elbow);
  app.add_option("--task", s.options.task_entries);
  app.add_option("SOURCE", s.sources)->required();
  CLI11_PARSE(app, argc, argv);
  std::vector<double> fill, flops;
  for (const std::string& source : s.sources) {
    Study study(source, s);
    study.run();
    fill.insert(fill.end(), study.fill_ratio.begin(), study.fill_ratio.end());
    flops.insert(flops.end(), study.flops_ratio.begin(), study.flops_ratio.end());
  }
  std::puts(
      nlohmann::ordered_json{{"systems", fill.size()},
                             {"fill_ratio", bench::geometric_mean(fill)},
                             {"fill_ratio_worst", *std::max_element(fill.begin(), fill.end())},
                             {"flops_ratio", bench::geometric_mean(flops)}}
          .dump()
          .c_str());
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "parallel_amd: %s\n", e.what());
  return 1;
}

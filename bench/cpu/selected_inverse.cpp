// Times the selected inverse beside the factorisation that it starts from.
//   selected_inverse [--cuda] [--float] [--threads T] [--runs R] [--check K] SOURCE ...
// SOURCE is a file or, if no file has that name, a specification of kauri::generate. Prints one
// JSON line per system: seconds of wall time, the least of R interleaved runs (default 3) after one
// that is not counted. --check K also computes K columns of A^-1 by solves: `error` is the largest
// difference of an entry from theirs, divided by the largest entry of the column; it is null
// without --check.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "base/progress/stopwatch.hpp"
#include "bench/source.hpp"
#include "kauri/kauri.hpp"

namespace {

struct Job {
  bool cuda = false, single = false;
  int threads = 0, runs = 3, check = 0;
  std::vector<std::string> sources;
};

template <class T>
double largest_error(const kauri::Factor<T>& factor, const kauri::SelectedInverse<T>& inverse,
                     int columns) {
  const kauri::Index n = factor.plan().n;
  auto workspace = kauri::Workspace<T>::create(factor, 1);
  const std::vector<T> diagonal = inverse.diagonal();
  double worst = 0;
  for (int k = 0; k < columns; ++k) {
    const auto j = static_cast<kauri::Index>((2654435761u * static_cast<unsigned>(k + 1)) %
                                             static_cast<unsigned>(n));
    std::vector<T> x(static_cast<std::size_t>(n), T(0));
    x[j] = 1;
    factor.solve(kauri::column_view(std::span<T>(x)), workspace);
    const auto compare = [&](T found, kauri::Index i) {
      const double error = std::abs(found - x[i]) / x[j];
      if (!(error <= worst)) worst = error;  // keeps a NaN
    };
    compare(diagonal[j], j);
    for (kauri::Index i = 0; i < n; i += std::max(1, n / 500))
      if (const auto found = inverse.entry(i, j)) compare(*found, i);
  }
  return worst;
}

template <class T>
void measure(const Job& job, kauri::Backend& backend, const std::string& source) {
  const auto a = kauri::bench::load(source);
  const std::vector<T> value(a.value().begin(), a.value().end());
  kauri::AnalyzeOptions options;
  options.target = backend.target();
  const auto plan = kauri::analyze(a.pattern(), options);
  auto factor = kauri::Factor<T>::create(plan, backend);
  auto inverse = kauri::SelectedInverse<T>::create(factor);
  double factor_s = 0, selinv_s = 0, diagonal_s = 0, logdet_s = 0;
  for (int run = -1; run < job.runs; ++run) {
    const auto keep = [run](double& least, double seconds) {
      least = run <= 0 ? seconds : std::min(least, seconds);
    };
    keep(factor_s, kauri::seconds_of([&] {
           if (!kauri::refactorize<T>(factor, value))
             throw kauri::Error(kauri::ErrorKind::input, source + " is not positive definite");
         }));
    keep(selinv_s, kauri::seconds_of([&] { inverse.compute(factor); }));
    keep(diagonal_s, kauri::seconds_of([&] { (void)inverse.diagonal(); }));
    keep(logdet_s, kauri::seconds_of([&] { (void)kauri::log_determinant(factor); }));
  }
  char error[16] = "null";
  if (job.check > 0)
    std::snprintf(error, sizeof error, "%.2e", largest_error(factor, inverse, job.check));
  std::printf(
      "{\"system\": \"%s\", \"device\": \"%s\", \"scalar_bytes\": %d, \"n\": %d, \"nnz_l\": %lld, "
      "\"factor_s\": %.6f, \"selinv_s\": %.6f, "
      "\"ratio\": %.3f, \"diagonal_s\": %.6f, \"logdet_s\": %.6f, \"factor_bytes\": %lld, "
      "\"selinv_bytes\": %lld, \"error\": %s}\n",
      source.c_str(), backend.device().c_str(), static_cast<int>(sizeof(T)), a.n(),
      static_cast<long long>(plan->cost.nnz_l), factor_s, selinv_s, selinv_s / factor_s, diagonal_s,
      logdet_s, static_cast<long long>(plan->peak_bytes(sizeof(T))),
      static_cast<long long>(kauri::SelectedInverse<T>::bytes(factor)), error);
  std::fflush(stdout);
}

Job job_of(int argc, char** argv) {
  Job job;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::stoi(argv[++i]) : 0; };
    if (word == "--cuda")
      job.cuda = true;
    else if (word == "--float")
      job.single = true;
    else if (word == "--threads")
      job.threads = number();
    else if (word == "--runs")
      job.runs = number();
    else if (word == "--check")
      job.check = number();
    else
      job.sources.push_back(word);
  }
  return job;
}

}  // namespace

int main(int argc, char** argv) try {
  const Job job = job_of(argc, argv);
  kauri::Backend backend = job.cuda ? kauri::cuda_backend() : kauri::cpu_backend(job.threads);
  for (const std::string& source : job.sources)
    job.single ? measure<float>(job, backend, source) : measure<double>(job, backend, source);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

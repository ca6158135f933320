// Refines step by step with a factor in float, by public calls, and shows what a step gains and
// which rounding limits it. Prints a line of JSON for each system and preconditioner: `float`, the
// solve of MixedFactor; `sums`, the same L with a solve in double; `rounded`, L of a factor in
// double with each entry rounded to float, which isolates the error of storage. The last two
// extract L on the host and run for systems of up to --most entries. Figures of each step: the
// componentwise error of S^-1 x; the cosine between its residual and the one before; the error
// after one step of Anderson extrapolation (Anderson 1965), which removes the residual's part along
// the difference of the last two.
//   mixed_steps [--cuda] [--compute L] [--steps N] [--most ENTRIES] [--ones] SYSTEM ...
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "bench/source.hpp"
#include "bench/systems_app.hpp"
#include "kauri/kauri.hpp"

namespace kauri::bench {
namespace {

using Vector = std::vector<double>;

struct Settings {
  bool cuda = false, ones = false;
  CudaCompute compute = CudaCompute::automatic;
  int steps = 6;
  Offset most = Offset{1} << 27;
};

double dot(const Vector& u, const Vector& v) {
  double sum = 0;
  for (std::size_t i = 0; i < u.size(); ++i) sum += u[i] * v[i];
  return sum;
}

/// Passes the entries of r, divided by a power of two above the largest, to take(i, value). Returns
/// the exponent.
int shrink(const Vector& r, const std::function<void(std::size_t, double)>& take) {
  double most = 0;
  for (const double v : r) most = std::max(most, std::fabs(v));
  const int exponent = most > 0 ? std::ilogb(most) + 1 : 0;
  for (std::size_t i = 0; i < r.size(); ++i) take(i, std::scalbn(r[i], -exponent));
  return exponent;
}

Vector solve_in_float(const Factor<float>& factor, Workspace<float>& workspace, const Vector& r) {
  std::vector<float> d(r.size());
  const int exponent = shrink(r, [&](std::size_t i, double v) { d[i] = static_cast<float>(v); });
  factor.solve(column_view(std::span(d)), workspace);
  Vector out(d.begin(), d.end());
  for (double& v : out) v = std::scalbn(v, exponent);
  return out;
}

/// Solves with L by columns in double; each entry of L is rounded to float first.
template <class T>
Vector solve_in_double(const LowerFactor<T>& l, const Permutation& perm, const Vector& r) {
  const auto n = static_cast<Index>(r.size());
  Vector y(r.size()), out(r.size());
  const auto entry = [&](Offset k) {
    return static_cast<double>(static_cast<float>(l.value[static_cast<std::size_t>(k)]));
  };
  const auto at = [&](Offset k) -> double& {
    return y[static_cast<std::size_t>(l.row[static_cast<std::size_t>(k)])];
  };
  for (Index k = 0; k < n; ++k)
    y[static_cast<std::size_t>(k)] = r[static_cast<std::size_t>(perm.old_of(k))];
  for (Index j = 0; j < n; ++j) {
    const Offset begin = l.col_ptr[static_cast<std::size_t>(j)],
                 end = l.col_ptr[static_cast<std::size_t>(j) + 1];
    const double x = at(begin) /= entry(begin);
    for (Offset k = begin + 1; k < end; ++k) at(k) -= entry(k) * x;
  }
  for (Index j = n - 1; j >= 0; --j) {
    const Offset begin = l.col_ptr[static_cast<std::size_t>(j)],
                 end = l.col_ptr[static_cast<std::size_t>(j) + 1];
    double x = at(begin);
    for (Offset k = begin + 1; k < end; ++k) x -= entry(k) * at(k);
    at(begin) = x / entry(begin);
  }
  for (Index k = 0; k < n; ++k)
    out[static_cast<std::size_t>(perm.old_of(k))] = y[static_cast<std::size_t>(k)];
  return out;
}

/// Returns y after one step of Anderson extrapolation from the last two iterates.
Vector extrapolated(const Vector& y, const Vector& y_before, const Vector& r,
                    const Vector& r_before) {
  double along = 0, size = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    const double step = r[i] - r_before[i];
    along += r[i] * step, size += step * step;
  }
  Vector out = y;
  for (std::size_t i = 0; i < y.size(); ++i) out[i] -= along / size * (y[i] - y_before[i]);
  return out;
}

void steps(const SymmetricMatrix<double>& h, const Vector& c, Backend& backend, int count,
           const std::function<Vector(const Vector&)>& solve, nlohmann::ordered_json line) {
  const auto error_of = [&](const Vector& y) {
    return backward_error<double>(h.view(), column_view(std::span<const double>(y)),
                                  column_view(std::span<const double>(c)), backend)
        .componentwise;
  };
  Vector y(c.size()), r = c;
  for (int step = 0; step < count; ++step) {
    const Vector y_before = y, r_before = r, d = solve(r);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += d[i];
    residual<double>(h.view(), column_view(std::span<const double>(y)),
                     column_view(std::span<const double>(c)), column_view(std::span(r)), backend);
    const double error = error_of(y);
    line["error"].push_back(error);
    if (step > 0)
      line["cosine"].push_back(dot(r, r_before) / std::sqrt(dot(r, r) * dot(r_before, r_before)));
    if (step > 0) line["extrapolated"].push_back(error_of(extrapolated(y, y_before, r, r_before)));
    if (!(error > 2.3e-16)) break;
  }
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

void run(const std::string& source, Backend& backend, const Settings& settings) {
  SymmetricMatrix<double> h = load(source);
  SymmetricScaling(h.view()).apply(h.view(), h.value());
  const std::vector<float> rounded(h.value().begin(), h.value().end());
  AnalyzeOptions analysis;
  analysis.target = backend.target(), analysis.ordering.method = OrderingMethod::nested_dissection;
  const auto plan = analyze(h.pattern(), analysis);
  nlohmann::ordered_json line{{"system", source},
                              {"n", h.n()},
                              {"kernels", backend.kernels(sizeof(float))},
                              {"by", "float"}};
  const auto n = static_cast<std::size_t>(h.n());
  const Vector c = settings.ones ? Vector(n, 0.75) : random_numbers(n, 5);
  {
    auto factor = Factor<float>::create(plan, backend);
    if (!refactorize<float>(factor, rounded))
      return void(std::printf("{\"system\": \"%s\", \"status\": \"not_positive_definite\"}\n",
                              source.c_str()));
    auto workspace = Workspace<float>::create(factor, 1);
    steps(
        h, c, backend, settings.steps,
        [&](const Vector& r) { return solve_in_float(factor, workspace, r); }, line);
    if (plan->cost.nnz_l > settings.most) return;
    const LowerFactor<float> l = lower_factor(factor);
    line["by"] = "sums";
    steps(
        h, c, backend, settings.steps,
        [&](const Vector& r) { return solve_in_double(l, plan->perm, r); }, line);
  }
  auto factor = Factor<double>::create(plan, backend);
  if (!refactorize<double>(factor, h.value())) return;
  const LowerFactor<double> l = lower_factor(factor);
  line["by"] = "rounded";
  steps(
      h, c, backend, settings.steps,
      [&](const Vector& r) { return solve_in_double(l, plan->perm, r); }, line);
}

}  // namespace
}  // namespace kauri::bench

int main(int count, char** argument) {
  using namespace kauri;
  CLI::App app("refinement with a factor in float, step by step", "mixed_steps");
  bench::Settings settings;
  app.add_flag("--cuda", settings.cuda, "on a device");
  app.add_flag("--ones", settings.ones, "a smooth right-hand side in place of a random one");
  bench::add_compute(app, settings.compute);
  app.add_option("--steps", settings.steps)->check(CLI::PositiveNumber);
  app.add_option("--most", settings.most, "entries of L that are taken out of a factor");
  return bench::with_systems(app, count, argument, [&](const std::vector<std::string>& systems) {
    Backend backend =
        settings.cuda
            ? cuda_backend(CudaOptions{.device = 0, .allocator = {}, .compute = settings.compute})
            : cpu_backend();
    for (const std::string& system : systems) bench::run(system, backend, settings);
  });
}

// Times refactorisation and solves of factors whose panels leave the device, beside the factor that
// stays there, in the same run. Values and vectors are on the device. Reports the least seconds of
// timed calls, and whether x has the same bits. Prints a line of JSON per system, scalar and limit.
//   spill [--repeats N] [--scalar double|float] [--method nd|amd|metis] [--shares S,...]
//       SYSTEM[:PERMUTATION_FILE] ...
// A share S is the limit of device bytes, as a part of the bytes of L. 0 stands for the least
// limit.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>

#include "base/progress/stopwatch.hpp"
#include "bench/cuda/device_array.cuh"
#include "bench/source.hpp"
#include "bench/systems_app.hpp"
#include "kauri/kauri.hpp"
#include "symbolic/plan/internals.hpp"
#include "symbolic/plan/spill.hpp"

namespace kauri::bench {
namespace {

struct Options {
  int repeats = 5;
  bool in_float = false;
  OrderingMethod method = OrderingMethod::nested_dissection;
  std::vector<double> shares{0.5, 0.25, 0};
};

template <class T>
struct Outcome {
  double create_s = 0, factor_s = 0, solve1_s = 0, solve32_s = 0;
  double forward1_s = 0, backward1_s = 0;  // with L and with its transpose alone, one column
  std::vector<T> x;                        // of one column, then of 32
};

template <class T>
Outcome<T> run(const SymmetricMatrix<double>& a, const std::shared_ptr<const Plan>& plan,
               Backend& backend, int repeats) {
  Outcome<T> out;
  const Stopwatch watch;
  auto factor = Factor<T>::create(plan, backend);
  out.create_s = watch.seconds();
  const auto values =
      DeviceValues<T>::copy_of(std::vector<T>(a.value().begin(), a.value().end()), backend);
  out.factor_s = least_seconds(
      repeats, [] {},
      [&] { require(refactorize(factor, values).ok(), "the matrix is not positive definite"); });
  constexpr Index kColumns = 32;
  const std::vector<double> numbers = random_numbers(static_cast<std::size_t>(a.n()) * kColumns);
  const std::vector<T> b(numbers.begin(), numbers.end());
  const DeviceArray<T> there(b), x(b.size());
  const auto seconds = [&](Index columns) {
    auto workspace = Workspace<T>::create(factor, columns);
    const DeviceMatrixView<T> rhs({there.get(), a.n(), columns, a.n()}),
        to({x.get(), a.n(), columns, a.n()});
    const double least = least_seconds(repeats, [&] { factor.solve(rhs, to, workspace); });
    const std::vector<T> found = x.to_host();
    out.x.insert(out.x.end(), found.begin(), found.begin() + Offset{a.n()} * columns);
    return least;
  };
  out.solve1_s = seconds(1), out.solve32_s = seconds(kColumns);
  auto workspace = Workspace<T>::create(factor, 1);
  const DeviceMatrixView<T> rhs({there.get(), a.n(), 1, a.n()}), to({x.get(), a.n(), 1, a.n()});
  const auto sweep = [&](System system) {
    return least_seconds(repeats, [&] { factor.solve(system, rhs, to, workspace); });
  };
  out.forward1_s = sweep(System::L), out.backward1_s = sweep(System::Lt);
  return out;
}

template <class T>
void time_limits(const std::string& name, const SymmetricMatrix<double>& a,
                 const std::shared_ptr<const Plan>& plan, const Options& options) {
  Backend backend = cuda_backend();
  const Outcome<T> core = run<T>(a, plan, backend, options.repeats);
  const Offset all = plan->peak_bytes(sizeof(T));
  std::printf(
      "{\"system\": \"%s\", \"n\": %d, \"nnz_l\": %lld, \"flops\": %.4e, \"device\": \"%s\", "
      "\"scalar\": \"%s\", \"share\": null, \"l_bytes\": %lld, \"device_bytes\": %lld, "
      "\"create_s\": %.4e, \"factor_s\": %.4e, \"solve1_s\": %.4e, \"solve32_s\": %.4e}\n",
      name.c_str(), a.n(), static_cast<long long>(plan->cost.nnz_l),
      static_cast<double>(plan->cost.flops), backend.device().c_str(),
      sizeof(T) == sizeof(double) ? "double" : "float",
      static_cast<long long>(plan->factor_bytes(sizeof(T))), static_cast<long long>(all),
      core.create_s, core.factor_s, core.solve1_s, core.solve32_s);
  for (const double share : options.shares) {
    auto other = std::make_shared<Plan>(*plan);
    const Offset limit =
        share > 0 ? static_cast<Offset>(share * static_cast<double>(plan->factor_bytes(sizeof(T))))
                  : symbolic::least_device_bytes(*plan, sizeof(T));
    const Stopwatch watch;
    try {
      symbolic::spill(*other, limit, sizeof(T));
    } catch (const Error& error) {
      std::printf("{\"system\": \"%s\", \"share\": %.3f, \"error\": \"%s\"}\n", name.c_str(), share,
                  error.what());
      continue;
    }
    const double plan_s = watch.seconds();
    const Outcome<T> out = run<T>(a, other, backend, options.repeats);
    const double copied = 2.0 * static_cast<double>(other->host_bytes(sizeof(T))) / 50e9;
    std::printf(
        "{\"system\": \"%s\", \"scalar\": \"%s\", \"share\": %.3f, \"device_bytes\": %lld, "
        "\"host_bytes\": %lld, \"segments\": %zu, \"plan_s\": %.4e, \"create_s\": %.4e, "
        "\"factor_s\": %.4e, \"solve1_s\": %.4e, \"solve32_s\": %.4e, \"forward1_s\": %.4e, "
        "\"backward1_s\": %.4e, \"factor_ratio\": %.3f, "
        "\"link_s\": %.4e, \"solve1_of_link\": %.3f, \"solve32_of_link\": %.3f, \"same_bits\": "
        "%s}\n",
        name.c_str(), sizeof(T) == sizeof(double) ? "double" : "float", share,
        static_cast<long long>(other->peak_bytes(sizeof(T))),
        static_cast<long long>(other->host_bytes(sizeof(T))),
        other->internals->device.segment.size(), plan_s, out.create_s, out.factor_s, out.solve1_s,
        out.solve32_s, out.forward1_s, out.backward1_s, out.factor_s / core.factor_s, copied,
        out.solve1_s / copied, out.solve32_s / copied, out.x == core.x ? "true" : "false");
    std::fflush(stdout);
  }
}

void time_system(const std::string& argument, const Options& options) {
  const auto [name, a, plan] = planned(argument, options.method, cuda_backend());
  if (options.in_float)
    time_limits<float>(name, a, plan, options);
  else
    time_limits<double>(name, a, plan, options);
}

}  // namespace
}  // namespace kauri::bench

int main(int count, char** argument) {
  using namespace kauri;
  CLI::App app("factors beyond the device's memory", "spill");
  bench::Options options;
  std::string scalar = "double";
  app.add_option("--repeats", options.repeats)->check(CLI::PositiveNumber);
  app.add_option("--scalar", scalar)->check(CLI::IsMember({"double", "float"}));
  app.add_option("--shares", options.shares, "limits as parts of the bytes of L")
      ->delimiter(',')
      ->allow_extra_args(false);
  bench::add_method(app, options.method);
  return bench::with_systems(app, count, argument, [&](const std::vector<std::string>& systems) {
    options.in_float = scalar == "float";
    for (const std::string& system : systems) bench::time_system(system, options);
  });
}

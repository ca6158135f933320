// Times refactorisation and solves of one plan as other cards would run them: by portable kernels,
// without FP64 tensor cores (of floats with nothing in FP64), on parts of the multiprocessors; in
// turn with all that this device can do. Values and vectors are on the device. Reports the least
// seconds of timed calls, and whether x has the bits of the same kernels on the whole device.
// Prints a line of JSON per system, scalar and card.
//   cards [--repeats N] [--scalar double|float] [--method nd|amd|metis] [--cards NAME,...]
//       SYSTEM[:PERMUTATION_FILE] ...
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <map>

#include "bench/cuda/device_array.cuh"
#include "bench/source.hpp"
#include "bench/systems_app.hpp"
#include "kauri/kauri.hpp"

namespace kauri::bench {
namespace {

struct Options {
  int repeats = 10;
  bool in_float = false;
  OrderingMethod method = OrderingMethod::nested_dissection;
  std::vector<std::string> cards;  // names of kCards; empty: all
};

/// A card that the device stands for. `part`: one of so many equal parts of its multiprocessors.
struct Card {
  const char* name;
  bool portable;
  CudaCompute compute;
  int part;
};
constexpr Card kCards[] = {{"whole", false, CudaCompute::automatic, 1},
                           {"half", false, CudaCompute::automatic, 2},
                           {"quarter", false, CudaCompute::automatic, 4},
                           {"seventh", false, CudaCompute::automatic, 7},
                           {"portable", true, CudaCompute::automatic, 1},
                           {"portable half", true, CudaCompute::automatic, 2},
                           {"portable fma", true, CudaCompute::fma, 1},
                           {"portable fma half", true, CudaCompute::fma, 2}};

CudaOptions options_of(const Card& card) {
  int processors = 0;
  require(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess,
          "the device");
  CudaOptions options;
  options.portable = card.portable, options.compute = card.compute;
  options.multiprocessors = card.part == 1 ? 0 : processors / card.part;
  return options;
}

template <class T>
struct Outcome {
  double factor_s = 0, solve1_s = 0, solve32_s = 0;
  std::vector<T> x;  // of 32 columns
};

template <class T>
Outcome<T> run(const SymmetricMatrix<double>& a, const std::shared_ptr<const Plan>& plan,
               Backend& backend, int repeats) {
  auto factor = Factor<T>::create(plan, backend);
  const auto values =
      DeviceValues<T>::copy_of(std::vector<T>(a.value().begin(), a.value().end()), backend);
  Outcome<T> out;
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
    return least_seconds(repeats, [&] { factor.solve(rhs, to, workspace); });
  };
  out.solve1_s = seconds(1), out.solve32_s = seconds(kColumns);
  out.x = x.to_host();
  return out;
}

template <class T>
void time_cards(const std::string& name, const SymmetricMatrix<double>& a,
                const std::shared_ptr<const Plan>& plan, const Options& options) {
  std::map<std::string, std::vector<T>> whole;  // x by kernels
  for (const Card& card : kCards) {
    if (!options.cards.empty() && std::ranges::count(options.cards, card.name) == 0) continue;
    Backend backend = cuda_backend(options_of(card));
    const Outcome<T> out = run<T>(a, plan, backend, options.repeats);
    const std::string kernels = backend.kernels(sizeof(T)) + (card.portable ? ", portable" : "");
    const auto& expected = whole.try_emplace(kernels, out.x).first->second;
    const double bound = 2.0 * sizeof(T) * static_cast<double>(plan->cost.nnz_l) / read_bandwidth();
    std::printf(
        "{\"system\": \"%s\", \"n\": %d, \"nnz_l\": %lld, \"flops\": %.4e, \"device\": \"%s\", "
        "\"scalar\": \"%s\", \"card\": \"%s\", \"kernels\": \"%s\", \"factor_s\": %.4e, "
        "\"solve1_s\": %.4e, \"solve32_s\": %.4e, \"bandwidth_s\": %.4e, \"same_bits\": %s}\n",
        name.c_str(), a.n(), static_cast<long long>(plan->cost.nnz_l),
        static_cast<double>(plan->cost.flops), backend.device().c_str(),
        sizeof(T) == sizeof(double) ? "double" : "float", card.name, kernels.c_str(), out.factor_s,
        out.solve1_s, out.solve32_s, bound, out.x == expected ? "true" : "false");
    std::fflush(stdout);
  }
}

void time_system(const std::string& argument, const Options& options) {
  const auto [name, a, plan] = planned(argument, options.method, cuda_backend());
  if (options.in_float)
    time_cards<float>(name, a, plan, options);
  else
    time_cards<double>(name, a, plan, options);
}

}  // namespace
}  // namespace kauri::bench

int main(int count, char** argument) {
  using namespace kauri;
  CLI::App app("one plan as other cards would run it", "cards");
  bench::Options options;
  std::string scalar = "double";
  app.add_option("--repeats", options.repeats)->check(CLI::PositiveNumber);
  app.add_option("--scalar", scalar)->check(CLI::IsMember({"double", "float"}));
  bench::add_method(app, options.method);
  std::vector<std::string> names;
  for (const bench::Card& card : bench::kCards) names.emplace_back(card.name);
  app.add_option("--cards", options.cards, "what the device stands for")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(names));
  return bench::with_systems(app, count, argument, [&](const std::vector<std::string>& systems) {
    options.in_float = scalar == "float";
    for (const std::string& system : systems) bench::time_system(system, options);
  });
}

// Times cuDSS's uniform batch on the systems of bench/batch, with the same values and right-hand
// sides: least seconds of refactorisation and solve, and the worst residual of some items. Prints a
// line of JSON per system. Built if cudss.h is found (CUDSS_DIR: a folder with include and lib).
//   batch_cudss [--items N] [--repeats N] SYSTEM ...
// SPDX-License-Identifier: BSD-3-Clause
#include <cudss.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>

#include "bench/cuda/batch_job.hpp"
#include "bench/cuda/device_array.cuh"
#include "bench/source.hpp"

namespace kauri::bench {
namespace {

void ask(cudssStatus_t status, const char* what) {
  if (status == CUDSS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "cuDSS: %s: status %d\n", what, static_cast<int>(status));
  std::exit(2);
}

/// cuDSS's objects of a batch: each matrix is described as one item, and the numbers of the other
/// items follow its own.
struct Peer {
  cudssHandle_t handle{};
  cudssConfig_t config{};
  cudssData_t data{};
  cudssMatrix_t a{}, b{}, x{};

  Peer(const Pattern& rows, int items, int* row_ptr, int* col, double* value, double* rhs,
       double* solution) {
    const int all = -1;
    ask(cudssCreate(&handle), "create");
    ask(cudssConfigCreate(&config), "a configuration");
    ask(cudssDataCreate(handle, &data), "data");
    ask(cudssConfigSet(config, CUDSS_CONFIG_UBATCH_SIZE, &const_cast<int&>(items), sizeof items),
        "the size of the batch");
    ask(cudssConfigSet(config, CUDSS_CONFIG_UBATCH_INDEX, &const_cast<int&>(all), sizeof all),
        "all items");
    // The lower triangle by columns is the upper one by rows.
    ask(cudssMatrixCreateCsr(&a, rows.n, rows.n, rows.nnz(), row_ptr, nullptr, col, value,
                             CUDA_R_32I, CUDA_R_32I, CUDA_R_64F, CUDSS_MTYPE_SPD, CUDSS_MVIEW_UPPER,
                             CUDSS_BASE_ZERO),
        "A");
    ask(cudssMatrixCreateDn(&b, rows.n, 1, rows.n, rhs, CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR), "b");
    ask(cudssMatrixCreateDn(&x, rows.n, 1, rows.n, solution, CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR),
        "x");
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() {
    for (cudssMatrix_t m : {a, b, x}) cudssMatrixDestroy(m);
    cudssDataDestroy(handle, data), cudssConfigDestroy(config), cudssDestroy(handle);
  }
  /// Runs a phase, waits for it, and returns its seconds.
  double run(int phase, const char* what) {
    require(cudaDeviceSynchronize() == cudaSuccess, "before a phase");
    const auto begin = std::chrono::steady_clock::now();
    ask(cudssExecute(handle, phase, config, data, a, x, b), what);
    require(cudaDeviceSynchronize() == cudaSuccess, what);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
};

void time_peer(const std::string& source, Index items, int repeats) {
  const BatchJob<double> job(load(source), items, 1);
  const Pattern& pattern = job.a.pattern();
  const DeviceArray<int> row_ptr(std::vector<int>(pattern.col_ptr.begin(), pattern.col_ptr.end())),
      col(std::vector<int>(pattern.row.begin(), pattern.row.end()));
  const DeviceArray<double> value(job.value), b(job.b), x(job.b.size());
  Peer peer(pattern, items, row_ptr.get(), col.get(), value.get(), b.get(), x.get());
  const double analysis_s = peer.run(CUDSS_PHASE_REORDERING, "reordering") +
                            peer.run(CUDSS_PHASE_SYMBOLIC_FACTORIZATION, "symbolic factorisation");
  peer.run(CUDSS_PHASE_FACTORIZATION, "factorisation");
  double factor_s = 1e300, solve_s = 1e300;
  for (int r = 0; r < repeats; ++r)
    factor_s = std::min(factor_s, peer.run(CUDSS_PHASE_REFACTORIZATION, "refactorisation"));
  for (int r = 0; r < repeats; ++r)
    solve_s = std::min(solve_s, peer.run(CUDSS_PHASE_SOLVE, "solve"));
  std::printf(
      "{\"system\": \"%s\", \"solver\": \"cudss-ubatch\", \"items\": %d, \"n\": %d, "
      "\"analysis_s\": %.4e, \"batch_factor_s\": %.4e, "
      "\"batch_solve_s\": %.4e, \"batch_s\": %.4e, \"residual\": %.2e}\n",
      source.c_str(), items, pattern.n, analysis_s, factor_s, solve_s, factor_s + solve_s,
      job.residual(x.to_host()));
  std::fflush(stdout);
}

}  // namespace
}  // namespace kauri::bench

int main(int count, char** argument) {
  using namespace kauri;
  Index items = 1000;
  int repeats = 10;
  std::vector<std::string> systems;
  for (int k = 1; k < count; ++k) {
    const std::string word = argument[k];
    if (word == "--items" && k + 1 < count)
      items = std::max(std::atoi(argument[++k]), 1);
    else if (word == "--repeats" && k + 1 < count)
      repeats = std::max(std::atoi(argument[++k]), 1);
    else
      systems.push_back(word);
  }
  try {
    for (const std::string& system : systems) bench::time_peer(system, items, repeats);
  } catch (const Error& error) {
    std::fprintf(stderr, "batch_cudss: %s\n", error.what());
    return 2;
  }
  return 0;
}

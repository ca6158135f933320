// The heat equation u_t = u_xx + u_yy on the unit square, u = 0 on its sides, by Crank-Nicolson on
// a device: one factor and one captured step, which is replayed 10,000 times; the host waits once,
// at the end. The CPU takes the same steps. The program follows the slowest discrete eigenmode,
// whose decay is known.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.hpp>

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace {

constexpr int kCells = 40, kInside = kCells - 1, kSteps = 10'000;
constexpr double kWidth = 1.0 / kCells, kStep = 2e-4;
constexpr kauri::Index kPoints = kInside * kInside;

/// Returns M = I + dt/2 A, with A the five-point stencil of -(u_xx + u_yy).
kauri::SymmetricMatrix<double> implicit_half_step() {
  const double coupling = kStep / 2 / (kWidth * kWidth);
  std::vector<kauri::Index> row, col;
  std::vector<double> value;
  const auto add = [&](int i, int j, double v) {
    row.push_back(i), col.push_back(j), value.push_back(v);
  };
  for (int i = 0; i < kPoints; ++i) {
    add(i, i, 1 + 4 * coupling);
    if (i % kInside > 0) add(i, i - 1, -coupling);
    if (i >= kInside) add(i, i - kInside, -coupling);
  }
  return kauri::SymmetricMatrix<double>::from_triplets(kPoints, row, col, value,
                                                       kauri::Storage::lower);
}

/// Returns sin(pi x) sin(pi y) at the interior points: the eigenvector of A that decays most
/// slowly.
std::vector<double> slowest_mode() {
  std::vector<double> u;
  for (int y = 1; y < kCells; ++y)
    for (int x = 1; x < kCells; ++x)
      u.push_back(std::sin(std::numbers::pi * x * kWidth) *
                  std::sin(std::numbers::pi * y * kWidth));
  return u;
}
/// Returns the factor by which all steps reduce that mode: with its eigenvalue a, (1 - a dt/2) / (1
/// + a dt/2) per step.
double decay() {
  const double s = std::sin(std::numbers::pi * kWidth / 2),
               half = kStep / 2 * 8 * s * s / (kWidth * kWidth);
  return std::pow((1 - half) / (1 + half), kSteps);
}
/// Returns the initial u: the mode plus noise of the same size at every point, which decays within
/// a few steps.
std::vector<double> start() {
  std::vector<double> u = slowest_mode();
  for (int i = 0; i < kPoints; ++i) u[i] += i * 7919 % 101 * 0.02 - 1;
  return u;
}

/// Computes u' = 2 w - u with M w = u, which solves (I + dt/2 A) u' = (I - dt/2 A) u.
__global__ void go_on(double* u, const double* w) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kPoints) u[i] = 2 * w[i] - u[i];
}

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// Copies an array to the device; the memory lives until the program ends.
double* on_device(const std::vector<double>& host) {
  void* data = nullptr;
  check(cudaMalloc(&data, host.size() * sizeof(double)));
  check(cudaMemcpy(data, host.data(), host.size() * sizeof(double), cudaMemcpyHostToDevice));
  return static_cast<double*>(data);
}

/// Returns the factor of M on the backend.
kauri::Factor<double> factor_on(kauri::Backend& backend) {
  const auto m = implicit_half_step();
  kauri::AnalyzeOptions options;
  options.target = backend.target();
  options.solves = kSteps;
  auto factor = kauri::Factor<double>::create(kauri::analyze(m.pattern(), options), backend);
  if (!kauri::refactorize<double>(factor, m.value()))
    throw std::runtime_error("not positive definite");
  return factor;
}

std::vector<double> on_cpu() {
  kauri::Backend backend = kauri::cpu_backend();
  const auto factor = factor_on(backend);
  auto workspace = kauri::Workspace<double>::create(factor, 1);
  std::vector<double> u = start(), w(kPoints);
  for (int k = 0; k < kSteps; ++k) {
    factor.solve({u.data(), kPoints, 1, kPoints}, {w.data(), kPoints, 1, kPoints}, workspace);
    for (int i = 0; i < kPoints; ++i) u[i] = 2 * w[i] - u[i];
  }
  return u;
}

std::vector<double> on_gpu() {
  kauri::Backend backend = kauri::cuda_backend();
  const auto factor = factor_on(backend);
  auto workspace = kauri::Workspace<double>::create(factor, 1);
  double *u = on_device(start()), *w = on_device(std::vector<double>(kPoints, 0.0));
  const kauri::DeviceMatrixView<double> from({u, kPoints, 1, kPoints}),
      to({w, kPoints, 1, kPoints});

  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t step = nullptr;
  constexpr int kThreads = 128, kBlocks = (kPoints + kThreads - 1) / kThreads;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  factor.enqueue_solve(from, to, workspace, stream);
  go_on<<<kBlocks, kThreads, 0, stream>>>(u, w);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&step, graph, 0));
  for (int k = 0; k < kSteps; ++k) check(cudaGraphLaunch(step, stream));
  check(cudaStreamSynchronize(stream));

  std::vector<double> out(kPoints);
  check(cudaMemcpy(out.data(), u, kPoints * sizeof(double), cudaMemcpyDeviceToHost));
  check(cudaGraphExecDestroy(step));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
  return out;
}

/// Returns the largest difference of u and v, divided by the largest entry of v.
double apart(const std::vector<double>& u, const std::vector<double>& v) {
  double difference = 0, largest = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double d = std::fabs(u[i] - v[i]);
    if (!(d <= difference)) difference = d;  // keeps a NaN
    largest = std::fmax(largest, std::fabs(v[i]));
  }
  return difference / largest;
}

}  // namespace

int main() {
  // All other modes have decayed: u is now the mode times its initial amount, which includes the
  // noise's component along it.
  const std::vector<double> mode = slowest_mode(), first = start();
  double share = 0, norm = 0;
  for (int i = 0; i < kPoints; ++i) share += first[i] * mode[i], norm += mode[i] * mode[i];
  std::vector<double> expected = mode;
  for (double& x : expected) x *= share / norm * decay();

  const std::vector<double> cpu = on_cpu();
  const double cpu_error = apart(cpu, expected);
  std::printf(
      "%d points, %d steps of one factor: %.3e of the mode is left\nCPU: relative error %.1e\n",
      kPoints, kSteps, decay(), cpu_error);
  bool good = cpu_error < 1e-10;
  if (!kauri::cuda_available()) {
    if (good)
      std::printf("no CUDA device\n");  // the test that runs this is skipped if it prints this
                                        // line, whatever main() returns
    return good ? 0 : 1;
  }
  const std::vector<double> gpu = on_gpu();
  const double gpu_error = apart(gpu, expected), difference = apart(gpu, cpu);
  std::printf("GPU: relative error %.1e, of the CPU's result %.1e\n", gpu_error, difference);
  good = good && gpu_error < 1e-10 && difference < 1e-10;
  return good ? 0 : 1;
}

// Newton's method as one CUDA graph: Bratu's problem -(u_xx + u_yy) = lambda e^u on the unit
// square, u = 0 on its sides. A step computes the values of the Jacobian from u on the device,
// factorises, solves, refines and updates u. It is captured once and launched once per iteration;
// the host waits once, at the end. The CPU takes the same steps with the same objects.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.hpp>

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace {

constexpr int kSide = 60, kSteps = 8;
constexpr kauri::Index kPoints = kSide * kSide;
constexpr double kForce =
    5.0 / ((kSide + 1.0) * (kSide + 1.0));  // lambda h^2; for lambda >= 6.81 there is no solution

/// Returns the right-hand side of a step at point i: -F(u), with F(u) = h^2 (-(u_xx + u_yy) -
/// lambda e^u) by the five-point stencil.
__host__ __device__ double minus_f(const double* u, int i) {
  const int x = i % kSide, y = i / kSide;
  double sum = kForce * exp(u[i]) - 4 * u[i];
  if (x > 0) sum += u[i - 1];
  if (x + 1 < kSide) sum += u[i + 1];
  if (y > 0) sum += u[i - kSide];
  if (y + 1 < kSide) sum += u[i + kSide];
  return sum;
}
/// Returns the diagonal entry of the Jacobian. All off-diagonal entries are -1.
__host__ __device__ double slope(double u) { return 4 - kForce * exp(u); }

kauri::SymmetricMatrix<double> laplacian() {
  std::vector<kauri::Index> row, col;
  std::vector<double> value;
  const auto add = [&](int i, int j, double v) {
    row.push_back(i), col.push_back(j), value.push_back(v);
  };
  for (int i = 0; i < kPoints; ++i) {
    add(i, i, 4);
    if (i % kSide > 0) add(i, i - 1, -1);
    if (i >= kSide) add(i, i - kSide, -1);
  }
  return kauri::SymmetricMatrix<double>::from_triplets(kPoints, row, col, value,
                                                       kauri::Storage::lower);
}

__global__ void linearise(const double* u, const kauri::Offset* diagonal, double* value,
                          double* rhs) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kPoints) return;
  rhs[i] = minus_f(u, i);
  value[diagonal[i]] = slope(u[i]);
}
__global__ void go_on(double* u, const double* step) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kPoints) u[i] += step[i];
}

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// Copies an array to the device; the memory lives until the program ends.
template <class T>
T* on_device(const std::vector<T>& host) {
  void* data = nullptr;
  check(cudaMalloc(&data, host.size() * sizeof(T)));
  check(cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return static_cast<T*>(data);
}

/// The result of the CPU or of the device, and the report of its last step.
struct Outcome {
  std::vector<double> u;
  kauri::DeviceRefinement report;
};

Outcome on_cpu(const kauri::SymmetricMatrix<double>& a) {
  kauri::Backend backend = kauri::cpu_backend();
  auto factor = kauri::Factor<double>::create(kauri::analyze(a.pattern()), backend);
  auto workspace = kauri::Workspace<double>::create(factor, 1);
  auto refiner = kauri::Refiner<double>::create(a.pattern(), factor, 1);
  std::vector<double> value(a.value().begin(), a.value().end()), u(kPoints, 0.0), rhs(kPoints),
      step(kPoints);
  const auto values =
      kauri::DeviceValues<double>::borrow(value);  // values on the host, for the CPU
  const kauri::MatrixView<double> b{rhs.data(), kPoints, 1, kPoints},
      x{step.data(), kPoints, 1, kPoints};
  for (int k = 0; k < kSteps; ++k) {
    for (int i = 0; i < kPoints; ++i)
      rhs[i] = minus_f(u.data(), i), value[a.pattern().col_ptr[i]] = slope(u[i]);
    if (!kauri::refactorize(factor, values)) throw std::runtime_error("not positive definite");
    factor.solve(b, x, workspace);
    refiner.set_values(values);
    refiner.refine(factor, kauri::DeviceMatrixView<double>(b), kauri::DeviceMatrixView<double>(x),
                   workspace);
    for (int i = 0; i < kPoints; ++i) u[i] += step[i];
  }
  return {u, refiner.fetch_report(nullptr)};
}

Outcome on_gpu(const kauri::SymmetricMatrix<double>& a) {
  kauri::Backend backend = kauri::cuda_backend();
  kauri::AnalyzeOptions options;
  options.target = backend.target();
  auto factor = kauri::Factor<double>::create(kauri::analyze(a.pattern(), options), backend);
  auto workspace = kauri::Workspace<double>::create(factor, 1);
  auto refiner = kauri::Refiner<double>::create(a.pattern(), factor, 1);
  const std::vector<double> zeros(kPoints, 0.0), start(a.value().begin(), a.value().end());
  const std::vector<kauri::Offset> places(
      a.pattern().col_ptr.begin(),
      a.pattern().col_ptr.end());  // the diagonal entry is the first of its column
  double *u = on_device(zeros), *rhs = on_device(zeros), *step = on_device(zeros),
         *value = on_device(start);
  const kauri::Offset* diagonal = on_device(places);
  const auto values = kauri::DeviceValues<double>::borrow({value, start.size()});
  const kauri::DeviceMatrixView<double> b({rhs, kPoints, 1, kPoints}),
      x({step, kPoints, 1, kPoints});

  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t newton_step = nullptr;
  constexpr int kThreads = 128, kBlocks = (kPoints + kThreads - 1) / kThreads;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  linearise<<<kBlocks, kThreads, 0, stream>>>(u, diagonal, value, rhs);
  kauri::enqueue_refactorize(factor, values, 0, stream);
  factor.enqueue_solve(b, x, workspace, stream);
  refiner.enqueue_values(values, stream);
  refiner.enqueue_refine(factor, b, x, workspace, stream);
  go_on<<<kBlocks, kThreads, 0, stream>>>(u, step);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&newton_step, graph, 0));
  for (int k = 0; k < kSteps; ++k) check(cudaGraphLaunch(newton_step, stream));

  Outcome out{zeros, refiner.fetch_report(stream)};  // waits for all steps
  check(cudaMemcpy(out.u.data(), u, kPoints * sizeof(double), cudaMemcpyDeviceToHost));
  check(cudaGraphExecDestroy(newton_step));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
  return out;
}

/// Prints the residual and returns true if u solves the problem: |F(u)| in its largest component is
/// at the level of rounding.
bool tell(const char* where, const Outcome& outcome) {
  double largest = 0, top = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double f = std::fabs(minus_f(outcome.u.data(), i));
    if (!(f <= largest)) largest = f;  // keeps a NaN
    top = std::fmax(top, outcome.u[i]);
  }
  std::printf("%s: largest u %.12f, largest |F(u)| %.1e; the last step was refined %d times\n",
              where, top, largest, outcome.report.refinement.steps);
  return outcome.report.status == kauri::VerdictStatus::positive_definite && largest < 1e-14;
}

}  // namespace

int main() {
  const auto a = laplacian();
  const Outcome cpu = on_cpu(a);
  bool good = tell("CPU", cpu);
  if (!kauri::cuda_available()) {
    if (good)
      std::printf("no CUDA device\n");  // the test that runs this is skipped if it prints this
                                        // line, whatever main() returns
    return good ? 0 : 1;
  }
  const Outcome gpu = on_gpu(a);
  good = tell("GPU", gpu) && good;
  double apart = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double d = std::fabs(cpu.u[i] - gpu.u[i]);
    if (!(d <= apart)) apart = d;
  }
  std::printf("largest difference %.1e\n", apart);
  return good && apart < 1e-11 ? 0 : 1;
}

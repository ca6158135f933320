// Samples of a Gaussian Markov random field that stay on the device. From normal deviates z,
// generated there, x = P^T L^-T z has the precision Q = P^T L L^T P. Q belongs to a grid whose
// eigenvalues and eigenvectors are known. One graph factorises and computes the log-determinant and
// the marginal variances (selected inverse); another graph draws samples and sums their squares,
// and is replayed. The CPU does the same.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.hpp>

#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

namespace {

using Vector = std::vector<double>;

constexpr int kWidth = 40, kHeight = 30, kColumns = 32, kDraws = 200, kSamples = kColumns * kDraws;
constexpr kauri::Index kPoints = kWidth * kHeight;
constexpr double kKappa2 = 0.05;

/// Returns Q = kappa2 I + the grid's Laplacian.
kauri::SymmetricMatrix<double> precision() {
  std::vector<kauri::Index> row, col;
  Vector value;
  const auto add = [&](int i, int j, double v) {
    row.push_back(i), col.push_back(j), value.push_back(v);
  };
  for (int i = 0; i < kPoints; ++i) {
    add(i, i, kKappa2);
    for (const int j : {i % kWidth + 1 < kWidth ? i + 1 : i, i + kWidth < kPoints ? i + kWidth : i})
      if (j != i) add(j, i, -1), add(i, i, 1), add(j, j, 1);
  }
  return kauri::SymmetricMatrix<double>::from_triplets(kPoints, row, col, value,
                                                       kauri::Storage::lower);
}

/// Returns a factor of Q with a nested dissection. A grid as narrow as this could keep the caller's
/// order by default, which would not show whether samples return to it.
kauri::Factor<double> factor_of(const kauri::SymmetricMatrix<double>& q, kauri::Backend& backend) {
  kauri::AnalyzeOptions options;
  options.ordering.method = kauri::OrderingMethod::nested_dissection;
  options.target = backend.target();
  return kauri::Factor<double>::create(kauri::analyze(q.pattern(), options), backend);
}

/// Returns entry x, squared, of the k-th eigenvector of a path, which is a cosine; and below, its
/// eigenvalue.
double squared_cosine(int k, int x, int length) {
  const double c = std::cos(std::numbers::pi * k * (x + 0.5) / length);
  return (k == 0 ? 1.0 : 2.0) / length * c * c;
}
double eigenvalue(int k, int length) { return 2 - 2 * std::cos(std::numbers::pi * k / length); }

/// The result of the CPU or of the device. Squares are sums over all samples.
struct Outcome {
  double log_determinant = 0;
  Vector variance;  // the diagonal of Q^-1
  Vector square;    // x_i^2
  Vector energy;    // term i of x^T Q x
};

/// Returns (Q x)_i x_i.
__host__ __device__ double energy_of(const double* x, int i) {
  const int column = i % kWidth, row = i / kWidth;
  double sum = kKappa2 * x[i];
  if (column > 0) sum += x[i] - x[i - 1];
  if (column + 1 < kWidth) sum += x[i] - x[i + 1];
  if (row > 0) sum += x[i] - x[i - kWidth];
  if (row + 1 < kHeight) sum += x[i] - x[i + kWidth];
  return sum * x[i];
}

/// Writes two normal deviates per thread, from a counter-based generator: they depend on the place
/// and the draw, not on the device.
__global__ void draw(double* z, const unsigned long long* draws) {
  const unsigned pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair >= kPoints * kColumns / 2) return;
  curandStatePhilox4_32_10_t generator;
  curand_init(1, pair, *draws * 4, &generator);
  const double2 deviates = curand_normal2_double(&generator);
  z[2 * pair] = deviates.x, z[2 * pair + 1] = deviates.y;
}
__global__ void add_up(const double* x, double* square, double* energy, unsigned long long* draws) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i == 0) ++*draws;
  if (i >= kPoints) return;
  for (int c = 0; c < kColumns; ++c) {
    const double* sample = x + c * kPoints;
    square[i] += sample[i] * sample[i];
    energy[i] += energy_of(sample, i);
  }
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
Vector on_host(const double* there, std::size_t count) {
  Vector out(count);
  check(cudaMemcpy(out.data(), there, count * sizeof(double), cudaMemcpyDeviceToHost));
  return out;
}

/// Captures the work that f enqueues, and returns its graph.
template <class F>
cudaGraphExec_t captured(cudaStream_t stream, const F& f) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  f();
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&exec, graph, 0));
  check(cudaGraphDestroy(graph));
  return exec;
}

Outcome on_cpu(const kauri::SymmetricMatrix<double>& q) {
  kauri::Backend backend = kauri::cpu_backend();
  auto factor = factor_of(q, backend);
  auto workspace = kauri::Workspace<double>::create(factor, kColumns);
  auto inverse = kauri::SelectedInverse<double>::create(factor);
  if (!kauri::refactorize<double>(factor, q.value()))
    throw std::runtime_error("not positive definite");
  inverse.compute(factor);
  Outcome out{kauri::log_determinant(factor), inverse.diagonal(), Vector(kPoints, 0.0),
              Vector(kPoints, 0.0)};
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Vector x(kPoints * kColumns);
  const kauri::MatrixView<double> view{x.data(), kPoints, kColumns, kPoints};
  for (int k = 0; k < kDraws; ++k) {
    for (double& v : x) v = normal(random);
    factor.solve(kauri::System::Lt, view, view, workspace);
    factor.solve(kauri::System::Pt, view, view, workspace);
    for (int c = 0; c < kColumns; ++c)
      for (int i = 0; i < kPoints; ++i) {
        const double* sample = x.data() + c * kPoints;
        out.square[i] += sample[i] * sample[i], out.energy[i] += energy_of(sample, i);
      }
  }
  return out;
}

Outcome on_gpu(const kauri::SymmetricMatrix<double>& q) {
  kauri::Backend backend = kauri::cuda_backend();
  auto factor = factor_of(q, backend);
  auto workspace = kauri::Workspace<double>::create(factor, kColumns);
  auto inverse = kauri::SelectedInverse<double>::create(factor);
  const auto values = kauri::DeviceValues<double>::copy_of(q.value(), backend);
  const Vector zeros(kPoints, 0.0);
  double *x = on_device(Vector(kPoints * kColumns, 0.0)), *square = on_device(zeros),
         *energy = on_device(zeros);
  double *variance = on_device(zeros), *log_determinant = on_device(Vector(1, 0.0));
  auto* draws = on_device(std::vector<unsigned long long>(1, 0));
  const kauri::DeviceMatrixView<double> view({x, kPoints, kColumns, kPoints});

  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const cudaGraphExec_t fill = captured(stream, [&] {
    kauri::enqueue_refactorize(factor, values, 0, stream);
    factor.enqueue_log_determinant(log_determinant, workspace, stream);
    inverse.enqueue_compute(factor, stream);
    inverse.enqueue_diagonal(std::span<double>(variance, kPoints), stream);
  });
  constexpr int kThreads = 128, kBlocks = (kPoints + kThreads - 1) / kThreads;
  constexpr int kPairBlocks = (kPoints * kColumns / 2 + kThreads - 1) / kThreads;
  const cudaGraphExec_t sample = captured(stream, [&] {
    draw<<<kPairBlocks, kThreads, 0, stream>>>(x, draws);
    factor.enqueue_solve(kauri::System::Lt, view, view, workspace, stream);
    factor.enqueue_solve(kauri::System::Pt, view, view, workspace, stream);
    add_up<<<kBlocks, kThreads, 0, stream>>>(x, square, energy, draws);
  });
  check(cudaGraphLaunch(fill, stream));
  for (int k = 0; k < kDraws; ++k) check(cudaGraphLaunch(sample, stream));
  check(cudaStreamSynchronize(stream));
  const Outcome out{on_host(log_determinant, 1)[0], on_host(variance, kPoints),
                    on_host(square, kPoints), on_host(energy, kPoints)};
  check(cudaGraphExecDestroy(fill));
  check(cudaGraphExecDestroy(sample));
  check(cudaStreamDestroy(stream));
  return out;
}

/// Returns a bound for the distance of the mean of N squares of normal deviates of variance 1 from
/// 1, which is exceeded with a probability of at most `chance` (B. Laurent, P. Massart, Adaptive
/// estimation of a quadratic functional by model selection, Ann. Statist. 28, 2000, lemma 1).
double bound(double count, double chance) {
  const double t = std::log(2 / chance);
  return 2 * std::sqrt(t / count) + 2 * t / count;
}

bool tell(const char* where, const Outcome& found) {
  double log_determinant = 0, wrong = 0, largest = 0, energy = 0;
  for (int k = 0; k < kPoints; ++k)
    log_determinant +=
        std::log(kKappa2 + eigenvalue(k % kWidth, kWidth) + eigenvalue(k / kWidth, kHeight));
  for (int i = 0; i < kPoints; ++i) {
    double variance = 0;
    for (int k = 0; k < kPoints; ++k)
      variance += squared_cosine(k % kWidth, i % kWidth, kWidth) *
                  squared_cosine(k / kWidth, i / kWidth, kHeight) /
                  (kKappa2 + eigenvalue(k % kWidth, kWidth) + eigenvalue(k / kWidth, kHeight));
    const double off = std::fabs(found.variance[i] / variance - 1),
                 sampled = std::fabs(found.square[i] / kSamples / found.variance[i] - 1);
    if (!(off <= wrong)) wrong = off;  // keeps a NaN
    if (!(sampled <= largest)) largest = sampled;
    energy += found.energy[i];
  }
  // The sum of each row is a sum of squares of independent deviates, and x^T Q x is the sum of
  // squares of all z. The bound of the rows fails with a probability of at most 1e-9 for all rows
  // together, and so does the bound of x^T Q x.
  const double off = std::fabs(found.log_determinant - log_determinant),
               mean = energy / kSamples / kPoints;
  const double of_row = bound(kSamples, 1e-9 / kPoints),
               of_all = bound(1.0 * kSamples * kPoints, 1e-9);
  std::printf(
      "%s: ln det %.10f (off by %.1e), variances to %.1e\n  of %d samples: variances within %.3f "
      "of those (bound %.3f), x^T Q x "
      "within %.5f of n (bound %.5f)\n",
      where, found.log_determinant, off, wrong, kSamples, largest, of_row, std::fabs(mean - 1),
      of_all);
  return off < 1e-9 && wrong < 1e-10 && largest < of_row && std::fabs(mean - 1) < of_all;
}

}  // namespace

int main() {
  const auto q = precision();
  bool good = tell("CPU", on_cpu(q));
  if (!kauri::cuda_available()) {
    if (good)
      std::printf("no CUDA device\n");  // the test that runs this is skipped if it prints this
                                        // line, whatever main() returns
    return good ? 0 : 1;
  }
  good = tell("GPU", on_gpu(q)) && good;
  return good ? 0 : 1;
}

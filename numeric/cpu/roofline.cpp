// Measures the rates at which the threads of a CPU backend multiply and read. Both are the best of
// a few trials, since other load on a machine only slows a trial.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/roofline.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <vector>

#include "base/progress/stopwatch.hpp"
#include "base/threads/per_process.hpp"
#include "numeric/cpu/dense/dense.hpp"

namespace kauri::numeric::cpu {
namespace {

constexpr int kTrials = 5;
/// Pieces of work for each thread; if a thread is held up, others take over its pieces.
constexpr Index kPieces = 8;
constexpr Index kRounds = 200'000;          // multiply-adds of each chain in a piece: about 1 ms
constexpr Offset kBytes = Offset{1} << 28;  // more than caches hold, except on the largest servers
constexpr Offset kLeastBytes = Offset{1} << 24;

/// Calls run(i) for all pieces i on all threads, kTrials times, and returns the seconds of the
/// fastest time.
template <class Run>
double least_seconds(Workers& workers, const Run& run) {
  double least = std::numeric_limits<double>::infinity();
  workers.execute([&] {
    for (int trial = 0; trial < kTrials; ++trial)
      least =
          std::min(least, seconds_of([&] { workers.parallel(kPieces * workers.threads(), run); }));
  });
  return least;
}

/// Allocates kBytes bytes, or half as many again and again until it succeeds. Throws Error(memory)
/// if kLeastBytes bytes cannot be allocated.
template <class T>
Buffer<T> memory_to_read(MemoryLedger& ledger) {
  for (Offset bytes = kBytes;; bytes /= 2) {
    try {
      return Buffer<T>(bytes / Offset{sizeof(T)}, ledger);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::memory || bytes <= kLeastBytes) throw;
    }
  }
}

template <class T>
Roofline measure(Workers& workers) {
  const DenseKernels<T>& kernels = dense_kernels<T>(host_target());
  const Index pieces = kPieces * workers.threads();
  std::vector<double> flops(static_cast<std::size_t>(pieces));
  std::vector<T> seen(flops.size());  // keeps the compiler from removing the loops
  Roofline out;
  const double seconds = least_seconds(
      workers, [&](Index i) { seen[i] = kernels.multiply_adds(kRounds, T(0.5), T(1), &flops[i]); });
  for (const double f : flops) out.flops_per_s += f;
  out.flops_per_s /= seconds;

  MemoryLedger own;  // separate, since this is not memory of factors
  const Buffer<T> memory = memory_to_read<T>(own);
  const Offset piece = memory.size() / pieces;
  workers.execute([&] {
    workers.parallel(pieces, [&](Index i) { std::fill_n(memory.data() + i * piece, piece, T(1)); });
  });
  const double reading = least_seconds(
      workers, [&](Index i) { seen[i] = kernels.read_all(memory.data() + i * piece, piece); });
  out.bytes_per_s = static_cast<double>(piece * pieces * Offset{sizeof(T)}) / reading;
  return out;
}

}  // namespace

template <class T>
Roofline measured_roofline(Workers& workers) {
  struct MeasuredRooflines {
    std::mutex measuring;  // held while measuring, since two measurements at a time would disturb
                           // each other
    std::map<int, Roofline> roofline;
  };
  static PerProcess<MeasuredRooflines> known;
  auto& [measuring, roofline] = known.here();
  const std::lock_guard lock(measuring);
  const auto found = roofline.find(workers.threads());
  if (found != roofline.end()) return found->second;
  return roofline[workers.threads()] = measure<T>(workers);
}

template Roofline measured_roofline<float>(Workers&);
template Roofline measured_roofline<double>(Workers&);

}  // namespace kauri::numeric::cpu

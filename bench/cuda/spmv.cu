// Times Y = A X in double with 1, 8 and 32 columns on a device, against the bandwidth bound and the
// faster algorithm of cuSPARSE, whose preprocessing is not timed. Warm: one product after another.
// Cold: the L2 cache is overwritten before each product. Compares results with a product on the
// host. Prints a line of JSON per system.
//   spmv [--repeats N] [--all-kernels] SYSTEM ...
// --all-kernels also prints the warm times of every kernel for one column, which the constants of
// choose_spmv() come from.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>

#include "bench/cuda/device_array.cuh"
#include "bench/cuda/sparse_vendor.cuh"
#include "bench/source.hpp"
#include "bench/systems_app.hpp"
#include "kauri/kauri.hpp"
#include "numeric/cuda/matrix/spmv/spmv.hpp"

namespace kauri::bench {
namespace {

using namespace numeric::cuda;

/// Bytes that exceed any L2 cache.
constexpr std::size_t kFlushBytes = std::size_t{256} << 20;
constexpr int kLaunches = 10;  ///< launches within one warm measurement

struct Options {
  int repeats = 20;
  bool all_kernels = false;
};

struct Seconds {
  double median, least;
};

class Timer {
 public:
  explicit Timer(int repeats) : repeats_(repeats), flushed_(kFlushBytes) {
    require(cudaEventCreate(&begin_) == cudaSuccess && cudaEventCreate(&end_) == cudaSuccess,
            "events");
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { cudaEventDestroy(begin_), cudaEventDestroy(end_); }

  /// Returns the seconds of one of kLaunches consecutive calls.
  template <class Run>
  Seconds warm(const Run& run) const {
    return time(
        kLaunches, [] {}, run);
  }
  template <class Run>
  Seconds cold(const Run& run) const {
    return time(
        1,
        [this] {
          require(cudaMemsetAsync(flushed_.get(), 0, flushed_.bytes()) == cudaSuccess, "a flush");
        },
        run);
  }

 private:
  template <class Prepare, class Run>
  Seconds time(int launches, const Prepare& prepare, const Run& run) const {
    std::vector<double> seconds;
    for (int r = 0; r < repeats_ + 3; ++r) {
      prepare();
      require(cudaEventRecord(begin_) == cudaSuccess, "an event");
      for (int k = 0; k < launches; ++k) run();
      require(cudaEventRecord(end_) == cudaSuccess && cudaEventSynchronize(end_) == cudaSuccess,
              "a product");
      float ms = 0;
      require(cudaEventElapsedTime(&ms, begin_, end_) == cudaSuccess, "a time");
      if (r >= 3) seconds.push_back(1e-3 * ms / launches);
    }
    return {median(seconds), *std::min_element(seconds.begin(), seconds.end())};
  }
  int repeats_;
  DeviceArray<char> flushed_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

/// A system with X on the host and on the device, and A X on the host.
struct System {
  std::string name;
  FullRows rows;
  std::vector<double> value;  ///< values by rows
  std::vector<double> x;      ///< n x 32
  std::vector<double> y, magnitude;

  System(const std::string& source, const SymmetricMatrix<double>& a)
      : name(source), rows(full_rows(a.pattern())) {
    const auto n = static_cast<std::size_t>(a.n());
    for (const std::uint32_t s : rows.source) value.push_back(a.value()[s]);
    std::mt19937_64 random(1);
    for (std::size_t k = 0; k < 32 * n; ++k)
      x.push_back(std::uniform_real_distribution<>(-1, 1)(random));
    y.assign(x.size(), 0);
    magnitude.assign(x.size(), 0);
    for (std::size_t c = 0; c < 32; ++c)
      for (std::size_t i = 0; i < n; ++i)
        for (auto k = static_cast<std::size_t>(rows.ptr[i]);
             k < static_cast<std::size_t>(rows.ptr[i + 1]); ++k) {
          const double p = value[k] * x[c * n + static_cast<std::size_t>(rows.col[k])];
          y[c * n + i] += p;
          magnitude[c * n + i] += std::fabs(p);
        }
  }
  /// Ends the program if the product is wrong, with a tolerance for two orders of each sum.
  void compare(const DeviceArray<double>& there, Index columns, const char* whose) const {
    const std::vector<double> found = there.to_host();
    const auto n = static_cast<std::size_t>(rows.n());
    for (std::size_t k = 0; k < n * static_cast<std::size_t>(columns); ++k) {
      const auto terms = static_cast<double>(rows.length(static_cast<Index>(k % n)));
      if (std::fabs(found[k] - y[k]) <=
          2 * (terms + 1) * std::numeric_limits<double>::epsilon() * magnitude[k])
        continue;
      std::fprintf(stderr, "%s: %s has %.17g in row %zu of column %zu, not %.17g\n", name.c_str(),
                   whose, found[k], k % n, k / n, y[k]);
      std::exit(2);
    }
  }
  /// Returns the bytes of a product: A and X are read once, Y is written once.
  double bytes(Index columns) const {
    return 12.0 * static_cast<double>(rows.entries()) + 4.0 * (rows.n() + 1.0) +
           16.0 * rows.n() * static_cast<double>(columns);
  }
};

struct Both {
  Seconds warm, cold;
};

template <class Run>
Both measured(const System& system, const Timer& timer, const DeviceArray<double>& y, Index columns,
              const char* whose, const Run& run) {
  require(cudaMemset(y.get(), 0xff, y.bytes()) == cudaSuccess, "what lies in Y before");
  run();
  system.compare(y, columns, whose);
  return {timer.warm(run), timer.cold(run)};
}

/// Returns the smaller of each of the four times.
Both faster(const Both& a, const Both& b) {
  const auto least = [](const Seconds& s, const Seconds& t) {
    return Seconds{std::min(s.median, t.median), std::min(s.least, t.least)};
  };
  return {least(a.warm, b.warm), least(a.cold, b.cold)};
}

Both vendor_time(const System& system, const SparseVendor& vendor, const Timer& timer,
                 const DeviceArray<double>& x, const DeviceArray<double>& y, Index columns) {
  if (columns == 1) {
    const SparseVendor::Vector one(vendor, CUSPARSE_SPMV_CSR_ALG1, x.get(), y.get()),
        two(vendor, CUSPARSE_SPMV_CSR_ALG2, x.get(), y.get());
    const Both first = measured(system, timer, y, 1, "CUSPARSE_SPMV_CSR_ALG1", [&] { one.run(); });
    return faster(first,
                  measured(system, timer, y, 1, "CUSPARSE_SPMV_CSR_ALG2", [&] { two.run(); }));
  }
  const auto time = [&](cusparseSpMMAlg_t algorithm, const char* name) {
    const SparseVendor::Columns product(vendor, algorithm, columns, x.get(), y.get());
    return measured(system, timer, y, columns, name, [&] { product.run(); });
  };
  return faster(time(CUSPARSE_SPMM_CSR_ALG1, "CUSPARSE_SPMM_CSR_ALG1"),
                time(CUSPARSE_SPMM_CSR_ALG2, "CUSPARSE_SPMM_CSR_ALG2"));
}

void print_columns(const System& system, Index columns, const Both& own, const Both& vendor) {
  const double bytes = system.bytes(columns), bound = bytes / read_bandwidth();
  const auto times = [&](const char* how, const Seconds& s, const Seconds& v) {
    std::printf(
        "\"%s_median_s\": %.4e, \"%s_s\": %.4e, \"%s_gb_per_s\": %.0f, \"%s_share\": %.3f, "
        "\"%s_cusparse_median_s\": %.4e, "
        "\"%s_cusparse_s\": %.4e, \"%s_ratio\": %.3f",
        how, s.median, how, s.least, how, 1e-9 * bytes / s.median, how, bound / s.median, how,
        v.median, how, v.least, how, v.median / s.median);
  };
  std::printf(", \"columns_%d\": {\"bound_s\": %.4e, ", columns, bound);
  times("warm", own.warm, vendor.warm);
  std::printf(", ");
  times("cold", own.cold, vendor.cold);
  std::printf("}");
}

void run(const std::string& source, const Options& options, Staging& staging) {
  const SymmetricMatrix<double> a = load(source);
  const System system(source, a);
  const Stream stream;
  const DeviceHeap heap;
  const DeviceArray<double> lower(std::vector<double>(a.value().begin(), a.value().end())),
      x(system.x), y(system.x.size());
  const Timer timer(options.repeats);
  Spmv<double> product(system.rows, staging, heap, stream);
  product.enqueue_values(lower.get(), nullptr);
  const SparseVendor vendor(system.rows, system.value);
  const Index n = a.n();
  std::printf("{\"system\": \"%s\", \"n\": %d, \"nnz\": %lld, \"kernel\": \"%s\"", source.c_str(),
              n, static_cast<long long>(system.rows.entries()), name_of(product.choice()).c_str());
  for (const Index columns : {1, 8, 32}) {
    const Both own = measured(system, timer, y, columns, "kauri", [&] {
      product.enqueue({x.get(), n, columns, n}, {y.get(), n, columns, n}, nullptr);
    });
    print_columns(system, columns, own, vendor_time(system, vendor, timer, x, y, columns));
  }
  for (std::size_t k = 0; options.all_kernels && k < spmv_choices().size(); ++k) {
    const SpmvChoice choice = spmv_choices()[k];
    Spmv<double> other(system.rows, staging, heap, stream, choice);
    other.enqueue_values(lower.get(), nullptr);
    const Both own = measured(system, timer, y, 1, name_of(choice).c_str(), [&] {
      other.enqueue({x.get(), n, 1, n}, {y.get(), n, 1, n}, nullptr);
    });
    std::printf(", \"%s\": {\"warm_median_s\": %.4e, \"cold_median_s\": %.4e}",
                name_of(choice).c_str(), own.warm.median, own.cold.median);
  }
  std::printf("}\n");
  std::fflush(stdout);
}

}  // namespace
}  // namespace kauri::bench

int main(int count, char** argument) {
  using namespace kauri;
  CLI::App app("products with A beside cuSPARSE's", "spmv");
  bench::Options options;
  app.add_option("--repeats", options.repeats)->check(CLI::PositiveNumber);
  app.add_flag("--all-kernels", options.all_kernels);
  return bench::with_systems(app, count, argument, [&](const std::vector<std::string>& systems) {
    numeric::cuda::Staging staging;
    for (const std::string& system : systems) bench::run(system, options, staging);
  });
}

// Times GEMM and TRSM on tiled fronts against cuBLAS: C -= A B^T, and X L^T = C of one or many
// fronts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "bench/cuda/tiled_fronts.cuh"

namespace kauri::bench {

__global__ inline void fill_noise(double* a, std::int64_t count, std::uint64_t seed) {
  for (std::int64_t e = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; e < count;
       e += std::int64_t{gridDim.x} * blockDim.x)
    a[e] = noise(seed << 40 ^ static_cast<std::uint64_t>(e));
}

// Fills a lower triangle, order x order by columns, with zeros above. It is well conditioned: a
// diagonal of 1 to 2, and smaller entries beside it.
__global__ inline void fill_triangle(double* l, int order, std::uint64_t seed) {
  const double scale = 0.5 / sqrt(static_cast<double>(order));
  for (std::int64_t e = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
       e < std::int64_t{order} * order; e += std::int64_t{gridDim.x} * blockDim.x) {
    const int row = static_cast<int>(e % order), column = static_cast<int>(e / order);
    const double x = noise(seed << 40 ^ static_cast<std::uint64_t>(e));
    l[e] = row < column ? 0.0 : row == column ? 1.5 + 0.5 * x : scale * x;
  }
}

// A part of a front, dense by columns, and the position of its first entry in the front.
struct Part {
  int rows, columns, first_row, first_column;
};

// Copies the entries of the part into the front's lower triangle.
__global__ inline void scatter(const double* dense, double* front, FrontCells cells, Part part) {
  for (std::int64_t e = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
       e < std::int64_t{part.rows} * part.columns; e += std::int64_t{gridDim.x} * blockDim.x) {
    const int row = part.first_row + static_cast<int>(e % part.rows),
              column = part.first_column + static_cast<int>(e / part.rows);
    if (row >= column)
      front[place(cells, cells.padded_row(row), cells.padded_row(column))] = dense[e];
  }
}

// Adds up two sums of squares over a part below the diagonal: of front - dense, and of dense.
__global__ inline void compare_part(const double* dense, const double* front, FrontCells cells,
                                    Part part, double* sums) {
  double difference = 0.0, norm = 0.0;
  for (std::int64_t e = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
       e < std::int64_t{part.rows} * part.columns; e += std::int64_t{gridDim.x} * blockDim.x) {
    const int row = part.first_row + static_cast<int>(e % part.rows),
              column = part.first_column + static_cast<int>(e / part.rows);
    const double d =
        dense[e] - front[place(cells, cells.padded_row(row), cells.padded_row(column))];
    difference += d * d, norm += dense[e] * dense[e];
  }
  atomicAdd(sums, difference), atomicAdd(sums + 1, norm);
}

// Sets the diagonal of padded pivots to one.
__global__ inline void pad_diagonal(double* front, FrontCells cells) {
  for (int c = cells.p + static_cast<int>(threadIdx.x); c < cells.pivot_cells() * symbolic::kCell;
       c += static_cast<int>(blockDim.x))
    front[place(cells, c, c)] = 1.0;
}

inline double part_error(const double* dense, const double* front, FrontCells cells, Part part) {
  DeviceArray<double> sums(2);
  cudaMemset(sums.get(), 0, sums.bytes());
  compare_part<<<528, 256>>>(dense, front, cells, part, sums.get());
  return relative(sums.to_host());
}

// Measures C -= A B^T, where A is rows x inner and B is columns x inner.
class Product {
 public:
  Product(const Vendor& vendor, int rows, int columns, int inner, std::uint64_t seed)
      : vendor_(vendor),
        rows_(rows),
        columns_(columns),
        inner_(inner),
        shape_(symbolic::product_front(rows, columns, inner)),
        a_(std::size_t(rows) * inner),
        b_(std::size_t(columns) * inner),
        c_(std::size_t(rows) * columns),
        front_(static_cast<std::size_t>(shape_.cells.panel().entries() +
                                        shape_.cells.block().entries())),
        ticket_(1),
        views_(std::vector<FrontView>{view()}),
        host_tasks_(symbolic::product_tasks(std::vector<symbolic::TileRectangle>{shape_.tiles})),
        tasks_(host_tasks_) {
    fill_noise<<<528, 256>>>(a_.get(), std::int64_t{rows} * inner, 4 * seed);
    fill_noise<<<528, 256>>>(b_.get(), std::int64_t{columns} * inner, 4 * seed + 1);
    fill_noise<<<528, 256>>>(c_.get(), std::int64_t{rows} * columns, 4 * seed + 2);
    cudaMemset(front_.get(), 0, front_.bytes());
    scatter<<<528, 256>>>(a_.get(), front_.get(), shape_.cells, {rows, inner, shape_.first_row, 0});
    scatter<<<528, 256>>>(b_.get(), front_.get(), shape_.cells, {columns, inner, inner, 0});
    scatter<<<528, 256>>>(c_.get(), front_.get(), shape_.cells, target());
  }
  void run() const {
    cudaMemsetAsync(ticket_.get(), 0, ticket_.bytes());
    require(
        kernels::enqueue_update(views_.get(), tasks_.get(), static_cast<int>(host_tasks_.size()),
                                ticket_.get(), teams_, nullptr) == cudaSuccess,
        "product");
  }
  void run_vendor() const {
    const double one = 1.0, minus = -1.0;
    require(cublasDgemm(vendor_.one.library().blas, CUBLAS_OP_N, CUBLAS_OP_T, rows_, columns_,
                        inner_, &minus, a_.get(), rows_, b_.get(), columns_, &one, c_.get(), rows_),
            "gemm");
  }
  // Returns the difference from the vendor's C; both products must have run equally often.
  double error() const { return part_error(c_.get(), front_.get(), shape_.cells, target()); }

 private:
  Part target() const { return {rows_, columns_, shape_.first_row, inner_}; }
  FrontView view() const {
    FrontView view;
    view.panel = front_.get();
    view.block = front_.get() + shape_.cells.panel().entries();
    view.loads_block = 1;
    view.cells = shape_.cells;
    return view;
  }
  const Vendor& vendor_;
  int rows_, columns_, inner_;
  int teams_ = kernels::resident_teams();
  symbolic::ProductFront shape_;
  DeviceArray<double> a_, b_, c_, front_;
  DeviceArray<int> ticket_;
  DeviceArray<FrontView> views_;
  std::vector<FrontTask> host_tasks_;
  DeviceArray<FrontTask> tasks_;
};

// Benchmark of X L^T = C of equal fronts, with the same L and C in all of them.
class Solves {
 public:
  Solves(const Vendor& vendor, FrontCells cells, int count, int block, std::uint64_t seed)
      : vendor_(vendor),
        cells_(cells),
        count_(count),
        rows_(cells.m - cells.p),
        entries_(cells.panel().entries()),
        solve_(symbolic::panel_solve(std::vector<FrontCells>(count, cells), block)),
        l_(std::size_t(cells.p) * cells.p),
        c_(std::size_t(rows_) * cells.p),
        x_(std::size_t(rows_) * cells.p * count),
        front_(static_cast<std::size_t>(entries_) * count),
        inverses_(static_cast<std::size_t>(cells.diagonal_entries()) * count),
        counters_(counter_count()),
        tickets_(solve_.end.size()),
        blocks_(make_blocks()),
        tasks_(solve_.task),
        triangles_(std::vector<const double*>(count, l_.get())),
        targets_(make_targets()) {
    fill_triangle<<<528, 256>>>(l_.get(), cells.p, 2 * seed);
    fill_noise<<<528, 256>>>(c_.get(), std::int64_t{rows_} * cells.p, 2 * seed + 1);
    cudaMemset(front_.get(), 0, front_.bytes());
    for (int f = 0; f < count_; ++f) {
      scatter<<<528, 256>>>(l_.get(), front(f), cells_, {cells.p, cells.p, 0, 0});
      pad_diagonal<<<1, 32>>>(front(f), cells_);
    }
  }
  double* front(int f) const { return front_.get() + f * entries_; }
  std::int64_t entries() const { return entries_ * count_; }
  void load() const {
    for (int f = 0; f < count_; ++f) scatter<<<528, 256>>>(c_.get(), front(f), cells_, target());
  }
  void run() const {
    require(kernels::enqueue_panel_solve(solve_, blocks_.get(), tasks_.get(), tickets_.get(),
                                         teams_, 0, nullptr) == cudaSuccess,
            "solve");
  }
  void load_vendor() const {
    for (int f = 0; f < count_; ++f)
      cudaMemcpyAsync(x_.get() + f * part_entries(), c_.get(), c_.bytes(),
                      cudaMemcpyDeviceToDevice);
  }
  void run_vendor() const {
    const double one = 1.0;
    const Lanes& lanes = count_ == 1 ? vendor_.one : vendor_.many;
    lanes.deal(count_, [&](int f, int, const Library& library) {
      require(cublasDtrsm(library.blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T,
                          CUBLAS_DIAG_NON_UNIT, rows_, cells_.p, &one, l_.get(), cells_.p,
                          x_.get() + f * part_entries(), rows_),
              "trsm");
    });
  }
  void run_vendor_batched() const {
    const double one = 1.0;
    require(
        cublasDtrsmBatched(vendor_.one.library().blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER,
                           CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, rows_, cells_.p, &one,
                           triangles_.get(), cells_.p, targets_.get(), rows_, count_),
        "trsmBatched");
  }
  // Times the vendor's two ways and returns the faster.
  VendorTime time_vendor(int repeats) const {
    const auto load = [this](int) { load_vendor(); };
    const VendorTime each{count_ == 1 ? "trsm" : "trsm of each front, on 8 streams",
                          median_us(repeats, load, [this](int) { run_vendor(); })};
    if (count_ == 1) return each;
    const VendorTime batched{"trsmBatched",
                             median_us(repeats, load, [this](int) { run_vendor_batched(); })};
    return batched.us < each.us ? batched : each;
  }
  // Returns the larger error of the first and the last front.
  double error() const {
    double worst = 0.0;
    for (int f : {0, count_ - 1}) {
      const double error = part_error(x_.get() + f * part_entries(), front(f), cells_, target());
      if (!(error <= worst)) worst = error;
    }
    return worst;
  }

 private:
  Part target() const { return {rows_, cells_.p, cells_.p, 0}; }
  std::int64_t part_entries() const { return std::int64_t{rows_} * cells_.p; }
  std::size_t counter_count() const {
    std::int64_t count = 0;
    for (const symbolic::PanelSolve::Block& block : solve_.block)
      count += symbolic::counter_count(block.cells);
    return static_cast<std::size_t>(count);
  }
  std::vector<FrontView> make_blocks() const {
    std::vector<FrontView> blocks;
    int* counters = counters_.get();
    for (const symbolic::PanelSolve::Block& block : solve_.block) {
      FrontView view;
      view.panel = front(block.front);
      view.inverses = inverses_.get() + block.front * cells_.diagonal_entries();
      view.cells = cells_;
      blocks.push_back(kernels::block_view(view, block, counters));
      counters += symbolic::counter_count(block.cells);
    }
    return blocks;
  }
  std::vector<double*> make_targets() const {
    std::vector<double*> targets;
    for (int f = 0; f < count_; ++f) targets.push_back(x_.get() + f * part_entries());
    return targets;
  }
  const Vendor& vendor_;
  FrontCells cells_;
  int count_, rows_;
  int teams_ = kernels::resident_teams();
  std::int64_t entries_;
  symbolic::PanelSolve solve_;
  DeviceArray<double> l_, c_, x_, front_, inverses_;
  DeviceArray<int> counters_, tickets_;
  DeviceArray<FrontView> blocks_;
  DeviceArray<FrontTask> tasks_;
  DeviceArray<const double*> triangles_;
  DeviceArray<double*> targets_;
};

inline void bench_product(const Vendor& vendor, int rows, int columns, int inner, int repeats) {
  const Product product(vendor, rows, columns, inner, static_cast<std::uint64_t>(inner));
  product.run();
  product.run_vendor();
  const double error = product.error();
  const auto nothing = [](int) {};
  const VendorTime time{"gemm", median_us(repeats, nothing, [&](int) { product.run_vendor(); })};
  const double us = median_us(repeats, nothing, [&](int) { product.run(); });
  const double c = double(rows) * columns, k = inner,
               bytes = 8.0 * (2 * c + k * (double(rows) + columns));
  print<double>({"gemm", {rows, inner}, 1, 0, us, 2 * c * k, bytes, time, error},
                CudaCompute::hopper);
}

// Times one shape of solve. `block`: pivots of a block.
inline void bench_solve(const Vendor& vendor, FrontCells cells, int count, int block, int repeats) {
  const Solves solves(vendor, cells, count, block, 5);
  const VendorTime time = solves.time_vendor(repeats);
  const double us = median_us(
      repeats, [&](int) { solves.load(); }, [&](int) { solves.run(); });
  const double n = cells.m - cells.p, p = cells.p, bytes = count * 8.0 * (2 * n * p + 0.5 * p * p);
  print<double>({"trsm", cells, count, block, us, count * n * p * p, bytes, time, solves.error()},
                CudaCompute::hopper);
}

// Checks a random product and a random solve.
inline bool check_products(const Vendor& vendor, std::mt19937_64& random, std::uint64_t seed) {
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const int rows = pick(1, 1500), columns = pick(1, 1500), inner = pick(1, pick(0, 1) ? 100 : 3000);
  const Product product(vendor, rows, columns, inner, seed);
  product.run();
  product.run_vendor();
  const FrontCells cells{pick(1, 1200), pick(1, 1200)};
  const FrontCells front{cells.m + cells.p, cells.p};
  const int count = pick(0, 2) ? 1 : pick(2, 40), block = 64 * pick(1, 6);
  const Solves solves(vendor, front, count, block, seed);
  solves.load();
  solves.run();
  solves.load_vendor();
  solves.run_vendor();
  require(cudaDeviceSynchronize() == cudaSuccess, "products");
  if (product.error() < 1e-14 && solves.error() < 1e-13) return true;
  std::printf("gemm %d x %d x %d: error %.2e; trsm m=%d p=%d count=%d block=%d: error %.2e\n", rows,
              columns, inner, product.error(), front.m, front.p, count, block, solves.error());
  return false;
}

}  // namespace kauri::bench

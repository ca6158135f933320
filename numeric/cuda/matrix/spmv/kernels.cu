// Y = alpha A X + beta Y by rows: lanes of a warp share a row. They read it in global memory
// (SpmvWay::lanes), or after the block has loaded it into shared memory (SpmvWay::staged).
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/matrix/spmv/kernels.hpp"

#include <algorithm>
#include <cstdint>

#include "numeric/cuda/matrix/spmv/stage.cuh"
#include "numeric/cuda/runtime/device.hpp"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Most columns that a block multiplies at once.
constexpr int kMostColumns = 8;
/// Blocks that an H200 holds at once. If all rows take no more blocks, one launch also spreads
/// groups of columns over blocks, since only other blocks hide the latency of a block's loads. If
/// all rows take more blocks, each group is a launch: a kernel whose blocks compute their group
/// takes 16 registers more a thread, so that a quarter fewer blocks are resident.
constexpr unsigned kFewBlocks = 4 * 132;

template <class T>
__global__ void __launch_bounds__(kSpmvThreads)
    expand(const T* lower, const std::uint32_t* source, Offset count, T* to) {
  const Offset k = Offset{blockIdx.x} * kSpmvThreads + threadIdx.x;
  if (k < count) to[k] = lower[source[k]];
}

/// Returns the sum over the kLanes neighbouring lanes of a row, in a tree that is the same for each
/// row.
template <int kLanes, class T>
__device__ T sum_over_lanes(T sum) {
#pragma unroll
  for (int by = kLanes / 2; by > 0; by /= 2) sum += __shfl_xor_sync(~0U, sum, by);
  return sum;
}

/// Computes products of one column: lane l sums entries l, l + kLanes, ... of its row.
template <class T, class P, int kLanes>
__global__ void __launch_bounds__(kSpmvThreads)
    lanes_product(CsrView<T, P> a, SpmvColumns<T> columns) {
  const Offset row = (Offset{blockIdx.x} * kSpmvThreads + threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x % kLanes);
  const bool there = row < a.n;
  const P end = there ? __ldg(a.ptr + row + 1) : 0;
  T sum = 0;
#pragma unroll 4
  for (P k = there ? __ldg(a.ptr + row) + lane : 0; k < end; k += kLanes)
    sum += mul_rn(__ldcs(a.value + k), __ldg(columns.x.data + __ldcs(a.col + k)));
  sum = sum_over_lanes<kLanes>(sum);
  if (there && lane == 0) put_sum(columns, sum, columns.y.data[row]);
}

/// Computes the sums of lanes_product(), with the same bits, for up to kColumns columns. With one
/// column it stages the products, so that all gathers of x are under way before a sum begins; with
/// several it stages the entries, and kColumns gathers are under way at once. kApart: rows of X or
/// of Y need not lie side by side. kGroups: block b does group b / (blocks of all rows) of kColumns
/// columns.
template <class T, class P, int kLanes, int kColumns, bool kApart, bool kGroups = false>
__global__ void __launch_bounds__(kSpmvThreads)
    staged_product(CsrView<T, P> a, SpmvColumns<T> columns) {
  constexpr int kRows = kSpmvThreads / kLanes;
  unsigned block = blockIdx.x;
  if constexpr (kGroups) {
    const unsigned blocks = (static_cast<unsigned>(a.n) + kRows - 1) / kRows,
                   group = block / blocks;
    block -= group * blocks;
    columns.x.data += Offset{group} * kColumns * columns.x.column;
    columns.y.data += Offset{group} * kColumns * columns.y.column;
    columns.count -= static_cast<Index>(group) * kColumns;
  }
  T* number = shared_chunk<T>();  // a product or a value of A
  Index* col = nullptr;
  if constexpr (kColumns > 1) col = shared_chunk<Index>();
  const auto first = static_cast<Index>(block * kRows);
  const int rows = min(kRows, a.n - first), row = static_cast<int>(threadIdx.x) / kLanes,
            lane = static_cast<int>(threadIdx.x) % kLanes;
  const P begin = __ldg(a.ptr + first), end = __ldg(a.ptr + first + rows);
  P next = row < rows ? __ldg(a.ptr + first + row) + lane : end;
  const P row_end = row < rows ? __ldg(a.ptr + first + row + 1) : end;
  T sum[kColumns] = {};
  for (P base = begin & ~P{3}; base < end; base += kSpmvChunk) {
    ChunkPart<T> part;
    part.load(a.col, a.value, base, end);
    if (base > begin) __syncthreads();  // all sums of the chunk before have been made
    if constexpr (kColumns == 1) {
      part.template multiply<kApart>(columns.x.data, columns.x.row, base, end, number);
    } else {
      part.each(base, end, [&](int at, int g, int k) {
        number[skewed<T>(at)] = part.value[g][k];
        col[skewed<Index>(at)] = part.col[g][k];
      });
    }
    __syncthreads();
    const P stop = min(row_end, base + kSpmvChunk);
    for (; next < stop; next += kLanes) {
      const auto at = static_cast<int>(next - base);
      if constexpr (kColumns == 1) {
        sum[0] += number[skewed<T>(at)];
      } else {
        const T value = number[skewed<T>(at)];
        const T* x = columns.x.data + row_place<kApart>(col[skewed<Index>(at)], columns.x.row);
#pragma unroll
        for (int c = 0; c < kColumns; ++c)
          if (c < columns.count) sum[c] += mul_rn(value, __ldg(x + c * columns.x.column));
      }
    }
  }
  if (kLanes == 1 && row >= rows)
    return;  // one lane a row needs no shuffles; without such threads the code below takes fewer
             // registers, so that four blocks with eight sums in double are resident
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    const T all = sum_over_lanes<kLanes>(sum[c]);
    if (lane == 0 && row < rows && c < columns.count)
      put_sum(columns, all,
              columns.y.data[row_place<kApart>(first + row, columns.y.row) + c * columns.y.column]);
  }
}

template <class T, class P>
struct RowsKernels {
  using Kernel = void (*)(CsrView<T, P>, SpmvColumns<T>);
  Kernel one, four, eight;  ///< kernels for 1, up to 4, and up to 8 columns
  Kernel groups;            ///< kernel for groups of eight columns
  Kernel apart;             ///< kernel for up to eight columns with rows that lie apart
};
template <class T, class P, int kLanes>
RowsKernels<T, P> kernels_of(SpmvWay way) {
  RowsKernels<T, P> all{staged_product<T, P, kLanes, 1, false>,
                        staged_product<T, P, kLanes, 4, false>,
                        staged_product<T, P, kLanes, kMostColumns, false>,
                        staged_product<T, P, kLanes, kMostColumns, false, true>,
                        staged_product<T, P, kLanes, kMostColumns, true>};
  if constexpr (kLanes > 1) {
    if (way == SpmvWay::lanes) all.one = lanes_product<T, P, kLanes>;
  }
  return all;
}
template <class T, class P>
RowsKernels<T, P> kernels_of(const SpmvChoice& choice) {
  switch (choice.lanes) {
    case 1:
      return kernels_of<T, P, 1>(choice.way);
    case 2:
      return kernels_of<T, P, 2>(choice.way);
    case 4:
      return kernels_of<T, P, 4>(choice.way);
    case 8:
      return kernels_of<T, P, 8>(choice.way);
    case 16:
      return kernels_of<T, P, 16>(choice.way);
    default:
      return kernels_of<T, P, 32>(choice.way);
  }
}

}  // namespace

template <class T>
void enqueue_expand(const T* lower, const std::uint32_t* source, Offset count, T* to,
                    cudaStream_t stream) {
  if (count == 0) return;
  check(kernels::launch(expand<T>, static_cast<unsigned>((count + kSpmvThreads - 1) / kSpmvThreads),
                        kSpmvThreads, 0, stream, lower, source, count, to),
        "a launch of values by rows");
}

template <class T>
void load_expand() {
  load(expand<T>);
}

template <class T, class P>
void load_rows_product(const SpmvChoice& choice) {
  const RowsKernels<T, P> all = kernels_of<T, P>(choice);
  load_expand<T>();
  load(all.one);
  load(all.four);
  load(all.eight);
  load(all.groups);
  load(all.apart);
}

template <class T, class P>
void enqueue_rows_product(const CsrView<T, P>& a, const SpmvChoice& choice,
                          const SpmvColumns<T>& columns, cudaStream_t stream) {
  const RowsKernels<T, P> all = kernels_of<T, P>(choice);
  const auto blocks =
      static_cast<unsigned>((Offset{a.n} * choice.lanes + kSpmvThreads - 1) / kSpmvThreads);
  // One launch does not do all columns: a grid has fewer than 2^31 blocks.
  const Index most =
      !are_apart(columns) && blocks <= kFewBlocks ? 128 * kMostColumns : kMostColumns;
  for (Index c = 0; a.n > 0 && c < columns.count; c += most) {
    const Index count = std::min(most, columns.count - c);
    const auto groups = static_cast<unsigned>((count + kMostColumns - 1) / kMostColumns);
    const auto kernel = are_apart(columns) ? all.apart
                        : count == 1       ? all.one
                        : count <= 4       ? all.four
                        : groups == 1      ? all.eight
                                           : all.groups;
    check(kernels::launch(kernel, groups * blocks, kSpmvThreads, 0, stream, a,
                          some_of(columns, c, count)),
          "a launch of a product by rows");
  }
}

template void load_expand<float>();
template void load_expand<double>();
template void enqueue_expand(const float*, const std::uint32_t*, Offset, float*, cudaStream_t);
template void enqueue_expand(const double*, const std::uint32_t*, Offset, double*, cudaStream_t);
#define KAURI_INSTANTIATE(T, P)                                               \
  template void load_rows_product<T, P>(const SpmvChoice&);                   \
  template void enqueue_rows_product(const CsrView<T, P>&, const SpmvChoice&, \
                                     const SpmvColumns<T>&, cudaStream_t);
KAURI_INSTANTIATE(float, std::int32_t)
KAURI_INSTANTIATE(float, Offset)
KAURI_INSTANTIATE(double, std::int32_t)
KAURI_INSTANTIATE(double, Offset)
#undef KAURI_INSTANTIATE

}  // namespace kauri::numeric::cuda

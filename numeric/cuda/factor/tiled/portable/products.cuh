// Products of tiles in shared memory on any device from sm_80 on. One warp adds them to (32,64)
// entries in its registers: by FP64 tensor cores, or by fused multiply-adds; tf32.cuh has TF32. A
// loop defines which entries a lane holds, and multiplies; all else is common.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/common/host_device.hpp"
#include "numeric/cuda/factor/tiled/extend_add.cuh"
#include "numeric/cuda/runtime/kernel/any_mma.cuh"
#include "numeric/cuda/runtime/kernel/tight.cuh"

namespace kauri::numeric::cuda::kernels::portable {

inline constexpr int kTileCells = symbolic::kTileCells;
inline constexpr int kCell = symbolic::kCell;
inline constexpr int kPairEntries = 2 * kCellEntries;  // entries of one cell row of a slab

using ptx::anew;

/// Number of entries of T in 16 bytes, a unit of loads and stores.
template <class T>
inline constexpr int kUnit = 16 / static_cast<int>(sizeof(T));

template <class T>
__device__ __forceinline__ void load_unit(T (&x)[kUnit<T>], const T* from) {
  const int4 bits = *reinterpret_cast<const int4*>(from);
  memcpy(x, &bits, 16);
}
template <class T>
__device__ __forceinline__ void store_unit(T* to, const T (&x)[kUnit<T>]) {
  int4 bits;
  memcpy(&bits, x, 16);
  *reinterpret_cast<int4*>(to) = bits;
}

/// FP64 tensor cores. A lane holds 16 bytes of each of the warp's 4 x 8 cells: row lane / 4,
/// columns 2 (lane % 4) and the next one. That is its share of half of the accumulator of m16n8k16,
/// and of two operands, if k goes by even columns first.
struct TensorLoop {
  using T = double;
  using InTile = TensorLoop;  // loop for products inside a tile that is being solved with; it has
                              // the same accumulators
  static constexpr int kRows = 4;    // rows of the warp's 32 in which a lane holds entries
  static constexpr int kBeside = 2;  // adjacent entries of a row of a cell that a lane holds
  static constexpr int kBlocks = 2;  // blocks of threads that a multiprocessor has registers for
  using Accumulators = T[kRows][kTileCells][kBeside];

  __device__ static constexpr int row_cell(int i) { return i; }
  __device__ static int row(int /*i*/, int lane) { return lane >> 2; }
  __device__ static int column(int lane) { return 2 * (lane & 3); }

  /// Adds X Y^T to acc in columns of cells [first, end): x points to X, the warp's 32 rows of a
  /// slab in shared memory; y to Y, a slab of 64 rows. Called by one warp.
  __device__ static __forceinline__ void multiply(Accumulators& acc, const T* x, const T* y,
                                                  int first, int end, int lane) {
    constexpr int kCellBytes = kCellEntries * 8, kRowBytes = 2 * kCellBytes;
    const ptx::SharedAddress left = ptx::shared_address(x + 2 * lane);
    const ptx::SharedAddress right = ptx::shared_address(y + 2 * lane);
    T a[kRows / 2][8];
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
      for (int h = 0; h < 2; ++h)
        ptx::load_left(a[i / 2][4 * h + i % 2], a[i / 2][4 * h + 2 + i % 2],
                       left + i * kRowBytes + h * kCellBytes);
    }
#pragma unroll
    for (int n = 0; n < kTileCells; ++n) {
      if (n < first || n >= end) continue;
      T b[4];
#pragma unroll
      for (int h = 0; h < 2; ++h)
        ptx::load_shared(b[2 * h], b[2 * h + 1], right + n * kRowBytes + h * kCellBytes);
#pragma unroll
      for (int i = 0; i < kRows; i += 2) {
        T c[4] = {acc[i][n][0], acc[i][n][1], acc[i + 1][n][0], acc[i + 1][n][1]};
        ptx::any_mma(c, a[i / 2], b);
        acc[i][n][0] = c[0], acc[i][n][1] = c[1], acc[i + 1][n][0] = c[2], acc[i + 1][n][1] = c[3];
      }
    }
  }
};

/// Fused multiply-adds. A lane holds 8 rows, bits 1 and 2 of its number in each half cell, and 8
/// columns, the other three bits in each cell. Lanes i and i ^ 1 then load the same row of the left
/// operand, and i and i ^ 2 the same row of the right one, so a load of 16 bytes a lane takes two
/// passes of shared memory; where no such neighbours load the same, it takes four.
template <class Scalar>
struct FmaLoop {
  using T = Scalar;
  using InTile = FmaLoop;
  static constexpr int kRows = 8;
  static constexpr int kBeside = 1;
  static constexpr int kBlocks = 2;
  using Accumulators = T[kRows][kTileCells][kBeside];

  __device__ static constexpr int row_cell(int i) { return i / 2; }
  __device__ static int row(int i, int lane) { return i % 2 * 4 + (lane >> 1 & 3); }
  __device__ static int column(int lane) { return (lane & 1) + (lane >> 3 << 1); }

  __device__ static __forceinline__ void multiply(Accumulators& acc, const T* x, const T* y,
                                                  int first, int end, int lane) {
    const T* rows = x + row(0, lane) * kCell;
    const T* columns = y + column(lane) * kCell;
#pragma unroll 1
    for (int k = 0; k < kSlabColumns; k += kUnit<T>) {
      Right b;
      load_right(b, columns + place_of(k), first, end);
      add(acc, rows + place_of(k), b, first, end);
    }
  }
  /// multiply() for all columns of cells. Floats leave registers for two right operands, so that
  /// one is loaded while the other is multiplied.
  __device__ static __forceinline__ void multiply_all(Accumulators& acc, const T* x, const T* y,
                                                      int lane) {
    if constexpr (sizeof(T) == 8) {
      multiply(acc, x, y, 0, kTileCells, lane);
    } else {
      constexpr int kStep = kUnit<T>;
      const T* rows = x + row(0, lane) * kCell;
      const T* columns = y + column(lane) * kCell;
      Right even, odd;
      load_right(even, columns, 0, kTileCells);
#pragma unroll 1
      for (int k = 0; k < kSlabColumns; k += 2 * kStep) {
        load_right(odd, columns + place_of(k + kStep), 0, kTileCells);
        add(acc, rows + place_of(k), even, 0, kTileCells);
        // The last one is loaded again: a branch would keep loads behind the products.
        load_right(even, columns + place_of(min(k + 2 * kStep, kSlabColumns - kStep)), 0,
                   kTileCells);
        add(acc, rows + place_of(k + kStep), odd, 0, kTileCells);
      }
    }
  }

 private:
  using Right = T[kTileCells][kUnit<T>];  // entries of the right operand in as many columns of L

  /// Returns where column k of a row of a slab lies behind its first one.
  __device__ static constexpr int place_of(int k) { return k / kCell * kCellEntries + k % kCell; }
  __device__ static __forceinline__ void load_right(Right& b, const T* from, int first, int end) {
#pragma unroll
    for (int n = 0; n < kTileCells; ++n)
      if (n >= first && n < end) load_unit(b[n], from + n * kPairEntries);
  }
  /// Adds the products with the left operand at `rows`, in as many columns of L as b has.
  __device__ static __forceinline__ void add(Accumulators& acc, const T* rows, const Right& b,
                                             int first, int end) {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      T a[kUnit<T>];
      load_unit(a, rows + row_cell(i) * kPairEntries + i % 2 * 4 * kCell);
#pragma unroll
      for (int n = 0; n < kTileCells; ++n) {
        if (n < first || n >= end) continue;
#pragma unroll
        for (int e = 0; e < kUnit<T>; ++e) acc[i][n][0] = fma(a[e], b[n][e], acc[i][n][0]);
      }
    }
  }
};

/// False: the compiler spills a second right operand of floats. nvcc 13.0 does so for 10.0
/// and 12.0, in the loop itself (106 loads and 103 stores beside 512 multiply-adds).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
inline constexpr bool kHoldsTwoOperands = false;
#else
inline constexpr bool kHoldsTwoOperands = true;
#endif

/// Adds X Y^T to acc, as Loop::multiply() for all columns of cells.
template <class Loop>
__device__ __forceinline__ void multiply_all(typename Loop::Accumulators& acc,
                                             const typename Loop::T* x, const typename Loop::T* y,
                                             int lane) {
  if constexpr (Loop::kBeside == 1 && kHoldsTwoOperands)
    Loop::multiply_all(acc, x, y, lane);
  else
    Loop::multiply(acc, x, y, 0, kTileCells, lane);
}

template <class Loop>
__device__ __forceinline__ void set_zero(typename Loop::Accumulators& acc) {
#pragma unroll
  for (int i = 0; i < Loop::kRows; ++i) {
#pragma unroll
    for (int n = 0; n < kTileCells; ++n) {
#pragma unroll
      for (int b = 0; b < Loop::kBeside; ++b) acc[i][n][b] = 0;
    }
  }
}

template <class Loop, class Visit>
__device__ __forceinline__ void for_each_pair(typename Loop::Accumulators& acc,
                                              const typename Loop::Accumulators& other,
                                              const Visit& visit) {
#pragma unroll
  for (int i = 0; i < Loop::kRows; ++i) {
#pragma unroll
    for (int n = 0; n < kTileCells; ++n) {
#pragma unroll
      for (int b = 0; b < Loop::kBeside; ++b) visit(acc[i][n][b], other[i][n][b]);
    }
  }
}
template <class Loop>
__device__ __forceinline__ void copy(typename Loop::Accumulators& acc,
                                     const typename Loop::Accumulators& from) {
  using T = typename Loop::T;
  for_each_pair<Loop>(acc, from, [](T& x, const T& y) { x = y; });
}
template <class Loop>
__device__ __forceinline__ void add(typename Loop::Accumulators& acc,
                                    const typename Loop::Accumulators& term) {
  using T = typename Loop::T;
  for_each_pair<Loop>(acc, term, [](T& x, const T& y) { x += y; });
}

/// Loads the adjacent entries of a lane (kBeside of them) from memory that another block may have
/// written in this launch: bypasses L1. store_beside() stores them.
__device__ __forceinline__ void load_beside(double (&x)[2], const double* from) {
  const double2 pair = __ldcg(reinterpret_cast<const double2*>(from));
  x[0] = pair.x, x[1] = pair.y;
}
__device__ __forceinline__ void load_beside(float (&x)[2], const float* from) {
  const float2 pair = __ldcg(reinterpret_cast<const float2*>(from));
  x[0] = pair.x, x[1] = pair.y;
}
template <class T>
__device__ __forceinline__ void load_beside(T (&x)[1], const T* from) {
  x[0] = __ldcg(from);
}
__device__ __forceinline__ void store_beside(double* to, const double (&x)[2]) {
  *reinterpret_cast<double2*>(to) = make_double2(x[0], x[1]);
}
__device__ __forceinline__ void store_beside(float* to, const float (&x)[2]) {
  *reinterpret_cast<float2*>(to) = make_float2(x[0], x[1]);
}
template <class T>
__device__ __forceinline__ void store_beside(T* to, const T (&x)[1]) {
  *to = x[0];
}

/// Calls visit(entries, address, there) for each group of adjacent entries of acc that the lane
/// holds; `address`: their place in the tile in memory. If the tile has no such cell, `there` is
/// false, and the address is any that may be read. The warp's 32 rows begin with cell row
/// `row_cell` of the tile.
template <class Loop, class Visit>
__device__ __forceinline__ void for_each_held(typename Loop::Accumulators& acc,
                                              const TileViewOf<typename Loop::T>& tile,
                                              int row_cell, int lane, const Visit& visit) {
  lane = anew(lane);
#pragma unroll
  for (int n = 0; n < kTileCells; ++n) {
    const int pair_entries = tile.pair_width(n) * kCellEntries;
    typename Loop::T* first = tile.cell(row_cell, n) + Loop::column(lane);
#pragma unroll
    for (int i = 0; i < Loop::kRows; ++i) {
      const bool there = tile.has(row_cell + Loop::row_cell(i), n);
      visit(acc[i][n],
            there ? first + Loop::row_cell(i) * pair_entries + Loop::row(i, lane) * kCell
                  : tile.first,
            there);
    }
  }
}

/// Subtracts the warp's 32 rows, from cell row row_cell on, of the tile in memory from acc. Entries
/// of acc in cells that the tile lacks become unspecified.
template <class Loop>
__device__ __forceinline__ void subtract_tile(typename Loop::Accumulators& acc,
                                              const TileViewOf<typename Loop::T>& tile,
                                              int row_cell, int lane) {
  using T = typename Loop::T;
  for_each_held<Loop>(acc, tile, row_cell, lane, [](T(&held)[Loop::kBeside], const T* at, bool) {
    T x[Loop::kBeside];
    load_beside(x, at);
#pragma unroll
    for (int b = 0; b < Loop::kBeside; ++b) held[b] -= x[b];
  });
}

/// Stores -acc to the warp's 32 rows, from cell row row_cell on, of the tile in memory; leaves out
/// cells that the tile lacks.
template <class Loop>
__device__ __forceinline__ void store_accumulators(typename Loop::Accumulators& acc,
                                                   const TileViewOf<typename Loop::T>& tile,
                                                   int row_cell, int lane) {
  using T = typename Loop::T;
  for_each_held<Loop>(acc, tile, row_cell, lane,
                      [](const T(&held)[Loop::kBeside], T* at, bool there) {
                        T x[Loop::kBeside];
#pragma unroll
                        for (int b = 0; b < Loop::kBeside; ++b) x[b] = -held[b];
                        if (there) store_beside(at, x);
                      });
}

/// The slabs of a diagonal tile in shared memory share places, if kTight: what lies above the
/// diagonal blocks of a slab, which nobody reads, lies in the slab before it. slab_place() returns
/// the place of a slab, its rows counted from the tile's first.
inline constexpr bool kPacksDiagonal = kTight;
template <bool kPacked>
KAURI_HOST_DEVICE constexpr int slab_place(int slab) {
  return slab * kSlabEntries - (kPacked ? slab * (slab + 1) * kPairEntries : 0);
}

/// Calls visit(entries, address, there) for the entries of acc that the lane holds in columns of
/// cells [first, end); `address`: their place in the slabs of a tile in shared memory, in the first
/// of which the warp's rows begin at x. kPacked: the tile is a packed diagonal one, the warp's rows
/// begin with row `row_cell` of its cells, and `there` is false for entries above diagonal blocks.
template <class Loop, bool kPacked, class Visit>
__device__ __forceinline__ void for_each_in_slabs(typename Loop::Accumulators& acc,
                                                  typename Loop::T* x, int first, int end, int lane,
                                                  int row_cell, const Visit& visit) {
  lane = anew(lane);
#pragma unroll
  for (int n = 0; n < kTileCells; ++n) {
    if (n < first || n >= end) continue;
#pragma unroll
    for (int i = 0; i < Loop::kRows; ++i)
      visit(acc[i][n],
            x + slab_place<kPacked>(n / 2) + n % 2 * kCellEntries +
                Loop::row_cell(i) * kPairEntries + Loop::row(i, lane) * kCell + Loop::column(lane),
            !kPacked || row_cell + Loop::row_cell(i) >= n / 2 * 2);
  }
}

/// Writes -acc to the warp's rows, which begin at x, of slabs in shared memory, for columns of
/// cells [first, end).
template <class Loop, bool kPacked = false>
__device__ __forceinline__ void put(typename Loop::Accumulators& acc, typename Loop::T* x,
                                    int first, int end, int lane, int row_cell = 0) {
  using T = typename Loop::T;
  for_each_in_slabs<Loop, kPacked>(acc, x, first, end, lane, row_cell,
                                   [](const T(&held)[Loop::kBeside], T* at, bool there) {
                                     if (!there) return;
#pragma unroll
                                     for (int b = 0; b < Loop::kBeside; ++b) at[b] = -held[b];
                                   });
}

/// Undoes put(): sets acc, for columns of cells [first, end), to minus the warp's rows of slabs;
/// entries above the diagonal blocks of a packed tile are unspecified.
template <class Loop, bool kPacked = false>
__device__ __forceinline__ void take(typename Loop::Accumulators& acc, typename Loop::T* x,
                                     int first, int end, int lane) {
  using T = typename Loop::T;
  for_each_in_slabs<Loop, kPacked>(acc, x, first, end, lane, 0,
                                   [](T(&held)[Loop::kBeside], const T* at, bool /*there*/) {
#pragma unroll
                                     for (int b = 0; b < Loop::kBeside; ++b) held[b] = -at[b];
                                   });
}

/// Subtracts the entries of the children that the front pulls from acc, child after child. `row`:
/// the warp's first row in the padded front; `column`: the tile's first column there; both
/// multiples of 8. Called by one warp, after wait_for_children().
template <class Loop>
__device__ __forceinline__ void gather(typename Loop::Accumulators& acc,
                                       const FrontViewOf<typename Loop::T>& front, int row,
                                       int column, int lane) {
  lane = anew(lane);
  for (int k = 0; k < front.child_count; ++k) {
    const ChildViewOf<typename Loop::T> child = front.child[k];
    int rows[Loop::kRows];
    symbolic::RowMapWord any = 0;
#pragma unroll
    for (int i = 0; i < Loop::kRows; ++i) {
      const symbolic::RowMapWord word = __ldg(child.map + row / kCell + Loop::row_cell(i));
      rows[i] = row_at(word, 1U << Loop::row(i, lane), kNoRow);
      any |= word;
    }
    if (any == 0) continue;  // the same for all lanes
    const symbolic::RowMapWord* columns_of = child.map + column / kCell;
#pragma unroll
    for (int n = 0; n < kTileCells; ++n) {
#pragma unroll
      for (int b = 0; b < Loop::kBeside; ++b) {
        const int c = row_at(__ldg(columns_of + n), 1U << (Loop::column(lane) + b), kNoColumn);
        const unsigned column_part = column_place(child, c);
#pragma unroll
        for (int i = 0; i < Loop::kRows; ++i)
          acc[i][n][b] -= child_entry(child, rows[i], c, row_place(child, rows[i]), column_part);
      }
    }
  }
}

}  // namespace kauri::numeric::cuda::kernels::portable

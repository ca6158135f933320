// Sums of tiles in the registers of a warp, and the products that are added to them: cells of L
// times rows of numbers. Tensor cores compute the transposed product: numbers are the left operand,
// L the right one. So the 16 bytes of a row of numbers or of a cell of L that a lane reads at once
// are adjacent in its registers, too (with L on the left each product took as many moves as reads),
// and nothing is transposed in memory. Fused multiply-adds, in double or float, leave each sum
// where tensor cores do.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/kernel/any_mma.cuh"
#include "numeric/cuda/solve/multi/shared.cuh"

namespace kauri::numeric::cuda::sweep::multi {

/// Number of groups of columns of numbers in a product: each of 16 columns, or one of 8 columns.
template <int kWidth>
constexpr int kGroups = kWidth == 8 ? 1 : kWidth / 16;

/// Number of a lane's slots: rows of a tile, own_row(at, slot), whose pairs of columns for_pairs()
/// visits. With 8 columns two lanes share two rows, one each.
template <int kWidth>
constexpr int kSlots = kWidth == 8 ? 2 : 4;
template <int kWidth>
__device__ int own_row(const Lane& at, int slot) {
  return kWidth == 8 ? 16 * at.warp + 8 * slot + 2 * at.t + (at.g >> 2)
                     : 16 * at.warp + 8 * (slot >> 1) + 2 * at.t + (slot & 1);
}
/// Returns the lane's first column: it has columns first_column() + step and the next of each row,
/// for the steps that for_pairs() visits.
template <int kWidth>
__device__ int first_column(const Lane& at) {
  return kWidth == 8 ? 2 * (at.g & 3) : 2 * at.g;
}

/// Sums of a warp's 16 rows, that is of two cells: of[cell][group of columns]. A lane has rows 2 t
/// and 2 t + 1 of a cell, in columns 2 g (the first two numbers) and 2 g + 1 (the last two) of a
/// group. With 8 columns lanes g and g + 4 hold the same numbers of tensor cores, but by
/// multiply-adds each has its own row alone, in two columns.
template <class K>
struct TileSums {
  static constexpr int kHeld = K::kWidth == 8 && K::kProducts == SweepProducts::fma ? 2 : 4;
  typename K::N of[2][kGroups<K::kWidth>][kHeld] = {};
};

/// Calls f(slot, step, x, y) for the lane's pairs of sums: x and y are those of row own_row(at,
/// slot) of the tile in columns first_column() + step and the next, and f may change them.
template <class K, class F>
__device__ void for_pairs(TileSums<K>& sum, const Lane& at, const F& f) {
#pragma unroll
  for (int cell = 0; cell < 2; ++cell) {
    if constexpr (TileSums<K>::kHeld == 2) {
      f(cell, 0, sum.of[cell][0][0], sum.of[cell][0][1]);
    } else if constexpr (K::kWidth == 8) {
      typename K::N(&c)[4] = sum.of[cell][0];
      const bool second = at.g >= 4;
      typename K::N x = second ? c[1] : c[0], y = second ? c[3] : c[2];
      f(cell, 0, x, y);
      c[0] = c[1] = x, c[2] = c[3] = y;
    } else {
#pragma unroll
      for (int r = 0; r < 2; ++r)
#pragma unroll
        for (int h = 0; h < kGroups<K::kWidth>; ++h)
          f(2 * cell + r, 16 * h, sum.of[cell][h][r], sum.of[cell][h][2 + r]);
    }
  }
}

/// Returns the calling lane's position, computed anew at each use: values that depend on it would
/// be kept in registers through all loops. For multiply-adds lanes are numbered otherwise: two
/// lanes side by side read the same row of L, and two that are 2 apart the same numbers, which lets
/// a read of 16 bytes a lane take half as long.
template <class K>
__device__ Lane here() {
  const auto thread = static_cast<unsigned>(ptx::thread_index()), lane = thread % 32;
  const auto at = [&](unsigned g, unsigned t) {
    return Lane{static_cast<int>(thread / 32), static_cast<int>(lane), static_cast<int>(g),
                static_cast<int>(t)};
  };
  if constexpr (K::kProducts == SweepProducts::fma)
    return at((lane & 1) | (lane >> 2 & 6), lane >> 1 & 3);
  else
    return at(lane / 4, lane % 4);
}

/// Addresses of a lane's numbers of a tile in shared memory, as for_pairs() visits them.
template <class K>
struct OwnRows {
  typename K::N* of[kSlots<K::kWidth>];
  int apart;  // from a row's first 16 columns to its last: turn_of() of floats exchanges them
  __device__ OwnRows(typename K::N* tile, const Lane& at)
      : apart(sizeof(typename K::N) == sizeof(double) || at.t < 2 ? 16 : -16) {
#pragma unroll
    for (int slot = 0; slot < kSlots<K::kWidth>; ++slot)
      of[slot] = tile + place_of<typename K::N, K::kWidth>(own_row<K::kWidth>(at, slot),
                                                           first_column<K::kWidth>(at));
  }
  [[nodiscard]] __device__ typename K::Pair& pair(int slot, int step) const {
    return *reinterpret_cast<typename K::Pair*>(of[slot] + (step == 0 ? 0 : apart));
  }
};

// ---- cells of L

/// Cells from `first` on that are multiplied by numbers: e = 0, 1 across the sum (forward cells of
/// rows, backward of columns), c along it. `width`: adjacent columns of cells. If only one of the
/// two cells across exists, the other may hold anything. entry() returns the entry at a place in
/// cell (e, c), which lies by rows; pair() that entry and the next of its row.
template <bool kForward, class S, class N>
struct Cells {
  const S* first;
  Index width;
  [[nodiscard]] __device__ const S* at(int e, int c, int place) const {
    return first + (kForward ? e * width + c : c * width + e) * kCellEntries + place;
  }
  [[nodiscard]] __device__ PairOf<N> pair(int e, int c, int place) const {
    return pair_at<N>(at(e, c, place));
  }
  [[nodiscard]] __device__ N entry(int e, int c, int place) const {
    return static_cast<N>(*at(e, c, place));
  }
};

/// Cells of an inverse; if `marked`, its mark, entry (0,1) of the first cell, counts as zero.
template <bool kForward, class S, class N>
struct MarkedCells {
  Cells<kForward, S, N> cells;
  bool marked;
  [[nodiscard]] __device__ PairOf<N> pair(int e, int c, int place) const {
    PairOf<N> both = cells.pair(e, c, place);
    if (marked && e == 0 && c == 0 && place == 0) both.y = 0;
    return both;
  }
  [[nodiscard]] __device__ N entry(int e, int c, int place) const {
    return marked && e == 0 && c == 0 && place == 1 ? N(0) : cells.entry(e, c, place);
  }
};

/// Two cells of a diagonal tile in global memory: those across the sum from cell 2 warp on, number
/// `along` along it. Entries above the diagonal and from row `rows` on are zeros. `first`: the
/// tile's first row in the panel.
template <bool kForward, class S, class N>
struct DiagonalCells {
  const S* panel;
  symbolic::CellLayout layout;
  Index first, rows;
  int warp, along;
  [[nodiscard]] __device__ N entry(int e, int /*c*/, int place) const {
    const int across = 8 * (2 * warp + e), other = 8 * along;
    const int row = (kForward ? across : other) + place / symbolic::kCell,
              column = (kForward ? other : across) + place % symbolic::kCell;
    return row < rows && column <= row
               ? static_cast<N>(__ldg(panel + layout.place(first + row, first + column)))
               : N(0);
  }
  [[nodiscard]] __device__ PairOf<N> pair(int e, int c, int place) const {
    return {entry(e, c, place), entry(e, c, place + 1)};
  }
};

// ---- products

/// Adds the product of kCells eights of numbers and of cells to the sums of one cell and group of
/// columns: by the instruction of Hopper's tensor cores, or by as many of others as it takes, which
/// have the same operands in the same lanes.
template <class K, int kFours>
__device__ void multiply(double (&sum)[4], const double (&a)[2 * kFours],
                         const double (&b)[kFours]) {
  if constexpr (K::kProducts == SweepProducts::hopper)
    ptx::mma(sum, a, b);
  else
    ptx::any_mma(sum, a, b);
}

/// A lane's share of a tile of numbers in shared memory, as left operand of the transposed product
/// of tensor cores: rows of numbers are its k, columns of numbers its rows. The two adjacent
/// numbers of a row that a lane reads at once have the same k. With t = lane % 4, the lane has rows
/// 2 t + e (e = 0, 1) of each eight rows of numbers forward, and t + 4 e backward.
template <bool kForward, class K>
struct TensorNumbers {
  static constexpr int kWidth = K::kWidth;
  const double* of[2];
  __device__ TensorNumbers(const double* tile, const Lane& at) {
#pragma unroll
    for (int e = 0; e < 2; ++e)
      of[e] = tile + place_of<double, kWidth>(kForward ? 2 * at.t + e : at.t + 4 * e,
                                              first_column<kWidth>(at));
  }
  /// Adds to sum the products of kCells cells along the sum with rows 8 cell to 8 (cell + kCells) -
  /// 1 of the tile of numbers.
  template <int kCells, class Right>
  __device__ void multiply(const Right& right, const Lane& at, Index cell, TileSums<K>& sum) const {
    double b[2][2 * kCells];
    take_right<kCells>(right, at, b);
    const Index first = cell * (symbolic::kCell * kWidth);
#pragma unroll
    for (int h = 0; h < kGroups<kWidth>; ++h) {
      double a[4 * kCells];
#pragma unroll
      for (int j = 0; j < 2 * kCells; ++j) {
        const double2 v = *reinterpret_cast<const double2*>(
            of[j % 2] + first + j / 2 * symbolic::kCell * kWidth + 16 * h);
        a[2 * j] = v.x, a[2 * j + 1] = v.y;
      }
      multi::multiply<K>(sum.of[0][h], a, b[0]);
      multi::multiply<K>(sum.of[1][h], a, b[1]);
    }
  }

 private:
  /// Loads a lane's right operands, L or its transpose.
  template <int kCells, class Right>
  __device__ static void take_right(const Right& right, const Lane& at,
                                    double (&b)[2][2 * kCells]) {
#pragma unroll
    for (int e = 0; e < 2; ++e)
#pragma unroll
      for (int c = 0; c < kCells; ++c) {
        if constexpr (kForward) {
          const double2 v = right.pair(e, c, 2 * at.lane);
          b[e][2 * c] = v.x, b[e][2 * c + 1] = v.y;
        } else {
#pragma unroll
          for (int j = 0; j < 2; ++j)
            b[e][2 * c + j] = right.entry(e, c, (4 * j + at.t) * symbolic::kCell + at.g);
        }
      }
  }
};

/// A tile of numbers in shared memory, and a lane's place in it, for fused multiply-adds: each lane
/// adds all products of its own sums. Forward, lanes of different t begin with different pairs of
/// L's columns (2 t, 2 t xor 2, ...), so that neither their rows of L nor their rows of numbers
/// meet in a bank: place_of() of rows a and b, and of a xor b, are related by xor, too.
template <bool kForward, class K>
struct FmaNumbers {
  using N = typename K::N;
  using Pair = typename K::Pair;
  static constexpr int kWidth = K::kWidth, kRows = kWidth == 8 ? 1 : 2;  // rows of a lane in a cell
  const N* tile;
  int first;
  __device__ FmaNumbers(const N* numbers, const Lane& at)
      : tile(numbers),
        first(place_of<N, kWidth>(kForward ? 2 * at.t : 0, first_column<kWidth>(at))) {}
  /// Adds products to sum, as TensorNumbers::multiply(). Loops are not unrolled further: loads
  /// would move to their beginning, and registers be spilled.
  template <int kCells, class Right>
  __device__ __forceinline__ void multiply(const Right& right, const Lane& at, Index cell,
                                           TileSums<K>& sum) const {
    const int row = 2 * at.t + (kRows == 1 ? at.g >> 2 : 0);
#pragma unroll 1
    for (int c = 0; c < kCells; ++c) {
      const N* numbers = tile + (cell + c) * (symbolic::kCell * kWidth);
#pragma unroll 1
      for (int k = 0; k < symbolic::kCell; k += 2) {
        N l[2][2][kRows];  // of products k and k + 1
        if constexpr (kForward) {
          take_rows(right, row, c, k ^ 2 * at.t, l);
        } else {
          take_columns(right, row, c, k, l[0]);
          take_columns(right, row, c, k + 1, l[1]);
        }
        const int place = first ^ place_of<N, kWidth>(k, 0);
#pragma unroll
        for (int u = 0; u < 2; ++u) add(l[u], numbers, place ^ place_of<N, kWidth>(u, 0), sum);
      }
    }
  }

 private:
  template <class Right>
  __device__ static __forceinline__ void take_rows(const Right& right, int row, int c, int column,
                                                   N (&l)[2][2][kRows]) {
#pragma unroll
    for (int e = 0; e < 2; ++e)
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const Pair v = right.pair(e, c, (row + r) * symbolic::kCell + column);
        l[0][e][r] = v.x, l[1][e][r] = v.y;
      }
  }
  template <class Right>
  __device__ static __forceinline__ void take_columns(const Right& right, int column, int c, int k,
                                                      N (&l)[2][kRows]) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      if constexpr (kRows == 1) {
        l[e][0] = right.entry(e, c, k * symbolic::kCell + column);
      } else {
        const Pair v = right.pair(e, c, k * symbolic::kCell + column);
        l[e][0] = v.x, l[e][1] = v.y;
      }
    }
  }
  __device__ static __forceinline__ void add(const N (&l)[2][kRows], const N* numbers, int place,
                                             TileSums<K>& sum) {
#pragma unroll
    for (int h = 0; h < kGroups<kWidth>; ++h) {
      const Pair y = *reinterpret_cast<const Pair*>(
          numbers + (sizeof(N) == sizeof(double) ? place + 16 * h : place ^ 16 * h));
#pragma unroll
      for (int e = 0; e < 2; ++e)
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          N(&to)[2 * kRows] = sum.of[e][h];
          to[r] = fma(l[e][r], y.x, to[r]);
          to[kRows + r] = fma(l[e][r], y.y, to[kRows + r]);
        }
    }
  }
};

template <bool kForward, class K>
using Numbers = std::conditional_t<K::kProducts == SweepProducts::fma, FmaNumbers<kForward, K>,
                                   TensorNumbers<kForward, K>>;

}  // namespace kauri::numeric::cuda::sweep::multi

// Products of tiles and of inverses of diagonal tiles with 64 numbers (single/tiles.cuh). Forward a
// warp has 16 rows of the tile, each a sum over four lanes; backward a warp has 16 columns, each a
// sum over eight lanes, and sums over tiles keep their rounding errors (dot2.cuh). Both read L in
// the order of its cells, 16 bytes per lane.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/solve/single/shared.cuh"

namespace kauri::numeric::cuda::sweep {

/// Positions of a multiplying warp in the rings of stages, inputs and starts.
struct Rings {
  Turn<kStages> stage;
  Turn<kInputs> input;
  Turn<2> start;
  unsigned parity = 0;  // index into TileShared::sum
};

template <class S, class N, class Loads>
__device__ inline const S* await_stage(const Tiles<S, N, Loads>& shared, const Rings& rings) {
  ptx::barrier_wait(&shared.barrier.full[rings.stage.at], rings.stage.phase);
  return shared.data.stage[rings.stage.at];
}
/// Hands the current stage back to the loader, behind a fence (BulkLoads::fence()).
template <class S, class N, class Loads>
__device__ inline void leave_stage(const Tiles<S, N, Loads>& shared, Rings& rings, int lane) {
  Loads::fence();
  __syncwarp();
  if (lane == 0) ptx::barrier_arrive(&shared.barrier.empty[rings.stage.at]);
  rings.stage.next();
}

/// A lane's part of a whole tile, loaded to registers before the numbers that multiply it come:
/// then only eight products per sum are left, and the loader refills the stages meanwhile.
template <class N>
struct WholeTile {
  PairOf<N> of[2][8];
};
__device__ inline bool is_whole(Index rows, Index columns) {
  return rows == symbolic::kTileCells && columns == symbolic::kTileCells;
}

/// Waits for the two stages of a whole tile, loads it, and leaves them. of[h][2 r + e + 4 pair]:
/// rows 16 w + 8 r + g, columns 2 t, 2 t + 1 of the cells in column 4 h + 2 pair + e (w, g, t: see
/// Lane).
template <class S, class N, class Loads>
__device__ inline void take_tile(const Tiles<S, N, Loads>& shared, Rings& rings, const Lane& at,
                                 WholeTile<N>& out) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const S* stage = await_stage(shared, rings) + at.lane * 2 + 2 * at.warp * kPair;
#pragma unroll
    for (int pair = 0; pair < 2; ++pair)
#pragma unroll
      for (int r = 0; r < 2; ++r)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          out.of[h][4 * pair + 2 * r + e] =
              pair_at<N>(stage + pair * kForwardPair + r * kPair + e * kCellEntries);
    leave_stage(shared, rings, at.lane);
  }
}
/// Waits for the two stages of a whole tile in the backward sweep, loads it, and leaves them.
/// of[h][2 k + c]: rows 8 (4 h + k) + g, columns 16 w + 8 c + 2 t and the next.
template <class S, class N, class Loads>
__device__ inline void take_tile_back(const Tiles<S, N, Loads>& shared, Rings& rings,
                                      const Lane& at, WholeTile<N>& out) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const S* stage = await_stage(shared, rings) + at.warp * kBackwardPair + at.lane * 2;
#pragma unroll
    for (int k = 0; k < 8; ++k) out.of[h][k] = pair_at<N>(stage + k * kCellEntries);
    leave_stage(shared, rings, at.lane);
  }
}

/// Adds the lane's products of rows 16 w + 8 r + g of the tile and x to sum[r][0] + sum[r][1]: two
/// sums, since a product waits for the one before it. sum_of_row() completes them.
template <class N>
__device__ inline void multiply_tile(const WholeTile<N>& tile, const Lane& at, const N* x,
                                     N (&sum)[2][2]) {
#pragma unroll
  for (int h = 0; h < 2; ++h)
#pragma unroll
    for (int pair = 0; pair < 2; ++pair)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const PairOf<N> y = pair_of(x + (4 * h + 2 * pair + e) * symbolic::kCell + 2 * at.t);
#pragma unroll
        for (int r = 0; r < 2; ++r) {
          const PairOf<N> v = tile.of[h][4 * pair + 2 * r + e];
          sum[r][0] = fma(v.x, y.x, sum[r][0]);
          sum[r][1] = fma(v.y, y.y, sum[r][1]);
        }
      }
}

/// Adds the lane's products of columns 16 w + 8 c + 2 t + e of the tile and rows g, 8 + g, ... of x
/// to part[2 c + e]: up to eight products per lane, rounded as they are added; sum_of_column()
/// completes them. Only the sum over tiles keeps its rounding errors (Dot2): ten operations per
/// product would be most of the time from one tile to the next.
template <class N>
__device__ inline void multiply_tile_back(const WholeTile<N>& tile, const Lane& at, const N* x,
                                          N (&part)[4]) {
#pragma unroll
  for (int h = 0; h < 2; ++h)
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const N number = x[(4 * h + k) * symbolic::kCell + at.g];
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const PairOf<N> v = tile.of[h][2 * k + c];
        part[2 * c] = fma(v.x, number, part[2 * c]);
        part[2 * c + 1] = fma(v.y, number, part[2 * c + 1]);
      }
    }
}

template <class N>
struct Four {
  N of[4];
};

/// Returns the sums of multiply_tile(), or of multiply_tile_back(), for a tile of `rows` x
/// `columns` cells at a front's edge, not all of eight. Few tiles are of this kind: so these are no
/// inline functions, and take the rings by value, which keeps them in registers; the caller
/// advances its own by pass_stages(). They read (columns + 3) / 4 stages forward, (rows + 3) / 4
/// backward.
template <class S, class N, class Loads>
__device__ __noinline__ Four<N> multiply_edge(Tiles<S, N, Loads> shared, Rings rings, Lane at,
                                              Index rows, Index columns, const N* x) {
  N sum[2][2] = {};
  for (Index c = 0; c < columns; c += 4) {
    const S* stage = await_stage(shared, rings) + at.lane * 2;
    for (int r = 0; r < 2; ++r) {
      if (2 * at.warp + r >= rows) continue;
      for (Index e = c; e < min(c + 4, columns); ++e) {
        const Index width = e % 2 == 0 && e == columns - 1 ? 1 : 2;
        const PairOf<N> y = pair_of(x + e * symbolic::kCell + 2 * at.t);
        const PairOf<N> v = pair_at<N>(stage + (e - c) / 2 * kForwardPair +
                                       ((2 * at.warp + r) * width + e % 2) * kCellEntries);
        const N first = fma(v.x, y.x, r == 0 ? sum[0][0] : sum[1][0]),
                second = fma(v.y, y.y, r == 0 ? sum[0][1] : sum[1][1]);
        if (r == 0)
          sum[0][0] = first, sum[0][1] = second;
        else
          sum[1][0] = first, sum[1][1] = second;
      }
    }
    leave_stage(shared, rings, at.lane);
  }
  return {{sum[0][0], sum[0][1], sum[1][0], sum[1][1]}};
}
template <class S, class N, class Loads>
__device__ __noinline__ Four<N> multiply_edge_back(Tiles<S, N, Loads> shared, Rings rings, Lane at,
                                                   Index rows, Index columns, const N* x) {
  const Index width = min(columns - 2 * at.warp, 2);
  Four<N> part{};
  for (Index r = 0; r < rows; r += symbolic::kTileCells / 2) {
    const S* stage = await_stage(shared, rings) + at.warp * kBackwardPair + at.lane * 2;
    for (int k = 0; k < min(rows - r, symbolic::kTileCells / 2); ++k) {
      const N number = x[(r + k) * symbolic::kCell + at.g];
      if (width >= 1) {
        const PairOf<N> v = pair_at<N>(stage + k * width * kCellEntries);
        part.of[0] = fma(v.x, number, part.of[0]), part.of[1] = fma(v.y, number, part.of[1]);
      }
      if (width == 2) {
        const PairOf<N> v = pair_at<N>(stage + (2 * k + 1) * kCellEntries);
        part.of[2] = fma(v.x, number, part.of[2]), part.of[3] = fma(v.y, number, part.of[3]);
      }
    }
    leave_stage(shared, rings, at.lane);
  }
  return part;
}

/// Advances the ring past the stages of a tile at an edge; `cells`: its cells in the direction in
/// which stages divide it, columns forward, rows backward.
__device__ inline void pass_stages(Rings& rings, Index cells) {
  for (Index k = 0; k < cells; k += 4) rings.stage.next();
}

/// Returns, in each lane, the sum of x over the four lanes of equal g.
template <class N>
__device__ inline N sum_of_row(N x) {
  x += exchange(x, 1);
  return x + exchange(x, 2);
}

/// Adds up each of four sums over the eight lanes of equal t, and returns one of the four in each
/// lane: that of column own_column().
template <class N>
__device__ inline N sum_of_column(const N (&sum)[4], int lane) {
  const bool high = lane & 16, odd = lane & 8;
  const N even = (high ? sum[2] : sum[0]) + exchange(high ? sum[0] : sum[2], 16);
  const N other = (high ? sum[3] : sum[1]) + exchange(high ? sum[1] : sum[3], 16);
  const N half = (odd ? other : even) + exchange(odd ? even : other, 8);
  return half + exchange(half, 4);
}
__device__ inline int own_column(const Lane& at) {
  return 16 * at.warp + 8 * (at.lane >> 4) + 2 * at.t + (at.lane >> 3 & 1);
}

/// Place of an inverse in L, for a ring that has no room for a tile behind an inverse (kTight).
template <class S>
struct PlaceInL {
  const S* in_l = nullptr;
};
struct NoPlace {};

/// The one or two stages that hold the inverse of a diagonal tile of `block_rows` block rows of 16
/// (two stages if four), kept until leave(). The constructor waits for them.
template <class S>
struct InverseStages : std::conditional_t<kTight, PlaceInL<S>, NoPlace> {
  const S* first;
  const S* second;
  int blocks;
  template <class N, class Loads>
  __device__ InverseStages(const Tiles<S, N, Loads>& shared, const Rings& rings, int block_rows)
      : first(await_stage(shared, rings)), second(first), blocks(block_rows) {
    if (blocks < 4) return;
    Rings next = rings;
    next.stage.next();
    second = await_stage(shared, next);
  }
  template <class N, class Loads>
  __device__ void leave(const Tiles<S, N, Loads>& shared, Rings& rings, int lane) const {
    leave_stage(shared, rings, lane);
    if (blocks == 4) leave_stage(shared, rings, lane);
  }
  /// Advances the ring past these stages without leaving them.
  __device__ void pass(Rings& rings) const {
    rings.stage.next();
    if (blocks == 4) rings.stage.next();
  }
  [[nodiscard]] __device__ bool needs_correction() const { return first[1] != 0; }
  /// Reads the inverse in L from now on, which has been left, if kTight.
  __device__ void read_in_l() {
    first = this->in_l;
    second = first + kFirstBlocks * symbolic::kInverseEntries;
  }
};

/// A lane's part of an inverse: of[j][2 r + c], forward of block (w, j), rows 8 r + g, columns 8 c
/// + 2 t and the next; backward of block (j, w). Zeros if there is none. Entry (0, 1) of the first
/// block marks inverses that need a correction, and counts as zero.
template <class N>
struct Inverse {
  PairOf<N> of[4][4];
};
template <bool kForward, class S, class N>
__device__ void take_inverse(const InverseStages<S>& stages, const Lane& at, Inverse<N>& out) {
  static_assert(kFirstBlocks ==
                6);  // rows 0 to 2 of blocks in the first stage, row 3 in the second
  const int before = at.warp < 3 ? at.warp * (at.warp + 1) / 2 : 0;
  const S* row = (at.warp < 3 ? stages.first : stages.second) + before * symbolic::kInverseEntries +
                 at.lane * 2;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const bool there =
        kForward ? j <= at.warp && at.warp < stages.blocks : at.warp <= j && j < stages.blocks;
    const S* from = row + j * symbolic::kInverseEntries;
    if constexpr (!kForward)
      from = (j < 3 ? stages.first + j * (j + 1) / 2 * symbolic::kInverseEntries : stages.second) +
             at.warp * symbolic::kInverseEntries + at.lane * 2;
#pragma unroll
    for (int cell = 0; cell < 4; ++cell)
      out.of[j][cell] = there ? pair_at<N>(from + cell * kCellEntries) : PairOf<N>{0, 0};
  }
  if (at.warp == 0 && at.lane == 0) out.of[0][0].y = 0;
}

/// Sets out[r] to row 16 w + 8 r + g of V x, in all lanes. x: 64 numbers in shared memory, zeros
/// behind the rows of the tile.
template <class N>
__device__ inline void multiply_inverse(const Inverse<N>& v, const Lane& at, const N* x,
                                        N (&out)[2]) {
  N sum[2][2] = {};
#pragma unroll
  for (int j = 0; j < 4; ++j)
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      const PairOf<N> y = pair_of(x + 16 * j + 8 * c + 2 * at.t);
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum[r][0] = fma(v.of[j][2 * r + c].x, y.x, sum[r][0]);
        sum[r][1] = fma(v.of[j][2 * r + c].y, y.y, sum[r][1]);
      }
    }
  out[0] = sum_of_row(sum[0][0] + sum[0][1]), out[1] = sum_of_row(sum[1][0] + sum[1][1]);
}

/// Returns row own_column() of V^T x; x: 64 numbers in shared memory, zeros behind the rows of the
/// tile.
template <class N>
__device__ inline N multiply_inverse_back(const Inverse<N>& v, const Lane& at, const N* x) {
  N sum[2][4] = {};
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const N number = x[16 * i + 8 * r + at.g];
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        sum[r][2 * c] = fma(v.of[i][2 * r + c].x, number, sum[r][2 * c]);
        sum[r][2 * c + 1] = fma(v.of[i][2 * r + c].y, number, sum[r][2 * c + 1]);
      }
    }
  const N all[4] = {sum[0][0] + sum[1][0], sum[0][1] + sum[1][1], sum[0][2] + sum[1][2],
                    sum[0][3] + sum[1][3]};
  return sum_of_column(all, at.lane);
}

}  // namespace kauri::numeric::cuda::sweep

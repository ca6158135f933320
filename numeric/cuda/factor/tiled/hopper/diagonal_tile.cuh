// A diagonal tile of a front: 64 columns factorised by the four warps of a team in shared memory.
//
// A 64 x 64 tile is done in four steps of 16 columns. One warp eliminates a 16 x 16 block with an
// identity below it, one row per lane, without square roots on the way (L D L^T, scaled at the
// end), which gives L and its inverse at once. All other work is products by mma whose accumulators
// are the next operands. The other warps wait for this warp: it does no more than the next block
// needs, and they do the rest.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/eliminate.cuh"
#include "numeric/cuda/factor/tiled/update.cuh"

namespace kauri::numeric::cuda::kernels {

// Named barriers of a team. Warps 1-3 work ahead of warp 0, which waits for the least that it needs
// of them. kColumnBarrier and kBlockBarrier serve three warps (kEarly threads) in block column 0
// and two (kPair) in block column 1.
inline constexpr int kLoadedBarrier = 0;  // (also sync_consumers()) warp 0 waits for warp 3: at s =
                                          // 0 for block row 1, at s = 2 for row 3
inline constexpr int kBegunBarrier = 1;   // the stages belong to the chain
inline constexpr int kSquareBarrier = 2;  // warp 0 waits for warp 1's square, and until warps 2, 3
                                          // have read L(j,j)'s block columns 0-2
inline constexpr int kColumnBarrier =
    3;  // warps 1 and 2 (s = 0), warp 3 (s = 1) wait for warp 0's block (s+1,s) of L(j,j)
inline constexpr int kUpdatedBarrier =
    4;  // warp 0 waits until warps 1 and 2 have subtracted their products of block column 0
inline constexpr int kBelowBarrier =
    5;  // warps 1-3 wait for one another before one reads or overwrites what another has made
inline constexpr int kBlockBarrier =
    6;  // warps 1 and 2 wait for diagonal block 0, warp 3 for diagonal block 1
inline constexpr int kLastRowsBarrier = 7;  // warps 1 and 2 wait for one another
inline constexpr int kPair = 64;            // threads of two warps
inline constexpr int kHelpers = 96;         // threads of warps 1-3
inline constexpr int kEarly = 96;           // threads of warps 0-2

/// Barriers of a team's chains, in shared memory outside the stages. Each completes one phase per
/// step, that is per diagonal tile. "Stored" means copied to global memory.
struct ChainBarriers {
  std::uint64_t column[kSlabs];  // s: block column s of L(j,j) and the inverse of block s are
                                 // complete
  std::uint64_t rows;            // blocks (2,0) and (3,0) of L(j,j) are complete
  std::uint64_t first;           // the products of all columns before j-1 are subtracted from tiles
                                 // (j,j) and (j+1,j) in global memory (kPrepared); block (0,0) of
                                 // that tile (j,j) is in ChainMemory::first if the tile has all
                                 // cells; block columns 0-2 of L(j-1,j-1) are stored
  std::uint64_t diagonal;        // all columns of L(j-1,j-1) are stored
  std::uint64_t left;            // L(j+1,j-1) is in ChainMemory::left; L(j,j-1) is stored
  std::uint64_t below;  // L(j+1,j) is in ChainMemory::below, and ChainMemory::left and L(j,j) are
                        // no longer read
  unsigned steps;       // number of steps of finished chains
};

/// Returns the number of arrivals at ChainBarriers::column[s] in a step: of warps 0-2 for s = 0,
/// else of warps 0 and 3. Warp 3 makes no part of block columns 2 and 3; it arrives there so that
/// no phase ends while a warp still waits for the phase before.
__device__ constexpr int makers_of_column(int s) { return s == 0 ? 3 : 2; }

/// Initialises the barriers before the first chain. Called by one thread.
__device__ inline void start(ChainBarriers& barriers) {
  for (int s = 0; s < kSlabs; ++s) ptx::barrier_init(barriers.column + s, makers_of_column(s));
  ptx::barrier_init(&barriers.rows, 2);
  ptx::barrier_init(&barriers.first, 2);
  ptx::barrier_init(&barriers.diagonal, 1);
  ptx::barrier_init(&barriers.left, 2);
  ptx::barrier_init(&barriers.below, kConsumerWarps - 1);
  barriers.steps = 0;
}

/// Shared memory of a chain, in place of the ring's stages.
struct ChainMemory {
  double* diagonal;  // 1 tile: (j,j) minus products (D), then L(j,j)
  double* below;     // 1 tile: L(j,j-1), then L(j+1,j)
  double* left;      // 1 tile: L(j+1,j-1); then the last 16 rows of minus the tile below, with all
                     // products of columns before j
  double* inverse;   // inverses of the 4 diagonal blocks of L(j,j)
  double* columns;   // kExchangeEntries: scratch of eliminate()
  double* first;     // 4 cells: block (0,0) of the next D
  double* square;    // a warp's accumulators: the product that is subtracted from block (0,0)
  int* corrected;    // 4: with block s, 2^k for each block k <= s whose inverse needs a correction
  ChainBarriers* barriers;
};
inline constexpr int kChainEntries =
    3 * kTileEntries + 4 * kInverseEntries + kExchangeEntries + 8 * kCellEntries + 16;

/// Returns the addresses of a chain's memory, computed anew from its beginning: kept, so many
/// addresses would be spilled.
__device__ inline ChainMemory chain_memory(ptx::SharedAddress begin, ChainBarriers* barriers) {
  double* diagonal = ptx::shared_pointer(ptx::anew(begin));
  double* inverse = diagonal + 3 * kTileEntries;
  double* columns = inverse + 4 * kInverseEntries;
  double* first = columns + kExchangeEntries;
  double* square = first + 4 * kCellEntries;
  int* corrected = reinterpret_cast<int*>(square + 4 * kCellEntries);
  return {diagonal,
          diagonal + kTileEntries,
          diagonal + 2 * kTileEntries,
          inverse,
          columns,
          first,
          square,
          corrected,
          barriers};
}

/// Returns true if x is positive and finite.
__device__ inline bool is_pivot(double x) { return x > 0.0 && x <= 1.7976931348623157e308; }

struct EliminatedBlock {
  FailedPivot<double> failed;
  bool nearly_singular;
};

/// Loads a 16 x 16 block's row at `cells` in lanes 0-15, a row of the identity below in the others.
__device__ inline void load_rows(double (&a)[16], const double* cells, int lane) {
  const int row = lane & 15;
#pragma unroll
  for (int c = 0; c < 16; c += 2) {
    const double2 pair =
        *reinterpret_cast<const double2*>(cells + (c >> 3) * kCellEntries + (c & 7));
    a[c] = lane < 16 ? pair.x : (c == row ? 1.0 : 0.0);
    a[c + 1] = lane < 16 ? pair.y : (c + 1 == row ? 1.0 : 0.0);
  }
}

/// Eliminates 16 columns, one row per lane and one column at a time, by roots: for pivots of any
/// magnitude. Pivots that are not positive and finite become 1, and the first of them is returned.
/// `column`: 16 numbers in shared memory. Called by one warp.
__device__ inline FailedPivot<double> eliminate_guarded(double (&a)[16], double* column, int lane) {
  FailedPivot<double> failed;
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    if (lane < 16) column[lane] = a[k];
    __syncwarp();
    double pivot = column[k];
    if (!is_pivot(pivot)) {
      if (failed.column == 16) failed = {k, pivot};
      pivot = 1.0;
    }
    const double over_root = 1.0 / sqrt(pivot);  // a normal number for every pivot
    a[k] *= over_root;
#pragma unroll
    for (int c = k + 1; c < 16; ++c) a[c] = fma(-a[k], column[c] * over_root, a[c]);
    __syncwarp();
  }
  return failed;
}

/// Replaces block (s,s) of the tile in memory.diagonal, products of earlier columns subtracted, by
/// its factor, and writes that factor's inverse to memory.inverse. Called by one warp.
__device__ inline EliminatedBlock eliminate_block(const ChainMemory& memory, int s, int lane) {
  const int row = lane & 15;
  double* cells = memory.diagonal + shared_cell(2 * s + (row >> 3), 2 * s) + (row & 7) * 8;
  double* inverse = memory.inverse + s * kInverseEntries;
  const double diagonal = cells[(row >> 3) * kCellEntries + (row & 7)];
  FailedPivot<double> failed;
  double a[16];
  load_rows(a, cells, lane);
  if (eliminate(a, memory.columns, 16, lane) >= 0) {
    load_rows(a, cells, lane);
    failed = eliminate_guarded(a, memory.columns, lane);
  }
  if (lane < 16) {
#pragma unroll
    for (int c = 0; c < 16; c += 2) {
      *reinterpret_cast<double2*>(cells + (c >> 3) * kCellEntries + (c & 7)) =
          make_double2(c <= row ? a[c] : 0.0, c + 1 <= row ? a[c + 1] : 0.0);
    }
  } else {
#pragma unroll
    for (int c = 0; c < 16; ++c)
      inverse[((c >> 3) * 2 + (row >> 3)) * kCellEntries + (c & 7) * 8 + (row & 7)] = a[c];
  }
  const bool nearly_singular = is_nearly_singular(a, diagonal, 16, lane);
  __syncwarp();
  return {failed, nearly_singular};
}

__device__ inline void store_block(double* tile, const double (&c)[2][4], int row_block,
                                   int column_block, int lane) {
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    store_cell(tile, 2 * row_block, 2 * column_block + n, lane, c[n][0], c[n][1]);
    store_cell(tile, 2 * row_block + 1, 2 * column_block + n, lane, c[n][2], c[n][3]);
  }
}

/// Step j of a chain: its tiles, and the products and children that they take.
struct ChainStep {
  TileView diagonal;  // tile (j, j)
  bool has_product;  // L(j, j-1) L(j, j-1)^T is still to be subtracted from (j, j), and L(j+1, j-1)
                     // L(j, j-1)^T from (j+1, j)
  bool pulls;        // the children's entries are to be added to both tiles, too
  int row, column;   // first padded row of the tile below; first padded column of the diagonal tile
  unsigned phase;    // parity of the phase of the chain's barriers in this step

  /// Returns true if the diagonal tile has all cells.
  __device__ bool whole() const { return diagonal.width == symbolic::kTileCells; }
};

/// Copies block (row, column) of tile (j,j) in global memory, zeros if missing, to memory.diagonal.
__device__ inline void put_block(const ChainMemory& memory, const ChainStep& step, int row,
                                 int column, int lane) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const double2 cell = load_cell(step.diagonal, 2 * row + i / 2, 2 * column + i % 2, lane);
    store_cell(memory.diagonal, 2 * row + i / 2, 2 * column + i % 2, lane, cell.x, cell.y);
  }
}

/// Sets the cells of block (row, column) in memory.diagonal that tile (j,j) lacks to those of an
/// identity: gather() has added entries of rows below the pivots there.
__device__ inline void fill_missing(const ChainMemory& memory, const ChainStep& step, int row,
                                    int column, int lane) {
  const double x = (lane >> 2) == 2 * (lane & 3) ? 1.0 : 0.0,
               y = (lane >> 2) == 2 * (lane & 3) + 1 ? 1.0 : 0.0;
#pragma unroll 1
  for (int i = 0; i < 4; ++i) {
    const int r = 2 * row + i / 2, k = 2 * column + i % 2;
    if (max(r, k) < step.diagonal.width) continue;
    store_cell(memory.diagonal, r, k, lane, r == k ? x : 0.0, r == k ? y : 0.0);
  }
}

/// Subtracts a product, held as accumulators, from block (row,column) of memory.diagonal.
__device__ inline void subtract(const ChainMemory& memory, const double (&product)[2][4], int row,
                                int column, int lane) {
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    const double2 top = load_cell(memory.diagonal, 2 * row, 2 * column + n, lane);
    const double2 bottom = load_cell(memory.diagonal, 2 * row + 1, 2 * column + n, lane);
    store_cell(memory.diagonal, 2 * row, 2 * column + n, lane, top.x - product[n][0],
               top.y - product[n][1]);
    store_cell(memory.diagonal, 2 * row + 1, 2 * column + n, lane, bottom.x - product[n][2],
               bottom.y - product[n][3]);
  }
}

/// Adds blocks (row, column..) of X X^T, (16, 8 kCells), to c; X = L(j,j-1) is in memory.below.
template <int kCells>
__device__ inline void add_products(double (&c)[kCells][4], const ChainMemory& memory, int row,
                                    int column, int lane) {
#pragma unroll 2
  for (int k = 0; k < 8; k += 2) {
    double a[8], b[4];
    load_a(a, memory.below, 2 * row, k, lane);
#pragma unroll
    for (int n = 0; n < kCells; ++n) {
      load_b(b, memory.below, 2 * column + n, k, lane);
      ptx::mma(c[n], a, b);
    }
  }
}

/// Stores c - products to blocks (row, column..) of the diagonal tile in memory.diagonal, if row <
/// blocks; sets cells that tile (j,j) lacks to those of an identity.
template <int kCells>
__device__ inline void put_blocks(const double (&c)[kCells][4], const double (&products)[kCells][4],
                                  const ChainMemory& memory, const ChainStep& step, int blocks,
                                  int row, int column, int lane) {
  if (row >= blocks) return;
#pragma unroll
  for (int n = 0; n < kCells; ++n) {
#pragma unroll
    for (int r = 0; r < 2; ++r)
      store_cell(memory.diagonal, 2 * row + r, 2 * column + n, lane,
                 c[n][2 * r] - products[n][2 * r], c[n][2 * r + 1] - products[n][2 * r + 1]);
  }
  if (step.whole()) return;
#pragma unroll
  for (int n = 0; n < kCells; n += 2) fill_missing(memory, step, row, column + n / 2, lane);
}

/// Loads the blocks of the diagonal tile but (0,0) from global memory to memory.diagonal, minus X
/// X^T if step.has_product, X = L(j,j-1), plus the children's entries: three by each of warps 1-3.
/// Warps 1 and 2 take a row of blocks each, warp 3 takes first the blocks that warp 0 needs first,
/// then block (3,2). `blocks`: number along the side of L(j,j). Called after ChainBarriers::first.
/// `then` is called once the warp's loads are issued, to issue loads for later use.
template <class Then>
__device__ inline void load_others(const ChainMemory& memory, const FrontView& front,
                                   const ChainStep& step, int blocks, const Member& me,
                                   const Then& then) {
  const int lane = me.lane;
  const int row = me.warp < 3 ? me.warp + 1 : 1, last_row = me.warp < 3 ? row : 3,
            last = me.warp < 3 ? row : 2;
  // c: blocks (row, 0) and (row, 1); d: block (last_row, last). What is subtracted from c is summed
  // in `products` while c and d are being loaded; that of d follows, in last_products.
  double c[4][4], d[2][4], products[4][4];
#pragma unroll
  for (int n = 0; n < 4; ++n) set_zero(products[n]);
  load_cells(c, step.diagonal, step.whole(), 2 * row, 0, lane);
  load_cells(d, step.diagonal, step.whole(), 2 * last_row, 2 * last, lane);
  then();
  if (step.pulls) gather<1, 4>(&products, front, step.column + 16 * row, step.column, lane);
  if (step.has_product) add_products(products, memory, row, 0, lane);
  ptx::barrier_wait(&memory.barriers->diagonal, step.phase);
  put_blocks(c, products, memory, step, blocks, row, 0, lane);
  __syncwarp();
  if (me.warp == 3 && blocks > 1) ptx::named_arrive(me.barriers + kLoadedBarrier, kPair);
  double last_products[2][4];
  set_zero(last_products[0]), set_zero(last_products[1]);
  if (step.pulls)
    gather<1, 2>(&last_products, front, step.column + 16 * last_row, step.column + 16 * last, lane);
  if (step.has_product) add_products(last_products, memory, last_row, last, lane);
  put_blocks(d, last_products, memory, step, blocks, last_row, last, lane);
  __syncwarp();
}

/// Loads block (0,0) to memory.diagonal, adds the children's entries, and subtracts what
/// make_below() left in memory.square, each if the step has it. Called by warp 0.
__device__ inline void load_first(const ChainMemory& memory, const FrontView& front,
                                  const ChainStep& step, const Member& me) {
  const int lane = me.lane;
  double c[2][4];
  set_zero(c[0]), set_zero(c[1]);
  if (step.pulls) gather<1, 2>(&c, front, step.column, step.column, lane);
  ptx::barrier_wait(&memory.barriers->first, step.phase);
  if (step.has_product) {
    ptx::named_sync(me.barriers + kSquareBarrier, kConsumers);
    const double2* square = reinterpret_cast<const double2*>(memory.square) + lane;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const double2 pair = square[32 * i];
      c[i / 2][i % 2 * 2] += pair.x, c[i / 2][i % 2 * 2 + 1] += pair.y;
    }
  }
  if (step.whole()) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const double2 cell = reinterpret_cast<const double2*>(memory.first)[32 * i + lane];
      store_cell(memory.diagonal, i / 2, i % 2, lane, cell.x, cell.y);
    }
  } else {
    put_block(memory, step, 0, 0, lane);
  }
  subtract(memory, c, 0, 0, lane);
  if (!step.whole()) fill_missing(memory, step, 0, 0, lane);
  __syncwarp();
}

/// Computes C inv(T)^T as the accumulators `left` and `right`, c: C as an A operand, T: diagonal
/// block s of L(j,j), whose inverse must be in memory; corrected if `corrects`. The signs of C and
/// of the result may both be flipped. Called by one warp.
__device__ inline void multiply_inverse(const ChainMemory& memory, double (&left)[4],
                                        double (&right)[4], const double (&c)[8], int s,
                                        bool corrects, int lane) {
  const double* inverse = memory.inverse + s * kInverseEntries;
  if (corrects)
    return multiply_corrected(left, right, c, memory.diagonal + shared_cell(2 * s, 2 * s), inverse,
                              lane);
  double b[4];
  load_b(b, inverse, 0, 0, lane);
  set_zero(left);
  ptx::mma(left, c, b);
  load_b(b, inverse, 1, 0, lane);
  set_zero(right);
  ptx::mma(right, c, b);
}

/// Replaces block (row,s) of the tile in memory.diagonal by that of L(j,j), and returns it in x,
/// too. Products of earlier columns must be subtracted, and the inverse of block (s,s) made.
/// `corrects`: see multiply_inverse(). Called by one warp.
__device__ inline void solve_block(const ChainMemory& memory, double (&x)[2][4], int row, int s,
                                   bool corrects, int lane) {
  double a[8];
  load_a(a, memory.diagonal, 2 * row, 2 * s, lane);
  multiply_inverse(memory, x[0], x[1], a, s, corrects, lane);
  store_block(memory.diagonal, x, row, s, lane);
}

/// Adds x x^T to square, both 16 x 16 blocks held as accumulators.
__device__ inline void add_square(double (&square)[2][4], const double (&x)[2][4]) {
  double left[8];
  as_operand(left, x[0], x[1]);
  const double top[4] = {x[0][0], x[0][1], x[1][0], x[1][1]},
               bottom[4] = {x[0][2], x[0][3], x[1][2], x[1][3]};
  ptx::mma(square[0], left, top);
  ptx::mma(square[1], left, bottom);
}

/// Subtracts x x^T from block (row,row) in memory.diagonal, x: block (row,s) of L(j,j).
__device__ inline void subtract_square(const ChainMemory& memory, const double (&x)[2][4], int row,
                                       int lane) {
  double square[2][4];
  set_zero(square[0]), set_zero(square[1]);
  add_square(square, x);
  subtract(memory, square, row, row, lane);
  __syncwarp();
}

/// Makes block (row,s) of L(j,j), subtracts its square from block (row,row). Called by one warp.
__device__ inline void take_row(const ChainMemory& memory, int row, int s, bool corrects,
                                int lane) {
  double x[2][4];
  solve_block(memory, x, row, s, corrects, lane);
  subtract_square(memory, x, row, lane);
}

/// Subtracts L's block (row,s) times block (column,s) transposed from block (row,column).
__device__ inline void subtract_blocks(const ChainMemory& memory, int row, int column, int s,
                                       int lane) {
  double left[8], right[4], product[2][4];
  load_a(left, memory.diagonal, 2 * row, 2 * s, lane);
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    load_b(right, memory.diagonal, 2 * column + n, 2 * s, lane);
    set_zero(product[n]);
    ptx::mma(product[n], left, right);
  }
  subtract(memory, product, row, column, lane);
  __syncwarp();
}

/// Arrives at barrier column[s]: this warp's part of block column s of L(j,j) is complete, or none.
__device__ inline void finish_column(const ChainMemory& memory, int s, int lane) {
  ptx::shared_proxy_fence();
  __syncwarp();
  if (lane == 0) ptx::barrier_arrive(memory.barriers->column + s);
}

/// Does the part of warps 1-3 in L(j,j), of `blocks` >= 2 blocks along its side. After block (0,0),
/// warps 1 and 2 make blocks (2,0) and (3,0) and subtract products from (2,2), (3,3), (2,1) and
/// (3,1); after block (1,1), warp 3 makes block (3,1) and updates (3,2) and (3,3). Warp 3 comes
/// later than warps 1 and 2, which do not wait for it.
__device__ inline void help_below(const ChainMemory& memory, const ChainStep& step, int blocks,
                                  const Member& me) {
  const bool later = me.warp == 3;
  const int row = later ? 3 : me.warp + 1, s = later ? 1 : 0;
  if (later) {
    if (blocks < 4) return finish_column(memory, 1, me.lane);
    ptx::barrier_wait(&memory.barriers->rows, step.phase);
    subtract_blocks(memory, 3, 2, 0, me.lane);
  }
  ptx::named_sync(me.barriers + kBlockBarrier, later ? kPair : kEarly);
  if (row < blocks) take_row(memory, row, s, (memory.corrected[s] >> s & 1) != 0, me.lane);
  if (!later && me.lane == 0) ptx::barrier_arrive(&memory.barriers->rows);
  finish_column(memory, s, me.lane);
  ptx::named_sync(me.barriers + kColumnBarrier, later ? kPair : kEarly);
  if (row < blocks) subtract_blocks(memory, row, s + 1, s, me.lane);
  if (later)
    ptx::named_arrive(me.barriers + kLoadedBarrier, kPair);
  else if (blocks > 2)
    ptx::named_arrive(me.barriers + kUpdatedBarrier, kEarly);
}

/// Arrives at barriers->column and ->rows in place of help_below(), for a tile of one block.
__device__ inline void help_nothing(const ChainMemory& memory, const Member& me) {
  finish_column(memory, me.warp / 3, me.lane);
  if (me.warp < 3 && me.lane == 0) ptx::barrier_arrive(&memory.barriers->rows);
}

/// Makes block (s+1,s) of L(j,j), and subtracts its square from block (s+1,s+1). Called by warp 0,
/// after it has eliminated block (s,s).
__device__ inline void eliminate_below(const ChainMemory& memory, int s, int blocks, bool corrects,
                                       const Member& me) {
  const bool helped = s == 1 && blocks > 3;
  if (s == 0) {
    ptx::named_arrive(me.barriers + kBlockBarrier, kEarly);
    ptx::named_sync(me.barriers + kLoadedBarrier, kPair);
  } else if (s == 1) {
    ptx::named_sync(me.barriers + kUpdatedBarrier, kEarly);
    if (helped) ptx::named_arrive(me.barriers + kBlockBarrier, kPair);
  } else {
    ptx::named_sync(me.barriers + kLoadedBarrier, kPair);
  }
  double x[2][4];
  solve_block(memory, x, s + 1, s, corrects, me.lane);
  if (s == 0) ptx::named_arrive(me.barriers + kColumnBarrier, kEarly);
  if (helped) ptx::named_arrive(me.barriers + kColumnBarrier, kPair);
  finish_column(memory, s, me.lane);
  subtract_square(memory, x, s + 1, me.lane);
}

/// Does warp 0's part of L(j,j), whose block (0,0) is loaded. Records the front's first failed
/// pivot unless failed_before, then sets that.
__device__ inline void eliminate_tile(const FrontView& front, const ChainMemory& memory, int j,
                                      int blocks, const Member& me, bool& failed_before) {
  int corrected = 0;
  for (int s = 0; s < blocks; ++s) {
    const auto [failed, corrects] = eliminate_block(memory, s, me.lane);
    corrected |= static_cast<int>(corrects) << s;
    if (me.lane == 0) memory.corrected[s] = corrected;
    if (failed.column < 16 && !failed_before) {
      failed_before = true;
      if (me.lane == 0)
        front.counters[kFailed] = 1 + j * kTile + 16 * s + failed.column,
        *front.failed_pivot = failed.value;
    }
    if (s + 1 < blocks) eliminate_below(memory, s, blocks, corrects, me);
  }
  for (int s = blocks - 1; s < kSlabs; ++s) finish_column(memory, s, me.lane);
}

}  // namespace kauri::numeric::cuda::kernels

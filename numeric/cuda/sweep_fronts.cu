// Sweeps through narrow and small fronts, a warp each. Fronts are dealt in turn, in the order of their levels: a warp knows its next front,
// and has its panel and all that no other front makes brought while it does this one. Substitution goes column by column, a row a lane (two
// in fronts of more than 32 rows); reciprocals of the diagonal are taken while numbers are awaited.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "numeric/cuda/kernels/draw.cuh"
#include "numeric/cuda/sweep.cuh"
#include "numeric/cuda/tile.cuh"

namespace kauri::numeric::cuda {
namespace {

namespace ptx = kernels::ptx;
using symbolic::packed_column;
constexpr unsigned kAll = 0xffffffffu;
constexpr int kFrontWords = sizeof(Front) / sizeof(int);

/// What a warp has in shared memory: panels of two fronts, one from the beginning and one to the end, if both fit.
template <int kRows>
struct WarpShared {
  static constexpr int kPanel = kRows * (kRows + 1) / 2;
  static constexpr int kRoom = kRows <= 32 ? 2 * kPanel : kPanel + kPanel / 4;
  double panel[kRoom];
  double x[kRows];
  Front front[2];
  std::uint64_t full[2];
};

template <int kRows>
struct Shape {
  static constexpr int kHalves = kRows / 32;           // rows of a lane
  static constexpr int kWarps = kRows <= 32 ? 8 : 5;   // of a block
  static constexpr int kBlocks = kRows <= 32 ? 3 : 2;  // of a multiprocessor
  static constexpr int kBytes = kWarps * static_cast<int>(sizeof(WarpShared<kRows>));
};

/// The fronts of one warp: view.order[first], then every so many up or down, `count` of them. Descriptions are two ahead, panels one.
template <int kRows>
class Fronts {
 public:
  __device__ Fronts(WarpShared<kRows>& shared, const SweepView& view, const double* l, Index first, Index step, Index count, int lane)
      : shared_(shared), view_(view), l_(l), first_(first), step_(step), count_(count), lane_(lane) {
    if (lane == 0) {
      ptx::barrier_init(&shared.full[0], 1), ptx::barrier_init(&shared.full[1], 1);
      ptx::barrier_init_fence();
    }
    __syncwarp();
    if (count == 0) return;
    word_ = word_of(view.order[first]);
    describe_next();
    bring(0);
  }
  /// Descriptions and panels go on: front() is number k, following() the one after it.
  __device__ void begin(Index k) {
    k_ = k;
    if (k + 1 == count_) return;
    describe_next();
    fits_ = storage(k) + storage(k + 1) <= WarpShared<kRows>::kRoom;
    if (fits_) bring(k + 1);
  }
  /// The warp has read the panel.
  __device__ void end() {
    __syncwarp();
    if (k_ + 1 < count_ && !fits_) bring(k_ + 1);
  }
  [[nodiscard]] __device__ const Front& front() const { return shared_.front[k_ & 1]; }
  [[nodiscard]] __device__ const Front& following() const { return shared_.front[(k_ & 1) ^ 1]; }
  __device__ const double* await_panel() const {
    ptx::barrier_wait(&shared_.full[k_ & 1], static_cast<unsigned>(k_) >> 1 & 1u);
    return shared_.panel + place(k_);
  }

 private:
  [[nodiscard]] __device__ int word_of(Index s) const {
    return lane_ < kFrontWords ? __ldg(reinterpret_cast<const int*>(view_.front + s) + lane_) : 0;
  }
  /// The description in word_ to shared memory, that of the one after it to word_.
  __device__ void describe_next() {
    if (lane_ < kFrontWords) reinterpret_cast<int*>(&shared_.front[described_ & 1])[lane_] = word_;
    ++described_;
    __syncwarp();
    if (described_ < count_) word_ = word_of(view_.order[first_ + described_ * step_]);
  }
  [[nodiscard]] __device__ int storage(Index k) const { return small_of(shared_.front[k & 1]).panel_storage(); }
  [[nodiscard]] __device__ int place(Index k) const { return k % 2 == 0 ? 0 : WarpShared<kRows>::kRoom - storage(k); }
  __device__ void bring(Index k) {
    if (lane_ != 0) return;
    const int bytes = storage(k) * 8;
    ptx::barrier_arrive_expecting(&shared_.full[k & 1], bytes);
    ptx::bulk_copy(shared_.panel + place(k), l_ + shared_.front[k & 1].panel, bytes, &shared_.full[k & 1]);
  }

  WarpShared<kRows>& shared_;
  const SweepView& view_;
  const double* l_;
  Index first_, step_, count_, k_ = 0, described_ = 0;
  int lane_, word_ = 0;
  bool fits_ = false;
};

/// What no other front makes of a lane's rows, lane and lane + 32.
template <int kRows>
struct Ahead {
  static constexpr int kHalves = Shape<kRows>::kHalves;
  double number[kHalves];                      // of pivots: b, or y
  std::uint32_t place[kHalves];                // forward, below: of the update row; backward: old_of, or below the row of x
  std::uint32_t begin[kHalves], end[kHalves];  // forward: update rows that a row starts from

  __device__ void forward(const Front& f, Index s, const SweepView& view, const SweepMemory& memory, int lane) {
#pragma unroll
    for (int h = 0; h < kHalves; ++h) {
      const Index r = lane + 32 * h;
      number[h] = r < f.p ? memory.b[row_of(view, f.first + r)] : 0.0;
      place[h] = r >= f.p && r < f.m ? view.slot[f.relative + r - f.p] : 0;
      const std::uint32_t* ptr = view.ptr + f.row + s + r;
      begin[h] = r < f.m ? ptr[0] : 0, end[h] = r < f.m ? ptr[1] : 0;
    }
  }
  __device__ void backward(const Front& f, const SweepView& view, const SweepMemory& memory, int lane) {
#pragma unroll
    for (int h = 0; h < kHalves; ++h) {
      const Index r = lane + 32 * h;
      number[h] = r < f.p ? memory.y[f.first + r] : 0.0;
      place[h] = static_cast<std::uint32_t>(r < f.p ? row_of(view, f.first + r) : r < f.m ? view.row[f.row + r] : 0);
    }
  }
};

/// 1 / L(r, r) of a lane's pivots.
template <int kHalves>
__device__ void take_reciprocals(const double* l, const Front& f, int lane, double (&out)[kHalves]) {
#pragma unroll
  for (int h = 0; h < kHalves; ++h) {
    const Index r = lane + 32 * h;
    out[h] = r < f.p ? 1.0 / l[packed_column(r, f.m) + r] : 0.0;
  }
}

/// Pivots [begin, end) of half kHalf: each becomes y, and is taken away from the rows below.
template <int kHalf, int kHalves>
__device__ void eliminate(const double* l, const Front& f, Index end, int lane, const double (&reciprocal)[kHalves], double (&v)[kHalves]) {
#pragma unroll 4
  for (Index c = 32 * kHalf; c < end; ++c) {
    const double* column = l + packed_column(c, f.m);
    const double y = __shfl_sync(kAll, v[kHalf] * reciprocal[kHalf], c % 32);
#pragma unroll
    for (int h = kHalf; h < kHalves; ++h) {
      const Index r = lane + 32 * h;
      if (r == c) v[h] = y;
      if (r > c && r < f.m) v[h] = fma(-column[r], y, v[h]);
    }
  }
}

template <int kRows>
__global__ void __launch_bounds__(Shape<kRows>::kWarps * 32, Shape<kRows>::kBlocks)
    sweep_forward(SweepView view, SweepMemory memory, Index begin, Index end) {
  extern __shared__ __align__(16) unsigned char fronts_shared[];
  constexpr int kHalves = Shape<kRows>::kHalves, kWarps = Shape<kRows>::kWarps;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const Index warps = static_cast<Index>(gridDim.x) * kWarps, mine = static_cast<Index>(blockIdx.x) * kWarps + warp;
  const Index count = mine < end - begin ? (end - begin - mine - 1) / warps + 1 : 0;
  Fronts<kRows> fronts(reinterpret_cast<WarpShared<kRows>*>(fronts_shared)[warp], view, memory.l, begin + mine, warps, count, lane);
  Ahead<kRows> ahead;
  if (count > 0) ahead.forward(fronts.front(), view.order[begin + mine], view, memory, lane);
  for (Index k = 0; k < count; ++k) {
    fronts.begin(k);
    const Front& f = fronts.front();
    const Ahead<kRows> now = ahead;
    if (k + 1 < count) ahead.forward(fronts.following(), view.order[begin + mine + (k + 1) * warps], view, memory, lane);
    double v[kHalves], reciprocal[kHalves];
    const double* l = fronts.await_panel();
    take_reciprocals(l, f, lane, reciprocal);
#pragma unroll
    for (int h = 0; h < kHalves; ++h) {
      v[h] = now.number[h];
      for_numbers(memory.update + now.begin[h], 1, static_cast<Index>(now.end[h] - now.begin[h]), [&](double x) { v[h] += x; });
    }
    __syncwarp();
    eliminate<0>(l, f, min(f.p, 32), lane, reciprocal, v);
    if constexpr (kHalves > 1) eliminate<1>(l, f, f.p, lane, reciprocal, v);
#pragma unroll
    for (int h = 0; h < kHalves; ++h) {
      const Index r = lane + 32 * h;
      if (r < f.p)
        memory.y[f.first + r] = v[h];
      else if (r < f.m)
        publish(memory.update + now.place[h], v[h]);
    }
    fronts.end();
  }
}

/// Columns of half kHalf from the last: x of each, taken away from those before it.
template <int kHalf, int kHalves>
__device__ void eliminate_back(const double* l, const Front& f, Index end, Index column, const double (&reciprocal)[kHalves],
                               Dot2 (&z)[kHalves], double (&x)[kHalves], int lane) {
  for (Index c = end; c-- > 32 * kHalf;) {
    const double solution = __shfl_sync(kAll, z[kHalf].value() * reciprocal[kHalf], c % 32);
    if (lane == c % 32) x[kHalf] = solution;
#pragma unroll
    for (int h = 0; h <= kHalf; ++h) {
      const Index own = column + 32 * h;
      if (own < c) z[h].template subtract<double>(l[packed_column(own, f.m) + c], solution);
    }
  }
}

template <int kRows>
__global__ void __launch_bounds__(Shape<kRows>::kWarps * 32, Shape<kRows>::kBlocks)
    sweep_backward(SweepView view, SweepMemory memory, Index begin, Index end) {
  extern __shared__ __align__(16) unsigned char fronts_shared[];
  constexpr int kHalves = Shape<kRows>::kHalves, kWarps = Shape<kRows>::kWarps;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const Index warps = static_cast<Index>(gridDim.x) * kWarps, mine = static_cast<Index>(blockIdx.x) * kWarps + warp;
  const Index count = mine < end - begin ? (end - begin - mine - 1) / warps + 1 : 0;
  WarpShared<kRows>& shared = reinterpret_cast<WarpShared<kRows>*>(fronts_shared)[warp];
  Fronts<kRows> fronts(shared, view, memory.l, end - 1 - mine, -warps, count, lane);
  const bool good = memory.verdict->status == VerdictStatus::positive_definite;
  Ahead<kRows> ahead;
  if (count > 0) ahead.backward(fronts.front(), view, memory, lane);
  for (Index k = 0; k < count; ++k) {
    fronts.begin(k);
    const Front& f = fronts.front();
    const Ahead<kRows> now = ahead;
    if (k + 1 < count) ahead.backward(fronts.following(), view, memory, lane);
    const double* l = fronts.await_panel();
    double reciprocal[kHalves], x[kHalves];
    take_reciprocals(l, f, lane, reciprocal);
#pragma unroll
    for (int h = 0; h < kHalves; ++h) {
      const Index r = lane + 32 * h;
      if (r >= f.p && r < f.m) shared.x[r] = await_number(memory.x + now.place[h]);
      x[h] = 0;
    }
    __syncwarp();
    int width = 1;  // columns side by side; as many lanes have one together
    while (width < f.p && width < 32) width *= 2;
    const Index column = lane % width;
    Dot2 z[kHalves];
#pragma unroll
    for (int h = 0; h < kHalves; ++h) {
      if (32 * h >= f.p) continue;
      const Index own = column + 32 * h;
      if (own < f.p) {
        const double* below = l + packed_column(own, f.m);
        for (Index r = f.p + lane / width; r < f.m; r += 32 / width) z[h].template subtract<double>(below[r], shared.x[r]);
      }
      __syncwarp();
      for (int lanes = width; lanes < 32; lanes *= 2) z[h] = add(z[h], exchange(z[h], lanes));
      z[h] = add(Dot2{__shfl_sync(kAll, now.number[h], column)}, z[h]);
    }
    if constexpr (kHalves > 1) eliminate_back<1>(l, f, f.p, column, reciprocal, z, x, lane);
    eliminate_back<0>(l, f, min(f.p, 32), column, reciprocal, z, x, lane);
#pragma unroll
    for (int h = 0; h < kHalves; ++h) {
      const Index r = lane + 32 * h;
      if (r >= f.p) continue;
      publish(memory.x + f.first + r, x[h]);
      memory.out[now.place[h]] = good ? x[h] : std::numeric_limits<double>::quiet_NaN();
    }
    fronts.end();
  }
}

template <int kRows>
int blocks_of() {
  using S = Shape<kRows>;
  return std::min(kernels::cooperative_blocks(sweep_forward<kRows>, 32 * S::kWarps, S::kBytes),
                  kernels::cooperative_blocks(sweep_backward<kRows>, 32 * S::kWarps, S::kBytes));
}

template <int kRows>
void enqueue(const SweepView& view, const SweepMemory& memory, bool forward, Index begin, Index end, int most, cudaStream_t stream) {
  using S = Shape<kRows>;
  if (begin == end) return;
  const auto blocks = static_cast<unsigned>(std::min<Index>((end - begin + S::kWarps - 1) / S::kWarps, most));
  check(kernels::launch_cooperative(forward ? sweep_forward<kRows> : sweep_backward<kRows>, blocks, 32 * S::kWarps, S::kBytes, stream, view,
                                    memory, begin, end),
        "a launch of a sweep");
}

}  // namespace

void prepare_front_sweeps(SweepBlocks& blocks) {
  blocks.narrow = blocks_of<32>();
  blocks.small = blocks_of<64>();
}

void enqueue_front_sweep(const SweepView& view, const SweepMemory& memory, bool forward, const SweepBlocks& blocks, cudaStream_t stream) {
  const auto narrow = [&] { enqueue<32>(view, memory, forward, 0, view.narrow, blocks.narrow, stream); };
  const auto small = [&] { enqueue<64>(view, memory, forward, view.narrow, view.small, blocks.small, stream); };
  if (forward) {
    narrow();
    small();
  } else {
    small();
    narrow();
  }
}

}  // namespace kauri::numeric::cuda

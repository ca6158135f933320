// One front of the selected inverse: up to InverseScratch::kInPlace rows in place, on one thread,
// larger ones by products of packed tiles.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/inverse/inverse_front.hpp"

#include "numeric/cpu/inverse/ancestor_entries.hpp"

namespace kauri::numeric::cpu {
namespace {

/// The shape and arrays of a front, for both ways of computing it.
template <class T>
struct InverseShape {
  InverseShape(const InverseArrays<T>& arrays, Index s)
      : m(arrays.plan->supernodes.order(s)),
        p(arrays.plan->supernodes.pivots(s)),
        q(m - p),
        l(arrays.l + arrays.plan->internals->panel_ptr[s]),
        z(arrays.z + arrays.plan->internals->panel_ptr[s]),
        below(*arrays.plan, arrays.z, s) {}
  Index m, p, q;
  const T* l;                // panel of L, m x p
  T* z;                      // panel of Z, m x p: the result
  AncestorEntries<T> below;  // Z22, q x q
};

/// Negates entries (i, j) of C with i + below >= j: the lower triangle if below = 0, all of C if
/// below >= cols - 1.
template <class T>
void negate(Index rows, Index cols, Index below, T* c, Offset ld) {
  for (Index j = 0; j < cols; ++j)
    for (Index i = std::max(0, j - below); i < rows; ++i) c[i + j * ld] = -c[i + j * ld];
}

/// Sets the cols x rows matrix `to` to the transpose of `from`, which is rows x cols, block by
/// block.
template <class T>
void transpose(Index rows, Index cols, const T* from, Offset ld, T* to, Offset ldt) {
  constexpr Index kBlock = 16;
  for (Index i0 = 0; i0 < rows; i0 += kBlock)
    for (Index j0 = 0; j0 < cols; j0 += kBlock)
      for (Index i = i0; i < std::min(rows, i0 + kBlock); ++i)
        for (Index j = j0; j < std::min(cols, j0 + kBlock); ++j) to[j + i * ldt] = from[i + j * ld];
}

/// Computes the panel of Z of a front of up to InverseScratch::kInPlace rows on one thread.
template <class T>
class FrontInPlace {
 public:
  FrontInPlace(const InverseArrays<T>& arrays, Index s)
      : kernels_(*arrays.kernels),
        f_(arrays, s),
        u_(arrays.numbers + arrays.workers->place() * arrays.numbers_each),
        n_(u_ + Offset{f_.p} * f_.p),
        square_(n_ + Offset{f_.p} * f_.q),
        place_(arrays.places + Offset{arrays.workers->place()} * arrays.places_each) {}

  void run() {
    invert_pivots();
    const auto [m, p, q] = std::tuple(f_.m, f_.p, f_.q);
    for (Index r = 0; r < p; r += kRows) {
      const Index rows = std::min(kRows, p - r), rest = p - r;
      const T* u = u_ + r + Offset{r} * p;
      kernels_.update(rows, q, rest, u, p, f_.l + p + Offset{r} * m, m, n_ + r, p, false, false);
      kernels_.update(rows, r + rows, rest, u, p, u_ + Offset{r} * p, p, f_.z + r, m, false, false);
    }
    if (q > 0) take_below();
    negate(p, p, 0, f_.z, m);
  }

 private:
  static constexpr Index kRows =
      24;  // rows of U at a time, so that few of the zeros left of U's diagonal are multiplied

  /// Computes U = L11^-T from left to right, kBasePanel columns at a time: columns of the identity,
  /// less the product of the columns of U before with rows of L11, solved with the diagonal block.
  void invert_pivots() {
    const Index m = f_.m, p = f_.p;
    std::fill_n(u_, Offset{p} * p, T(0));
    for (Index k = 0; k < p; k += kBasePanel) {
      const Index width = std::min(kBasePanel, p - k);
      T* x = u_ + Offset{k} * p;
      for (Index c = 0; c < width; ++c) x[k + c + Offset{c} * p] = T(1);
      if (k > 0) kernels_.update(k, width, k, u_, p, f_.l + k, m, x, p, false, true);
      kernels_.trsm(k + width, width, f_.l + k + Offset{k} * m, m, x, p);
    }
  }

  /// Computes Z21, and subtracts N Z21 from the first p rows of f_.z, which hold -U U^T so far.
  void take_below() {
    const auto [m, p, q] = std::tuple(f_.m, f_.p, f_.q);
    f_.below.visit({0, q}, {0, q}, place_,
                   [&, order = q](Index j, Index i, const T* column, const Index* place) {
                     for (T* to = square_ + Offset{j} * order; i < order; ++i)
                       to[i] = column[place[i]];
                   });
    mirror();
    T* z21 = f_.z + p;
    kernels_.update(q, p, q, square_, q, n_, p, z21, m, false, false);
    negate(q, p, p, z21, m);
    transpose(q, p, z21, m, square_, p);
    kernels_.update(p, p, q, n_, p, square_, p, f_.z, m, true, true);
  }

  /// Copies the lower triangle of Z22 to its upper triangle.
  void mirror() {
    constexpr Index kBlock = 16;
    const Index q = f_.q;
    for (Index j0 = 0; j0 < q; j0 += kBlock)
      for (Index i0 = j0; i0 < q; i0 += kBlock)
        for (Index j = j0; j < std::min(q, j0 + kBlock); ++j)
          for (Index i = std::max(i0, j + 1); i < std::min(q, i0 + kBlock); ++i)
            square_[j + Offset{i} * q] = square_[i + Offset{j} * q];
  }

  const DenseKernels<T>& kernels_;
  InverseShape<T> f_;
  T* u_;       // U, p x p
  T* n_;       // N, p x q
  T* square_;  // Z22, q x q; then Z21^T, p x q
  Index* place_;
};

/// Computes the panel of Z of a larger front by products of tiles; each thread packs the operands
/// of its own products.
template <class T>
class FrontInTiles {
 public:
  FrontInTiles(const InverseArrays<T>& arrays, Index s, T* shared)
      : arrays_(arrays),
        kernels_(*arrays.kernels),
        f_(arrays, s),
        u_(shared),
        n_(u_ + Offset{f_.p} * f_.p),
        pivot_tiles_(tiles_of(f_.p)),
        below_tiles_(tiles_of(f_.q)) {}

  void run() {
    arrays_.workers->parallel((f_.p + kInvertRows - 1) / kInvertRows,
                              [&](Index t) { invert_pivots(t * kInvertRows); });
    if (f_.q > 0) {
      arrays_.workers->parallel(pivot_tiles_ * below_tiles_, [&](Index t) {
        multiply_below(t % pivot_tiles_, t / pivot_tiles_);
      });
      const Index groups = (pivot_tiles_ + kGroup - 1) / kGroup;
      arrays_.workers->parallel(groups * below_tiles_,
                                [&](Index t) { invert_below(t / groups, t % groups * kGroup); });
    }
    arrays_.workers->parallel(pivot_tiles_ * (pivot_tiles_ + 1) / 2, [&](Index t) {
      Index j = 0;
      for (; t >= pivot_tiles_ - j; ++j) t -= pivot_tiles_ - j;
      finish_pivots(j + t, j);
    });
  }

 private:
  static constexpr Index kInvertRows =
      kFrontTile / 2;  // rows of U that a thread computes at a time; the first rows take longest
  static constexpr Index kGroup = 4;  // tiles of Z21 that a gathered tile of Z22 serves

  struct Tile {
    Index begin, size;
  };
  static Index tiles_of(Index rows) { return (rows + kFrontTile - 1) / kFrontTile; }
  static Tile tile(Index t, Index rows) {
    return {t * kFrontTile, std::min(kFrontTile, rows - t * kFrontTile)};
  }
  [[nodiscard]] Tile pivots(Index t) const { return tile(t, f_.p); }
  [[nodiscard]] Tile below(Index t) const { return tile(t, f_.q); }

  /// The calling thread's scratch: two packed tiles, and positions of rows.
  struct Packed {
    T *left, *right;
    Index* place;
  };
  [[nodiscard]] Packed packed() const {
    const Index thread = arrays_.workers->place();
    T* numbers = arrays_.numbers + thread * arrays_.numbers_each;
    return {numbers, numbers + Offset{kFrontTile} * kFrontTile,
            arrays_.places + Offset{thread} * arrays_.places_each};
  }

  /// Computes C (rows x cols) = [C] - left right^T, with k columns each, for all entries of a tile.
  /// `keep`: subtracts from C; otherwise C is not read.
  void subtract(const Packed& tiles, Index rows, Index cols, Index k, T* c, Offset ld,
                bool keep) const {
    kernels_.update_packed(rows, cols, k, tiles.left, tiles.right, c, ld, -kFrontTile, keep);
  }

  /// Computes rows [r, r + kInvertRows) of U = L11^-T, from the first column of their tile on. Rows
  /// are independent.
  void invert_pivots(Index r) {
    const Index m = f_.m, p = f_.p, rows = std::min(kInvertRows, p - r),
                begin = r / kFrontTile * kFrontTile;
    const Packed tiles = packed();
    for (Index k = begin; k < p; k += kFrontTile) {
      const Index width = std::min(kFrontTile, p - k);
      T* x = u_ + r + Offset{k} * p;
      for (Index c = 0; c < width; ++c)
        for (Index i = 0; i < rows; ++i) x[i + Offset{c} * p] = r + i == k + c ? T(1) : T(0);
      for (Index j = begin; j < k; j += kFrontTile) {
        kernels_.pack(rows, kFrontTile, u_ + r + Offset{j} * p, p, tiles.left);
        kernels_.pack(width, kFrontTile, f_.l + k + Offset{j} * m, m, tiles.right);
        subtract(tiles, rows, width, kFrontTile, x, p, true);
      }
      const T* l = f_.l + k + Offset{k} * m;
      for (Index h = 0; h < width; h += kBasePanel) {
        const Index w = std::min(kBasePanel, width - h);
        if (h > 0) kernels_.update(rows, w, h, x, p, l + h, m, x + Offset{h} * p, p, false, true);
        kernels_.trsm(rows, w, l + h + Offset{h} * m, m, x + Offset{h} * p, p);
      }
    }
  }

  /// Computes tile (i, j) of N = -U L21^T.
  void multiply_below(Index i, Index j) {
    const Tile r = pivots(i), c = below(j);
    const Packed tiles = packed();
    for (Index k = i; k < pivot_tiles_; ++k) {
      const Tile in = pivots(k);
      kernels_.pack(r.size, in.size, u_ + r.begin + Offset{in.begin} * f_.p, f_.p, tiles.left);
      kernels_.pack(c.size, in.size, f_.l + f_.p + c.begin + Offset{in.begin} * f_.m, f_.m,
                    tiles.right);
      subtract(tiles, r.size, c.size, in.size, n_ + r.begin + Offset{c.begin} * f_.p, f_.p, k > i);
    }
  }

  /// Computes tiles (i, first), (i, first + 1), ... of Z21, kGroup of them or as many as exist.
  void invert_below(Index i, Index first) {
    const Tile r = below(i);
    const Packed tiles = packed();
    const Index end = std::min(pivot_tiles_, first + kGroup);
    const auto place = [&](Tile c) { return f_.z + f_.p + r.begin + Offset{c.begin} * f_.m; };
    for (Index k = 0; k < below_tiles_; ++k) {
      const Tile in = below(k);
      gather(r, in, tiles);
      for (Index j = first; j < end; ++j) {
        const Tile c = pivots(j);
        kernels_.pack(c.size, in.size, n_ + c.begin + Offset{in.begin} * f_.p, f_.p, tiles.right);
        subtract(tiles, r.size, c.size, in.size, place(c), f_.m, k > 0);
      }
    }
    for (Index j = first; j < end; ++j)
      negate(r.size, pivots(j).size, kFrontTile, place(pivots(j)), f_.m);
  }

  /// Computes tile (i, j) of Z11, j <= i; of a diagonal tile only the lower triangle is required.
  void finish_pivots(Index i, Index j) {
    const Tile r = pivots(i), c = pivots(j);
    const Packed tiles = packed();
    T* to = f_.z + r.begin + Offset{c.begin} * f_.m;
    const auto subtract_lower = [&](Index k, bool keep) {
      kernels_.update_packed(r.size, c.size, k, tiles.left, tiles.right, to, f_.m,
                             c.begin - r.begin, keep);
    };
    for (Index k = i; k < pivot_tiles_; ++k) {
      const Tile in = pivots(k);
      kernels_.pack(r.size, in.size, u_ + r.begin + Offset{in.begin} * f_.p, f_.p, tiles.left);
      kernels_.pack(c.size, in.size, u_ + c.begin + Offset{in.begin} * f_.p, f_.p, tiles.right);
      subtract_lower(in.size, k > i);
    }
    for (Index k = 0; k < below_tiles_; ++k) {
      const Tile in = below(k);
      kernels_.pack(r.size, in.size, n_ + r.begin + Offset{in.begin} * f_.p, f_.p, tiles.left);
      pack_transposed(c.size, in.size, f_.z + f_.p + in.begin + Offset{c.begin} * f_.m,
                      tiles.right);
      subtract_lower(in.size, true);
    }
    negate(r.size, c.size, r.begin - c.begin, to, f_.m);
  }

  /// Packs A^T (rows x k), with A k x rows in the panel of Z.
  void pack_transposed(Index rows, Index k, const T* a, T* to) const {
    const Index slab = kernels_.slab_rows;
    for (Index i = 0; i < rows; i += slab, to += Offset{slab} * k) {
      const Index some = std::min(slab, rows - i);
      for (Index r = 0; r < some; ++r)
        for (Index h = 0; h < k; ++h) to[Offset{h} * slab + r] = a[h + Offset{i + r} * f_.m];
      for (Index r = some; r < slab; ++r)
        for (Index h = 0; h < k; ++h) to[Offset{h} * slab + r] = T(0);
    }
  }

  /// Packs rows `r` and columns `c` of Z22 into tiles.left; entries above the diagonal of Z22 are
  /// read from below it.
  void gather(Tile r, Tile c, const Packed& tiles) const {
    const Index slab = kernels_.slab_rows, k = c.size;
    const auto row = [&](Index i) {
      return tiles.left + (i - r.begin) / slab * (Offset{slab} * k) + (i - r.begin) % slab;
    };
    for (Index i = r.size; i % slab != 0; ++i)
      for (Index h = 0; h < k; ++h) row(r.begin + i)[Offset{h} * slab] = T(0);
    const bool down = r.begin >= c.begin, across = r.begin <= c.begin;
    const Tile high = down ? r : c, wide = down ? c : r;
    const auto copy = [&](Index j, Index i, const T* column, const Index* place) {
      place -= high.begin;
      const Index end = high.begin + high.size;
      if (across) {
        T* to = row(j) - Offset{c.begin} * slab;
        for (Index h = i; h < end; ++h) to[Offset{h} * slab] = column[place[h]];
      }
      if (!down) return;
      for (Index h = i; h < end;) {
        T* to = row(h) + Offset{j - c.begin} * slab;
        const Index stop = std::min(end, h + slab - (h - r.begin) % slab);
        for (; h < stop; ++h, ++to) *to = column[place[h]];
      }
    };
    f_.below.visit({high.begin, high.begin + high.size}, {wide.begin, wide.begin + wide.size},
                   tiles.place, copy);
  }

  const InverseArrays<T>& arrays_;
  const DenseKernels<T>& kernels_;
  InverseShape<T> f_;
  T* u_;  // U, p x p: tiles on and right of the diagonal
  T* n_;  // N, p x q
  Index pivot_tiles_, below_tiles_;
};

}  // namespace

template <class T>
void invert_front(const InverseArrays<T>& arrays, Index s, T* shared) {
  if (arrays.plan->supernodes.order(s) <= InverseScratch::kInPlace)
    FrontInPlace<T>(arrays, s).run();
  else
    FrontInTiles<T>(arrays, s, shared).run();
}

template void invert_front(const InverseArrays<float>&, Index, float*);
template void invert_front(const InverseArrays<double>&, Index, double*);

}  // namespace kauri::numeric::cpu

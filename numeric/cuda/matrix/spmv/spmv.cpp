// Sparse products on a device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/matrix/spmv/spmv.hpp"

#include <algorithm>
#include <limits>

#include "base/common/aligned_bytes.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Returns true if 32 bits are too few for row pointers. Kernels also count places after the last
/// entry, up to two chunks.
bool needs_long_pointers(Offset entries) {
  return entries > std::numeric_limits<std::int32_t>::max() - 2 * kSpmvChunk;
}

template <class T, class P>
void load_kernels(const SpmvChoice& choice) {
  load_rows_product<T, P>(choice);  // and the kernel of enqueue_expand()
  if (choice.way == SpmvWay::merge) load_merge_product<T, P>();
}

}  // namespace

/// The kernel, the tiles of the merge path (none for other kernels) and sizes, which are known
/// before memory is allocated.
template <class T>
struct Spmv<T>::Sizes {
  SpmvChoice choice;
  MergeTiles tiles;

  Sizes(const FullRows& rows, std::optional<SpmvChoice> wanted)
      : choice(wanted ? *wanted : choose_spmv(rows)) {
    if (!is_spmv(choice))
      throw Error(ErrorKind::usage, "no product by the kernel " + name_of(choice) +
                                        ", expected one of spmv_choices()");
    if (choice.way == SpmvWay::merge)
      tiles = merge_tiles(rows);
    else
      tiles.row.assign(1, 0);
  }
  [[nodiscard]] Offset carries() const { return Offset{tiles.count()} * kMergeColumns; }
  [[nodiscard]] Offset ends() const {
    return static_cast<Offset>(tiles.run.size()) * kMergeColumns;
  }
  [[nodiscard]] Offset bytes(const FullRows& rows) const {
    const Offset entries = padded(rows.entries()), pointers = Offset{rows.n()} + 1;
    return aligned_bytes(pointers, needs_long_pointers(rows.entries()) ? sizeof(Offset)
                                                                       : sizeof(std::int32_t)) +
           aligned_bytes(entries, sizeof(Index)) +
           aligned_bytes(rows.entries(), sizeof(std::uint32_t)) +
           aligned_bytes(entries, sizeof(T)) + aligned_bytes(carries(), sizeof(T)) +
           aligned_bytes(ends(), sizeof(T)) +
           aligned_bytes(static_cast<Offset>(tiles.row.size()), sizeof(Index)) +
           aligned_bytes(static_cast<Offset>(tiles.ended.size()), sizeof(Index)) +
           aligned_bytes(static_cast<Offset>(tiles.run.size()), sizeof(MergeTiles::Run));
  }
};

template <class T>
Spmv<T>::Spmv(const FullRows& rows, Staging& staging, const DeviceHeap& heap, const Stream& stream,
              std::optional<SpmvChoice> choice)
    : Spmv(rows, Sizes(rows, choice), staging, heap, stream) {}

template <class T>
Spmv<T>::Spmv(const FullRows& rows, const Sizes& sizes, Staging& staging, const DeviceHeap& heap,
              const Stream& stream)
    : n_(rows.n()),
      entries_(rows.entries()),
      choice_(sizes.choice),
      bytes_(sizes.bytes(rows)),
      block_(bytes_, heap) {
  Uploader uploader(staging, block_, stream);
  if (needs_long_pointers(entries_))
    long_ptr_ = uploader.copy(rows.ptr);
  else
    ptr_ = uploader.make<std::int32_t>(
        Offset{n_} + 1, [&](Offset begin, Offset end, std::int32_t* out) {
          for (Offset i = begin; i < end; ++i)
            out[i - begin] = static_cast<std::int32_t>(rows.ptr[static_cast<std::size_t>(i)]);
        });
  col_ = uploader.make<Index>(padded(entries_), [&](Offset begin, Offset end, Index* out) {
    for (Offset k = begin; k < end; ++k)
      out[k - begin] = k < entries_ ? rows.col[static_cast<std::size_t>(k)] : 0;
  });
  source_ = uploader.copy(rows.source);
  value_ = uploader.make<T>(padded(entries_), [](Offset begin, Offset end, T* out) {
    std::fill_n(out, end - begin, T(0));
  });
  carry_ = uploader.room<T>(sizes.carries());
  end_ = uploader.room<T>(sizes.ends());
  tile_row_ = uploader.copy(sizes.tiles.row);
  ended_ = uploader.copy(sizes.tiles.ended);
  run_ = uploader.copy(sizes.tiles.run);
  if (needs_long_pointers(entries_))
    load_kernels<T, Offset>(choice_);
  else
    load_kernels<T, std::int32_t>(choice_);
  uploader.finish();
}

template <class T>
void Spmv<T>::enqueue_values(const T* lower, cudaStream_t stream) {
  enqueue_expand(lower, source_.data(), entries_, value_.data(), stream);
}

template <class T>
void Spmv<T>::enqueue(const MatrixView<const T>& x, const MatrixView<T>& y, cudaStream_t stream,
                      T alpha, T beta) const {
  const SpmvColumns<T> columns{strided(x), strided(y), x.cols, alpha, beta};
  const auto product = [&](const auto& a) {
    if (choice_.way != SpmvWay::merge) return enqueue_rows_product(a, choice_, columns, stream);
    const MergeView<T> merge{static_cast<Index>(ended_.size()),
                             static_cast<Index>(run_.size()),
                             tile_row_.data(),
                             run_.data(),
                             ended_.data(),
                             carry_.data(),
                             end_.data()};
    enqueue_merge_product(a, merge, columns, stream);
  };
  if (long_ptr_.data() != nullptr)
    product(CsrView<T, Offset>{n_, long_ptr_.data(), col_.data(), value_.data()});
  else
    product(CsrView<T, std::int32_t>{n_, ptr_.data(), col_.data(), value_.data()});
}

template class Spmv<float>;
template class Spmv<double>;

}  // namespace kauri::numeric::cuda

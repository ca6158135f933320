// Cuts the rows of A into tasks of thread blocks, and uploads both to a device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/matrix/device_rows.hpp"

#include "base/common/aligned_bytes.hpp"
#include "numeric/cuda/matrix/spmv/kernels.hpp"

namespace kauri::numeric::cuda {

std::vector<ResidualTask> residual_tasks(const FullRows& rows) {
  std::vector<ResidualTask> tasks;
  Offset begin = 0;  // first entry of the last task, rounded down to a multiple of four, from which
                     // its thread block loads
  for (Index i = 0; i < rows.n(); ++i) {
    const Offset end = rows.ptr[static_cast<std::size_t>(i) + 1];
    if (rows.length(i) > kResidualSegment) {
      tasks.push_back({i, 0});
    } else if (!tasks.empty() && tasks.back().rows > 0 && tasks.back().rows < kSpmvThreads &&
               end - begin <= kSpmvChunk) {
      ++tasks.back().rows;
    } else {
      tasks.push_back({i, 1});
      begin = rows.ptr[static_cast<std::size_t>(i)] / 4 * 4;
    }
  }
  return tasks;
}

template <class T>
Offset DeviceRows<T>::bytes(const HostRows& host) {
  const Offset full = host.rows.entries();
  return aligned_bytes(Offset{host.rows.n()} + 1, sizeof(Offset)) +
         aligned_bytes(padded(full), sizeof(Index)) + aligned_bytes(full, sizeof(std::uint32_t)) +
         aligned_bytes(padded(full), sizeof(T)) +
         aligned_bytes(static_cast<Offset>(host.tasks.size()), sizeof(ResidualTask));
}

template <class T>
DeviceRows<T>::DeviceRows(const HostRows& host, Staging& staging, DeviceBlock& block,
                          const Stream& stream)
    : n_(host.rows.n()) {
  Uploader uploader(staging, block, stream);
  const Offset entries = host.rows.entries();
  ptr_ = uploader.copy(host.rows.ptr);
  col_ = uploader.make<Index>(padded(entries), [&](Offset begin, Offset end, Index* out) {
    for (Offset k = begin; k < end; ++k)
      out[k - begin] = k < entries ? host.rows.col[static_cast<std::size_t>(k)] : 0;
  });
  source_ = uploader.copy(host.rows.source);
  value_ = uploader.room<T>(padded(entries));
  task_ = uploader.copy(host.tasks);
  const auto behind = static_cast<std::size_t>(value_.size() - entries) *
                      sizeof(T);  // bytes of padding, which kernels load and do not use
  if (behind > 0)
    check(cudaMemsetAsync(value_.data() + entries, 0, behind, stream.get()),
          "what follows values by rows");
  uploader.finish();
}

template <class T>
void DeviceRows<T>::enqueue_values(const T* lower, cudaStream_t stream) const {
  enqueue_expand(lower, source_.data(), source_.size(), value_.data(), stream);
}

template <class T>
RowsView<T> DeviceRows<T>::view() const {
  return {n_,          static_cast<Index>(task_.size()), ptr_.data(), col_.data(), value_.data(),
          task_.data()};
}

template <class T>
void DeviceRows<T>::load_kernels() {
  load_expand<T>();
  load_residual_kernels<T>();
}

template class DeviceRows<float>;
template class DeviceRows<double>;

}  // namespace kauri::numeric::cuda

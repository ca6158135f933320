// Dense matrices between the host and the device: page-locked ones by columns, all others by the chunks of Staging.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/dense_copy.hpp"

#include <algorithm>

#include "numeric/cuda/staging.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric::cuda {
namespace {

template <class T>
bool is_reachable(const MatrixView<T>& a) {
  return cuda::is_reachable(a.data) && cuda::is_reachable(a.data + (a.cols - 1) * a.ld + a.rows - 1);
}

/// f(place in the matrix, place on the device, entries) for each column, or once for all if nothing lies between them.
template <class T, class F>
void each_column(const MatrixView<T>& a, const F& f) {
  if (a.ld == a.rows) return f(Offset{0}, Offset{0}, Offset{a.rows} * a.cols);
  for (Index c = 0; c < a.cols; ++c) f(c * a.ld, c * Offset{a.rows}, Offset{a.rows});
}

std::size_t bytes(Offset count, std::size_t item) { return static_cast<std::size_t>(count) * item; }

}  // namespace

template <class T>
void send(Staging& staging, const MatrixView<const T>& host, T* device, const Stream& stream) {
  if (is_reachable(host))
    return each_column(host, [&](Offset from, Offset to, Offset count) {
      check(cudaMemcpyAsync(device + to, host.data + from, bytes(count, sizeof(T)), cudaMemcpyDefault, stream.get()), "right-hand sides");
    });
  const auto fill = [&](Offset begin, Offset end, void* out) {
    for_each_run(host.rows, host.ld, begin, end,
                 [&](Offset k, Offset place, Offset count) { std::copy_n(host.data + place, count, static_cast<T*>(out) + k); });
  };
  staging.send(device, Offset{host.rows} * host.cols, sizeof(T), fill, stream.get());
}

template <class T>
void receive(Staging& staging, const T* device, const MatrixView<T>& host, const Stream& stream) {
  if (is_reachable(host)) {
    each_column(host, [&](Offset to, Offset from, Offset count) {
      check(cudaMemcpyAsync(host.data + to, device + from, bytes(count, sizeof(T)), cudaMemcpyDefault, stream.get()), "solutions");
    });
    return stream.synchronize();
  }
  stream.synchronize();  // before others have to wait for the chunks
  const auto drain = [&](Offset begin, Offset end, const void* in) {
    for_each_run(host.rows, host.ld, begin, end,
                 [&](Offset k, Offset place, Offset count) { std::copy_n(static_cast<const T*>(in) + k, count, host.data + place); });
  };
  staging.receive(device, Offset{host.rows} * host.cols, sizeof(T), drain, stream.get());
}

template void send(Staging&, const MatrixView<const float>&, float*, const Stream&);
template void send(Staging&, const MatrixView<const double>&, double*, const Stream&);
template void receive(Staging&, const float*, const MatrixView<float>&, const Stream&);
template void receive(Staging&, const double*, const MatrixView<double>&, const Stream&);

}  // namespace kauri::numeric::cuda

// Dense matrices between the host and the device: the driver copies page-locked ones, all others go
// through the chunks of Staging.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/runtime/transfer/dense_copy.hpp"

#include "base/matrix/dense_lines.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "numeric/cuda/runtime/unwinding.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Returns true if the driver can copy the host's matrix directly: it lies in memory that
/// is_reachable() and has the layout `device`. A row-major matrix with gaps between its rows is
/// staged: it would take a copy for each row.
template <class T>
bool is_copied_as_it_lies(const MatrixView<T>& host, Layout device) {
  const bool apart = host.layout == Layout::row_major && host.ld != host.cols && host.rows > 1;
  return host.layout == device && !apart && is_reachable(host.data) &&
         is_reachable(&strided(host)(host.rows - 1, host.cols - 1));
}

/// Calls f(offset in a.data, offset in the compact matrix on the device, count), in entries, for
/// each column of a (each row, if row-major), or once for all of a if it has no gaps.
template <class T, class F>
void each_column(const MatrixView<T>& a, const F& f) {
  const DenseLines lines = lines_of(a, a.layout);
  if (a.ld == lines.length || lines.count == 1)
    return f(Offset{0}, Offset{0}, lines.count * lines.length);
  for (Offset c = 0; c < lines.count; ++c) f(c * a.ld, c * lines.length, lines.length);
}

template <class T>
Offset entries_of(const MatrixView<T>& a) {
  return Offset{a.rows} * a.cols;
}

std::size_t bytes(Offset count, std::size_t item) { return static_cast<std::size_t>(count) * item; }

}  // namespace

template <class T>
void send(Staging& staging, const MatrixView<const T>& host, const MatrixView<T>& device,
          const Stream& stream) {
  const WaitInUnwinding waits(stream);
  if (is_copied_as_it_lies(host, device.layout))
    return each_column(host, [&](Offset from, Offset to, Offset count) {
      check(cudaMemcpyAsync(device.data + to, host.data + from, bytes(count, sizeof(T)),
                            cudaMemcpyDefault, stream.get()),
            "right-hand sides");
    });
  const DenseLines lines = lines_of(host, device.layout);
  const auto fill = [&](Offset begin, Offset end, void* out) {
    for_each_run(lines, begin, end, [&](Offset k, Offset place, Offset count) {
      copy_steps(host.data + place, lines.from_entry, count, static_cast<T*>(out) + k, 1);
    });
  };
  staging.send(device.data, entries_of(host), sizeof(T), fill, stream.get());
}

template <class T>
void receive(Staging& staging, const MatrixView<const T>& device, const MatrixView<T>& host,
             const Stream& stream) {
  const WaitInUnwinding waits(stream);
  if (is_copied_as_it_lies(host, device.layout)) {
    each_column(host, [&](Offset to, Offset from, Offset count) {
      check(cudaMemcpyAsync(host.data + to, device.data + from, bytes(count, sizeof(T)),
                            cudaMemcpyDefault, stream.get()),
            "solutions");
    });
    return stream.synchronize();
  }
  stream.synchronize();  // before chunks are leased, since other threads may wait for chunks
  const DenseLines lines = lines_of(host, device.layout);
  const auto unpack = [&](Offset begin, Offset end, const void* in) {
    for_each_run(lines, begin, end, [&](Offset k, Offset place, Offset count) {
      copy_steps(static_cast<const T*>(in) + k, 1, count, host.data + place, lines.from_entry);
    });
  };
  staging.receive(device.data, entries_of(host), sizeof(T), unpack, stream.get());
}

template void send(Staging&, const MatrixView<const float>&, const MatrixView<float>&,
                   const Stream&);
template void send(Staging&, const MatrixView<const double>&, const MatrixView<double>&,
                   const Stream&);
template void receive(Staging&, const MatrixView<const float>&, const MatrixView<float>&,
                      const Stream&);
template void receive(Staging&, const MatrixView<const double>&, const MatrixView<double>&,
                      const Stream&);

}  // namespace kauri::numeric::cuda

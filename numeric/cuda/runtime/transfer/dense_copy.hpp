// Copies dense matrices from the host to the device, where they have no gaps, and back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/matrix.hpp"
#include "numeric/cuda/runtime/device.hpp"

namespace kauri::numeric::cuda {

class Staging;

/// Enqueues the copy of `host`, which is not empty, to `device`, a compact_view() of its shape in
/// either layout. Pageable memory may be overwritten when this returns, and so may page-locked
/// memory if the layouts differ, or if `host` is row-major with gaps between its rows. Other
/// page-locked memory is copied directly: overwrite it only after the stream has completed the
/// copy.
template <class T>
void send(Staging& staging, const MatrixView<const T>& host, const MatrixView<T>& device,
          const Stream& stream);

/// Copies `device`, a compact_view() in either layout, to `host`, which has its shape and is not
/// empty, after all earlier work of the stream, and waits until all has arrived.
template <class T>
void receive(Staging& staging, const MatrixView<const T>& device, const MatrixView<T>& host,
             const Stream& stream);

}  // namespace kauri::numeric::cuda

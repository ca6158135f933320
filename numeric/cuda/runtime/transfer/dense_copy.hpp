// Dense matrices of the host on their way to the device, where they lie without gaps, and back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/matrix.hpp"
#include "numeric/cuda/runtime/device.hpp"

namespace kauri::numeric::cuda {

class Staging;

/// host: not empty. device: of its shape, compact_view(), of either layout. Ordinary memory may change when this returns, and so may what
/// is page-locked where rows lie apart or the layouts differ; all else of page-locked memory is copied as it lies, and may change when the
/// stream has come past the copy.
template <class T>
void send(Staging& staging, const MatrixView<const T>& host, const MatrixView<T>& device, const Stream& stream);

/// After all that the stream has to do before; there when this returns.
template <class T>
void receive(Staging& staging, const MatrixView<const T>& device, const MatrixView<T>& host, const Stream& stream);

}  // namespace kauri::numeric::cuda

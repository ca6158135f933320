// Waits for copies from and to the caller's arrays before a call that enqueued them ends by an
// exception.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>

#include "numeric/cuda/runtime/device.hpp"

namespace kauri::numeric::cuda {

/// Waits for the stream if an exception leaves its scope. The device copies the caller's
/// page-locked arrays directly, while the host goes on, and kernels work on arrays on the
/// device. Without the wait they could read or write these after the caller has caught the
/// exception and freed them. Streams that a call leases (PooledStream) are waited for anyway.
class WaitInUnwinding {
 public:
  explicit WaitInUnwinding(const Stream& stream) : stream_(stream) {}
  WaitInUnwinding(const WaitInUnwinding&) = delete;
  WaitInUnwinding& operator=(const WaitInUnwinding&) = delete;
  ~WaitInUnwinding() {
    if (std::uncaught_exceptions() > exceptions_) stream_.wait();
  }

 private:
  const Stream& stream_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace kauri::numeric::cuda

// Objects whose members have initial values lie here in shared memory, where a variable cannot have
// any.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kauri::numeric::cuda {

/// kCount objects without values. Declare one as `__shared__ SharedObjects<T, kCount> name;`.
template <class T, int kCount>
union SharedObjects {
  __device__ SharedObjects() {}
  T of[kCount];
};

}  // namespace kauri::numeric::cuda

// Chooses the dense kernels by target.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/dense/dense.hpp"

#include <string>

#include "kauri/core/backend.hpp"
#include "kauri/core/error.hpp"

namespace kauri::numeric::cpu {

#define KAURI_DECLARE_KERNELS(isa)              \
  namespace isa {                               \
  const DenseKernels<float>& float_kernels();   \
  const DenseKernels<double>& double_kernels(); \
  }
KAURI_DECLARE_KERNELS(generic)
#if defined(__x86_64__)
KAURI_DECLARE_KERNELS(avx2)
KAURI_DECLARE_KERNELS(avx512)
#endif
#undef KAURI_DECLARE_KERNELS

namespace {

template <class T, class F, class D>
const DenseKernels<T>& of_scalar(F* single, D* twice) {
  if constexpr (sizeof(T) == 4)
    return single();
  else
    return twice();
}

}  // namespace

template <Scalar T>
const DenseKernels<T>& dense_kernels(std::string_view target) {
  const std::string host = host_target();
  if (target == "cpu-generic") return of_scalar<T>(generic::float_kernels, generic::double_kernels);
#if defined(__x86_64__)
  if (target == "cpu-avx2" && host != "cpu-generic")
    return of_scalar<T>(avx2::float_kernels, avx2::double_kernels);
  if (target == "cpu-avx512" && host == "cpu-avx512")
    return of_scalar<T>(avx512::float_kernels, avx512::double_kernels);
#endif
  throw Error(ErrorKind::usage, "no CPU kernels for target \"" + std::string(target) +
                                    "\" on this machine (it is " + host +
                                    "); analyse for the target of its backend");
}

template const DenseKernels<float>& dense_kernels<float>(std::string_view);
template const DenseKernels<double>& dense_kernels<double>(std::string_view);

}  // namespace kauri::numeric::cpu

// One vector register of T for the instruction set that this file is compiled for. Included only by
// the translation units of kernels, each of which defines KAURI_ISA, the name of a namespace of its
// own: the same template compiled with other flags must be another entity.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifndef KAURI_ISA
#error "define KAURI_ISA before including numeric/cpu/dense/simd.hpp"
#endif

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>

#define KAURI_INLINE inline __attribute__((always_inline))

namespace kauri::numeric::cpu::KAURI_ISA {

#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif

/// A register of `width` lanes of T. Partial loads fill the missing lanes with zero; partial stores
/// leave memory beyond `lanes` unchanged.
template <class T>
struct Vec {
  static constexpr int width = kVectorBytes / static_cast<int>(sizeof(T));
  typedef T reg __attribute__((vector_size(kVectorBytes)));
  typedef T loose __attribute__((vector_size(kVectorBytes), aligned(alignof(T)), may_alias));

  static KAURI_INLINE reg zero() { return reg{}; }
  static KAURI_INLINE reg broadcast(T x) { return reg{} + x; }
  static KAURI_INLINE reg load(const T* p) { return *reinterpret_cast<const loose*>(p); }
  static KAURI_INLINE void store(T* p, reg v) { *reinterpret_cast<loose*>(p) = v; }

#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
  static KAURI_INLINE reg load(const T* p, int lanes) {
    if constexpr (sizeof(T) == 8)
      return (reg)_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << lanes) - 1u), p);
    else
      return (reg)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << lanes) - 1u), p);
  }
  static KAURI_INLINE void store(T* p, reg v, int lanes) {
    if constexpr (sizeof(T) == 8)
      _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1u << lanes) - 1u), (__m512d)v);
    else
      _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << lanes) - 1u), (__m512)v);
  }
#elif defined(__AVX2__)
  static KAURI_INLINE __m256i mask(int lanes) {
    if constexpr (sizeof(T) == 8) {
      return _mm256_cmpgt_epi64(_mm256_set1_epi64x(lanes), _mm256_setr_epi64x(0, 1, 2, 3));
    } else {
      return _mm256_cmpgt_epi32(_mm256_set1_epi32(lanes),
                                _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    }
  }
  static KAURI_INLINE reg load(const T* p, int lanes) {
    if constexpr (sizeof(T) == 8)
      return (reg)_mm256_maskload_pd(p, mask(lanes));
    else
      return (reg)_mm256_maskload_ps(p, mask(lanes));
  }
  static KAURI_INLINE void store(T* p, reg v, int lanes) {
    if constexpr (sizeof(T) == 8)
      _mm256_maskstore_pd(p, mask(lanes), (__m256d)v);
    else
      _mm256_maskstore_ps(p, mask(lanes), (__m256)v);
  }
#else
  static KAURI_INLINE reg load(const T* p, int lanes) {
    reg v{};
    for (int l = 0; l < lanes; ++l) v[l] = p[l];
    return v;
  }
  static KAURI_INLINE void store(T* p, reg v, int lanes) {
    for (int l = 0; l < lanes; ++l) p[l] = v[l];
  }
#endif
};

}  // namespace kauri::numeric::cpu::KAURI_ISA

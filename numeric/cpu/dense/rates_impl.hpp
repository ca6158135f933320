// Loops that measure a roofline: multiply-adds in registers, reads of memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/types.hpp"
#include "numeric/cpu/dense/simd.hpp"

namespace kauri::numeric::cpu::KAURI_ISA {

/// Number of independent chains: enough to fill two multiply-add units with a latency of four or
/// five cycles, and few enough for the registers.
inline constexpr int kChains = 12;

template <class T>
T multiply_adds(Index rounds, T factor, T addend, double* flops) {
  using V = Vec<T>;
  const typename V::reg f = V::broadcast(factor), a = V::broadcast(addend);
  typename V::reg chain[kChains];
  for (int i = 0; i < kChains; ++i)
    chain[i] = V::broadcast(T(i));  // different values, so that the compiler merges no chains
  for (Index round = 0; round < rounds; ++round)
    for (auto& c : chain) c = c * f + a;
  *flops = 2.0 * rounds * kChains * V::width;
  T sum = 0;
  for (const auto& c : chain)
    for (int lane = 0; lane < V::width; ++lane) sum += c[lane];
  return sum;
}

template <class T>
T read_all(const T* from, Offset count) {
  using V = Vec<T>;
  constexpr Offset kStep = Offset{8} * V::width;
  typename V::reg part[8];
  for (auto& p : part) p = V::zero();
  Offset i = 0;
  for (; i + kStep <= count; i += kStep)
    for (int k = 0; k < 8; ++k) part[k] += V::load(from + i + k * V::width);
  T sum = 0;
  for (const auto& p : part)
    for (int lane = 0; lane < V::width; ++lane) sum += p[lane];
  for (; i < count; ++i) sum += from[i];
  return sum;
}

}  // namespace kauri::numeric::cpu::KAURI_ISA

// Conversion of numbers, matrices and options of C to those of C++.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

#include "base/common/digits.hpp"
#include "kauri/c/factor.h"
#include "kauri/c/matrix.h"
#include "src/c/guard.hpp"
#include "src/c/handles.hpp"

namespace kauri::c {

/// Returns the kauri_scalar that names T.
template <Scalar T>
constexpr std::int32_t scalar_of() {
  return sizeof(T) == sizeof(double) ? KAURI_DOUBLE : KAURI_FLOAT;
}

/// Returns f(T{}) for the type that a kauri_scalar names. Throws Error(usage) for a number that
/// names none.
template <class F>
auto with_scalar(std::int32_t scalar, F&& f) {
  if (scalar == KAURI_DOUBLE) return f(double{});
  if (scalar == KAURI_FLOAT) return f(float{});
  no_such("scalar", scalar);
}

/// Returns the size in bytes of the type that a kauri_scalar names, 4 or 8.
inline int bytes_of(std::int32_t scalar) {
  return with_scalar(scalar, [](auto zero) { return static_cast<int>(sizeof(zero)); });
}

/// Returns x as T. Throws Error(usage) if x is finite and beyond the range of T.
template <Scalar T>
T number_of(double x, const char* name) {
  if (std::isfinite(x) && std::abs(x) > static_cast<double>(std::numeric_limits<T>::max()))
    misuse(std::string(name) + " is " + digits(x) +
           ", too large for float; expected a number in its range");
  return static_cast<T>(x);
}

/// Returns a span over the caller's array of `count` numbers. Throws Error(usage) for a negative
/// count, and for null with count > 0.
template <class T>
std::span<T> span_of(std::conditional_t<std::is_const_v<T>, const void*, void*> data,
                     std::int64_t count, const char* name) {
  if (count < 0)
    misuse(std::string(name) + ": a length of " + std::to_string(count) + ", expected 0 or more");
  if (count > 0) (void)need(static_cast<const char*>(data), name);
  return {static_cast<T*>(data), static_cast<std::size_t>(count)};
}

/// Returns base, 0 or 1. Throws Error(usage) for other numbers.
inline int base_of(std::int32_t base) {
  if (base != 0 && base != 1) misuse("base is " + std::to_string(base) + ", expected 0 or 1");
  return base;
}

/// Returns row or column i counted from base; -1 for kNone.
inline std::int64_t counted(Index i, int base) { return i == kNone ? -1 : Offset{i} + base; }

/// Returns the C++ options, with the current stop token of the kauri_cancel set in `options`; the
/// defaults if `options` is null.
SolverOptions options_of(const kauri_options* options);

/// Returns a view of the caller's dense matrix. Throws Error(usage) for sizes beyond an Index or
/// the address space, and for an unknown layout or memory. Does not check that the data are not
/// null and that the leading dimension is large enough.
template <class T>
MatrixView<T> view_of(const kauri_dense& a, const char* name) {
  constexpr std::int64_t kMost = std::numeric_limits<Index>::max();
  if (a.rows < 0 || a.rows > kMost || a.cols < 0 || a.cols > kMost)
    misuse(std::string(name) + " has " + std::to_string(a.rows) + " rows and " +
           std::to_string(a.cols) + " columns, expected 0 to 2^31 - 1 of each");
  if (a.layout != KAURI_COLUMN_MAJOR && a.layout != KAURI_ROW_MAJOR) no_such("layout", a.layout);
  if (a.memory != KAURI_HOST && a.memory != KAURI_DEVICE) no_such("memory", a.memory);
  const std::int64_t lines = a.layout == KAURI_ROW_MAJOR ? a.rows : a.cols;
  if (lines > 1 && a.ld > std::numeric_limits<std::ptrdiff_t>::max() /
                              static_cast<std::int64_t>(sizeof(T)) / lines)
    misuse(std::string(name) + ": leading dimension " + std::to_string(a.ld) +
           ", more than memory has room for");
  return {static_cast<T*>(a.data), static_cast<Index>(a.rows), static_cast<Index>(a.cols), a.ld,
          a.layout == KAURI_ROW_MAJOR ? Layout::row_major : Layout::column_major};
}

/// Returns view_of(*a). Throws Error(usage) also if the struct is null or malformed, or the matrix
/// is in a device's memory.
template <class T>
MatrixView<T> host_view_of(const kauri_dense* a, const char* name) {
  const MatrixView<T> view = view_of<T>(sized(a, name), name);
  if (a->memory != KAURI_HOST)
    misuse(std::string(name) + " is on a device, expected in the host's memory");
  return view;
}

/// Returns the handle's object of type Of, which fixes the scalar. Throws Error(usage) if the
/// handle is of another scalar. name: the subject of the message, as "the matrix".
template <class Of, class Handle>
auto& same_scalar(Handle& handle, const char* name) {
  auto* of = std::get_if<Of>(&handle.of);
  if (of == nullptr)
    misuse(std::string(name) + " has another scalar type, expected that of the other arguments");
  return *of;
}

inline void write(const BackwardError& error, double& normwise, double& componentwise) {
  normwise = error.normwise;
  componentwise = error.componentwise;
}
void write(const Refinement& refinement, std::int64_t unconverged, kauri_refinement& out);
void write(const DeviceVerdict& verdict, int base, kauri_verdict& out);

}  // namespace kauri::c

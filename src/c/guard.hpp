// Guards of the functions of the C interface: exceptions become statuses, and null arguments
// errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "kauri/c/status.h"
#include "kauri/core/error.hpp"
#include "kauri/solve/refinement.hpp"
#include "src/checks/misuse.hpp"

namespace kauri::c {

/// Stores the text for kauri_error_message() of this thread and returns the status.
kauri_status told(kauri_status status, std::string_view text) noexcept;

/// Stores the text of the exception that is being handled and returns its status.
kauri_status told_exception() noexcept;

/// Returns KAURI_OK, or KAURI_NOT_POSITIVE_DEFINITE for a Breakdown, whose column the text of the
/// error gives, counted from base.
kauri_status outcome(const Result<void, Breakdown>& result, int base);

/// Returns KAURI_OK for SolveStatus::ok and none, else KAURI_NOT_CONVERGED with the reason as its
/// text.
kauri_status solved(SolveStatus status, const std::string& reason);

/// Runs f() as the body of a C function. f returns nothing, which is KAURI_OK, or a status whose
/// text it has stored by told(). Exceptions become statuses.
template <class F>
kauri_status guarded(F&& f) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(f())>) {
      f();
      return KAURI_OK;
    } else {
      return f();
    }
  } catch (...) {
    return told_exception();
  }
}

/// Returns f(), whose errors count rows and columns from 0, for a caller who counts from base. With
/// base 1, the text of an Error(input), and of any Error that names an "entry (", gets the remark
/// that it counts from 0, unless it says so already.
template <class F>
auto counting_from(int base, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    const std::string text = error.what();
    const bool counts =
        error.kind() == ErrorKind::input || text.find("entry (") != std::string::npos;
    if (base == 0 || !counts || text.find("from 0") != std::string::npos) throw;
    throw Error(error.kind(), text + " (rows and columns counted from 0)");
  }
}

/// Returns *pointer. Throws Error(usage) that names `name` if the pointer is null.
template <class T>
T& need(T* pointer, const char* name) {
  if (pointer == nullptr) misuse(std::string(name) + " is null, expected an address");
  return *pointer;
}

/// Sets the caller's pointer *place, which is to hold a new handle, to null and returns it. Throws
/// Error(usage) if `place` is null.
template <class T>
T*& place_for(T** place, const char* name) {
  T*& handle = need(place, name);
  handle = nullptr;
  return handle;
}

/// Returns the caller's struct, which begins with struct_size. Throws Error(usage) if the pointer
/// is null or the size is not sizeof(T). All structs are in their first version, so each has one
/// valid size.
template <class T>
T& sized(T* pointer, const char* name) {
  T& s = need(pointer, name);
  if (s.struct_size != sizeof(T))
    misuse(std::string(name) + ": struct_size is " + std::to_string(s.struct_size) + ", expected " +
           std::to_string(sizeof(T)) + ": begin with the struct's initialiser");
  return s;
}

/// Returns the caller's struct after the checks of sized(), for a call that only reads it. Throws
/// Error(usage) also if `reserved` is not 0, so that a later version can give it a meaning.
template <class T>
const T& read_struct(const T* pointer, const char* name) {
  const T& s = sized(pointer, name);
  if (s.reserved != 0)
    misuse(std::string(name) + ": reserved is " + std::to_string(s.reserved) + ", expected 0");
  return s;
}

/// Sets *place to value unless place is null.
template <class T, class U>
void put(T* place, const U& value) {
  if (place != nullptr) *place = static_cast<T>(value);
}

/// Sets *needed, unless `needed` is null, to the bytes of the text with its terminating zero, and
/// writes these to the buffer, unless the buffer is null and capacity 0. Throws Error(usage) if the
/// buffer is null with a capacity above 0, or too small.
void put_text(std::string_view text, char* buffer, std::size_t capacity, std::size_t* needed);

/// Throws Error(usage) unless `given` is `expected`. name: the argument, as "length".
void require_length(const char* name, std::int64_t given, std::int64_t expected);

/// Throws Error(usage): `given` is not a value of the enumeration. name: the argument, as "memory".
[[noreturn]] void no_such(const char* name, std::int32_t given);

}  // namespace kauri::c

// What every function of the C interface begins and ends with: no exception comes out, and null is an answer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "kauri/c/status.h"
#include "kauri/error.hpp"
#include "kauri/refinement.hpp"
#include "src/checks/misuse.hpp"

namespace kauri::c {

/// Keeps the text for kauri_error_message() of this thread, and returns the status.
kauri_status told(kauri_status status, std::string_view text) noexcept;

/// The status and text of the exception that is being handled.
kauri_status told_exception() noexcept;

/// A Breakdown as a status, its column counted from base.
kauri_status outcome(const Result<void, Breakdown>& result, int base);

/// KAURI_OK for SolveStatus::ok and none, else KAURI_NOT_CONVERGED with the reason.
kauri_status solved(SolveStatus status, const std::string& reason);

/// f() as the body of a C function: returns nothing, which is KAURI_OK, or a status that it has told.
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

/// f(), whose errors count rows and columns from 0, for a caller who counts from base: the text of an Error(input), or of another pattern's
/// entry, says so, if not by itself.
template <class F>
auto counting_from(int base, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    const std::string text = error.what();
    const bool counts = error.kind() == ErrorKind::input || text.find("entry (") != std::string::npos;
    if (base == 0 || !counts || text.find("from 0") != std::string::npos) throw;
    throw Error(error.kind(), text + " (rows and columns counted from 0)");
  }
}

/// What a pointer points to; Error(usage) for null.
template <class T>
T& need(T* pointer, const char* name) {
  if (pointer == nullptr) misuse(std::string(name) + " is null");
  return *pointer;
}

/// The place for a new handle, emptied.
template <class T>
T*& place_for(T** place, const char* name) {
  T*& handle = need(place, name);
  handle = nullptr;
  return handle;
}

/// A struct of the caller's that begins with struct_size. All are in their first version: there is one size to know.
template <class T>
T& sized(T* pointer, const char* name) {
  T& s = need(pointer, name);
  if (s.struct_size != sizeof(T))
    misuse(std::string(name) + ": struct_size is " + std::to_string(s.struct_size) + ", expected " + std::to_string(sizeof(T)) +
           ": begin with the struct's initialiser");
  return s;
}

/// The same of one that a call reads: what is reserved in it is 0, so that a later version can give it a meaning.
template <class T>
const T& read_struct(const T* pointer, const char* name) {
  const T& s = sized(pointer, name);
  if (s.reserved != 0) misuse(std::string(name) + ": reserved is " + std::to_string(s.reserved) + ", expected 0");
  return s;
}

/// Puts a value in a place that may be null.
template <class T, class U>
void put(T* place, const U& value) {
  if (place != nullptr) *place = static_cast<T>(value);
}

/// Puts a text with its zero into the caller's buffer, see kauri/kauri.h.
void put_text(std::string_view text, char* buffer, std::size_t capacity, std::size_t* needed);

/// Error(usage) unless `given` is `expected`. name: what is counted, as "length".
void require_length(const char* name, std::int64_t given, std::int64_t expected);

/// Error(usage) for an enumeration's number that there is not.
[[noreturn]] void no_such(const char* name, std::int32_t given);

}  // namespace kauri::c

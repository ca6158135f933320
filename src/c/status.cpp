// C: versions, statuses, and each thread's text of its last error.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/c/status.h"

#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "kauri/core/breakdown.hpp"
#include "kauri/core/version.hpp"
#include "src/c/guard.hpp"

namespace kauri::c {
namespace {

/// The text of the last error; `shown` points to it, or to a literal if there was no memory for it.
struct LastMessage {
  std::string text;
  const char* shown = "";
};
thread_local LastMessage last_message;  // NOLINT(readability-identifier-naming)

kauri_status status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return KAURI_ERROR_USAGE;
    case ErrorKind::input:
      return KAURI_ERROR_INPUT;
    case ErrorKind::overflow:
      return KAURI_ERROR_OVERFLOW;
    case ErrorKind::memory:
      return KAURI_ERROR_MEMORY;
    case ErrorKind::device:
      return KAURI_ERROR_DEVICE;
    case ErrorKind::cancelled:
      return KAURI_ERROR_CANCELLED;
  }
  return KAURI_ERROR_INTERNAL;
}

}  // namespace

kauri_status told(kauri_status status, std::string_view text) noexcept {
  LastMessage& last = last_message;
  try {
    last.text.assign(text);
    last.shown = last.text.c_str();
  } catch (...) {
    last.shown = "not enough memory for the text of the error";
  }
  return status;
}

kauri_status told_exception() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return told(status_of(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    return told(KAURI_ERROR_MEMORY, "not enough memory");
  } catch (const std::exception& error) {
    return told(KAURI_ERROR_INTERNAL, error.what());
  } catch (...) {
    return told(KAURI_ERROR_INTERNAL, "an exception of an unknown type");
  }
}

kauri_status outcome(const Result<void, Breakdown>& result, int base) {
  if (result) return KAURI_OK;
  return told(KAURI_NOT_POSITIVE_DEFINITE, describe(result.error(), base));
}

kauri_status solved(SolveStatus status, const std::string& reason) {
  if (status == SolveStatus::ok || status == SolveStatus::none) return KAURI_OK;
  return told(KAURI_NOT_CONVERGED, reason);
}

void put_text(std::string_view text, char* buffer, std::size_t capacity, std::size_t* needed) {
  put(needed, text.size() + 1);
  if (buffer == nullptr && capacity == 0) return;
  char& first = need(buffer, "text");
  if (capacity <= text.size())
    misuse("text: a buffer of " + std::to_string(capacity) + " bytes, expected " +
           std::to_string(text.size() + 1) + " or more");
  std::memcpy(&first, text.data(), text.size());
  buffer[text.size()] = '\0';
}

void require_length(const char* name, std::int64_t given, std::int64_t expected) {
  if (given != expected)
    misuse(std::string(name) + " is " + std::to_string(given) + ", expected " +
           std::to_string(expected));
}

void no_such(const char* name, std::int32_t given) {
  misuse(std::string(name) + " is " + std::to_string(given) +
         ", expected one of the constants of kauri.h");
}

extern "C" {

int32_t kauri_api_version(void) { return KAURI_API_VERSION; }
const char* kauri_version(void) {
  return version().data();
}  // version() and commit() are literals, so they end with a zero
const char* kauri_commit(void) { return commit().data(); }

const char* kauri_status_name(kauri_status status) {
  switch (status) {
    case KAURI_OK:
      return "ok";
    case KAURI_NOT_POSITIVE_DEFINITE:
      return "not_positive_definite";
    case KAURI_ERROR_USAGE:
      return "usage";
    case KAURI_ERROR_INPUT:
      return "input";
    case KAURI_ERROR_OVERFLOW:
      return "overflow";
    case KAURI_ERROR_MEMORY:
      return "memory";
    case KAURI_ERROR_DEVICE:
      return "device";
    case KAURI_ERROR_CANCELLED:
      return "cancelled";
    case KAURI_ERROR_INTERNAL:
      return "internal";
    case KAURI_NOT_CONVERGED:
      return "not_converged";
    default:
      return "unknown";
  }
}

const char* kauri_error_message(void) { return last_message.shown; }

}  // extern "C"

}  // namespace kauri::c

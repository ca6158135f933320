// Limits the bytes that one reader may take.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/file/allowance.hpp"

#include "kauri/core/error.hpp"
#include "src/io/file/file.hpp"

namespace kauri::io {

void Allowance::take(std::string_view name, std::size_t count, std::size_t size, const char* what) {
  if (most_ == kAll)
    return;  // without a limit the readers compare each claim with the bytes of the file instead
  if (size != 0 && count > left() / size)
    refuse(name, std::to_string(count) + " " + what +
                     (size == 1 ? "" : ", " + std::to_string(size) + " bytes each"));
  taken_ += count * size;
}

void Allowance::refuse(std::string_view name, const std::string& what) const {
  throw Error(ErrorKind::memory, shown(name) + ": " + what + ", but of max_bytes, " +
                                     std::to_string(most_) + ", " + std::to_string(left()) +
                                     " are left");
}

void expect_some_columns(std::string_view name, Index rows, Index cols) {
  if (rows == 0 && cols > kMostEmptyColumns)
    fail(name, "has " + std::to_string(cols) + " columns without rows, expected at most " +
                   std::to_string(kMostEmptyColumns));
}

}  // namespace kauri::io

// Limits the bytes that one reader may take.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "kauri/core/types.hpp"

namespace kauri::io {

/// Counts bytes against a limit before memory is taken for them: those of the file, of its unpacked
/// content, and of arrays made from it. The count never goes down.
class Allowance {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  /// most: ReadOptions::max_bytes; 0: no limit but the machine's.
  Allowance() : Allowance(0) {}
  explicit Allowance(std::size_t most) : most_(most == 0 ? kAll : most) {}

  [[nodiscard]] bool bounded() const { return most_ != kAll; }
  [[nodiscard]] std::size_t left() const { return most_ - taken_; }
  /// Counts `count` items of `size` bytes each; `what` names them, as "entries of the file". Throws
  /// Error(memory) with the file's name, the bytes and the limit if they exceed what is left.
  void take(std::string_view name, std::size_t count, std::size_t size, const char* what);
  /// Throws Error(memory) as take() does. what: the bytes that exceed what is left, in words.
  [[noreturn]] void refuse(std::string_view name, const std::string& what) const;

 private:
  std::size_t most_, taken_ = 0;
};

/// Throws Error(input) for a dense array with no rows and more than kMostEmptyColumns columns,
/// which takes no bytes of a file, but would cost its user time and memory for each column.
void expect_some_columns(std::string_view name, Index rows, Index cols);
inline constexpr Index kMostEmptyColumns = 1 << 20;

}  // namespace kauri::io

// Text for people: numbers with units, and aligned columns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri::cli {

/// Returns seconds with three digits, "12.3 ms", "1.23 s", or microseconds without decimals,
/// "45 us"; "-" for a negative number or NaN.
std::string seconds(double s);
/// Returns bytes with three digits and powers of 1000, "1.23 GB"; below 1000 without decimals.
std::string bytes(double b);
/// Returns all digits of a count, in groups of three: "1,234,567".
std::string integer(Offset count);
/// Returns a count with three digits and powers of 1000, "921 M", "7.12 G"; below 10,000 with all
/// digits.
std::string count(double x);
/// Returns operations per second, "12.3 Gflop/s"; "-" unless s > 0.
std::string rate(double flops, double s);
/// Returns an error with two digits, "3.1e-16"; "not finite" for NaN and infinity.
std::string error(double e);

/// Returns a text that is safe for a terminal even if it contains names of files: line ends and
/// tabs stay, other control characters become '?'.
std::string for_terminal(std::string_view text);

/// A table of rows under a header. The first column is flush left, the others flush right; the last
/// one is flush left with Last::left.
class Table {
 public:
  enum class Last { right, left };
  explicit Table(std::vector<std::string> header, Last last = Last::right)
      : rows_{std::move(header)}, last_(last) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Returns the lines, each with two leading blanks, and two blanks between columns.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  Last last_;
};

/// A list of facts: lines "  name   value   remark" with the first two columns aligned.
class Facts {
 public:
  void add(std::string name, std::string value, std::string remark = {});
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace kauri::cli

// Words and tables for people: human units and aligned columns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kauri/types.hpp"

namespace kauri::cli {

/// "12.3 ms", "1.23 s", "45 us": three digits.
std::string seconds(double s);
/// "1.23 GB": powers of 1000, three digits.
std::string bytes(double b);
/// "1,234,567".
std::string integer(Offset count);
/// "921 M", "7.12 G": powers of 1000, three digits; below 10,000 as it is.
std::string count(double x);
/// "12.3 Gflop/s"; "-" where no time was measured.
std::string rate(double flops, double s);
/// "3.1e-16".
std::string error(double e);

/// Text with names in it that others chose, as a terminal may get it: line ends and tabs stay, other control characters become '?'.
std::string for_terminal(std::string_view text);

/// Rows of cells under a header; the first column is flush left, the others flush right, or the last one flush left as well.
class Table {
 public:
  enum class Last { right, left };
  explicit Table(std::vector<std::string> header, Last last = Last::right) : rows_{std::move(header)}, last_(last) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Two blanks before each line, columns two blanks apart.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  Last last_;
};

/// Lines "  name   value   remark", the first two columns aligned.
class Facts {
 public:
  void add(std::string name, std::string value, std::string remark = {});
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace kauri::cli

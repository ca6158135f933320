// Reads permutation files.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/permutation_file.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "src/io/file/file.hpp"
#include "src/io/text/text.hpp"

namespace kauri::io {

std::vector<Index> parse_permutation(std::string_view bytes, std::string_view name,
                                     Allowance allowance) {
  constexpr Offset kMost = std::numeric_limits<Index>::max();
  TextCursor text(bytes, name);
  std::vector<Index> old_of;
  // Counts row, line and first line of each number twice, since growing vectors exist twice.
  const auto lines = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n') +
                                              std::count(bytes.begin(), bytes.end(), '\r'));
  allowance.take(name, lines + 1, 2 * (sizeof(Index) + 2 * sizeof(Offset)), "lines");
  std::vector<Offset> line;
  while (text.next_line("%#")) {
    const Offset row = text.integer("one row number");
    if (row < 0 || row >= kMost)
      text.fail_line("row " + std::to_string(row) + ", expected 0 to " + std::to_string(kMost - 1));
    text.end_line("one row number");
    old_of.push_back(static_cast<Index>(row));
    line.push_back(text.line());
    if (static_cast<Offset>(old_of.size()) > kMost)
      text.fail_line("more than " + std::to_string(kMost) + " rows");
  }
  // The number of rows is known only now.
  std::vector<Offset> first_line(old_of.size(), 0);
  for (std::size_t k = 0; k < old_of.size(); ++k) {
    const auto row = static_cast<std::size_t>(old_of[k]);
    const std::string where = "line " + std::to_string(line[k]) + ": row " + std::to_string(row);
    if (row >= old_of.size())
      fail(name, where + ", expected 0 to " + std::to_string(old_of.size() - 1) + " as there are " +
                     std::to_string(old_of.size()) + " rows");
    if (first_line[row] != 0)
      fail(name, where + " was already given in line " + std::to_string(first_line[row]));
    first_line[row] = line[k];
  }
  return old_of;
}

}  // namespace kauri::io

// Text for people: numbers with units, and aligned columns.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "src/io/file/file.hpp"

namespace kauri::cli {
namespace {

/// Returns x with a prefix for powers of 1000: three digits with a prefix, no decimals without one.
std::string scaled(double x, const char* separator, const char* unit) {
  constexpr std::array kPrefix = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t power = 0;
  while (std::abs(x) >= 999.5 && power + 1 < kPrefix.size()) x /= 1000, ++power;
  const int decimals = power == 0 ? 0 : std::abs(x) < 9.995 ? 2 : std::abs(x) < 99.95 ? 1 : 0;
  const std::string word = std::string(kPrefix[power]) + unit;
  return fmt::format("{:.{}f}{}{}", x, decimals, word.empty() ? "" : separator, word);
}

std::string three_digits(double x) {
  return fmt::format("{:.{}f}", x, x < 9.995 ? 2 : x < 99.95 ? 1 : 0);
}

}  // namespace

std::string seconds(double s) {
  if (!(s >= 0)) return "-";
  if (s < 999.5e-6) return fmt::format("{:.0f} us", s * 1e6);
  if (s < 0.9995) return three_digits(s * 1e3) + " ms";
  return three_digits(s) + " s";
}

std::string bytes(double b) { return scaled(b, " ", "B"); }

std::string integer(Offset count) {
  std::string digits = std::to_string(count);
  const int first = digits.starts_with('-') ? 1 : 0;
  for (int at = static_cast<int>(digits.size()) - 3; at > first; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string for_terminal(std::string_view text) {
  std::string safe;
  for (;;) {
    const std::size_t end = text.find_first_of("\n\t");
    safe += io::shown(text.substr(0, end));
    if (end == std::string_view::npos) return safe;
    safe += text[end];
    text.remove_prefix(end + 1);
  }
}

std::string count(double x) {
  return std::abs(x) < 1e4 ? fmt::format("{:.0f}", x) : scaled(x, " ", "");
}

std::string rate(double flops, double s) { return s > 0 ? scaled(flops / s, " ", "flop/s") : "-"; }

std::string error(double e) { return std::isfinite(e) ? fmt::format("{:.1e}", e) : "not finite"; }

std::string Table::text() const {
  std::vector<std::size_t> width;
  for (const auto& row : rows_) {
    width.resize(std::max(width.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += c == 0 || (last_ == Last::left && c + 1 == width.size())
                  ? fmt::format("  {:<{}}", row[c], width[c])
                  : fmt::format("  {:>{}}", row[c], width[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

void Facts::add(std::string name, std::string value, std::string remark) {
  lines_.push_back({std::move(name), std::move(value), std::move(remark)});
}

std::string Facts::text() const {
  std::size_t name = 0, value = 0;
  for (const auto& line : lines_) {
    name = std::max(name, line[0].size());
    if (!line[2].empty()) value = std::max(value, line[1].size());
  }
  std::string out;
  for (const auto& line : lines_) {
    std::string text = fmt::format("  {:<{}}  {:<{}}  {}", line[0], name, line[1], value, line[2]);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

}  // namespace kauri::cli

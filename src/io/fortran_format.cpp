// Formats and numbers as Fortran has them.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/fortran_format.hpp"

#include <charconv>
#include <cmath>

#include "src/io/text.hpp"

namespace kauri::io {
namespace {

/// Letters of a format, without blanks.
class Letters {
 public:
  explicit Letters(std::string_view text) {
    for (const char c : text)
      if (c != ' ' && c != '\t') text_ += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  char next() { return at_ < text_.size() ? text_[at_++] : '\0'; }
  [[nodiscard]] bool done() const { return at_ == text_.size(); }
  /// A number of at most four digits; `otherwise` if there is none.
  int number(int otherwise) {
    int value = 0, digits = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && digits < 4; ++digits) value = value * 10 + (text_[at_++] - '0');
    return digits == 0 ? otherwise : value;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

std::string_view trimmed(std::string_view field) {
  while (!field.empty() && (field.front() == ' ' || field.front() == '\t')) field.remove_prefix(1);
  while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
  return field;
}

constexpr Offset kLongest = 100'000;  // of exponents: beyond it nothing is a number that anyone wrote

bool is_sign(char c) { return c == '+' || c == '-'; }

/// Where the exponent of a number starts: at its letter, or at a sign behind the first character.
std::size_t exponent_at(std::string_view number) {
  for (std::size_t k = 1; k < number.size(); ++k)
    if (is_sign(number[k]) || std::string_view("eEdDqQ").find(number[k]) != std::string_view::npos) return k;
  return std::string_view::npos;
}

}  // namespace

std::optional<FortranFormat> parse_fortran_format(std::string_view text) {
  Letters letters(text);
  FortranFormat format;
  if (!letters.take('(')) return {};
  const bool negative = letters.take('-');
  format.repeat = letters.number(1);
  char kind = letters.next();
  if (kind == 'P') {
    format.scale = negative ? -format.repeat : format.repeat;
    letters.take(',');
    format.repeat = letters.number(1);
    kind = letters.next();
  } else if (negative) {
    return {};
  }
  format.integer = kind == 'I';
  if (kind != 'I' && kind != 'E' && kind != 'D' && kind != 'F' && kind != 'G') return {};
  if (kind == 'E' && !letters.take('S')) letters.take('N');  // ES and EN read as E does
  format.width = letters.number(0);
  const bool point = letters.take('.');
  if (point) format.decimals = letters.number(0);
  if (point && letters.take('E')) letters.number(0);
  if (!letters.take(')') || !letters.done() || format.repeat < 1 || format.width < 1) return {};
  return format;
}

std::optional<Offset> fortran_integer(std::string_view field) {
  field = trimmed(field);
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  Offset value = 0;
  const auto [end, code] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (code != std::errc() || end != field.data() + field.size()) return {};
  return value;
}

std::optional<double> fortran_real(std::string_view field, const FortranFormat& format) {
  field = trimmed(field);
  if (field.size() > 1 && field[0] == '+' && !is_sign(field[1])) field.remove_prefix(1);
  double value = 0;
  const std::size_t split = exponent_at(field);
  const bool plain = split == std::string_view::npos;
  const auto [end, code] = std::from_chars(field.data(), field.data() + field.size(), value);
  const bool whole = code == std::errc() && end == field.data() + field.size();
  const std::string_view mantissa = field.substr(0, split);
  const bool point = mantissa.find('.') != std::string_view::npos || format.decimals == 0;
  if (whole && (!std::isfinite(value) || (point && (!plain || format.scale == 0)))) return value;
  // The same number with an exponent that from_chars takes: 1.5D+03, 1.5+3, an implied point, a scale factor.
  Offset exponent = plain ? -format.scale : 0;
  if (!plain) {
    const auto given = fortran_integer(field.substr(split + (is_sign(field[split]) ? 0 : 1)));
    if (!given || std::abs(*given) > kLongest) return {};
    exponent = *given;
  }
  if (!point) exponent -= format.decimals;
  return whole_real(std::string(mantissa) + "e" + std::to_string(exponent));
}

}  // namespace kauri::io

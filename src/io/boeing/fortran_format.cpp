// Parses formats and numbers by Fortran's rules.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/boeing/fortran_format.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "src/io/text/text.hpp"

namespace kauri::io {
namespace {

/// The characters of a format, in upper case and without blanks.
class Letters {
 public:
  explicit Letters(std::string_view text) {
    for (const char c : text)
      if (c != ' ' && c != '\t')
        text_ += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  char next() { return at_ < text_.size() ? text_[at_++] : '\0'; }
  [[nodiscard]] bool done() const { return at_ == text_.size(); }
  [[nodiscard]] std::size_t place() const { return at_; }
  void go_to(std::size_t place) { at_ = place; }
  /// Reads a number of at most four digits; returns `otherwise` if there is none.
  int number(int otherwise) {
    int value = 0, digits = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && digits < 4; ++digits)
      value = value * 10 + (text_[at_++] - '0');
    return digits == 0 ? otherwise : value;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

/// Walks through a format as Fortran does, and records where fields begin.
class FormatReader {
 public:
  explicit FormatReader(std::string_view text) : letters_(text) {}

  std::optional<FortranFormat> format() {
    if (!letters_.take('(')) return {};
    again_ = letters_.place();
    if (!items(0) || !letters_.done()) return {};
    std::vector<int> first = std::exchange(format_.later, {});
    // Further lines continue from the last group of the outermost level, or from the start, with
    // the scale factor in effect.
    letters_.go_to(again_);
    column_ = items_ = 0;
    if (first.empty() || !items(0) || format_.later.empty()) return {};
    format_.first = std::move(first);
    format_.repeat = static_cast<int>(format_.later.size());
    return format_;
  }

 private:
  static constexpr int kDeepest = 8, kMostItems = 10'000;

  /// Reads items separated by commas, up to the closing parenthesis. Returns false if they are no
  /// format.
  bool items(int depth) {
    for (;;) {
      const std::size_t begin = letters_.place();
      const bool negative = letters_.take('-');
      const int count = letters_.number(-1);
      const bool is_group = !negative && letters_.take('(');
      const char kind = is_group ? '(' : letters_.next();
      if (is_group && depth == 0) again_ = begin;
      if (++items_ > kMostItems || (negative && kind != 'P')) return false;
      if (kind == 'P' && count < 0) return false;
      if (is_group ? !group(count, depth) : !item(kind, negative ? -count : count)) return false;
      if (letters_.take(')')) return true;
      if (!letters_.take(',') && kind != 'P') return false;
    }
  }

  bool group(int count, int depth) {
    if (depth == kDeepest || count == 0) return false;
    const std::size_t body = letters_.place();
    for (int r = 0; r < std::max(1, count); ++r) {
      letters_.go_to(body);
      if (!items(depth + 1)) return false;
    }
    return true;
  }

  /// Reads one item. count: -1 if none is written; any number for P.
  bool item(char kind, int count) {
    if (kind == 'P') {
      scale_ = count;
      return true;
    }
    if (count == 0) return false;
    if (kind != 'X') return fields(kind, std::max(1, count));
    column_ += std::max(1, count);
    return true;
  }

  bool fields(char kind, int count) {
    if (kind != 'I' && kind != 'E' && kind != 'D' && kind != 'F' && kind != 'G') return false;
    if (kind == 'E' && !letters_.take('S')) letters_.take('N');  // ES and EN read as E does
    FortranFormat one;
    one.width = letters_.number(0);
    const bool point = letters_.take('.');
    if (point) one.decimals = letters_.number(0);
    if (point && letters_.take('E')) letters_.number(0);
    one.scale = scale_;
    one.integer = kind == 'I';
    if (one.width < 1 || (any_ && !alike(one, format_)) || count > kMostItems - items_)
      return false;
    any_ = true;
    items_ += count;
    one.later = std::move(format_.later);
    format_ = std::move(one);
    for (; count > 0; --count, column_ += format_.width) format_.later.push_back(column_);
    return true;
  }

  static bool alike(const FortranFormat& a, const FortranFormat& b) {
    return a.width == b.width && a.decimals == b.decimals && a.integer == b.integer &&
           (a.integer || a.scale == b.scale);
  }

  Letters letters_;
  FortranFormat format_;
  std::size_t again_ = 0;  // where the format restarts for further lines
  int scale_ = 0, column_ = 0, items_ = 0;
  bool any_ = false;  // a field was read
};

std::string_view trimmed(std::string_view field) {
  while (!field.empty() && (field.front() == ' ' || field.front() == '\t')) field.remove_prefix(1);
  while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
  return field;
}

constexpr Offset kLongest = 100'000;  // a field with a larger exponent is no number

bool is_sign(char c) { return c == '+' || c == '-'; }

/// Returns the position of a number's exponent: its letter, or a sign after the first character;
/// npos if it has none.
std::size_t exponent_at(std::string_view number) {
  for (std::size_t k = 1; k < number.size(); ++k)
    if (is_sign(number[k]) || std::string_view("eEdDqQ").find(number[k]) != std::string_view::npos)
      return k;
  return std::string_view::npos;
}

}  // namespace

std::optional<FortranFormat> parse_fortran_format(std::string_view text) {
  return FormatReader(text).format();
}

FortranFormat::Place FortranFormat::place(Offset k) const {
  const auto here = static_cast<Offset>(first.size());
  if (k < here) return {0, first[k]};
  return {1 + (k - here) / repeat, later[(k - here) % repeat]};
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
  // Builds the same number with an exponent that from_chars accepts: 1.5D+03, 1.5+3, an implied
  // point, a scale factor.
  Offset exponent = plain ? -format.scale : 0;
  if (!plain) {
    const auto given = fortran_integer(field.substr(split + (is_sign(field[split]) ? 0 : 1)));
    if (!given || *given > kLongest || *given < -kLongest)
      return {};  // not by abs, which overflows for the least Offset
    exponent = *given;
  }
  if (!point) exponent -= format.decimals;
  return whole_real(std::string(mantissa) + "e" + std::to_string(exponent));
}

}  // namespace kauri::io

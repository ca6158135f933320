// Parses numbers in text.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/text/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "src/io/file/file.hpp"

namespace kauri::io {
namespace {

/// Skips a '+', which std::from_chars does not accept.
const char* skip_plus(const char* begin, const char* end) {
  return end - begin > 1 && begin[0] == '+' && begin[1] != '-' && begin[1] != '+' ? begin + 1
                                                                                  : begin;
}

/// Returns true if a decimal number out of the range of double is too small, false if too large.
/// The number is well-formed and not zero.
bool is_tiny(std::string_view word) {
  Offset magnitude = 0;  // decimal exponent of the first digit that is not zero
  bool point = false, found = false;
  std::size_t k = 0;
  for (; k < word.size() && word[k] != 'e' && word[k] != 'E'; ++k) {
    if (word[k] == '.') point = true;
    found = found || (word[k] >= '1' && word[k] <= '9');
    if (point && !found) --magnitude;
    if (!point && found) ++magnitude;
  }
  if (k < word.size()) {
    constexpr Offset kCertain = Offset{1}
                                << 40;  // beyond the exponent of any text that fits memory
    const bool negative = k + 1 < word.size() && word[k + 1] == '-';
    Offset exponent = 0;
    for (const char c : word.substr(k + 1))
      if (c >= '0' && c <= '9') exponent = std::min(kCertain, exponent * 10 + (c - '0'));
    magnitude += negative ? -exponent : exponent;
  }
  return magnitude < 0;
}

}  // namespace

std::string printable(std::string_view bytes) {
  constexpr std::size_t kMost = 40;
  std::string text(bytes.substr(0, kMost));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return bytes.size() > kMost ? text + "..." : text;
}

std::optional<double> whole_real(std::string_view word) {
  const char *begin = skip_plus(word.data(), word.data() + word.size()),
             *last = word.data() + word.size();
  double value = 0;
  const auto [end, code] = std::from_chars(begin, last, value);
  if (word.empty() || end != last || code == std::errc::invalid_argument) return {};
  if (code != std::errc::result_out_of_range) return value;
  const double size = is_tiny(word) ? 0.0 : std::numeric_limits<double>::infinity();
  return *begin == '-' ? -size : size;
}

void TextCursor::fail_line(const std::string& what) const {
  fail(name_, "line " + std::to_string(line_) + ": " + what);
}

std::string_view TextCursor::rest_of_line() {
  const char* begin = next_;
  skip_rest();
  return {begin, static_cast<std::size_t>(next_ - begin)};
}

std::string_view TextCursor::word() const {
  const char* last = next_;
  while (!at_word_end(last)) ++last;
  return {next_, static_cast<std::size_t>(last - next_)};
}

Offset TextCursor::integer(const char* expected) {
  skip_blanks();
  // Up to 18 digits cannot overflow; std::from_chars reads all other numbers.
  const char* place = next_;
  Offset value = 0;
  while (place != end_ && place - next_ < 18 && *place >= '0' && *place <= '9')
    value = value * 10 + (*place++ - '0');
  if (place != next_ && at_word_end(place)) {
    next_ = place;
    return value;
  }
  const auto [end, code] = std::from_chars(skip_plus(next_, end_), end_, value);
  if (code == std::errc::result_out_of_range && at_word_end(end))
    fail_line(std::string("expected ") + expected + ", found '" + printable(word()) +
              "', which does not fit 63 bits");
  if (code != std::errc() || !at_word_end(end)) {
    const std::string_view found = word();
    fail_line(
        std::string("expected ") + expected +
        (found.empty() ? ", found the end of the line" : ", found '" + printable(found) + "'"));
  }
  next_ = end;
  return value;
}

double TextCursor::whole_number(const char* expected) {
  skip_blanks();
  // integer() reads all but the upper half of the unsigned numbers.
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(skip_plus(next_, end_), end_, value);
  if (code != std::errc() || !at_word_end(end) ||
      value <= static_cast<std::uint64_t>(std::numeric_limits<Offset>::max()))
    return static_cast<double>(integer(expected));
  next_ = end;
  return static_cast<double>(value);
}

double TextCursor::real(const char* expected) {
  skip_blanks();
  double value = 0;
  const auto [end, code] = std::from_chars(skip_plus(next_, end_), end_, value);
  if (code != std::errc() || !at_word_end(end)) return unusual_real(expected);
  if (!std::isfinite(value))
    fail_line("value '" + printable(word()) + "', expected a finite number");
  next_ = end;
  return value;
}

double TextCursor::unusual_real(const char* expected) {
  const std::string_view found = word();
  std::string plain(found);
  for (char& c : plain)
    if (c == 'd' || c == 'D') c = 'e';  // Fortran's double precision exponent
  const std::optional<double> value = whole_real(plain);
  if (!value)
    fail_line(
        std::string("expected ") + expected +
        (found.empty() ? ", found the end of the line" : ", found '" + printable(found) + "'"));
  if (std::isinf(*value) && plain.find_first_of("0123456789") != std::string::npos)
    fail_line("value '" + printable(found) +
              "' is too large for double precision, expected a finite number");
  if (!std::isfinite(*value))
    fail_line("value '" + printable(found) + "', expected a finite number");
  next_ += found.size();
  return *value;
}

}  // namespace kauri::io

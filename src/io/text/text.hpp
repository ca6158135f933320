// A cursor over text that counts lines: parses numbers fast, and names the line in errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kauri/core/types.hpp"

namespace kauri::io {

/// Returns bytes as they may be shown in an error: the first 40, with "..." behind them if there
/// are more; unprintable ones as '?'.
std::string printable(std::string_view bytes);

/// Returns the decimal number that is all of `word`, with 'e' before its exponent: infinity if it
/// is too large for double, 0 if too small; nothing if it is not a number.
std::optional<double> whole_real(std::string_view word);

/// Reading position in a text whose lines end in LF, CRLF or CR. All reads stay inside the bytes
/// given, which are borrowed.
class TextCursor {
 public:
  TextCursor(std::string_view text, std::string_view name)
      : next_(text.data()), end_(text.data() + text.size()), name_(name) {}

  [[nodiscard]] Offset line() const { return line_; }
  [[nodiscard]] std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - next_); }
  [[nodiscard]] std::string_view rest() const { return {next_, bytes_left()}; }
  [[nodiscard]] std::string_view name() const { return name_; }

  /// Moves to the first word of the next line that is not blank and does not start with one of
  /// `comment`; returns false at the end of the text. On entry the cursor is before a line, or
  /// after the last word of a line that end_line() has checked.
  bool next_line(std::string_view comment) {
    for (;;) {
      skip_blanks();
      if (next_ == end_) return false;
      if (is_line_end(*next_)) {
        pass_line_end();
      } else if (comment.find(*next_) != std::string_view::npos) {
        skip_rest();
      } else {
        return true;
      }
    }
  }

  /// Returns the rest of this line without its line end, and moves the cursor before that end.
  std::string_view rest_of_line();

  /// Read the next number of this line. Throw Error(input) that names the line if the next word is
  /// not a number, if integer() finds one beyond 63 bits, or real() one that is not finite;
  /// `expected` is the form of the line in words, for the error.
  Offset integer(const char* expected);
  double real(const char* expected);
  /// Reads an integer of up to 64 bits, with or without sign, rounded to double.
  double whole_number(const char* expected);

  /// Throws Error(input) unless only blanks are left of the line.
  void end_line(const char* expected) {
    skip_blanks();
    if (next_ != end_ && !is_line_end(*next_))
      fail_line(std::string("expected ") + expected + ", found '" + printable(word()) +
                "' behind it");
  }

  [[noreturn]] void fail_line(const std::string& what) const;

 private:
  static bool is_line_end(char c) { return c == '\n' || c == '\r'; }
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }
  void skip_blanks() {
    while (next_ != end_ && is_blank(*next_)) ++next_;
  }
  void skip_rest() {
    while (next_ != end_ && !is_line_end(*next_)) ++next_;
  }
  void pass_line_end() {
    if (*next_ == '\r' && next_ + 1 != end_ && next_[1] == '\n') ++next_;
    ++next_;
    ++line_;
  }
  /// Returns true if a number may end before `place`.
  [[nodiscard]] bool at_word_end(const char* place) const {
    return place == end_ || is_blank(*place) || is_line_end(*place);
  }
  [[nodiscard]] std::string_view word() const;
  /// Reads numbers that std::from_chars rejects: "1D3", overflow and underflow.
  double unusual_real(const char* expected);

  const char* next_;
  const char* end_;
  Offset line_ = 1;
  std::string_view name_;
};

}  // namespace kauri::io

// Mutations of given inputs, as a fuzzer makes them without coverage: from a seed, so that they are
// the same on every machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/common/splitmix64.hpp"

namespace kauri::fuzz {

/// A stream of inputs: each is an input of the corpus after one to four changes.
class Mutants {
 public:
  /// The corpus must not be empty.
  Mutants(std::vector<std::string> corpus, std::uint64_t seed)
      : corpus_(std::move(corpus)), state_(seed) {}

  std::string next() {
    std::string input = any();
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(input);
    input.resize(std::min(input.size(), kLongest));
    return input;
  }

 private:
  static constexpr std::size_t kLongest = 1 << 16;

  /// Returns a number with 0 <= result < bound.
  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(splitmix64(state_) % bound);
  }
  const std::string& any() { return corpus_[below(corpus_.size())]; }
  /// Returns the beginning and length of a piece of the input, mostly a short one.
  std::pair<std::size_t, std::size_t> piece(const std::string& input) {
    const std::size_t from = below(input.size()), left = input.size() - from;
    return {from, 1 + below(below(4) == 0 ? left : std::min<std::size_t>(left, 16))};
  }

  void change(std::string& input) {
    const std::size_t kind = below(8);
    if (input.empty() || kind == 0) return splice(input);
    const auto [from, length] = piece(input);
    switch (kind) {
      case 1:
        input[from] = static_cast<char>(input[from] ^ 1 << below(8));
        break;
      case 2:
        input[from] = static_cast<char>(below(256));
        break;
      case 3:
        input.resize(from);
        break;
      case 4:
        input.erase(from, length);
        break;
      case 5:
        input.insert(from, input.substr(from, length));
        break;
      case 6:
        replace_word(input, from, below(2) == 0);
        break;
      default:
        replace_bytes(input, from);
    }
  }
  /// Joins the beginning of this input and the end of another.
  void splice(std::string& input) {
    const std::string& other = any();
    input.resize(below(input.size() + 1));
    input += other.substr(below(other.size() + 1));
  }
  /// Replaces the next number in digits by one of kWords. in_place: overwrites the input up to the
  /// end of the number, so that fixed-width fields stay in place.
  void replace_word(std::string& input, std::size_t from, bool in_place) {
    static constexpr const char* kWords[] = {"-1",
                                             "0",
                                             "00",
                                             "1",
                                             "2147483647",
                                             "2147483648",
                                             "-2147483648",
                                             "4294967295",
                                             "4294967297",
                                             "9223372036854775807",
                                             "-9223372036854775808",
                                             "1E-9223372036854775808",
                                             "1-9223372036854775808",
                                             "1D+9223372036854775807",
                                             "18446744073709551616",
                                             "1e308",
                                             "1e309",
                                             "-1e999",
                                             "1e-320",
                                             "-0.0",
                                             "nan",
                                             "inf",
                                             "0x1p3"};
    const char* const digits = "0123456789";
    const std::size_t begin = input.find_first_of(digits, from);
    if (begin == std::string::npos) return replace_bytes(input, from);
    const std::size_t end = std::min(
        input.find_first_not_of(in_place ? "+-.0123456789DEde" : digits, begin), input.size());
    const std::string word = kWords[below(std::size(kWords))];
    if (!in_place || word.size() > end) return void(input.replace(begin, end - begin, word));
    input.replace(end - word.size(), word.size(), word);
  }
  /// Replaces one, two, four or eight bytes by a number of that width: zero, one, all bits set, the
  /// largest or the least signed number.
  void replace_bytes(std::string& input, std::size_t from) {
    const std::size_t width =
                          std::min<std::size_t>(std::size_t{1} << below(4), input.size() - from),
                      kind = below(5);
    const char ends = kind == 2 || kind == 3 ? '\xff' : '\0';
    std::string number(width, ends);
    if (kind == 1) number.front() = 1;
    if (kind == 3) number.back() = '\x7f';
    if (kind == 4) number.back() = '\x80';
    if (below(4) == 0) std::reverse(number.begin(), number.end());  // the other byte order
    input.replace(from, width, number);
  }

  std::vector<std::string> corpus_;
  std::uint64_t state_;
};

}  // namespace kauri::fuzz

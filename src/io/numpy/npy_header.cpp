// Parses the dictionary at the start of a NumPy array.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/numpy/npy_header.hpp"

#include <charconv>

#include "src/io/file/file.hpp"
#include "src/io/text/text.hpp"

namespace kauri::io {
namespace {

/// Parser of the part of Python's literals that NumPy writes.
class Literal {
 public:
  Literal(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NpyHeader dictionary() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!take('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        header.descr = quoted();
        descr = true;
      } else if (key == "fortran_order") {
        header.fortran_order = truth();
        order = true;
      } else if (key == "shape") {
        header.shape = tuple();
        shape = true;
      } else {
        fail(name_, "header: unknown key '" + printable(key) +
                        "', expected descr, fortran_order or shape");
      }
      if (!take(',') && peek() != '}') broken("',' or '}'");
    }
    if (!descr || !order || !shape)
      fail(name_, "header: expected the keys descr, fortran_order and shape");
    return header;
  }

 private:
  [[noreturn]] void broken(const std::string& expected) const {
    fail(name_, "header: expected " + expected + " at '" + printable(text_.substr(at_, 20)) + "'");
  }
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) broken(std::string("'") + c + "'");
  }
  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') broken("a text in quotes");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) broken("a text in quotes");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return std::string(inside);
  }
  bool truth() {
    peek();
    for (const std::string_view word : {"True", "False"})
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    broken("True or False");
  }
  std::vector<Offset> tuple() {
    std::vector<Offset> values;
    expect('(');
    while (!take(')')) {
      peek();
      Offset value = 0;
      const auto [end, code] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (code != std::errc() || value < 0) broken("a length");
      at_ = static_cast<std::size_t>(end - text_.data());
      take('L');  // written by Python 2
      values.push_back(value);
      if (!take(',') && peek() != ')') broken("',' or ')'");
    }
    return values;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

NpyHeader read_npy_header(std::string_view bytes, const std::string& name) {
  constexpr std::size_t kMagic = 8;  // "\x93NUMPY", major, minor
  // Longer headers describe types with fields, which are refused. The limit bounds the memory of a
  // parsed header, which is not counted.
  constexpr std::size_t kLongestHeader = 1U << 16;
  if (!bytes.starts_with("\x93NUMPY") || bytes.size() < kMagic)
    fail(name, "is not a NumPy array, expected \\x93NUMPY at its start");
  const int major = static_cast<unsigned char>(bytes[6]);
  if (major < 1 || major > 3)
    fail(name, "NumPy format version " + std::to_string(major) + ", expected 1 to 3");
  const std::size_t digits = major == 1 ? 2 : 4;
  if (bytes.size() < kMagic + digits)
    fail(name, "is cut short inside its header; write or copy the file again");
  const std::size_t length = little_endian(bytes.substr(kMagic, digits)), begin = kMagic + digits;
  if (length > bytes.size() - begin)
    fail(name, "is cut short inside its header; write or copy the file again");
  if (length > kLongestHeader)
    fail(name, "header: it has " + std::to_string(length) + " bytes, expected " +
                   std::to_string(kLongestHeader) + " at most");
  NpyHeader header = Literal(bytes.substr(begin, length), name).dictionary();
  header.data = begin + length;
  return header;
}

std::string to_bytes(const NpyHeader& header) {
  constexpr std::size_t kPrefix = 10, kAlign = 64;
  std::string dictionary = "{'descr': '" + header.descr +
                           "', 'fortran_order': " + (header.fortran_order ? "True" : "False") +
                           ", 'shape': (";
  for (std::size_t k = 0; k < header.shape.size(); ++k)
    dictionary += (k > 0 ? ", " : "") + std::to_string(header.shape[k]);
  dictionary += header.shape.size() == 1 ? ",), }" : "), }";
  while ((kPrefix + dictionary.size() + 1) % kAlign != 0) dictionary += ' ';
  dictionary += '\n';
  const std::size_t length = dictionary.size();
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(length & 0xff);
  bytes += static_cast<char>(length >> 8);
  return bytes + dictionary;
}

}  // namespace kauri::io

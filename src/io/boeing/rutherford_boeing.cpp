// Rutherford-Boeing and Harwell-Boeing: four or five header lines, then pointers, rows and values
// in fixed fields.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/boeing/rutherford_boeing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "src/io/boeing/fortran_format.hpp"
#include "src/io/file/file.hpp"
#include "src/io/matrix/assemble.hpp"
#include "src/io/matrix/pattern_values.hpp"
#include "src/io/text/text.hpp"

namespace kauri::io {
namespace {

constexpr std::size_t kTypeSize = 3, kFormatSize = 16, kValueFormatSize = 20;  // characters

/// Reads and counts whole lines, which end in LF, CRLF or CR.
class Lines {
 public:
  Lines(std::string_view text, std::string_view name) : rest_(text), name_(name) {}

  bool next() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end);
    whole_ = !rest_.empty();
    if (rest_.starts_with("\r\n")) rest_.remove_prefix(1);
    if (!rest_.empty()) rest_.remove_prefix(1);
    ++number_;
    return true;
  }
  void need(const std::string& what) {
    if (next()) return;
    ++number_;
    fail_line("the file ends, expected " + what);
  }
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::string_view columns(std::size_t at, std::size_t size) const {
    return at < line_.size() ? line_.substr(at, size) : "";
  }
  /// Returns false for a last line without line end: numbers in it may be cut short.
  [[nodiscard]] bool whole() const { return whole_; }
  /// Returns the number of the current line, from 1.
  [[nodiscard]] Offset number() const { return number_; }
  [[nodiscard]] Offset bytes_left() const { return static_cast<Offset>(rest_.size()); }
  [[noreturn]] void fail_line(const std::string& what) const {
    fail(name_, "line " + std::to_string(number_) + ": " + what);
  }

 private:
  std::string_view rest_, name_, line_;
  Offset number_ = 0;
  bool whole_ = true;
};

/// Returns the numbers of a line, up to the first word that is not a number.
std::vector<Offset> numbers(std::string_view line) {
  std::vector<Offset> list;
  for (std::size_t at = line.find_first_not_of(' '); at != std::string_view::npos;
       at = line.find_first_not_of(' ', at)) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const auto number = fortran_integer(line.substr(at, end - at));
    if (!number) break;
    list.push_back(*number);
    at = end;
  }
  return list;
}

std::string type_of(std::string_view line) {
  std::string type(line.substr(0, kTypeSize));
  for (char& c : type)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return type;
}

bool is_type(const std::string& type) {
  const auto one_of = [&](std::size_t k, std::string_view letters) {
    return letters.find(type[k]) != std::string_view::npos;
  };
  return type.size() == kTypeSize && one_of(0, "rcpiqx") && one_of(1, "suhzr") && one_of(2, "ae");
}

/// Returns "columns 11 to 20 (values)" for a field that begins in `column`, counted from 0.
std::string columns_words(const FortranFormat& format, int column, const char* what) {
  return "columns " + std::to_string(column + 1) + " to " + std::to_string(column + format.width) +
         " (" + what + ")";
}

/// Reads the fields of one section, line by line.
class Fields {
 public:
  Fields(Lines& lines, const FortranFormat& format, const char* what, Offset count)
      : lines_(lines), format_(format), what_(what), columns_(&format_.first) {
    // A claim of the header alone takes no memory: a field has at least one character.
    if (count > lines.bytes_left())
      lines.fail_line(std::to_string(count) + " " + what + " are promised, but " +
                      std::to_string(lines.bytes_left()) + " bytes follow");
  }

  Offset integer(Offset least, Offset most) {
    const std::string_view field = next();
    const auto value = fortran_integer(field);
    if (!value) broken("an integer", field);
    if (*value < least || *value > most)
      broken(std::to_string(least) + " to " + std::to_string(most), field);
    return *value;
  }

  double real() {
    const std::string_view field = next();
    const auto value =
        format_.integer ? as_real(fortran_integer(field)) : fortran_real(field, format_);
    if (!value) broken("a number", field);
    if (!std::isfinite(*value)) broken("a finite number in double precision", field);
    return *value;
  }

 private:
  static std::optional<double> as_real(std::optional<Offset> value) {
    return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
  }

  std::string_view next() {
    if (at_ == columns_->size()) {
      columns_ = &format_.later;
      at_ = 0;
    }
    if (at_ == 0) lines_.need(what_);
    const auto width = static_cast<std::size_t>(format_.width);
    const std::string_view field =
        lines_.columns(static_cast<std::size_t>((*columns_)[at_++]), width);
    if (!lines_.whole() && field.size() < width)
      broken("all of the field before the file ends", field);
    return field;
  }

  [[noreturn]] void broken(const std::string& expected, std::string_view field) const {
    const bool blank = field.find_first_not_of(' ') == std::string_view::npos;
    lines_.fail_line(columns_words(format_, (*columns_)[at_ - 1], what_) + ": expected " +
                     expected + ", found " + (blank ? "blanks" : "'" + printable(field) + "'"));
  }

  Lines& lines_;
  FortranFormat format_;
  const char* what_;
  const std::vector<int>* columns_;  // start columns of the fields of this line
  std::size_t at_ = 0;               // fields taken from this line
};

struct Header {
  char kind = 'r';     // r: real, p: pattern, i: integer
  bool whole = false;  // both halves are stored, else the lower one
  Index n = 0;
  Offset entries = 0;
  FortranFormat pointers, rows, values;
  bool with_rhs = false;  // Harwell-Boeing: right-hand sides follow the values
};

/// Reads the type in line 3, the current one, and sets kind and whole. Throws Error(input) for a
/// type that kauri does not read.
void read_type(const Lines& lines, Header& header) {
  const std::string type = type_of(lines.line());
  const auto refuse = [&](const std::string& why) {
    lines.fail_line("the type is '" + printable(lines.columns(0, kTypeSize)) + "', " + why +
                    "expected rsa, psa or isa, or rua, pua or iua of halves that agree");
  };
  if (!is_type(type)) refuse("");
  if (type[0] == 'c') refuse("complex, ");
  if (type[0] == 'q' || type[0] == 'x') refuse("values in a separate file, ");
  if (type[2] == 'e') refuse("not assembled, ");
  if (type[1] != 's' && type[1] != 'u')
    refuse(type[1] == 'r' ? "rectangular, " : "not symmetric, ");
  header.kind = type[0];
  header.whole = type[1] == 'u';
}

/// Reads the type and the sizes from line 3, the current one: sets kind, whole, n and entries.
/// Throws Error(input) for a type that kauri does not read, or if the matrix is not square.
void read_sizes(const Lines& lines, Header& header) {
  constexpr Offset kMost = std::numeric_limits<Index>::max();
  read_type(lines, header);
  const auto size = numbers(lines.columns(kTypeSize, std::string_view::npos));
  if (size.size() < 3)
    lines.fail_line("expected 'type rows columns entries', found '" + printable(lines.line()) +
                    "'");
  if (size[0] < 0 || size[0] > kMost)
    lines.fail_line("dimension " + std::to_string(size[0]) + ", expected 0 to " +
                    std::to_string(kMost));
  if (size[0] != size[1])
    lines.fail_line("the matrix has " + std::to_string(size[0]) + " rows and " +
                    std::to_string(size[1]) + " columns, expected a square one");
  if (size[2] < 0) lines.fail_line(std::to_string(size[2]) + " entries, expected a count");
  header.n = static_cast<Index>(size[0]);
  header.entries = size[2];
}

FortranFormat format_at(const Lines& lines, std::size_t at, std::size_t size, bool integer,
                        const char* what) {
  const std::string_view text = lines.columns(at, size);
  const auto format = parse_fortran_format(text);
  if (!format || (integer && !format->integer))
    lines.fail_line(std::string("the format of the ") + what + " is '" + printable(text) +
                    "', expected for example " + (integer ? "(16I5)" : "(4E20.12)"));
  return *format;
}

Header read_header(Lines& lines) {
  Header header;
  lines.need("a title");
  lines.need("the numbers of lines");
  const auto counts = numbers(lines.line());
  if (counts.size() < 4)
    lines.fail_line("expected four or five numbers of lines, found '" + printable(lines.line()) +
                    "'");
  header.with_rhs = counts.size() > 4 && counts[4] > 0;
  lines.need("'type rows columns entries'");
  read_sizes(lines, header);
  lines.need("the formats");
  header.pointers = format_at(lines, 0, kFormatSize, true, "pointers");
  header.rows = format_at(lines, kFormatSize, kFormatSize, true, "rows");
  if (header.kind != 'p')
    header.values =
        format_at(lines, 2 * kFormatSize, kValueFormatSize, header.kind == 'i', "values");
  if (header.with_rhs) lines.need("the line of right-hand sides");
  return header;
}

std::vector<Offset> read_pointers(Lines& lines, const Header& header) {
  Fields fields(lines, header.pointers, "pointers", Offset{header.n} + 1);
  std::vector<Offset> ptr(static_cast<std::size_t>(header.n) + 1);
  const Offset last = std::min(header.entries, std::numeric_limits<Offset>::max() - 1) + 1;
  for (Index j = 0; j <= header.n; ++j) {
    const Offset least = j == 0 ? 1 : ptr[j - 1] + 1, most = j == 0 ? 1 : last;
    ptr[j] = fields.integer(j == header.n ? most : least, most) - 1;
  }
  return ptr;
}

std::vector<Index> read_rows(Lines& lines, const Header& header, const std::vector<Offset>& ptr) {
  Fields fields(lines, header.rows, header.whole ? "rows" : "rows of the lower half",
                header.entries);
  std::vector<Index> row(static_cast<std::size_t>(header.entries));
  for (Index j = 0; j < header.n; ++j)
    for (Offset k = ptr[j]; k < ptr[j + 1]; ++k)
      row[k] = static_cast<Index>(fields.integer(header.whole ? 1 : Offset{j} + 1, header.n) - 1);
  return row;
}

std::vector<double> read_values(Lines& lines, const Header& header) {
  // A pattern with both halves gets ones, so that the check of symmetry tells an entry from a
  // missing one.
  std::vector<double> value(static_cast<std::size_t>(header.entries),
                            header.kind == 'p' && header.whole ? 1 : 0);
  if (header.kind == 'p') return value;
  Fields fields(lines, header.values, "values", header.entries);
  for (double& v : value) v = fields.real();
  return value;
}

/// Throws Error(input) if anything but blank lines follows. If the header announces right-hand
/// sides, whatever follows is accepted and not read.
void expect_end(Lines& lines, const Header& header) {
  while (!header.with_rhs && lines.next())
    if (lines.line().find_first_not_of(" \t") != std::string_view::npos)
      lines.fail_line("expected the end of the file behind " + std::to_string(header.entries) +
                      (header.kind == 'p' ? " rows" : " values") + ", found '" +
                      printable(lines.line()) + "'");
}

}  // namespace

bool is_rutherford_boeing(std::string_view bytes) {
  constexpr std::size_t kHeader = 600;  // four lines of at most 80 columns, if it is such a file
  Lines lines(bytes.substr(0, kHeader), "");
  for (int k = 0; k < 3; ++k)
    if (!lines.next()) return false;
  if (!is_type(type_of(lines.line())) ||
      numbers(lines.columns(kTypeSize, std::string_view::npos)).size() < 3)
    return false;
  return lines.next() && lines.line().substr(0, kFormatSize).find('(') != std::string_view::npos;
}

bool has_boeing_ending(std::string_view name) {
  constexpr std::string_view kEndings[] = {".rb", ".rsa", ".psa", ".isa", ".rua", ".pua", ".iua"};
  if (name.ends_with("'")) name.remove_suffix(1);  // name of an archive's member, in quotes
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

void check_boeing_header(std::string_view bytes, std::string_view name) {
  Lines lines(bytes, name);
  read_header(lines);
}

SymmetricMatrix<double> parse_rutherford_boeing(std::string_view bytes, std::string_view name,
                                                const BothHalves& both, Allowance allowance) {
  Lines lines(bytes, name);
  const Header header = read_header(lines);
  allowance.take(name, static_cast<std::size_t>(header.n) + 1, sizeof(Offset), "pointers");
  allowance.take(name, static_cast<std::size_t>(header.entries), sizeof(Index) + sizeof(double),
                 "entries");
  take_matrix(name, header.n, header.entries, allowance);
  const auto ptr = read_pointers(lines, header);
  const Offset rows_above = lines.number();
  const auto row = read_rows(lines, header, ptr);
  const Offset above = lines.number();  // lines before the values
  const auto value = read_values(lines, header);
  expect_end(lines, header);
  // Errors name the place of an entry's value; in a pattern, which has no values, that of its row.
  const bool pattern = header.kind == 'p';
  const FortranFormat& format = pattern ? header.rows : header.values;
  const auto place = [&](Offset k) {
    const FortranFormat::Place at = format.place(k);
    return "line " + std::to_string((pattern ? rows_above : above) + 1 + at.line) + ": " +
           columns_words(format, at.column, pattern ? "rows" : "values");
  };
  auto a = assemble(name, header.n, ptr, row, value,
                    header.whole ? both : BothHalves{Storage::lower}, {place});
  if (pattern) set_pattern_values(a);
  return a;
}

}  // namespace kauri::io

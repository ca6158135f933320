// Writes and reads cards as JSON.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/card/card_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>
#include <vector>

#include "base/common/digits.hpp"
#include "kauri/core/version.hpp"
#include "kauri/extras/card.hpp"
#include "src/io/file/file.hpp"
#include "src/io/text/text.hpp"

namespace kauri::card {
namespace {

constexpr std::string_view kSchema = "kauri.card/1";
// Texts of a card file, beside numbers.
constexpr std::array<std::string_view, 4> kTexts{"schema", "device", "solver", "capability"};

/// A number of a card: its key and place, and the range that it must be in, which no device leaves:
/// numbers outside are of no card, or in other units.
struct Field {
  std::string key;
  double* place;
  double least, most;
  bool whole = false;
};

/// Returns all numbers of a card, in the order of the file. processors, single_to_double: places of
/// the two that are integers.
std::vector<Field> fields_of(DeviceCard& card, double& processors, double& single_to_double) {
  constexpr double kLeastRate = 1e3, kMostRate = 1e20, kLeastSeconds = 1e-12, kMostSeconds = 1e3;
  std::vector<Field> all{{"multiprocessors", &processors, 1, 65535, true},
                         {"clock_hz", &card.clock_hz, 0, kMostRate},  // 0: the driver says none
                         {"bandwidth", &card.bandwidth, 0, kMostRate},
                         {"single_to_double", &single_to_double, 0, 65535, true}};
  const auto add = [&](const std::string& scalar, DeviceCard::Rates& rates) {
    const auto rate = [&](const char* key, double& place) {
      all.push_back({scalar + key, &place, kLeastRate, kMostRate});
    };
    const auto seconds = [&](const char* key, double& place) {
      all.push_back({scalar + key, &place, kLeastSeconds, kMostSeconds});
    };
    rate("_flops_per_s", rates.flops_per_s);
    rate("_read_bytes_per_s", rates.read_bytes_per_s);
    seconds("_start_s", rates.start_s);
    seconds("_level_s", rates.level_s);
    seconds("_sweep_start_s", rates.sweep_start_s);
    seconds("_sweep_level_s", rates.sweep_level_s);
  };
  add("double", card.in_double);
  add("float", card.in_float);
  all.push_back({"copy_s", &card.copy_s, kLeastSeconds, kMostSeconds});
  all.push_back({"copy_bytes_per_s", &card.copy_bytes_per_s, kLeastRate, kMostRate});
  return all;
}

/// A key of the object with its value, a string or a number, as it is written.
struct Entry {
  std::string key, value;
  bool is_text;
  Offset line;
};

/// Reads a JSON object whose values are strings and numbers. Strings have no escapes: names of
/// devices and keys need none.
class ObjectReader {
 public:
  ObjectReader(std::string_view text, std::string_view name) : left_(text), name_(name) {}

  std::vector<Entry> all() {
    std::vector<Entry> entries;
    take('{', "'{'");
    if (peek() != '}') {
      do {
        entries.push_back(entry());
      } while (took_comma());
    }
    take('}', "',' or '}'");
    if (peek() != '\0' || !left_.empty()) refuse("the end of the file");
    return entries;
  }

  [[noreturn]] void fail_at(Offset line, const std::string& what) const {
    io::fail(name_, "line " + std::to_string(line) + ": " + what);
  }

 private:
  /// Returns the next character that is no blank, without taking it; '\0' at the end.
  char peek() {
    while (!left_.empty() && std::string_view(" \t\r\n").find(left_[0]) != std::string_view::npos) {
      line_ += left_[0] == '\n' ? 1 : 0;
      left_.remove_prefix(1);
    }
    return left_.empty() ? '\0' : left_[0];
  }
  [[noreturn]] void refuse(const std::string& expected) const {
    const std::string found =
        left_.empty() ? "the end of the file" : "'" + io::printable(left_.substr(0, 1)) + "'";
    fail_at(line_, "expected " + expected + ", found " + found);
  }
  void take(char c, const std::string& expected) {
    if (peek() != c || left_.empty()) refuse(expected);
    left_.remove_prefix(1);
  }
  bool took_comma() {
    if (peek() != ',') return false;
    left_.remove_prefix(1);
    return true;
  }
  /// Takes a string between quotes, on one line.
  std::string text(const char* expected) {
    take('"', expected);
    const std::size_t end = left_.find_first_of("\"\\\n\r");
    if (end == std::string_view::npos || left_[end] != '"') {
      left_.remove_prefix(std::min(end, left_.size()));
      refuse("a string that ends on its line and has no '\\'");
    }
    std::string found(left_.substr(0, end));
    left_.remove_prefix(end + 1);
    return found;
  }
  Entry entry() {
    Entry out;
    out.key = text("a key in quotes");
    take(':', "':' after the key '" + io::printable(out.key) + "'");
    out.is_text = peek() == '"';
    out.line = line_;
    if (out.is_text) {
      out.value = text("a string");
      return out;
    }
    const std::size_t end = std::min(left_.find_first_not_of("0123456789+-.eE"), left_.size());
    if (end == 0) refuse("a number or a string");
    out.value = left_.substr(0, end);
    left_.remove_prefix(end);
    return out;
  }

  std::string_view left_, name_;
  Offset line_ = 1;
};

/// Returns the number that all of a text spells; NaN if it spells none.
double number_in(const std::string& text) {
  double x = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), x);
  return code == std::errc() && end == text.data() + text.size() ? x : std::nan("");
}

void read_capability(const ObjectReader& reader, const Entry& entry, DeviceCard& card) {
  const std::size_t point = entry.value.find('.');
  const double major = number_in(entry.value.substr(0, point)),
               minor = point == std::string::npos ? std::nan("")
                                                  : number_in(entry.value.substr(point + 1));
  const bool none = major == 0 && minor == 0;  // an AMD device
  if (!((major >= 1 && major < 100 && minor >= 0 && minor < 10) || none) ||
      std::floor(major) != major || std::floor(minor) != minor)
    reader.fail_at(entry.line, "capability is '" + io::printable(entry.value) +
                                   "', expected a compute capability such as '8.6', or '0.0' for "
                                   "a device that has none");
  card.major = static_cast<int>(major), card.minor = static_cast<int>(minor);
}

void read_number(const ObjectReader& reader, const Entry& entry, const Field& field) {
  const double x = number_in(entry.value);
  if (!(x >= field.least && x <= field.most) || (field.whole && std::floor(x) != x))
    reader.fail_at(entry.line, field.key + " is " + io::printable(entry.value) + ", expected " +
                                   (field.whole ? "an integer" : "a number") + " from " +
                                   digits(field.least) + " to " + digits(field.most));
  *field.place = x;
}

void read_text(const ObjectReader& reader, const Entry& entry, DeviceCard& card) {
  if (entry.key == "capability") return read_capability(reader, entry, card);
  if (entry.key == "schema" && entry.value != kSchema)
    reader.fail_at(entry.line, "schema is '" + io::printable(entry.value) + "', expected '" +
                                   std::string(kSchema) +
                                   "'; measure the card anew, by kauri tune");
}

}  // namespace

DeviceCard parse_card(std::string_view text, std::string_view name) {
  ObjectReader reader(text, name);
  const std::vector<Entry> entries = reader.all();
  DeviceCard card;
  double processors = 0, single_to_double = 0;
  const std::vector<Field> fields = fields_of(card, processors, single_to_double);
  std::vector<const Entry*> seen;
  for (const Entry& entry : entries) {
    const auto same = [&](const Entry* before) { return before->key == entry.key; };
    if (const auto before = std::find_if(seen.begin(), seen.end(), same); before != seen.end())
      reader.fail_at(entry.line, "the key '" + io::printable(entry.key) +
                                     "' was already given in line " +
                                     std::to_string((*before)->line));
    seen.push_back(&entry);
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const Field& f) { return f.key == entry.key; });
    const bool is_text = std::find(kTexts.begin(), kTexts.end(), entry.key) != kTexts.end();
    if (!is_text && field == fields.end())
      reader.fail_at(entry.line, "the key '" + io::printable(entry.key) +
                                     "' is unknown, expected a key that kauri tune writes");
    if (is_text != entry.is_text)
      reader.fail_at(entry.line, entry.key + (is_text ? " is a number, expected a string"
                                                      : " is a string, expected a number"));
    if (is_text)
      read_text(reader, entry, card);
    else
      read_number(reader, entry, *field);
  }
  const auto require = [&](std::string_view key) {
    const auto has = [&](const Entry& entry) { return entry.key == key; };
    if (std::none_of(entries.begin(), entries.end(), has))
      io::fail(name, "the key '" + std::string(key) +
                         "' is missing, expected all that kauri tune writes");
  };
  for (const std::string_view key : kTexts) require(key);
  for (const Field& field : fields) require(field.key);
  card.processors = static_cast<int>(processors);
  card.single_to_double = static_cast<int>(single_to_double);
  return card;
}

}  // namespace kauri::card

namespace kauri {

std::string to_json(const AnalyzeOptions::DeviceOffer::Card& card, std::string_view device) {
  DeviceCard copy = card;
  double processors = card.processors, single_to_double = card.single_to_double;
  std::string name(device);
  const auto plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return !plain(c); }, '?');
  std::string text = "{\n  \"schema\": \"" + std::string(card::kSchema) + "\",\n  \"device\": \"" +
                     name + "\",\n  \"solver\": \"kauri " + std::string(version()) +
                     "\",\n  \"capability\": \"" + std::to_string(card.major) + "." +
                     std::to_string(card.minor) + "\"";
  for (const card::Field& field : card::fields_of(copy, processors, single_to_double))
    text += ",\n  \"" + field.key + "\": " + digits(*field.place);
  return text + "\n}\n";
}

AnalyzeOptions::DeviceOffer::Card read_card(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{1} << 16;
  std::string text(kMost + 1, '\0');
  io::FileReader file(path);
  std::size_t count = 0;
  while (const std::size_t more = file.read(text.data() + count, text.size() - count))
    count += more;
  if (count > kMost)
    io::fail(path, "longer than " + std::to_string(kMost) +
                       " bytes, expected a file that kauri tune wrote");
  text.resize(count);
  return card::parse_card(text, path);
}

}  // namespace kauri

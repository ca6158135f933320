// Cards come back from their text unchanged, and what is no card is refused with file, line, what
// was found and what was expected.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/card/card_text.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "kauri/extras/card.hpp"
#include "symbolic/device/cost.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/temp_file.hpp"

namespace kauri::test {
namespace {

/// Returns a card whose numbers all differ.
DeviceCard made_up() {
  return {8,
          9,
          128,
          2.5e9,
          1.0 / 3 * 1e12,
          64,
          {1.1e12, 9e11, 6e-5, 5e-6, 3e-5, 2e-6},
          {4e13, 8e11, 7e-5, 1.0 / 7e6, 4e-5, 1e-6},
          1.25e-5,
          1.1e10};
}

/// Returns every number of a card, so that two cards compare.
std::vector<double> numbers_of(const DeviceCard& c) {
  std::vector<double> all{static_cast<double>(c.major),
                          static_cast<double>(c.minor),
                          static_cast<double>(c.processors),
                          c.clock_hz,
                          c.bandwidth,
                          static_cast<double>(c.single_to_double),
                          c.copy_s,
                          c.copy_bytes_per_s};
  for (const DeviceCard::Rates& r : {c.in_double, c.in_float})
    all.insert(all.end(), {r.flops_per_s, r.read_bytes_per_s, r.start_s, r.level_s, r.sweep_start_s,
                           r.sweep_level_s});
  return all;
}

TEST(CardText, IsReadBackAsItWas) {
  static_assert(sizeof(DeviceCard) == 19 * sizeof(double), "a new member of the card needs a key");
  const DeviceCard card = made_up();
  const std::string text = to_json(card, "NVIDIA GeForce RTX 4090");
  EXPECT_EQ(numbers_of(card::parse_card(text, "card.json")), numbers_of(card));
  EXPECT_NE(text.find("\"device\": \"NVIDIA GeForce RTX 4090\""), std::string::npos) << text;
  const TempFile file(".json", text);
  EXPECT_EQ(numbers_of(read_card(file.path())), numbers_of(card));
  // Names with characters that JSON escapes still give a card.
  const std::string odd = to_json(card, "a \"b\" \\ \n \xc3\xbc");
  EXPECT_NE(odd.find("a ?b? ? ? ??"), std::string::npos) << odd;
  EXPECT_EQ(numbers_of(card::parse_card(odd, "card.json")), numbers_of(card));
}

/// A driver that reports no clock or no memory rate leaves zeros, which a measured card may have.
TEST(CardText, ZerosOfTheDriverAreReadBack) {
  DeviceCard card = made_up();
  card.clock_hz = card.bandwidth = card.single_to_double = 0;
  EXPECT_EQ(numbers_of(card::parse_card(to_json(card, "x"), "card.json")), numbers_of(card));
  EXPECT_TRUE(symbolic::is_predicted(card));
}

/// AMD devices have no compute capability. Their measured rates are enough for predictions.
TEST(CardText, MeasuredCardsNeedNoCapability) {
  DeviceCard card = made_up();
  card.major = card.minor = 0;
  const DeviceCard read = card::parse_card(to_json(card, "gfx942"), "card.json");
  EXPECT_EQ(numbers_of(read), numbers_of(card));
  EXPECT_TRUE(symbolic::is_predicted(read));
  EXPECT_GT(symbolic::device_cost("sm_80", sizeof(double), read).product_s, 0);
}

TEST(CardText, TakesBlanksAndAnyOrder) {
  const DeviceCard card = made_up();
  std::string text = to_json(card, "x");
  std::string other = text;
  const std::string line = "  \"copy_s\": 1.25e-05,\n";
  other.erase(other.find(line), line.size());
  other.insert(other.find('\n') + 1, "\t\"copy_s\" :1.25E-5 ,\r\n\r\n");
  EXPECT_EQ(numbers_of(card::parse_card(other, "x")), numbers_of(card));
  for (char& c : text)
    if (c == '\n') c = ' ';
  EXPECT_EQ(numbers_of(card::parse_card("\n\n" + text + "\n", "x")), numbers_of(card));
}

/// Returns the text of a card with one part replaced.
std::string with(const std::string& part, const std::string& by) {
  std::string text = to_json(made_up(), "x");
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), by);
}

TEST(CardText, ErrorsNameFileLineFoundAndExpected) {
  const auto refusal = [](const std::string& text) {
    return error_text(ErrorKind::input, [&] { card::parse_card(text, "c.json"); });
  };
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "c.json: line 1: expected '{', found the end of the file"},
      {"\n\n[]", "c.json: line 3: expected '{', found '['"},
      {"{}", "c.json: the key 'schema' is missing, expected all that kauri tune writes"},
      {"{\"schema\" 1}", "c.json: line 1: expected ':' after the key 'schema', found '1'"},
      {"{schema", "c.json: line 1: expected a key in quotes, found 's'"},
      {with("kauri.card/1", "kauri.card/2"),
       "c.json: line 2: schema is 'kauri.card/2', expected 'kauri.card/1'; measure the card anew, "
       "by kauri tune"},
      {with("\"capability\": \"8.9\"", "\"capability\": \"ada\""),
       "c.json: line 5: capability is 'ada', expected a compute capability such as '8.6', or '0.0' "
       "for a device that has none"},
      {with("\"capability\": \"8.9\"", "\"capability\": \"0.9\""),
       "c.json: line 5: capability is '0.9', expected a compute capability such as '8.6', or '0.0' "
       "for a device that has none"},
      {with("\"capability\": \"8.9\"", "\"capability\": 8.9"),
       "c.json: line 5: capability is a number, expected a string"},
      {with("\"multiprocessors\": 128", "\"multiprocessors\": 12.5"),
       "c.json: line 6: multiprocessors is 12.5, expected an integer from 1 to 65535"},
      {with("\"multiprocessors\": 128", "\"multiprocessors\": \"128\""),
       "c.json: line 6: multiprocessors is a string, expected a number"},
      {with("\"clock_hz\": 2.5e+09", "\"clock_hz\": -1"),
       "c.json: line 7: clock_hz is -1, expected a number from 0 to 1e+20"},
      {with("\"clock_hz\": 2.5e+09", "\"clock_hz\": 1e999"),
       "c.json: line 7: clock_hz is 1e999, expected a number from 0 to 1e+20"},
      {with("\"clock_hz\": 2.5e+09", "\"clock_hz\": nan"),
       "c.json: line 7: expected a number or a string, found 'n'"},
      {with("\"clock_hz\": 2.5e+09", "\"clock_hz\": 1e9e9"),
       "c.json: line 7: clock_hz is 1e9e9, expected a number from 0 to 1e+20"},
      {with("\"double_start_s\": 6e-05", "\"double_start_s\": 0"),
       "c.json: line 12: double_start_s is 0, expected a number from 1e-12 to 1000"},
      {with("\"copy_s\"", "\"copy_seconds\""),
       "c.json: line 22: the key 'copy_seconds' is unknown, expected a key that kauri tune writes"},
      {with("\"float_level_s\"", "\"double_level_s\""),
       "c.json: line 19: the key 'double_level_s' was already given in line 13"},
      {with("\"device\": \"x\"", "\"device\": \"x"),
       "c.json: line 3: expected a string that ends on its line and has no '\\', found '?'"},
      {with("\"device\": \"x\"", "\"device\": \"\\u0041\""),
       "c.json: line 3: expected a string that ends on its line and has no '\\', found '\\'"},
      {with("\"device\": \"x\"", "\"device\": {}"),
       "c.json: line 3: expected a number or a string, found '{'"},
      {to_json(made_up(), "x") + "{", "c.json: line 25: expected the end of the file, found '{'"},
      {to_json(made_up(), "x") + std::string(1, '\0'),
       "c.json: line 25: expected the end of the file, found '?'"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(refusal(text), expected) << text;
}

/// No beginning of a card, and no card with one byte changed, does more than give an Error: it is
/// refused or, if the byte is in a number or a name, read.
TEST(CardText, AnyDamageIsAnErrorOrAnotherCard) {
  const std::string text = to_json(made_up(), "x");
  const std::string whole = text.substr(0, text.rfind('}'));
  for (std::size_t length = 0; length <= whole.size(); ++length)
    EXPECT_NE(
        error_text(ErrorKind::input, [&] { card::parse_card(text.substr(0, length), "c.json"); }),
        "no Error")
        << length;
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const char c : {'\0', '"', '}', ',', '9', '-', '\n', '\xff'}) {
      std::string damaged = text;
      damaged[at] = c;
      const std::string found =
          error_text(ErrorKind::input, [&] { card::parse_card(damaged, "c.json"); });
      EXPECT_TRUE(found == "no Error" || found.find("c.json: ") == 0) << found;
    }
}

TEST(CardText, FilesThatAreNoCards) {
  const auto refusal = [](const std::string& path) {
    return error_text(ErrorKind::input, [&] { (void)read_card(path); });
  };
  const TempFile missing(".json"), endless(".json", std::string((1 << 16) + 1, ' '));
  EXPECT_NE(refusal(missing.path()).find(missing.path()), std::string::npos);
  EXPECT_NE(refusal(endless.path()).find("longer than 65536 bytes"), std::string::npos);
  const TempFolder folder;
  EXPECT_NE(refusal(folder.path()), "no Error");
}

/// A card is measured with the kernels and the multiprocessors that a file's later reader has by
/// default; other options are refused before any device is asked for.
TEST(CardText, OnlyTheWholeDeviceIsMeasured) {
  const auto refusal = [](const auto& set) {
    CudaOptions options;
    set(options);
    return error_text(ErrorKind::usage, [&] { (void)measure_card(options); });
  };
  const std::string why =
      ": a card is measured as a whole, with the kernels that kauri takes by itself; predictions "
      "for a part of it reckon with that part";
  EXPECT_EQ(refusal([](CudaOptions& o) { o.multiprocessors = 8; }),
            "measure_card: multiprocessors is 8, expected 0" + why);
  EXPECT_EQ(refusal([](CudaOptions& o) { o.compute = CudaCompute::fma; }),
            "measure_card: compute is not automatic, expected automatic" + why);
  EXPECT_EQ(refusal([](CudaOptions& o) { o.portable = true; }),
            "measure_card: portable is true, expected false" + why);
  EXPECT_EQ(refusal([](CudaOptions& o) { o.fast_solve = false; }),
            "measure_card: fast_solve is false, expected true" + why);
}

/// The card that the tests of options share is one, of a class on which double is slow.
TEST(CardText, TheSharedCardIsRead) {
  const DeviceCard card = read_card(KAURI_CARD);
  EXPECT_TRUE(symbolic::is_measured(card));
  EXPECT_TRUE(symbolic::has_slow_double(card));
  EXPECT_FALSE(symbolic::device_cost("sm_80", 8, card).scaled);
}

}  // namespace
}  // namespace kauri::test

// Files that are damaged, truncated, foreign, newer or hostile: each is rejected, and the text says
// why.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/sealed.hpp"
#include "tests/support/process/temp_file.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {
namespace {

using Bytes = std::vector<std::byte>;

Backend& backend() {
  static Backend one = cpu_backend(1);
  return one;
}

std::shared_ptr<const Plan> small_plan() {
  AnalyzeOptions options;
  options.target = "cpu-generic";
  options.ordering.method = OrderingMethod::amd;
  options.workers = 2;
  options.amalgamate = false;
  return analyze(grid_pattern(3, 3, 1).view(), options);
}

Bytes small_factor() {
  const auto plan = small_plan();
  const OwnedPattern a = grid_pattern(3, 3, 1);
  return save_factor(
      factorize<double>(plan, random_dominant<double>(a.view(), 1), backend()).value());
}

/// Returns the error for these bytes, or "no Error".
std::string refusal(const Bytes& bytes) {
  LoadOptions options;
  options.name = "f";
  return error_text(ErrorKind::input, [&] {
    if (bytes.size() > 12 && bytes[12] == std::byte{'f'})
      load_factor<double>(bytes, backend(), options);
    else
      load_plan(bytes, options);
  });
}

template <class T>
Bytes with(Bytes bytes, std::size_t at, T x) {
  save::to_bytes(x, &bytes.at(at));
  return bytes;
}

/// Returns the place of a section's data.
std::size_t section(const Bytes& bytes, std::string_view name) {
  std::size_t at = save::kHeaderBytes;
  while (std::string_view(reinterpret_cast<const char*>(&bytes.at(at)), 4) != name)
    at += save::kSectionHead +
          static_cast<std::size_t>(save::from_bytes<std::uint64_t>(&bytes.at(at + 4))) +
          save::kChecksum;
  return at + save::kSectionHead;
}

TEST(DamagedFiles, EveryByteThatDiffersIsSeen) {
  for (const Bytes& bytes : {save_plan(*small_plan()), small_factor()})
    for (std::size_t at = 0; at < bytes.size(); ++at)
      for (const int change : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
        Bytes other = bytes;
        other[at] ^= static_cast<std::byte>(change);
        ASSERT_TRUE(refusal(other).starts_with("f: "))
            << at << " " << change << " " << refusal(other);
      }
}

TEST(DamagedFiles, EveryLengthButTheWholeIsRefused) {
  for (const Bytes& bytes : {save_plan(*small_plan()), small_factor()}) {
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
      ASSERT_TRUE(refusal(cut).starts_with("f: ")) << length;
      ASSERT_EQ(refusal(cut).find("cut") != std::string::npos, length > 0)
          << length << " " << refusal(cut);
      ASSERT_TRUE(refusal(sealed(cut)).starts_with("f: ")) << length;
    }
    const std::size_t perm = section(bytes, "perm") - save::kSectionHead;
    EXPECT_EQ(refusal(sealed(
                  Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(perm + 7)))),
              "f: section \"perm\" at byte " + std::to_string(perm) +
                  ": the file is cut: it ends at byte " + std::to_string(perm + 7) + ", expected " +
                  std::to_string(perm + 12) + " or more");
    Bytes longer = bytes;
    longer.push_back(std::byte{0});
    EXPECT_NE(refusal(longer).find("goes on behind its end"), std::string::npos);
    EXPECT_NE(refusal(sealed(longer)).find("1 bytes behind the last section"), std::string::npos)
        << refusal(sealed(longer));
  }
}

/// Damage of files on disk gives the same errors.
TEST(DamagedFiles, OnDisk) {
  const Bytes bytes = small_factor();
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const TempFile cut(".kauri", text.substr(0, text.size() - 1)), whole(".kauri", text),
      empty(".kauri", ""), script(".kauri", "#!/bin/sh\n");
  EXPECT_EQ(error_text(ErrorKind::input, [&] { load_factor<double>(cut.path(), backend()); }),
            cut.path() + ": the file is cut: " + std::to_string(text.size() - 1) +
                " bytes are there, expected " + std::to_string(text.size()));
  EXPECT_TRUE(load_factor<double>(whole.path(), backend()).valid());
  for (const TempFile* file : {&empty, &script})
    EXPECT_EQ(error_text(ErrorKind::input, [&] { load_plan(file->path()); }),
              file->path() +
                  ": not a plan or factor that kauri saved: it does not begin with \\x89kauri");
}

TEST(DamagedFiles, WhatTheHeaderSays) {
  const Bytes plan = save_plan(*small_plan()), factor = small_factor();
  EXPECT_EQ(refusal(with(plan, 8, std::uint32_t{2})),
            "f: written by a newer kauri (format 2; this one reads up to 1)");
  const auto said = [](const Bytes& bytes) { return refusal(sealed(bytes)); };
  EXPECT_EQ(said(with(plan, 8, std::uint32_t{0})),
            "f: header at byte 0: format 0, expected 1 to 1");
  EXPECT_EQ(said(with(plan, 12, std::uint32_t{0x6e696173})),
            "f: header at byte 0: it holds a \"sain\", expected a plan or a factor");
  EXPECT_EQ(
      said(with(factor, 16, std::uint32_t{2})),
      "f: header at byte 0: a scalar of 2 bytes, expected 4 or 8 for a factor and 0 for a plan");
  EXPECT_EQ(said(with(factor, 16, std::uint32_t{4})),
            "f: it holds a factor in float, asked for double");
  EXPECT_EQ(said(with(plan, 20, std::uint32_t{0x80000000})),
            "f: header at byte 0: 2147483648 rows, expected at most 2147483647");
  EXPECT_EQ(said(with(plan, 20, std::uint32_t{0x7fffffff})),
            "f: header at byte 0: 21 entries, expected 2147483647 to 4294967295");
  EXPECT_EQ(said(with(plan, 24, std::uint64_t{8})),
            "f: header at byte 0: 8 entries, expected 9 to 4294967295");
  EXPECT_EQ(said(with(plan, 24, std::uint64_t{1} << 32)),
            "f: header at byte 0: 4294967296 entries, expected 9 to 4294967295");
  EXPECT_EQ(said(with(plan, 32, std::uint32_t{10})),
            "f: header at byte 0: 10 supernodes and 2 columns that come last, of 9");
  EXPECT_EQ(said(with(plan, 56, std::uint32_t{7})), "f: header at byte 0: 7 sections, expected 5");
  EXPECT_EQ(said(with(plan, 36, std::uint32_t{1})),
            "f: damaged: 1 columns come last, expected none or those of the last supernode; save "
            "it again");
  EXPECT_EQ(
      said(with(plan, 36, std::uint32_t{0})),
      "f: damaged: 0 columns come last, expected 2, those of the last supernode; save it again");
  EXPECT_EQ(said(with(plan, 48, std::uint64_t{1})),
            "f: header at byte 0: bytes 48 to 55 are not 0: a kauri from before 0.1.0 wrote it; "
            "save it anew");
}

/// Memory is not allocated for claimed sizes.
TEST(DamagedFiles, HugeClaims) {
  const Bytes plan = save_plan(*small_plan());
  Bytes rows = with(with(plan, 20, std::uint32_t{0x7fffffff}), 24, std::uint64_t{0xffffffff});
  EXPECT_EQ(refusal(sealed(rows)), "f: section \"perm\" at byte " +
                                       std::to_string(section(plan, "perm") - 12) +
                                       ": 36 bytes, expected 8589934588");
  rows = with(rows, section(plan, "perm") - 8, std::uint64_t{8589934588});
  EXPECT_TRUE(refusal(sealed(rows)).find("8589934588 bytes are said to follow, ") !=
              std::string::npos)
      << refusal(sealed(rows));
  const Bytes entries = with(plan, 24, std::uint64_t{0xffffffff});
  EXPECT_TRUE(refusal(sealed(entries)).find("bytes, expected 17179869144") != std::string::npos)
      << refusal(sealed(entries));
  EXPECT_NE(refusal(sealed(with(plan, section(plan, "rows") - 8, ~std::uint64_t{0})))
                .find("18446744073709551615 bytes are said to follow"),
            std::string::npos);
  // A few hundred bytes of a plan whose L is far larger.
  AnalyzeOptions options;
  options.permutation = Permutation::identity(3000);
  options.target = "cpu-generic";
  Bytes factor = with(save_plan(*analyze(star_pattern(3000, 0).view(), options)), 12,
                      std::uint32_t{0x74636166});
  factor = with(with(factor, 16, std::uint32_t{8}), 56, std::uint32_t{7});
  EXPECT_NE(refusal(sealed(factor)).find("damaged: L of its plan has 4501500 entries, there are "),
            std::string::npos)
      << refusal(sealed(factor));
}

TEST(DamagedFiles, WhatTheSectionsSay) {
  const Bytes plan = save_plan(*small_plan());
  const auto said = [&](std::string_view name, Index k, Index x) {
    return refusal(sealed(with(plan, section(plan, name) + 4 * static_cast<std::size_t>(k), x)));
  };
  EXPECT_EQ(said("perm", 3, 9),
            "f: damaged: permutation: entry 3 is 9, expected 0 to 8; save it again");
  EXPECT_NE(said("perm", 3, save::from_bytes<Index>(&plan[section(plan, "perm")]))
                .find("f: damaged: permutation: row "),
            std::string::npos);
  EXPECT_EQ(said("node", 0, 0),
            "f: damaged: supernode 0 has 0 columns, expected 1 to 9; save it again");
  EXPECT_EQ(said("node", 0, -5),
            "f: damaged: supernode 0 has -5 columns, expected 1 to 9; save it again");
  EXPECT_EQ(said("node", 0, 10),
            "f: damaged: supernode 0 has 10 columns, expected 1 to 9; save it again");
  EXPECT_EQ(said("cols", 0, -1), "f: damaged: column 0 of B has -1 entries; save it again");
  EXPECT_EQ(
      said("cols", 0, 2147483647),
      "f: damaged: the columns of B have 2147483657 entries, rows are there for 12; save it again");
  EXPECT_EQ(said("rows", 0, 9),
            "f: damaged: column 0 of B has an entry in row 9 of A; save it again");
  EXPECT_EQ(said("rows", 0, save::from_bytes<Index>(&plan[section(plan, "perm")])),
            "f: damaged: column 0 of B has an entry in row 0, which is not below the diagonal; "
            "save it again");
  EXPECT_NE(said("rows", 0, save::from_bytes<Index>(&plan[section(plan, "rows") + 4]))
                .find(" of A occurs twice"),
            std::string::npos);
  EXPECT_NE(said("name", 0, 2).find("a mark of the caller's permutation of 2, expected 0 or 1"),
            std::string::npos);
  EXPECT_NE(said("name", 1, 0).find("0 workers, expected 1 or more"), std::string::npos);
  EXPECT_NE(said("name", 2, 0x71717103).find("an ordering \"qqq\", which this kauri does not know"),
            std::string::npos);
}

TEST(DamagedFiles, WhatLSays) {
  const Bytes factor = small_factor();
  const std::size_t l = section(factor, "lval");
  EXPECT_NE(refusal(sealed(with(factor, l, -1.0)))
                .find("damaged: column 0 of L holds -1, expected more than 0 on the diagonal"),
            std::string::npos);
  EXPECT_NE(refusal(sealed(with(factor, l + 8, std::numeric_limits<double>::quiet_NaN())))
                .find("column 0 of L holds nan"),
            std::string::npos);
  EXPECT_NE(refusal(sealed(with(factor, l, -1e-30))).find("column 0 of L holds -1e-30, expected"),
            std::string::npos);
  Bytes none = factor;
  for (std::size_t at = l; at + 8 <= none.size() - save::kChecksum; at += 8)
    none = with(none, at, std::numeric_limits<double>::quiet_NaN());
  EXPECT_NE(refusal(sealed(none)).find("column 0 of L holds nan, expected finite numbers"),
            std::string::npos);
  EXPECT_NE(refusal(with(factor, l + 8, 3.0))
                .find("section \"lval\" at byte " + std::to_string(l - 12) +
                      ": damaged: its checksum is "),
            std::string::npos);
}

/// A file with correct checksums is rejected, or is a sound plan: changes each byte to some values.
TEST(DamagedFiles, WhatIsNotRefusedIsSound) {
  int sound = 0;
  for (const Bytes& bytes : {save_plan(*small_plan()), small_factor()})
    for (std::size_t at = save::kHeaderBytes; at < bytes.size(); ++at)
      for (const int change : {1, 2, 3, 4, 7, 128, 255}) {
        Bytes other = bytes;
        other[at] ^= static_cast<std::byte>(change);
        other = sealed(other);
        if (refusal(other) != "no Error") continue;
        LoadOptions options;  // a factor may name an unknown target, which the backend's target
                              // replaces
        options.target = "cpu-generic";
        ASSERT_EQ(find_flaw(*load_plan(other, options)), "") << at << " " << change;
        ++sound;
      }
  EXPECT_GT(sound, 0);
}

/// A saved factor whose `dinv` holds inverses, as a device would write them.
struct WithInverses {
  Bytes file;
  std::size_t numbers;  // place of the inverses
};

/// Returns the inverse of the lower triangle l of order p (column-major), by rows.
std::vector<double> inverse_by_rows(const std::vector<double>& l, std::size_t p) {
  std::vector<double> x(p * p, 0), by_rows;
  for (std::size_t j = 0; j < p; ++j)
    for (std::size_t i = j; i < p; ++i) {
      double sum = i == j ? 1 : 0;
      for (std::size_t k = j; k < i; ++k) sum -= l[i + k * p] * x[k + j * p];
      x[i + j * p] = sum / l[i + i * p];
    }
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j <= i; ++j) by_rows.push_back(x[i + j * p]);
  return by_rows;
}

/// Makes the file for a dense matrix of order 19: one front with blocks of 16 and of 3.
WithInverses with_inverses() {
  const Index n = 19;
  const OwnedPattern a = dense_pattern(n);
  AnalyzeOptions options;
  options.target = "cpu-generic";
  const auto plan = analyze(a.view(), options);
  EXPECT_EQ(plan->supernodes.count(), 1);
  const Factor<double> factor =
      factorize<double>(plan, random_dominant<double>(a.view(), 7), backend()).value();
  const LowerFactor<double> l = lower_factor(factor);
  std::vector<double> inverses;
  for (const auto& [first, order] : {std::pair<std::size_t, std::size_t>{0, 16}, {16, 3}}) {
    std::vector<double> block(order * order, 0);
    for (std::size_t j = 0; j < order; ++j)
      for (std::size_t i = j; i < order; ++i)
        block[i + j * order] = l.value[static_cast<std::size_t>(l.col_ptr[first + j]) + i - j];
    const std::vector<double> x = inverse_by_rows(block, order);
    inverses.insert(inverses.end(), x.begin(), x.end());
  }
  Bytes file = save_factor(factor);
  const std::size_t at = section(file, "dinv");
  std::vector<std::byte> bytes(4 + 8 * inverses.size());
  save::to_bytes(std::uint32_t{1}, bytes.data());
  for (std::size_t k = 0; k < inverses.size(); ++k) save::to_bytes(inverses[k], &bytes[4 + 8 * k]);
  file.insert(file.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin(), bytes.end());
  save::to_bytes(static_cast<std::uint64_t>(bytes.size()), &file[at - save::kSectionHead + 4]);
  return {sealed(std::move(file)), at + 4};
}

// Solves on a device multiply by these inverses, and a file with correct checksums may hold any
// numbers.
TEST(DamagedFiles, InversesThatAreNoneOfLAreRefused) {
  const WithInverses right = with_inverses();
  ASSERT_EQ(refusal(right.file), "no Error");
  const auto said = [&](std::size_t k, double x) {
    const std::string text = refusal(sealed(with(right.file, right.numbers + 8 * k, x))),
                      head = "f: section \"lval\" at byte ";
    return text.starts_with(head) ? text.substr(text.find(": damaged") + 2) : text;
  };
  const auto text = [](int row, int column) {
    return "damaged: dinv of front 0 is not the inverse of L's diagonal blocks at row " +
           std::to_string(row) + ", column " + std::to_string(column) + " of L";
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  for (const double x : {nan, infinite, -infinite, 0.0, -1.0, 1e300}) {
    EXPECT_EQ(said(0, x), text(0, 0)) << x;
    EXPECT_EQ(said(2, x), text(1, 1)) << x;
    EXPECT_EQ(said(16 * 17 / 2, x), text(16, 16)) << x;      // the first of the second block
    EXPECT_EQ(said(16 * 17 / 2 + 5, x), text(18, 18)) << x;  // the last of all
  }
  // Off the diagonal, correct values may be near 0 and -1, so these are not tried; rounding errors
  // do not count as damage.
  for (const double x : {nan, infinite, 1e3}) EXPECT_EQ(said(1, x), text(1, 0)) << x;
  const auto first = save::from_bytes<double>(&right.file[right.numbers]);
  EXPECT_EQ(said(0, first * (1 + 1e-14)), "no Error");
  EXPECT_EQ(said(0, first * (1 + 1e-6)), text(0, 0));
}

}  // namespace
}  // namespace kauri::test

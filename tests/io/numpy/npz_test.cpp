// SciPy .npz files: files that SciPy writes, and invalid ones.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "kauri/extras/io.hpp"
#include "src/io/file/file.hpp"
#include "src/io/parse.hpp"
#include "tests/io/io_support.hpp"

namespace kauri {
namespace {

using Values = std::vector<double>;

const Values kFive = {4, -1,    0,   0.5, 0, -1, 5, -2, 0, 0,     0, -2, 6,
                      0, -0.25, 0.5, 0,   0, 7,  0, 0,  0, -0.25, 0, 8};

class RightNpz : public testing::TestWithParam<const char*> {};

TEST_P(RightNpz, GivesTheMatrix) {
  const auto a = read_matrix(test::test_file(GetParam()));
  EXPECT_EQ(test::dense(a), kFive);
  EXPECT_EQ(a.nnz(), 9);
}

INSTANTIATE_TEST_SUITE_P(Files, RightNpz,
                         testing::Values("full_csr.npz", "lower_csr_stored.npz", "upper_csc.npz",
                                         "lower_csc.npz", "descriptors.npz", "no_zip64.npz",
                                         "int64.npz", "float32.npz", "big_endian.npz",
                                         "unicode_format.npz", "csr_array.npz", "coo_full.npz",
                                         "coo_lower_array.npz", "bsr_lower.npz", "dia.npz",
                                         "dia_upper.npz", "dia_fortran.npz"));

TEST(Npz, ReadsIntegersAndEmptyMatrices) {
  Values four = kFive;
  for (double& v : four) v *= 4;
  EXPECT_EQ(test::dense(read_matrix(test::test_file("integer.npz"))), four);
  EXPECT_EQ(read_matrix(test::test_file("empty.npz")).n(), 0);
}

TEST(Npz, ReadsBlocks) {
  Values six(36, 0);
  for (std::size_t i = 0; i < 25; ++i) six[i / 5 * 6 + i % 5] = kFive[i];
  six[35] = 9;
  const auto a = read_matrix(test::test_file("bsr.npz"));  // 2 x 3, both halves
  EXPECT_EQ(test::dense(a), six);
  EXPECT_EQ(a.nnz(), 10);
}

struct Wrong {
  const char* file;
  const char* text;
};

class WrongNpz : public testing::TestWithParam<Wrong> {};

TEST_P(WrongNpz, IsAnInputErrorThatNamesTheArray) {
  const auto [file, text] = GetParam();
  const std::string bytes = io::read_file(test::test_file(file));
  test::expect_input_error([&] { io::parse_matrix(bytes, "a.npz"); },
                           std::string("a.npz: ") + text);
}

INSTANTIATE_TEST_SUITE_P(
    Files, WrongNpz,
    testing::Values(
        Wrong{"lil.npz", "array 'format': is 'lil', expected csc, csr, coo, bsr or dia"},
        Wrong{"coo.npz", "array 'row': is missing, expected the arrays of scipy.sparse.save_npz"},
        Wrong{"coo_short.npz", "array 'col': 8 entries, expected 9 (one for each value)"},
        Wrong{"coo_row.npz", "array 'row': entry 0 is -1, expected 0 to 4"},
        Wrong{"coo_huge.npz",
              "array 'shape': 2147483647 rows with 9 entries: most rows would be empty, expected "
              "536870911 entries or more, or "
              "a bound of bytes "
              "(max_bytes, --max-gb)"},
        Wrong{"dia_huge.npz",
              "array 'shape': 2147483647 rows with 35 entries: most rows would be empty, expected "
              "536870911 entries or more, "
              "or a bound of bytes "
              "(max_bytes, --max-gb)"},
        Wrong{"dia_offset.npz", "array 'offsets': entry 0 is -18, expected -5 to 5"},
        Wrong{"dia_short.npz", "array 'offsets': 6 entries, expected 7 (one for each diagonal)"},
        Wrong{"bsr_blocks.npz",
              "array 'data': blocks of 2 x 2, expected sizes that divide 5 rows and columns"},
        Wrong{"bsr_index.npz", "array 'indices': entry 4 is 3, expected 0 to 2"},
        Wrong{"bsr_flat.npz", "array 'data': has 1 dimensions, expected 3"},
        Wrong{"no_indptr.npz",
              "array 'indptr': is missing, expected the arrays of scipy.sparse.save_npz"},
        Wrong{"nan.npz", "array 'data': entry 3 is nan, expected finite numbers"},
        Wrong{"complex.npz", "array 'data': the values are complex, expected real ones"},
        Wrong{"index_out_of_range.npz", "array 'indices': entry 8 is 5, expected 0 to 4"},
        Wrong{"negative_index.npz", "array 'indices': entry 8 is -1, expected 0 to 4"},
        Wrong{"indptr_short.npz", "array 'indptr': 5 entries, expected 6 (rows + 1)"},
        Wrong{"indptr_descends.npz",
              "array 'indptr': descends at entry 3, expected ascending offsets"},
        Wrong{"indptr_end.npz", "array 'indptr': ends with 8, but there are 9 indices"},
        Wrong{"data_short.npz", "array 'data': 8 entries, expected 9 (one for each index)"},
        Wrong{"rectangular.npz",
              "array 'shape': the matrix has 5 rows and 6 columns, expected a square one"},
        Wrong{"float_indices.npz",
              "array 'indices': holds floating-point numbers, expected integers"},
        Wrong{"unsymmetric.npz",
              "array 'data': entry 3: entry (0, 4) has no partner (4, 0): the matrix is not "
              "symmetric, expected halves that "
              "differ by at most 2.22e-13 sqrt(|a_ii a_jj|)"},
        Wrong{"lzma.npz",
              "'format.npy': has compression method 14, expected stored (0) or deflated (8)"}));

TEST(Npz, EveryTruncationIsAnError) {
  for (const char* file : {"full_csr.npz", "descriptors.npz", "lower_csr_stored.npz"}) {
    const std::string bytes = io::read_file(test::test_file(file));
    for (std::size_t length = 0; length < bytes.size(); ++length)
      EXPECT_THROW(io::parse_matrix(bytes.substr(0, length), "a"), Error) << file << " " << length;
  }
}

TEST(Npz, EveryFlippedBitIsAnErrorOrAMatrix) {
  // A checksum detects most flips; those in names, dates and unused fields may pass, and then the
  // matrix must be right.
  for (const char* file : {"lower_csr_stored.npz", "int64.npz"}) {
    const std::string bytes = io::read_file(test::test_file(file));
    int caught = 0;
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      std::string flipped = bytes;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      try {
        EXPECT_EQ(test::dense(io::parse_matrix(flipped, "a")), kFive) << file << " bit " << bit;
      } catch (const Error&) {
        ++caught;
      }
    }
    EXPECT_GT(caught, static_cast<int>(bytes.size())) << file;
  }
}

}  // namespace
}  // namespace kauri

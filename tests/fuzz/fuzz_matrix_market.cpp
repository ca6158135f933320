// Reads arbitrary bytes as Matrix Market (plain or gzipped) and as a permutation: expects a result
// or an Error.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <string>

#include "src/io/market/matrix_market.hpp"
#include "src/io/parse.hpp"
#include "src/io/permutation_file.hpp"
#include "tests/fuzz/outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kauri;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  fuzz::result_or_error_within(
      size, [&](io::Allowance most) { return io::parse_matrix(bytes, "f", {}, {}, most); });
  fuzz::result_or_error_within(
      size, [&](io::Allowance most) { return io::parse_market_matrix(bytes, "f", {}, most); });
  fuzz::result_or_error_within(
      size, [&](io::Allowance most) { return io::parse_dense(bytes, "f", {}, kNone, most); });
  fuzz::result_or_error_within(
      size, [&](io::Allowance most) { return io::parse_permutation(bytes, "f", most); });
  return 0;
}

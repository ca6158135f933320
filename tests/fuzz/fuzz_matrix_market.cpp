// Any bytes as Matrix Market (plain or gzipped) and as a permutation: a result or an Error, never anything else.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <string>

#include "src/io/matrix_market.hpp"
#include "src/io/parse.hpp"
#include "src/io/permutation_file.hpp"
#include "tests/fuzz/outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kauri;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  fuzz::result_or_error([&] { fuzz::require_sound(io::parse_matrix(bytes, "f")); });
  fuzz::result_or_error([&] { fuzz::require_sound(io::parse_market_matrix(bytes, "f")); });
  fuzz::result_or_error([&] { fuzz::require_sound(io::parse_dense(bytes, "f")); });
  fuzz::result_or_error([&] { io::parse_permutation(bytes, "f"); });
  return 0;
}

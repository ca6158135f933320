// Reads arbitrary bytes as .npz and .npy: expects a result or an Error.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <string>

#include "src/io/numpy/dense.hpp"
#include "src/io/numpy/npz.hpp"
#include "src/io/parse.hpp"
#include "tests/fuzz/outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kauri;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  fuzz::result_or_error_within(
      size, [&](io::Allowance most) { return io::parse_npz(bytes, "f", {}, most); });
  fuzz::result_or_error_within(
      size, [&](io::Allowance most) { return io::parse_npy_dense(bytes, "f", kNone, most); });
  fuzz::result_or_error_within(
      size, [&](io::Allowance most) { return io::parse_matrix(bytes, "f", {}, {}, most); });
  return 0;
}

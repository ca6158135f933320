// Any bytes as .npz and .npy: a result or an Error, never anything else.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <string>

#include "src/io/dense_file.hpp"
#include "src/io/npz.hpp"
#include "src/io/parse.hpp"
#include "tests/fuzz/outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kauri;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  fuzz::result_or_error([&] { fuzz::require_sound(io::parse_npz(bytes, "f")); });
  fuzz::result_or_error([&] { fuzz::require_sound(io::parse_npy_dense(bytes, "f")); });
  fuzz::result_or_error([&] { fuzz::require_sound(io::parse_matrix(bytes, "f")); });
  return 0;
}

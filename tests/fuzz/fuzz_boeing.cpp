// Reads arbitrary bytes as Rutherford-Boeing and as a Fortran format: expects a result or an Error.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <string>

#include "src/io/boeing/fortran_format.hpp"
#include "src/io/boeing/rutherford_boeing.hpp"
#include "src/io/parse.hpp"
#include "tests/fuzz/outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kauri;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  fuzz::result_or_error_within(
      size, [&](io::Allowance most) { return io::parse_rutherford_boeing(bytes, "f", {}, most); });
  fuzz::result_or_error_within(
      size, [&](io::Allowance most) { return io::parse_matrix(bytes, "f", {}, {}, most); });
  if (const auto format = io::parse_fortran_format(bytes)) {
    fuzz::require(format->repeat > 0 && format->width > 0 && !format->first.empty());
    fuzz::require(format->later.size() == static_cast<std::size_t>(format->repeat));
    for (const auto* columns :
         {&format->first, &format->later})  // fields follow one another without overlap
      for (std::size_t k = 0; k < columns->size(); ++k)
        fuzz::require((*columns)[k] >= (k == 0 ? 0 : (*columns)[k - 1] + format->width));
    (void)io::fortran_real(bytes, *format);
  }
  return 0;
}

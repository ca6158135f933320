// Reads arbitrary bytes as a saved plan or factor, unchanged and with corrected checksums: expects
// an Error, or a sound plan that is saved as the same bytes and solves.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "tests/fuzz/outcome.hpp"
#include "tests/support/process/sealed.hpp"

namespace {

using namespace kauri;
using fuzz::require;
using Bytes = std::vector<std::byte>;

Backend& backend() {
  static Backend one = cpu_backend(1);
  return one;
}

LoadOptions named(const char* target = "") {
  LoadOptions options;
  options.name = "f", options.target = target;
  return options;
}

/// Requires that a loaded plan is sound for any target, and that saving it gives the same bytes.
void check_plan(const Bytes& bytes) {
  const auto plan = load_plan(bytes, named());
  require(find_flaw(*plan).empty());
  if (saved_info(bytes, "f").kind == SavedKind::plan) require(save_plan(*plan) == bytes);
  for (const char* target : {"cpu-generic", "sm_90"})
    require(find_flaw(*load_plan(bytes, named(target))).empty());
}

template <class T>
void check_factor(const Bytes& bytes) {
  const Factor<T> factor = load_factor<T>(bytes, backend(), named("cpu-generic"));
  require(factor.valid());
  const Bytes again = save_factor(factor);
  const Factor<T> other = load_factor<T>(again, backend(), named());
  require(save_factor(other) == again);
  require(lower_factor(other).value == lower_factor(factor).value);
  std::vector<T> x(static_cast<std::size_t>(factor.plan().n), T(1)), y(x);
  auto workspace = Workspace<T>::create(factor, 1), second = Workspace<T>::create(other, 1);
  factor.solve(column_view<T>(x), workspace);
  other.solve(column_view<T>(y), second);
  require(x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0);
}

/// Requires that loading with a memory bound gives the same plan, or an Error, possibly of kind
/// memory.
void check_bound(const Bytes& bytes) {
  LoadOptions options = named();
  options.max_bytes = 50 * bytes.size();
  try {
    require(save_plan(*load_plan(bytes, options)) == save_plan(*load_plan(bytes, named())));
  } catch (const Error& e) {
    require((e.kind() == ErrorKind::input || e.kind() == ErrorKind::memory) &&
            std::string_view(e.what()).starts_with("f: "));
  }
}

void check(const Bytes& bytes) {
  fuzz::result_or_error([&] { saved_info(bytes, "f"); });
  fuzz::result_or_error([&] { check_plan(bytes); });
  check_bound(bytes);
  fuzz::result_or_error([&] { check_factor<float>(bytes); });
  fuzz::result_or_error([&] { check_factor<double>(bytes); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* first = reinterpret_cast<const std::byte*>(data);
  const Bytes bytes(first, first + size);
  check(bytes);
  const Bytes sealed = test::sealed(bytes);
  if (sealed != bytes) check(sealed);
  return 0;
}

// Reads CMake's names of CUDA architectures.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/runtime/architectures.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace kauri::numeric::cuda {
namespace {

struct Architecture {
  int version = 0;  // 10 * major + minor
  bool machine_code = false, ptx = false, exact = false;
};

std::optional<Architecture> read(std::string_view item) {
  Architecture out;
  const auto [rest, error] = std::from_chars(item.data(), item.data() + item.size(), out.version);
  if (error != std::errc()) return {};
  std::string_view suffix = item.substr(static_cast<std::size_t>(rest - item.data()));
  bool family = false;
  if (!suffix.empty() && (suffix.front() == 'a' || suffix.front() == 'f')) {
    (suffix.front() == 'a' ? out.exact : family) = true;
    suffix.remove_prefix(1);
  }
  if (!suffix.empty() && suffix != "-real" && suffix != "-virtual") return {};
  out.machine_code = suffix != "-virtual";
  out.ptx = suffix != "-real" &&
            !family;  // a family's PTX runs where its machine code would, and counts as that
  if (family) out.machine_code = true;
  return out;
}

/// Returns the architectures of a list, or none if one of its items is not understood.
std::vector<Architecture> read_all(std::string_view list) {
  std::vector<Architecture> out;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (end > 0) {
      const std::optional<Architecture> item = read(list.substr(0, end));
      if (!item) return {};
      out.push_back(*item);
    }
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

std::string version_of(const Architecture& code) {
  return std::to_string(code.version / 10) + "." + std::to_string(code.version % 10);
}

/// Returns true for devices of Tegra modules: Xavier (7.2), Orin (8.7) and Thor (10.1, since CUDA
/// 13.0 11.0). Machine code of another version does not run there, nor theirs elsewhere (NVIDIA's
/// CUDA C++ Programming Guide, section on binary compatibility).
bool is_tegra(int version) {
  return version == 72 || version == 87 || version == 101 || version == 110;
}

Code code_for(const Architecture& code, int major, int minor) {
  const int version = 10 * major + minor;
  if (version < code.version || (code.exact && version != code.version)) return Code::none;
  const bool same = version == code.version || (version / 10 == code.version / 10 &&
                                                !is_tegra(version) && !is_tegra(code.version));
  if (code.machine_code && same) return Code::machine;
  return code.ptx ? Code::ptx : Code::none;
}

}  // namespace

Code code_for(std::string_view built_for, int major, int minor) {
  const std::vector<Architecture> all = read_all(built_for);
  Code best = all.empty() ? Code::machine : Code::none;
  for (const Architecture& code : all) best = std::max(best, code_for(code, major, minor));
  return best;
}

std::string code_in_words(std::string_view built_for, int major, int minor) {
  const Code best = code_for(built_for, major, minor);
  const Architecture* found = nullptr;  // the newest of those whose code is the best
  const std::vector<Architecture> all = read_all(built_for);
  for (const Architecture& code : all)
    if (best != Code::none && code_for(code, major, minor) == best &&
        (found == nullptr || code.version >= found->version))
      found = &code;
  if (found == nullptr) return {};
  return best == Code::machine ? "machine code for " + version_of(*found)
                               : "PTX of " + version_of(*found) +
                                     ", which the driver compiles when it is first loaded";
}

std::string in_words(std::string_view built_for) {
  std::string out;
  const std::vector<Architecture> all = read_all(built_for);
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (k > 0) out += k + 1 == all.size() ? " and " : ", ";
    out += version_of(all[k]);
  }
  return out;
}

}  // namespace kauri::numeric::cuda

// Limits of this process's control groups (Linux, v1 and v2): memory left, and processor time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri {

/// A control group, by its folder in the cgroup file system.
struct ControlGroup {
  std::filesystem::path folder;
  bool v2 = false;
};

/// Returns the groups of this process that a controller ("memory", "cpu") may limit, each followed
/// by its parents. root: folder that contains proc/ and sys/.
std::vector<ControlGroup> control_groups(std::string_view controller,
                                         const std::filesystem::path& root = "/");

/// Returns the least memory, in bytes, that the groups of this process and their parents have left:
/// the limit minus the usage without page-cache pages that can be dropped. Empty without a limit.
std::optional<Offset> memory_left_in_groups(const std::filesystem::path& root = "/");

/// Returns the number of processors that the least CPU quota of this process's groups and their
/// parents allows on average, rounded up, at least 1. Empty if there is no quota.
std::optional<int> processors_of_groups(const std::filesystem::path& root = "/");

/// Returns the number that follows a key in a file with lines "key 123" (memory.stat), or in bytes
/// if the line reads "key   123 kB" (/proc/meminfo). key: the characters before the number, up to
/// blanks ("inactive_file "). Empty if no line begins with the key, or no number follows it.
std::optional<Offset> number_after(const std::filesystem::path& file, std::string_view key);

}  // namespace kauri

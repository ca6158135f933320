// What the control groups of this process (Linux, v1 and v2) leave it: memory, and time of processors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "kauri/types.hpp"

namespace kauri {

/// A control group as a folder of the system's.
struct ControlGroup {
  std::filesystem::path folder;
  bool v2 = false;
};

/// The groups of this process that a controller ("memory", "cpu") may limit, each followed by its parents. root: where /proc and /sys are.
std::vector<ControlGroup> control_groups(std::string_view controller, const std::filesystem::path& root = "/");

/// The least room of these groups: the limit less what is used, pages of files that can be dropped not counted as used. Nothing: no limit.
std::optional<Offset> memory_left_in_groups(const std::filesystem::path& root = "/");

/// Processors whose time the quotas of these groups allow in the mean, rounded up: at least 1. Nothing: no quota.
std::optional<int> processors_of_groups(const std::filesystem::path& root = "/");

/// The number behind a key in lines "key 123" (memory.stat), or in bytes behind one in lines "key   123 kB" (/proc/meminfo).
std::optional<Offset> number_after(const std::filesystem::path& file, std::string_view key);

}  // namespace kauri

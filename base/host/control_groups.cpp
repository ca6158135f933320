// Reads limits from files of the cgroup file system; a missing file counts as no limit.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/host/control_groups.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

namespace kauri {
namespace {

/// Returns the integers at the beginning of a file, up to the first word, for example "max", or the
/// first number that an Offset cannot hold.
std::vector<Offset> numbers_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<Offset> numbers;
  for (Offset x = 0; in >> x;) numbers.push_back(x);
  return numbers;
}

std::optional<Offset> room_in(const ControlGroup& group) {
  const auto limit = numbers_in(group.folder / (group.v2 ? "memory.max" : "memory.limit_in_bytes"));
  const auto used =
      numbers_in(group.folder / (group.v2 ? "memory.current" : "memory.usage_in_bytes"));
  if (limit.empty() || limit[0] < 0 || used.empty()) return {};
  const Offset droppable = number_after(group.folder / "memory.stat",
                                        group.v2 ? "inactive_file " : "total_inactive_file ")
                               .value_or(0);
  return std::max<Offset>(0, limit[0] - std::max<Offset>(0, used[0] - droppable));
}

/// Returns the number of processors that a group's quota allows: the quota, microseconds of CPU
/// time in each period, divided by the length of the period, rounded up. Empty if there is no
/// quota.
std::optional<int> processors_of(const ControlGroup& group) {
  auto time = numbers_in(group.folder / (group.v2 ? "cpu.max" : "cpu.cfs_quota_us"));
  if (!group.v2) {
    const auto period = numbers_in(group.folder / "cpu.cfs_period_us");
    time.insert(time.end(), period.begin(), period.end());
  }
  if (time.size() < 2 || time[0] <= 0 || time[1] <= 0) return {};  // v1: a quota of -1 means none
  const Offset whole = time[0] / time[1] + (time[0] % time[1] != 0 ? 1 : 0);
  return static_cast<int>(std::min<Offset>(whole, std::numeric_limits<int>::max()));
}

/// Returns the least of(group) over all groups for which it is not empty; empty if it is for all.
template <class T>
std::optional<T> least(const std::vector<ControlGroup>& groups,
                       std::optional<T> (*of)(const ControlGroup&)) {
  std::optional<T> least;
  for (const ControlGroup& group : groups)
    if (const std::optional<T> here = of(group)) least = least ? std::min(*least, *here) : here;
  return least;
}

}  // namespace

std::vector<ControlGroup> control_groups(std::string_view controller,
                                         const std::filesystem::path& root) {
  std::ifstream in(
      root / "proc/self/cgroup");  // lines NUMBER:CONTROLLERS:PATH; CONTROLLERS is empty for v2
  std::vector<ControlGroup> groups;
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool v2 = controllers == ",,";
    if (!v2 && controllers.find("," + std::string(controller) + ",") == std::string::npos) continue;
    const std::filesystem::path top =
        root / (v2 ? "sys/fs/cgroup" : "sys/fs/cgroup/" + std::string(controller));
    // Inside a container the path may exist only outside it; the container's own group is then the
    // root folder of the controller.
    for (std::filesystem::path path = line.substr(second + 1);; path = path.parent_path()) {
      groups.push_back({top / path.relative_path(), v2});
      if (!path.has_relative_path()) break;
    }
  }
  return groups;
}

std::optional<Offset> memory_left_in_groups(const std::filesystem::path& root) {
  return least(control_groups("memory", root), room_in);
}

std::optional<int> processors_of_groups(const std::filesystem::path& root) {
  return least(control_groups("cpu", root), processors_of);
}

std::optional<Offset> number_after(const std::filesystem::path& file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    std::istringstream rest(line.substr(key.size()));
    Offset x = 0;
    std::string unit;
    if (!(rest >> x)) return {};
    rest >> unit;
    return unit == "kB" ? x * 1024 : x;
  }
  return {};
}

}  // namespace kauri

// Limits of control groups, read from folders laid out as the system's.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/host/control_groups.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/threads/allowed_threads.hpp"
#include "tests/support/process/temp_file.hpp"

namespace kauri {
namespace {

/// A root folder with the files of a process and of its groups.
class MadeGroups : public ::testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = folder_.path() + "/" + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  void put_memory_v2(const std::string& group, const std::string& most,
                     const std::string& used) const {
    put("sys/fs/cgroup" + group + "/memory.max", most);
    put("sys/fs/cgroup" + group + "/memory.current", used);
  }
  [[nodiscard]] std::optional<Offset> memory() const {
    return memory_left_in_groups(folder_.path());
  }
  [[nodiscard]] std::optional<int> processors() const {
    return processors_of_groups(folder_.path());
  }

 private:
  test::TempFolder folder_;
};

TEST_F(MadeGroups, NoneLimitNothing) {
  EXPECT_EQ(memory(), std::nullopt);
  EXPECT_EQ(processors(), std::nullopt);
  put("proc/self/cgroup", "0::/");
  EXPECT_EQ(memory(), std::nullopt);
  EXPECT_EQ(processors(), std::nullopt);
  put("proc/self/cgroup", "no colons\n0:only one\n0::/a/b");
  EXPECT_EQ(memory(), std::nullopt);
}

TEST_F(MadeGroups, MemoryOfTheSecondVersion) {
  put("proc/self/cgroup", "0::/user.slice/session/run");
  put_memory_v2("/user.slice/session/run", "max", "900");
  EXPECT_EQ(memory(), std::nullopt);
  put_memory_v2("/user.slice/session", "10000", "4000");  // groups above the process's limit it too
  EXPECT_EQ(memory(), 6000);
  put("sys/fs/cgroup/user.slice/session/memory.stat",
      "anon 3000\ninactive_file 500\nactive_file 100");
  EXPECT_EQ(memory(), 6500);
  put_memory_v2("/user.slice/session/run", "7000", "900");
  EXPECT_EQ(memory(), 6100);
  put_memory_v2("", "100", "250");  // usage exceeds the limit
  EXPECT_EQ(memory(), 0);
}

TEST_F(MadeGroups, MemoryOfTheFirstVersion) {
  put("proc/self/cgroup", "5:cpu,cpuacct:/other\n4:memory:/a/b\n1:name=systemd:/a/b\n0::/");
  put("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712");
  put("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "3000");
  put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "8000");
  put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "3000");
  put("sys/fs/cgroup/memory/a/memory.stat", "inactive_file 1\ntotal_inactive_file 1000");
  EXPECT_EQ(memory(), 6000);
  put("sys/fs/cgroup/memory/memory.limit_in_bytes",
      "3500");  // of a container, whose path exists only on its host
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "3000");
  EXPECT_EQ(memory(), 500);
  put("sys/fs/cgroup/memory/other/memory.limit_in_bytes", "1");
  put("sys/fs/cgroup/memory/other/memory.usage_in_bytes", "1");
  EXPECT_EQ(memory(), 500);
}

TEST_F(MadeGroups, ProcessorsOfTheSecondVersion) {
  put("proc/self/cgroup", "0::/a/b");
  put("sys/fs/cgroup/a/b/cpu.max", "max 100000");
  EXPECT_EQ(processors(), std::nullopt);
  put("sys/fs/cgroup/a/cpu.max", "250000 100000");
  EXPECT_EQ(processors(), 3);
  put("sys/fs/cgroup/a/b/cpu.max", "1000 100000");
  EXPECT_EQ(processors(), 1);
  put("sys/fs/cgroup/a/b/cpu.max", "800000 100000");
  EXPECT_EQ(processors(), 3);
  put("sys/fs/cgroup/a/cpu.max", "200000 100000");
  EXPECT_EQ(processors(), 2);
  for (const char* broken : {"", "200000", "x 100000", "0 100000", "200000 0", "-1 100000"}) {
    put("sys/fs/cgroup/a/cpu.max", broken);
    EXPECT_EQ(processors(), 8) << broken;
  }
}

TEST_F(MadeGroups, ProcessorsOfTheFirstVersion) {
  put("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a\n0::/");
  put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1");
  put("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000");
  EXPECT_EQ(processors(), std::nullopt);
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "150000");
  put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000");
  EXPECT_EQ(processors(), 3);
}

/// Applies to this process, whatever its groups are.
TEST(DefaultThreads, AreNoMoreThanQuotasPayForAndAllowed) {
  EXPECT_GE(default_threads(), 1);
  EXPECT_LE(default_threads(), allowed_threads());
  EXPECT_LE(default_threads(), processors_of_groups().value_or(default_threads()));
  const tbb::global_control more(tbb::global_control::max_allowed_parallelism,
                                 static_cast<std::size_t>(allowed_threads()) + 3);
  EXPECT_EQ(default_threads(), allowed_threads());  // a limit of the host program takes precedence
                                                    // over quotas
}

}  // namespace
}  // namespace kauri

// Buffers and the ledger that counts them; the handle on a backend.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/host/memory.hpp"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "kauri/kauri.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/many_threads.hpp"

namespace kauri {
namespace {

using test::error_text;

TEST(Buffer, IsAlignedAndCountedToTheByte) {
  MemoryLedger ledger;
  for (const Offset count : {0, 1, 7, 1000, 1 << 20}) {
    const Buffer<double> buffer(count, ledger);
    EXPECT_EQ(buffer.size(), count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0u);
    EXPECT_EQ(ledger.in_use(), 8 * count);
  }
  EXPECT_EQ(ledger.in_use(), 0);
  EXPECT_EQ(ledger.peak(), Offset{8} << 20);
  ledger.reset_peak();
  EXPECT_EQ(ledger.peak(), 0);
}

TEST(Buffer, MovesWithoutCopyOrLeak) {
  MemoryLedger ledger;
  {
    Buffer<float> a(10, ledger), b(20, ledger);
    float* const data = a.data();
    EXPECT_EQ(ledger.in_use(), 120);
    b = std::move(a);  // releases the 20
    EXPECT_EQ(b.data(), data);
    EXPECT_EQ(b.size(), 10);
    EXPECT_EQ(ledger.in_use(), 40);
    const Buffer<float> c(std::move(b));
    EXPECT_EQ(c.data(), data);
    EXPECT_EQ(ledger.in_use(), 40);
    const Buffer<float> empty;
    EXPECT_EQ(empty.size(), 0);
  }
  EXPECT_EQ(ledger.in_use(), 0);
  EXPECT_EQ(ledger.peak(), 120);
}

TEST(Buffer, SizesBeyondTheirTypeAreOverflowAndTooLargeOnesMemory) {
  MemoryLedger ledger;
  const Offset most = std::numeric_limits<Offset>::max();
  EXPECT_EQ(error_text(ErrorKind::overflow, [&] { (void)Buffer<double>(most / 8 + 1, ledger); }),
            "memory: 1152921504606846976 items of 8 bytes");
  EXPECT_EQ(error_text(ErrorKind::overflow, [&] { (void)Buffer<double>(-1, ledger); }),
            "memory: -1 items of 8 bytes");
  EXPECT_EQ(byte_count(most, 1), most);
  EXPECT_EQ(ledger.in_use(), 0);
  EXPECT_EQ(ledger.peak(), 0);
#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // which end the process for this size
  EXPECT_EQ(error_text(ErrorKind::memory, [&] { (void)Buffer<char>(Offset{1} << 60, ledger); }),
            "out of memory: 1152921504606846976 bytes asked for");
  EXPECT_EQ(ledger.in_use(), 0);
#endif
}

TEST(PlanBytes, BeyondTheirTypeAreOverflow) {
  Plan plan;
  plan.internals->panel_ptr = {0, Offset{1} << 60};
  EXPECT_EQ(plan.factor_bytes(4), Offset{1} << 62);
  EXPECT_NE(error_text(ErrorKind::overflow, [&] { (void)plan.factor_bytes(8); }).find("bytes"),
            std::string::npos);
  plan.internals->schedule.stack_entries = Offset{1} << 60;
  EXPECT_NE(error_text(ErrorKind::overflow, [&] { (void)plan.peak_bytes(4); }).find("bytes"),
            std::string::npos);
  plan.internals->panel_ptr = {0, 10};
  EXPECT_EQ(plan.peak_bytes(4), (Offset{1} << 62) + 40);
  EXPECT_NE(error_text(ErrorKind::overflow, [&] { (void)plan.peak_bytes(8); }).find("bytes"),
            std::string::npos);
  plan.n = 10;
  plan.internals->schedule.update_rows = std::numeric_limits<Offset>::max();
  EXPECT_NE(
      error_text(ErrorKind::overflow, [&] { (void)plan.workspace_bytes(4, 1); }).find("workspace"),
      std::string::npos);
}

TEST(CpuBackend, ChangesNoSettingOfTheProcess) {
  const auto allowed = [] {
    return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  };
  const auto before = allowed();
  {
    const Backend backend = cpu_backend(static_cast<int>(before) + 6);
    EXPECT_EQ(allowed(), before);
    EXPECT_EQ(backend.threads(), static_cast<int>(before));  // the number that is used
    EXPECT_EQ(cpu_backend().threads(), static_cast<int>(before));
    EXPECT_EQ(cpu_backend(1).threads(), 1);
  }
  {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    EXPECT_EQ(cpu_backend(2).threads(), 1);
  }
  const test::ManyThreads many;
  EXPECT_EQ(cpu_backend(8).threads(), 8);
  EXPECT_EQ(error_text(ErrorKind::usage, [] { (void)cpu_backend(-1); }),
            "cpu_backend: threads is -1, expected 0 or more");
}

}  // namespace
}  // namespace kauri

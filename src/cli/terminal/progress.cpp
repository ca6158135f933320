// Progress of long phases, shown at a terminal.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/terminal/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <system_error>

#include "base/progress/stopwatch.hpp"
#include "src/io/file/file.hpp"

namespace kauri::cli {
namespace {

constexpr std::chrono::milliseconds kSilence{1000}, kPause{200};

/// Replaces the text of the current line of the terminal.
void show(const std::string& text) {
  const std::string line = "\r\x1b[K" + io::shown(text);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

Phase::Phase(bool quiet, std::string what) : what_(std::move(what)) {
  if (quiet || isatty(STDERR_FILENO) == 0) return;
  try {
    thread_ = std::thread([this] { run(); });
    counting_.emplace(&meter_);
  } catch (const std::system_error&) {
    return;  // the system refuses a thread: the work goes on without progress
  }
}

Phase::~Phase() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Phase::run() {
  const Stopwatch watch;
  std::unique_lock lock(mutex_);
  if (wake_.wait_for(lock, kSilence, [this] { return over_; })) return;
  do {
    const double fraction = meter_.fraction();
    const bool part =
        fraction > 0 && fraction < 1;  // the fraction is known only while the factorisation runs
    show(fmt::format("{} ... {:.0f} s{}", what_, watch.seconds(),
                     part ? fmt::format(", {:.0f} %", std::floor(100 * fraction)) : ""));
  } while (!wake_.wait_for(lock, kPause, [this] { return over_; }));
  show("");
}

}  // namespace kauri::cli

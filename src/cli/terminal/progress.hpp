// What a person at a terminal sees of phases that take long.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/progress/meter.hpp"

namespace kauri::cli {

/// While it lives longer than a second, a line on the standard error says what is being done, for how long, and while a factorisation on
/// the CPU runs how much of it is done; the line is gone when it ends. Silent if `quiet` (--json), and where the standard error is no
/// terminal.
class Phase {
 public:
  Phase(bool quiet, std::string what);
  ~Phase();
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  void run();

  std::string what_;
  Meter meter_;
  std::optional<MeterScope> counting_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace kauri::cli

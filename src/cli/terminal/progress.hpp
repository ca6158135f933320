// Progress of long phases, shown at a terminal.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/progress/meter.hpp"

namespace kauri::cli {

/// Progress line of a phase. Once the object has lived for a second, a line on the standard error
/// shows the phase and its seconds, and during a factorisation on the CPU the fraction done; the
/// destructor erases the line. Nothing is shown if `quiet` (--json) or if the standard error is no
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
  std::thread thread_;  // declared last, since it uses the other members
};

}  // namespace kauri::cli

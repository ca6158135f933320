// What a person at a terminal sees of phases that take long.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace kauri::cli {

/// While it lives longer than a second, a line on the standard error says what is being done and for how long; the line is gone when it
/// ends. Silent if `quiet` (--json), and where the standard error is no terminal.
class Phase {
 public:
  Phase(bool quiet, std::string what);
  ~Phase();
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  void run();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace kauri::cli

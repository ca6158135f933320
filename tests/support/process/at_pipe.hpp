// A named pipe with a thread at its other end, which is released at the end of a test even if
// nothing opened this end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "support/process/limits.hpp"
#include "support/process/temp_file.hpp"

namespace kauri::test {

/// Runs work(path) in a thread from the construction on; finish() and the destructor wait for it.
class AtPipe {
 public:
  explicit AtPipe(std::function<void(const std::string&)> work,
                  std::chrono::milliseconds limit = std::chrono::seconds(kLimitSeconds))
      : work_(std::move(work)), limit_(limit) {
    std::signal(SIGPIPE, SIG_IGN);  // for a writer that is released without a reader
    if (::mkfifo(path().c_str(), 0600) != 0) throw std::runtime_error("mkfifo " + path());
    thread_ = std::thread([this] {
      work_(path());
      done_ = true;
    });
  }
  ~AtPipe() { finish(); }
  AtPipe(const AtPipe&) = delete;
  AtPipe& operator=(const AtPipe&) = delete;
  [[nodiscard]] std::string path() const { return pipe_.path(); }

  /// Waits for the thread; aborts the program if it still runs after the limit.
  void finish() {
    const auto end = std::chrono::steady_clock::now() + limit_;
    while (!done_ && std::chrono::steady_clock::now() < end) {
      const int visit =
          ::open(path().c_str(), O_RDWR | O_NONBLOCK);  // Linux: never blocks, and opens both ends
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ::close(visit);
    }
    if (!done_) {
      std::fprintf(stderr, "the other end of %s is still at work after %lld ms\n", path().c_str(),
                   static_cast<long long>(limit_.count()));
      std::abort();
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  TempFile pipe_;
  std::function<void(const std::string&)> work_;
  std::chrono::milliseconds limit_;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace kauri::test

// Removal of unfinished files when a signal ends the program.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/terminal/signals.hpp"

#include <csignal>

#include "src/io/file/unfinished.hpp"

namespace kauri::cli {
namespace {

extern "C" void end_by_signal(int number) {
  io::remove_unfinished();
  ::raise(
      number);  // SA_RESETHAND restored the default action, which runs when this handler returns
}

}  // namespace

void remove_files_on_signals() {
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM,
                           SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF}) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) continue;
    struct sigaction then {};
    then.sa_handler = end_by_signal;
    then.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(number, &then, nullptr);
  }
}

}  // namespace kauri::cli

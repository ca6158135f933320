// Child processes with a time limit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "support/process/limits.hpp"

namespace kauri::test {

/// Runs f() in a child of this process, which exits with 0, or with 99 if f throws. Returns the
/// status of waitpid(). SIGALRM ends a child that still runs after the limit, even if it has
/// executed another program.
template <class F>
int status_of_child(F&& f, unsigned seconds = kLimitSeconds) {
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork() has failed");
  if (child == 0) {
    ::alarm(seconds);
    try {
      f();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
      ::_exit(99);
    }
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Returns the exit status, or 1000 + signal if a signal ended the child.
inline int exit_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace kauri::test

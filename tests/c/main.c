// Runs all tests of the C interface; exits with 0 if every check held.
// SPDX-License-Identifier: BSD-3-Clause
#include <stdio.h>

#include "support.h"

int main(void) {
  static const struct {
    const char* name;
    void (*run)(void);
  } tests[] = {{"status", test_status}, {"options", test_options}, {"matrix", test_matrix},
               {"plan", test_plan},     {"factor", test_factor},   {"lower", test_lower},
               {"save", test_save},     {"solver", test_solver},   {"threads", test_threads}};
  for (size_t k = 0; k < sizeof tests / sizeof *tests; ++k) {
    const int before = failed_checks;
    tests[k].run();
    printf("%s: %s\n", tests[k].name, failed_checks == before ? "ok" : "FAILED");
  }
  return failed_checks == 0 ? 0 : 1;
}

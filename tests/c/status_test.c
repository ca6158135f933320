// Versions, statuses, texts of errors, and calls with null.
// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "support.h"

static void names(void) {
  static const char* const expected[] = {"ok",       "not_positive_definite",
                                         "usage",    "input",
                                         "overflow", "memory",
                                         "device",   "cancelled",
                                         "internal"};
  for (kauri_status s = 0; s < 9; ++s) CHECK(strcmp(kauri_status_name(s), expected[s]) == 0);
  CHECK(strcmp(kauri_status_name(9), "not_converged") == 0 &&
        strcmp(kauri_status_name(10), "unknown") == 0);
  CHECK(strcmp(kauri_status_name(-1), "unknown") == 0);
}

// The values are part of the ABI: compiled programs contain them.
static void numbers_that_never_change(void) {
  CHECK(KAURI_OK == 0 && KAURI_NOT_POSITIVE_DEFINITE == 1 && KAURI_ERROR_USAGE == 2 &&
        KAURI_ERROR_INPUT == 3);
  CHECK(KAURI_ERROR_OVERFLOW == 4 && KAURI_ERROR_MEMORY == 5 && KAURI_ERROR_DEVICE == 6 &&
        KAURI_ERROR_CANCELLED == 7);
  CHECK(KAURI_ERROR_INTERNAL == 8 && KAURI_NOT_CONVERGED == 9);
  CHECK(KAURI_DOUBLE == 0 && KAURI_FLOAT == 1 && KAURI_INT32 == 0 && KAURI_INT64 == 1);
  CHECK(KAURI_LOWER == 0 && KAURI_UPPER == 1 && KAURI_FULL == 2 && KAURI_COLUMNS == 0 &&
        KAURI_ROWS == 1);
  CHECK(KAURI_SUM == 0 && KAURI_REFUSE == 1 && KAURI_HOST == 0 && KAURI_DEVICE == 1 &&
        KAURI_COLUMN_MAJOR == 0 && KAURI_ROW_MAJOR == 1);
  CHECK(KAURI_BACKEND_CPU == 0 && KAURI_BACKEND_CUDA == 1);
  CHECK(KAURI_OPTION_BOOLEAN == 0 && KAURI_OPTION_INTEGER == 1 && KAURI_OPTION_NUMBER == 2 &&
        KAURI_OPTION_WORD == 3 && KAURI_OPTION_TEXT == 4);
  CHECK(KAURI_MESSAGE_INFO == 0 && KAURI_MESSAGE_WARNING == 1 && KAURI_PHASE_ORDERING == 0 &&
        KAURI_PHASE_SYMBOLIC == 1);
  CHECK(KAURI_PHASE_PREPARE == 2 && KAURI_PHASE_FACTOR == 3 && KAURI_PHASE_SOLVE == 4 &&
        KAURI_PHASE_REFINE == 5);
  CHECK(KAURI_VERDICT_NONE == 0 && KAURI_VERDICT_POSITIVE_DEFINITE == 1 &&
        KAURI_VERDICT_NOT_POSITIVE_DEFINITE == 2);
  CHECK(KAURI_SYSTEM_A == 0 && KAURI_SYSTEM_B == 1 && KAURI_SYSTEM_L == 2 && KAURI_SYSTEM_LT == 3 &&
        KAURI_SYSTEM_P == 4);
  CHECK(KAURI_SYSTEM_PT == 5);
}

static void versions(void) {
  CHECK(kauri_api_version() == KAURI_API_VERSION);
  CHECK(strchr(kauri_version(), '.') != NULL);
  CHECK(strlen(kauri_commit()) > 0);
}

// A message survives successful calls, and a later error replaces it.
static void messages(void) {
  kauri_options* options = NULL;
  MISUSE("options is null", kauri_options_create(NULL));
  OK(kauri_options_create(&options));
  CHECK(strcmp(kauri_error_message(), "options is null, expected an address") == 0);
  MISUSE("name is null", kauri_options_set(options, NULL, "1"));
  CHECK(strcmp(kauri_error_message(), "name is null, expected an address") == 0);
  kauri_options_destroy(options);
}

static void destroying_null(void) {
  kauri_cancel_destroy(NULL);
  kauri_options_destroy(NULL);
  kauri_matrix_destroy(NULL);
  kauri_backend_destroy(NULL);
  kauri_plan_destroy(NULL);
  kauri_factor_destroy(NULL);
  kauri_workspace_destroy(NULL);
  kauri_solver_destroy(NULL);
}

static void null_handles(void) {
  int32_t i = 0;
  int64_t l = 0;
  size_t needed = 0;
  struct kauri_plan_info info = KAURI_PLAN_INFO_INIT;
  kauri_matrix* matrix = NULL;
  kauri_plan* plan = NULL;
  kauri_factor* factor = NULL;
  MISUSE("cancel is null", kauri_cancel_create(NULL));
  MISUSE("cancel is null", kauri_cancel_request(NULL));
  MISUSE("matrix is null", kauri_matrix_n(NULL, &l));
  MISUSE("matrix is null", kauri_matrix_lower(NULL, NULL, NULL, NULL));
  MISUSE("path is null", kauri_matrix_write(NULL, NULL));
  MISUSE("backend is null", kauri_backend_threads(NULL, &i));
  MISUSE("backend is null", kauri_backend_target(NULL, NULL, 0, &needed));
  MISUSE("plan is null", kauri_plan_get_info(NULL, &info));
  MISUSE("plan is null", kauri_plan_permutation(NULL, &i, 1));
  MISUSE("factor is null", kauri_factor_valid(NULL, &i));
  MISUSE("factor is null", kauri_factor_refactorize(NULL, NULL, 0, KAURI_HOST, 0));
  MISUSE("factor is null", kauri_factor_solve(NULL, KAURI_SYSTEM_A, NULL, NULL, NULL));
  MISUSE("factor is null", kauri_factor_refactorize_after(NULL, NULL, 0, 0, NULL));
  MISUSE("factor is null", kauri_factor_fetch_verdict(NULL, NULL, NULL));
  MISUSE("solver is null", kauri_solver_solve(NULL, NULL, NULL));
  MISUSE("solver is null", kauri_solver_report_json(NULL, NULL, 0, &needed));
  MISUSE("compressed is null", kauri_matrix_from_compressed(NULL, &matrix));
  MISUSE("matrix is null", kauri_plan_analyze(NULL, NULL, NULL, &plan));
  MISUSE("plan is null", kauri_factor_create(NULL, NULL, KAURI_DOUBLE, &factor));
  MISUSE("solver is null", kauri_solver_create(NULL, KAURI_DOUBLE, NULL));
}

void test_status(void) {
  CHECK(strcmp(kauri_error_message(), "") == 0);
  names();
  numbers_that_never_change();
  versions();
  messages();
  destroying_null();
  null_handles();
}

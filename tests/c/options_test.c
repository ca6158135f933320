// Options by name, misuse of callbacks, cancel handles, permutations.
// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "support.h"

static const char* value_of(const kauri_options* options, const char* name) {
  static char text[64];
  size_t needed = 0;
  text[0] = '\0';
  OK(kauri_options_get(options, name, text, sizeof text, &needed));
  CHECK(needed == strlen(text) + 1);
  return text;
}

static void every_option(void) {
  kauri_options* options = NULL;
  OK(kauri_options_create(&options));
  CHECK(kauri_options_count() > 30);
  for (int32_t k = 0; k < kauri_options_count(); ++k) {
    struct kauri_option_info info = KAURI_OPTION_INFO_INIT;
    OK(kauri_options_info(k, &info));
    CHECK(strcmp(value_of(options, info.name), info.initial) == 0);
    OK(kauri_options_set(options, info.name, info.initial));
    CHECK(strcmp(value_of(options, info.name), info.initial) == 0);
    CHECK(strlen(info.accepts) > 0 && strlen(info.description) > 10);
    CHECK(info.kind >= KAURI_OPTION_BOOLEAN && info.kind <= KAURI_OPTION_TEXT);
  }
  struct kauri_option_info info = KAURI_OPTION_INFO_INIT;
  MISUSE("option index is -1, expected 0 to ", kauri_options_info(-1, &info));
  MISUSE("expected 0 to ", kauri_options_info(kauri_options_count(), &info));
  MISUSE("info is null", kauri_options_info(0, NULL));
  info.struct_size = 8;
  MISUSE("struct_size is 8, expected", kauri_options_info(0, &info));
  kauri_options_destroy(options);
}

static void setting(void) {
  kauri_options *options = NULL, *copy = NULL;
  OK(kauri_options_create(&options));
  OK(kauri_options_set(options, "ordering.method", "amd"));
  OK(kauri_options_set_int(options, "threads", 3));
  OK(kauri_options_set_int(options, "ordering.compress", 0));
  OK(kauri_options_set_double(options, "refine.target", 1e-13));
  OK(kauri_options_copy(options, &copy));
  OK(kauri_options_set(options, "ordering.method", "nd"));
  CHECK(strcmp(value_of(options, "ordering.method"), "nd") == 0);
  kauri_options_destroy(options);
  CHECK(strcmp(value_of(copy, "ordering.method"), "amd") == 0);
  CHECK(strcmp(value_of(copy, "threads"), "3") == 0);
  CHECK(strcmp(value_of(copy, "ordering.compress"), "false") == 0);
  CHECK(strcmp(value_of(copy, "refine.target"), "1e-13") == 0);
  MISUSE("'ordering.methd' is unknown; did you mean ordering.method?",
         kauri_options_set(copy, "ordering.methd", "amd"));
  MISUSE("ordering.method: 'adm' was given, expected natural, rcm",
         kauri_options_set(copy, "ordering.method", "adm"));
  MISUSE("threads: '-1' was given, expected an integer from 0",
         kauri_options_set_int(copy, "threads", -1));
  MISUSE("threads: '99999999999' was given", kauri_options_set_int(copy, "threads", 99999999999));
  MISUSE("threads: '1.5' was given", kauri_options_set_double(copy, "threads", 1.5));
  MISUSE("value is null", kauri_options_set(copy, "threads", NULL));
  CHECK(strcmp(value_of(copy, "threads"), "3") == 0);
  kauri_options_destroy(copy);
}

static void buffers(void) {
  kauri_options* options = NULL;
  char text[9] = "unused.";
  size_t needed = 0;
  OK(kauri_options_create(&options));
  OK(kauri_options_get(options, "ordering.effort", NULL, 0, &needed));
  CHECK(needed == sizeof "standard");
  MISUSE("a buffer of 8 bytes, expected 9 or more",
         kauri_options_get(options, "ordering.effort", text, 8, &needed));
  MISUSE("text is null", kauri_options_get(options, "ordering.effort", NULL, 7, &needed));
  OK(kauri_options_get(options, "ordering.effort", text, 9, NULL));
  CHECK(strcmp(text, "standard") == 0);
  kauri_options_destroy(options);
}

static void* give_none(size_t bytes, void* user) {
  (void)bytes;
  (void)user;
  return NULL;
}

static void callbacks(void) {
  kauri_options* options = NULL;
  OK(kauri_options_create(&options));
  MISUSE("one function of the allocator is null",
         kauri_options_set_allocator(options, give_none, NULL, NULL));
  OK(kauri_options_set_allocator(options, NULL, NULL, NULL));
  OK(kauri_options_set_message(options, NULL, NULL));
  OK(kauri_options_set_cancel(options, NULL));
  kauri_options_destroy(options);
}

static void cancels(void) {
  kauri_cancel* cancel = NULL;
  int32_t requested = -1;
  OK(kauri_cancel_create(&cancel));
  OK(kauri_cancel_requested(cancel, &requested));
  CHECK(requested == 0);
  OK(kauri_cancel_request(cancel));
  OK(kauri_cancel_request(cancel));
  OK(kauri_cancel_requested(cancel, &requested));
  CHECK(requested == 1);
  OK(kauri_cancel_reset(cancel));
  OK(kauri_cancel_requested(cancel, &requested));
  CHECK(requested == 0);
  kauri_cancel_destroy(cancel);
}

static void permutations(void) {
  kauri_options* options = NULL;
  const int32_t good[] = {3, 1, 2}, twice[] = {1, 1, 2}, low[] = {1, 0, 2};
  OK(kauri_options_create(&options));
  OK(kauri_options_set_permutation(options, 3, good, 1));
  FAILS(KAURI_ERROR_INPUT, "counted from 0", kauri_options_set_permutation(options, 3, twice, 1));
  FAILS(KAURI_ERROR_INPUT, "old_of[1] is 0, expected 1 or more",
        kauri_options_set_permutation(options, 3, low, 1));
  MISUSE("base is 2", kauri_options_set_permutation(options, 3, low, 2));
  MISUSE("old_of is null", kauri_options_set_permutation(options, 3, NULL, 0));
  MISUSE("a length of -1", kauri_options_set_last(options, -1, good, 0));
  OK(kauri_options_set_permutation(options, 0, NULL, 0));
  OK(kauri_options_set_last(options, 2, good, 1));
  kauri_options_destroy(options);
}

void test_options(void) {
  every_option();
  setting();
  buffers();
  callbacks();
  cancels();
  permutations();
}

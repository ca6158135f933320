// Replaces process-wide functions that METIS and GKlib call. Included before everything else in
// each source of kauri's copy.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_ORDERING_OWN_METIS_HOST_H
#define KAURI_ORDERING_OWN_METIS_HOST_H

// Headers that declare the replaced functions.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Allocates memory; kauri_metis_order() frees all that a call has not freed.
void* kauri_metis_malloc(size_t bytes);
void* kauri_metis_calloc(size_t count, size_t size);
void* kauri_metis_realloc(void* memory, size_t bytes);
void kauri_metis_free(void* memory);
#define malloc kauri_metis_malloc
#define calloc kauri_metis_calloc
#define realloc kauri_metis_realloc
#define free kauri_metis_free

// Return the numbers of glibc's srand() and rand(), so that orderings agree with METIS elsewhere.
// The state is thread-local.
void kauri_metis_srand(unsigned seed);
int kauri_metis_rand(void);
#define srand kauri_metis_srand
#define rand kauri_metis_rand

// Replace printf() and raise(): the first prints nothing and returns 0, the second ends METIS's
// call, with the status of signal `number`, and raises no signal.
int kauri_metis_say(const char* format, ...);
void kauri_metis_fail(int number);
#define printf kauri_metis_say
#define fprintf kauri_metis_say_to
#define kauri_metis_say_to(file, ...) \
  kauri_metis_say(__VA_ARGS__)  // not even the FILE argument is evaluated
#define raise kauri_metis_fail

#endif

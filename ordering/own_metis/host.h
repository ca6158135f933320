// What METIS and GKlib call of the process, replaced: included before everything else in each of their sources, when kauri has a copy of
// its own.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_ORDERING_OWN_METIS_HOST_H
#define KAURI_ORDERING_OWN_METIS_HOST_H

// All that declares what is replaced.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Memory that a call has not given back when it ends is given back then: kauri_metis_order().
void* kauri_metis_malloc(size_t bytes);
void* kauri_metis_calloc(size_t count, size_t size);
void* kauri_metis_realloc(void* memory, size_t bytes);
void kauri_metis_free(void* memory);
#define malloc kauri_metis_malloc
#define calloc kauri_metis_calloc
#define realloc kauri_metis_realloc
#define free kauri_metis_free

// The numbers of glibc's srand() and rand(), so that orderings are those of METIS elsewhere, from a state of the calling thread.
void kauri_metis_srand(unsigned seed);
int kauri_metis_rand(void);
#define srand kauri_metis_srand
#define rand kauri_metis_rand

// Nothing is printed, and no signal is raised.
int kauri_metis_say(const char* format, ...);
void kauri_metis_fail(int number);
#define printf kauri_metis_say
#define fprintf kauri_metis_say_to
#define kauri_metis_say_to(file, ...) kauri_metis_say(__VA_ARGS__)  // not even the name of the file is needed
#define raise kauri_metis_fail

#endif

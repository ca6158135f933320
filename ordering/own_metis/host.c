// Replaces GKlib's error.c in kauri's copy of METIS: an error ends the call, not the process, and
// signal handlers stay untouched.
// SPDX-License-Identifier: BSD-3-Clause
#define _GK_ERROR_C_  // NOLINT(bugprone-reserved-identifier): keeps GKlib.h from declaring the jump
                      // buffers
#include "ordering/own_metis/host.h"
// Keep the lines above this comment before the includes below.

#include <GKlib.h>
#include <metis.h>
#include <stddef.h>
#include <stdint.h>

#undef malloc
#undef realloc
#undef free

#define PLACES 128  // jump buffers of a thread, as in GKlib; METIS uses one per call
__thread int gk_cur_jbufs = -1;
__thread jmp_buf gk_jbufs[PLACES];
__thread jmp_buf gk_jbuf;

// Ends METIS's call under way in this thread, which returns the status that belongs to signal
// `number`; SIGMEM means out of memory. Returns only if no call is under way.
void kauri_metis_fail(int number) {
  if (gk_cur_jbufs >= 0) longjmp(gk_jbufs[gk_cur_jbufs], number);
}

void gk_errexit(int number, char* text, ...) {
  (void)text;
  kauri_metis_fail(number);
}

void errexit(char* text, ...) {
  (void)text;
  kauri_metis_fail(SIGERR);
}

int kauri_metis_say(const char* format, ...) {
  (void)format;
  return 0;
}

int gk_sigtrap(void) {
  if (gk_cur_jbufs + 1 >= PLACES) return 0;
  ++gk_cur_jbufs;
  return 1;
}

int gk_siguntrap(void) {
  if (gk_cur_jbufs == -1) return 0;
  --gk_cur_jbufs;
  return 1;
}

// Allocated blocks of the calling thread's call; each begins with its links.
union block {
  struct {
    union block *next, *before;
  } links;
  max_align_t aligned;
};
static __thread union block* blocks;

static void link_in(union block* fresh) {
  fresh->links.before = NULL;
  fresh->links.next = blocks;
  if (blocks != NULL) blocks->links.before = fresh;
  blocks = fresh;
}

static void unlink_it(union block* gone) {
  if (gone->links.next != NULL) gone->links.next->links.before = gone->links.before;
  if (gone->links.before != NULL)
    gone->links.before->links.next = gone->links.next;
  else
    blocks = gone->links.next;
}

void* kauri_metis_malloc(size_t bytes) {
  union block* fresh = bytes > SIZE_MAX - sizeof *fresh ? NULL : malloc(sizeof *fresh + bytes);
  if (fresh == NULL) return NULL;
  link_in(fresh);
  return fresh + 1;
}

void* kauri_metis_calloc(size_t count, size_t size) {
  void* memory = size != 0 && count > SIZE_MAX / size ? NULL : kauri_metis_malloc(count * size);
  return memory == NULL ? NULL : memset(memory, 0, count * size);
}

// Does not return on failure: GKlib would overwrite the list that it needs for freeing by the
// result before checking it.
void* kauri_metis_realloc(void* memory, size_t bytes) {
  union block *old = memory, *fresh;
  if (old == NULL) return kauri_metis_malloc(bytes);
  --old;
  unlink_it(old);
  fresh = bytes > SIZE_MAX - sizeof *fresh ? NULL : realloc(old, sizeof *fresh + bytes);
  link_in(fresh == NULL ? old : fresh);
  if (fresh == NULL) kauri_metis_fail(SIGMEM);
  return fresh == NULL ? NULL : fresh + 1;
}

void kauri_metis_free(void* memory) {
  union block* gone = memory;
  if (gone == NULL) return;
  --gone;
  unlink_it(gone);
  free(gone);
}

// Calls METIS_NodeND. Returns 0 on success, 1 if memory ran out, 2 for other failures. Frees all
// memory that a failed call left.
int kauri_metis_order(int32_t n, int32_t* ptr, int32_t* adjacency, int32_t* weight, int32_t seed,
                      int32_t* order, int32_t* new_of) {
  int32_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = seed;
  const int status = METIS_NodeND(&n, ptr, adjacency, weight, options, order, new_of);
  while (blocks != NULL) kauri_metis_free(blocks + 1);
  return status == METIS_OK ? 0 : status == METIS_ERROR_MEMORY ? 1 : 2;
}

// Additive feedback generator over 31 words (Knuth, The Art of Computer Programming 2, 3.2.2),
// seeded by a linear congruential one, as in glibc.
enum { words = 31, lag = 3, discarded = 10 * words };
static __thread uint32_t word[words];
static __thread int at;

void kauri_metis_srand(unsigned seed) {
  int64_t x = (int32_t)(seed == 0 ? 1 : seed);
  for (int k = 0; k < words; ++k) {
    word[k] = (uint32_t)x;
    // 16807 x modulo 2^31 - 1, never negative.
    x = 16807 * (int64_t)(int32_t)word[k] % 2147483647;
    if (x < 0) x += 2147483647;
  }
  at = lag;
  for (int k = 0; k < discarded; ++k) (void)kauri_metis_rand();
}

int kauri_metis_rand(void) {
  // word[at] is the oldest, drawn 31 numbers ago; the one drawn 3 numbers ago is lag places before
  // it, in a ring.
  word[at] += word[(at + words - lag) % words];
  const uint32_t sum = word[at];
  at = (at + 1) % words;
  return (int)(sum >> 1);
}

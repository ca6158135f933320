// C: options by their names, callbacks, and what cancels calls.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_OPTIONS_H
#define KAURI_C_OPTIONS_H

/// @file
/// C: options by their names, callbacks, and what cancels calls. Include kauri/kauri.h, which has the rules for every call.

#include "kauri/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Asks calls to stop. All functions of it may be called by any thread, at any time before it is destroyed. What uses it holds it.
typedef struct kauri_cancel kauri_cancel;

/// Not requested yet.
kauri_status kauri_cancel_create(kauri_cancel** cancel);
/// Calls that use it, under way or to come, end with KAURI_ERROR_CANCELLED: on the CPU within some 50 ms, on a device between phases.
kauri_status kauri_cancel_request(kauri_cancel* cancel);
/// From now on not requested: for the calls that begin after this one.
kauri_status kauri_cancel_reset(kauri_cancel* cancel);
/// requested: 1 from kauri_cancel_request() to kauri_cancel_reset(), else 0.
kauri_status kauri_cancel_requested(const kauri_cancel* cancel, int32_t* requested);
/// Gives it back; what still uses it can then not be asked to stop any more.
void kauri_cancel_destroy(kauri_cancel* cancel);

/// How a solver, a backend, an analysis or a refinement works; copied by what takes it. Where a call takes options, null: all as they are
/// by default.
typedef struct kauri_options kauri_options;

/// All as they are by default.
kauri_status kauri_options_create(kauri_options** options);
/// A second one like it, callbacks included.
kauri_status kauri_options_copy(const kauri_options* options, kauri_options** copy);
/// Gives them back.
void kauri_options_destroy(kauri_options* options);

/// Sets one by its name and value as text: "ordering.method" to "amd". Names, values and defaults: kauri_options_info(), and
/// docs/c-interface.md. Numbers have a point in every locale. Null values are refused, as are unknown names, with the nearest known one.
kauri_status kauri_options_set(kauri_options* options, const char* name, const char* value);
/// The same by an integer; 0 and 1 are false and true.
kauri_status kauri_options_set_int(kauri_options* options, const char* name, int64_t value);
/// The same by a number.
kauri_status kauri_options_set_double(kauri_options* options, const char* name, double value);
/// The value as text, which kauri_options_set() takes for the same value.
kauri_status kauri_options_get(const kauri_options* options, const char* name, char* text, size_t capacity, size_t* needed);

/// What an option's value is.
enum kauri_option_kind {
  KAURI_OPTION_BOOLEAN = 0,  ///< "true" or "false", also "1" or "0"
  KAURI_OPTION_INTEGER = 1,  ///< decimal digits, perhaps with a minus
  KAURI_OPTION_NUMBER = 2,   ///< as 0.5, 1e-3, inf
  KAURI_OPTION_WORD = 3      ///< one of those that `accepts` names
};

/// An option there is. All texts are the library's, and stay.
struct kauri_option_info {
  size_t struct_size;       ///< set by KAURI_OPTION_INFO_INIT
  const char* name;         ///< "ordering.method"
  const char* accepts;      ///< what values it takes, in words
  const char* initial;      ///< its default
  const char* description;  ///< what it does: one sentence
  int32_t kind;             ///< kauri_option_kind
  int32_t reserved;         ///< 0
};
/// Begins a kauri_option_info.
#define KAURI_OPTION_INFO_INIT \
  { sizeof(struct kauri_option_info), 0, 0, 0, 0, 0, 0 }

/// How many options there are.
int32_t kauri_options_count(void);
/// Option `index`, 0 <= index < kauri_options_count(), in the order of the documents.
kauri_status kauri_options_info(int32_t index, struct kauri_option_info* info);

/// `bytes` > 0 of the device's memory, aligned to 256, usable on any stream at once; null where there are not that many: then the call that
/// asked returns KAURI_ERROR_MEMORY. Called with the device current, by any thread, and by several at a time.
typedef void* (*kauri_allocate)(size_t bytes, void* user);
/// Takes back what a kauri_allocate gave, with the same number of bytes.
typedef void (*kauri_release)(void* memory, size_t bytes, void* user);
/// Where backends and solvers take the device's memory from, in place of cudaMalloc and cudaFree; both null: these again. user: passed on,
/// lives as long as anything made with these options.
kauri_status kauri_options_set_allocator(kauri_options* options, kauri_allocate allocate, kauri_release release, void* user);

/// How much a message matters.
enum kauri_message_level {
  KAURI_MESSAGE_INFO = 0,    ///< what is being done, or was
  KAURI_MESSAGE_WARNING = 1  ///< the call goes on, but not as was hoped
};
/// What a message is about.
enum kauri_phase {
  KAURI_PHASE_ORDERING = 0,  ///< all orderings run
  KAURI_PHASE_SYMBOLIC = 1,  ///< the plan
  KAURI_PHASE_PREPARE = 2,   ///< memory for the factor
  KAURI_PHASE_FACTOR = 3,    ///< numbers of L
  KAURI_PHASE_SOLVE = 4,     ///< both triangular solves
  KAURI_PHASE_REFINE = 5     ///< residuals and corrections
};
/// Takes messages of analyses, loaders and solvers, in the thread of the call: kauri_message_level, kauri_phase, how much of the phase is
/// done (0 to 1, or -1 where that is not known), and one sentence that is gone when it returns. Columns in it are counted from 0. It
/// returns: no longjmp() out of it. It may call kauri for other handles; a call on the solver that it hears of is KAURI_ERROR_USAGE, and
/// destroying that solver, or the cancel that it goes by, is not allowed.
typedef void (*kauri_message)(void* user, int32_t level, int32_t phase, double fraction, const char* text);
/// Null: no messages, and no text is made. user: passed on, lives as long as anything made with these options.
kauri_status kauri_options_set_message(kauri_options* options, kauri_message message, void* user);
/// What cancels analyses, refinements and solvers made with these options; null: nothing.
kauri_status kauri_options_set_cancel(kauri_options* options, const kauri_cancel* cancel);

/// The caller's ordering, in place of "ordering.method": row old_of[k] of A, counted from base, is eliminated k-th. Length n, copied; n =
/// 0: none. It is looked at by the analysis: a permutation of another size is KAURI_ERROR_INPUT there, one that is none here.
kauri_status kauri_options_set_permutation(kauri_options* options, int64_t n, const int32_t* old_of, int32_t base);
/// Rows of A, counted from base, that are eliminated last, in this sequence. Length count, copied; count = 0: none.
kauri_status kauri_options_set_last(kauri_options* options, int64_t count, const int32_t* row, int32_t base);

/// Bytes that a plan or a factor that is loaded with these options may take, counted before memory is taken for them: a small file may
/// stand for very much. 0: what there is. Of a plan they are bounds, somewhat more than it takes. What needs more is KAURI_ERROR_MEMORY,
/// with the bytes.
kauri_status kauri_options_set_max_bytes(kauri_options* options, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif

// C: options by their names, callbacks, and the cancelling of calls.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_OPTIONS_H
#define KAURI_C_OPTIONS_H

/// @file
/// C: options by their names, callbacks, and the cancelling of calls. Include kauri/kauri.h, which
/// has the rules for every call.

#include "kauri/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A request to stop calls. Any thread may call its functions, at any time before it is destroyed.
/// Objects that use it keep its state alive.
typedef struct kauri_cancel kauri_cancel;

/// Creates a kauri_cancel, in the state "not requested".
kauri_status kauri_cancel_create(kauri_cancel** cancel);
/// Requests that calls which use it, under way or to come, end with KAURI_ERROR_CANCELLED: on the
/// CPU within some 50 ms, on a device between phases.
kauri_status kauri_cancel_request(kauri_cancel* cancel);
/// Withdraws the request, for calls that begin after this one.
kauri_status kauri_cancel_reset(kauri_cancel* cancel);
/// Sets *requested to 1 from kauri_cancel_request() to kauri_cancel_reset(), else to 0.
kauri_status kauri_cancel_requested(const kauri_cancel* cancel, int32_t* requested);
/// Destroys the handle; objects that still use the cancel can no longer be asked to stop.
void kauri_cancel_destroy(kauri_cancel* cancel);

/// Options of a solver, a backend, an analysis, a refinement or a loaded object; the call that
/// takes them copies them. Null stands for the defaults.
typedef struct kauri_options kauri_options;

/// Creates options, all with their defaults.
kauri_status kauri_options_create(kauri_options** options);
/// Creates a copy of options, with their callbacks, kauri_cancel and other settings.
kauri_status kauri_options_copy(const kauri_options* options, kauri_options** copy);
/// Destroys the options.
void kauri_options_destroy(kauri_options* options);

/// Sets an option by name and value as text, as "ordering.method" to "amd". kauri_options_info()
/// and docs/c-interface.md list names, values and defaults. Numbers have a decimal point in every
/// locale. KAURI_ERROR_USAGE for null, for a value that the option does not accept, and for an
/// unknown name, with the nearest known one in the message.
kauri_status kauri_options_set(kauri_options* options, const char* name, const char* value);
/// Sets an option to an integer, as kauri_options_set() does; for a boolean option 0 and 1 stand
/// for false and true.
kauri_status kauri_options_set_int(kauri_options* options, const char* name, int64_t value);
/// Sets an option to a number, as kauri_options_set() does.
kauri_status kauri_options_set_double(kauri_options* options, const char* name, double value);
/// Returns the value as text, from which kauri_options_set() restores it exactly.
kauri_status kauri_options_get(const kauri_options* options, const char* name, char* text,
                               size_t capacity, size_t* needed);

/// Kinds of option values.
enum kauri_option_kind {
  KAURI_OPTION_BOOLEAN = 0,  ///< "true" or "false", also "1" or "0"
  KAURI_OPTION_INTEGER = 1,  ///< decimal digits, with an optional minus sign
  KAURI_OPTION_NUMBER = 2,   ///< a decimal number or inf: 0.5, 1e-3
  KAURI_OPTION_WORD = 3,     ///< one of the words that `accepts` lists
  KAURI_OPTION_TEXT = 4      ///< any text, as the name of a file
};

/// Description of an option. The texts belong to the library and stay valid.
struct kauri_option_info {
  size_t struct_size;       ///< set by KAURI_OPTION_INFO_INIT
  const char* name;         ///< name for kauri_options_set(), as "ordering.method"
  const char* accepts;      ///< accepted values, as text for people
  const char* initial;      ///< default value
  const char* description;  ///< effect of the option, one sentence
  int32_t kind;             ///< kauri_option_kind
  int32_t reserved;         ///< 0
};
/// Initialises a kauri_option_info.
#define KAURI_OPTION_INFO_INIT \
  { sizeof(struct kauri_option_info), 0, 0, 0, 0, 0, 0 }

/// Returns the number of options; 0 if there is not enough memory for their table.
int32_t kauri_options_count(void);
/// Returns the description of option `index`, 0 <= index < kauri_options_count(), in the order of
/// docs/c-interface.md.
kauri_status kauri_options_info(int32_t index, struct kauri_option_info* info);

/// Callback that allocates `bytes` > 0 of device memory, aligned to 256 bytes and usable at once on
/// any stream. Returns null if there is not enough; the call that needs it then returns
/// KAURI_ERROR_MEMORY. It is called with the device current, from any thread, by several at a time.
typedef void* (*kauri_allocate)(size_t bytes, void* user);
/// Callback that releases memory from kauri_allocate; `bytes` is the number that was allocated.
typedef void (*kauri_release)(void* memory, size_t bytes, void* user);
/// Sets the allocator from which backends and solvers take device memory, in place of cudaMalloc
/// and cudaFree; both functions null restore these. user: passed to both, must live as long as any
/// object made with these options. KAURI_ERROR_USAGE if only one function is null.
kauri_status kauri_options_set_allocator(kauri_options* options, kauri_allocate allocate,
                                         kauri_release release, void* user);

/// Severity of a message.
enum kauri_message_level {
  KAURI_MESSAGE_INFO = 0,    ///< progress: work that begins or has been done
  KAURI_MESSAGE_WARNING = 1  ///< a problem, as a nearly singular A; the call goes on
};
/// Phase that a message is about.
enum kauri_phase {
  KAURI_PHASE_ORDERING = 0,  ///< all orderings run
  KAURI_PHASE_SYMBOLIC = 1,  ///< the symbolic phase, which makes the plan
  KAURI_PHASE_PREPARE = 2,   ///< allocation for the factor; on a device also uploads
  KAURI_PHASE_FACTOR = 3,    ///< numeric factorisation
  KAURI_PHASE_SOLVE = 4,     ///< both triangular solves
  KAURI_PHASE_REFINE = 5     ///< residuals and corrections
};
/// Callback that receives messages of analyses, loads and solvers, in the thread of the call.
/// level: kauri_message_level. phase: kauri_phase. fraction: the part of the phase that is done, 0
/// to 1, or -1 if that is unknown. text: one sentence, valid until the callback returns; its
/// columns are counted from 0. The callback must return (no longjmp()). It may call kauri for other
/// handles. A call on the solver that sends the message is KAURI_ERROR_USAGE; destroying that
/// solver, or the cancel that it uses, is not allowed.
typedef void (*kauri_message)(void* user, int32_t level, int32_t phase, double fraction,
                              const char* text);
/// Sets the callback for messages; null for none. user: passed to the callback, must live as long
/// as any object made with these options.
kauri_status kauri_options_set_message(kauri_options* options, kauri_message message, void* user);
/// Sets the kauri_cancel of analyses, refinements and solvers with these options; null for none.
kauri_status kauri_options_set_cancel(kauri_options* options, const kauri_cancel* cancel);

/// Sets the caller's ordering, in place of "ordering.method": row old_of[k] of A, counted from
/// base, is eliminated k-th. old_of: length n, copied; n = 0 for none. KAURI_ERROR_INPUT if old_of
/// is not a permutation. The analysis returns KAURI_ERROR_INPUT if n is not the number of rows of
/// A.
kauri_status kauri_options_set_permutation(kauri_options* options, int64_t n, const int32_t* old_of,
                                           int32_t base);
/// Sets the rows of A, counted from base, that are eliminated last, in this sequence. row: length
/// count, copied; count = 0 for none. A row below base is KAURI_ERROR_INPUT; the analysis checks
/// that rows are in range and listed once.
kauri_status kauri_options_set_last(kauri_options* options, int64_t count, const int32_t* row,
                                    int32_t base);

/// Sets the most bytes that a plan or a factor loaded with these options may take; 0 for no bound.
/// They are counted before memory is allocated, since a small file can describe a very large
/// object. The count for a plan is an upper bound, somewhat more than it takes. An object that
/// needs more is KAURI_ERROR_MEMORY, whose message names the bytes.
kauri_status kauri_options_set_max_bytes(kauri_options* options, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif

// C: plans and factors in files and in bytes.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_SAVE_H
#define KAURI_C_SAVE_H

/// @file
/// C: plans and factors in files and in bytes, to be loaded by another process, on another machine,
/// on another kind of device. docs/saved-files.md describes the format, which is the same for all
/// languages. Include kauri/kauri.h, which has the rules for every call.

#include "kauri/c/factor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A saved plan or factor in memory.
typedef struct kauri_saved kauri_saved;

/// Writes the plan to a file, without the base of its matrix. An existing file is replaced after
/// all bytes have been written. KAURI_ERROR_INPUT if writing fails.
kauri_status kauri_plan_save(const kauri_plan* plan, const char* path);
/// Saves the plan, as kauri_plan_save() does, to memory that a new handle owns.
kauri_status kauri_plan_save_bytes(const kauri_plan* plan, kauri_saved** saved);
/// Writes the factor's plan and L, copied from its device if it is on one, to a file; no values of
/// A. KAURI_ERROR_USAGE if the factor is not valid; KAURI_ERROR_INPUT as for kauri_plan_save().
kauri_status kauri_factor_save(const kauri_factor* factor, const char* path);
/// Saves the factor, as kauri_factor_save() does, to memory that a new handle owns.
kauri_status kauri_factor_save_bytes(const kauri_factor* factor, kauri_saved** saved);
/// Returns the address of the bytes and their number. They belong to the handle and stay there
/// until it is destroyed.
kauri_status kauri_saved_bytes(const kauri_saved* saved, const void** bytes, size_t* count);
/// Destroys the handle and its bytes.
void kauri_saved_destroy(kauri_saved* saved);

/// Loads the plan of a file, which holds a plan or a factor. options: "analyze.target" and
/// "analyze.workers" set the plan's target and the number of its CPU tasks that may run at once;
/// null, auto and 0 keep the saved ones. kauri_options_set_max_bytes() bounds the memory. base: 0
/// or 1, from which rows and columns of A are counted. KAURI_ERROR_INPUT if the file is damaged,
/// cut, of another format or of a newer version; the message names the place.
kauri_status kauri_plan_load(const char* path, const kauri_options* options, int32_t base,
                             kauri_plan** plan);
/// Loads a plan, as kauri_plan_load() does, from `count` bytes in memory, which are not needed
/// afterwards.
kauri_status kauri_plan_load_bytes(const void* bytes, size_t count, const kauri_options* options,
                                   int32_t base, kauri_plan** plan);
/// Loads the factor of a file onto that backend, CPU or device, in the scalar in which it was
/// saved. The factor is valid, L is that saved bit for bit, and it has no values of A. options,
/// base and errors are those of kauri_plan_load(), except that "analyze.target" auto keeps the
/// saved target only if the backend is a CPU that can run it, and otherwise takes the backend's
/// own. KAURI_ERROR_USAGE for a target of the other kind of backend; KAURI_ERROR_INPUT for a file
/// that holds a plan alone.
kauri_status kauri_factor_load(const char* path, const kauri_backend* backend,
                               const kauri_options* options, int32_t base, kauri_factor** factor);
/// Loads a factor, as kauri_factor_load() does, from `count` bytes in memory, which are not needed
/// afterwards.
kauri_status kauri_factor_load_bytes(const void* bytes, size_t count, const kauri_backend* backend,
                                     const kauri_options* options, int32_t base,
                                     kauri_factor** factor);

/// Kinds of saved objects.
enum kauri_saved_kind {
  KAURI_SAVED_PLAN = 0,   ///< a plan
  KAURI_SAVED_FACTOR = 1  ///< a factor and its plan
};
/// Contents of the header of a saved file.
struct kauri_saved_info {
  size_t struct_size;  ///< set by KAURI_SAVED_INFO_INIT
  int32_t kind;        ///< kauri_saved_kind
  int32_t scalar;      ///< kauri_scalar of a factor; -1 for a plan
  int32_t format;      ///< version of the file format, from 1 on
  int32_t supernodes;  ///< number of supernodes, each with one front
  int64_t n;           ///< rows of A
  int64_t nnz;         ///< entries of A's lower triangle
};
/// Initialises a kauri_saved_info.
#define KAURI_SAVED_INFO_INIT \
  { sizeof(struct kauri_saved_info), 0, 0, 0, 0, 0, 0 }
/// Reads the header of a file, and nothing else of it. KAURI_ERROR_INPUT if the file cannot be read
/// or does not begin with the header of a saved plan or factor.
kauri_status kauri_saved_get_info(const char* path, struct kauri_saved_info* info);

#ifdef __cplusplus
}
#endif

#endif

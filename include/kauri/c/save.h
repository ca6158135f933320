// C: plans and factors in files and in bytes.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_SAVE_H
#define KAURI_C_SAVE_H

/// @file
/// C: plans and factors in files and in bytes, to be loaded by another process, on another machine, on another kind of device; the format
/// is that of docs/saved-files.md, whatever language wrote it. Include kauri/kauri.h, which has the rules for every call.

#include "kauri/c/factor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes that hold a plan or a factor.
typedef struct kauri_saved kauri_saved;

/// Writes the plan, without the base that its matrix counted from. A file is replaced once all is written. KAURI_ERROR_INPUT if that fails.
kauri_status kauri_plan_save(const kauri_plan* plan, const char* path);
/// The same bytes in memory, held by a new handle.
kauri_status kauri_plan_save_bytes(const kauri_plan* plan, kauri_saved** saved);
/// Writes the factor's plan and L, from a device too; no values of A. KAURI_ERROR_USAGE if it is not valid.
kauri_status kauri_factor_save(const kauri_factor* factor, const char* path);
/// The same bytes in memory, held by a new handle.
kauri_status kauri_factor_save_bytes(const kauri_factor* factor, kauri_saved** saved);
/// Where the bytes are, and how many; they stay there as long as the handle lives.
kauri_status kauri_saved_bytes(const kauri_saved* saved, const void** bytes, size_t* count);
/// Lets go of them.
void kauri_saved_destroy(kauri_saved* saved);

/// The plan of a file, that of a factor's file too. options: "analyze.target" and "analyze.workers" say what it is made for; null, and by
/// default: as it was saved; kauri_options_set_max_bytes() how much it may take. base: 0 or 1, from which its matrix counts rows and
/// columns. KAURI_ERROR_INPUT names the place where a file is damaged, cut, foreign or newer.
kauri_status kauri_plan_load(const char* path, const kauri_options* options, int32_t base, kauri_plan** plan);
/// The same from `count` bytes in memory, which are not needed afterwards.
kauri_status kauri_plan_load_bytes(const void* bytes, size_t count, const kauri_options* options, int32_t base, kauri_plan** plan);
/// The factor of a file on that backend, of either kind, in the scalar that it was saved in: valid, with L bit for bit. It has no values of
/// A; what else is as for plans. KAURI_ERROR_USAGE for a target of the other kind of backend.
kauri_status kauri_factor_load(const char* path, const kauri_backend* backend, const kauri_options* options, int32_t base,
                               kauri_factor** factor);
/// The same from memory.
kauri_status kauri_factor_load_bytes(const void* bytes, size_t count, const kauri_backend* backend, const kauri_options* options,
                                     int32_t base, kauri_factor** factor);

/// What is saved.
enum kauri_saved_kind {
  KAURI_SAVED_PLAN = 0,   ///< a plan
  KAURI_SAVED_FACTOR = 1  ///< a factor and its plan
};
/// What the beginning of a file says of it.
struct kauri_saved_info {
  size_t struct_size;  ///< set by KAURI_SAVED_INFO_INIT
  int32_t kind;        ///< kauri_saved_kind
  int32_t scalar;      ///< kauri_scalar of a factor; of a plan -1
  int32_t format;      ///< of the file, from 1 on
  int32_t supernodes;  ///< fronts
  int64_t n;           ///< rows of A
  int64_t nnz;         ///< entries of A's lower triangle
};
/// Begins a kauri_saved_info.
#define KAURI_SAVED_INFO_INIT \
  { sizeof(struct kauri_saved_info), 0, 0, 0, 0, 0, 0 }
/// Of a file; all but its beginning is not looked at. KAURI_ERROR_INPUT where it is none of kauri's.
kauri_status kauri_saved_get_info(const char* path, struct kauri_saved_info* info);

#ifdef __cplusplus
}
#endif

#endif

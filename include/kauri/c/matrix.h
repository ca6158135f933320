// C: sparse symmetric matrices and dense ones.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_MATRIX_H
#define KAURI_C_MATRIX_H

/// @file
/// C: sparse symmetric matrices and dense ones. Include kauri/kauri.h, which has the rules for every call.

#include "kauri/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What numbers are.
enum kauri_scalar {
  KAURI_DOUBLE = 0,  ///< double
  KAURI_FLOAT = 1    ///< float
};
/// What indices are.
enum kauri_integer {
  KAURI_INT32 = 0,  ///< int32_t
  KAURI_INT64 = 1   ///< int64_t
};
/// Which entries of a symmetric matrix arrays hold.
enum kauri_storage {
  KAURI_LOWER = 0,  ///< row >= column only; an entry above the diagonal is KAURI_ERROR_INPUT
  KAURI_UPPER = 1,  ///< row <= column only; an entry below the diagonal is KAURI_ERROR_INPUT
  /// Both halves, which must agree; the lower one is taken, as it is. Entries a_ij and a_ji agree where they differ by at most a threshold,
  /// the struct's `symmetry`, times the largest of sqrt(|a_ii a_jj|), |a_ij| and |a_ji|; one that is not there counts as 0.
  KAURI_FULL = 2,
  KAURI_LOWER_OF_FULL = 3,  ///< row >= column is taken; what is above the diagonal is ignored, but for indices out of range
  KAURI_UPPER_OF_FULL = 4   ///< row <= column is taken; what is below the diagonal is ignored likewise
};
/// What the pointers of a kauri_compressed are by.
enum kauri_compression {
  KAURI_COLUMNS = 0,  ///< column by column
  KAURI_ROWS = 1      ///< row by row
};
/// What is done about several entries at one place.
enum kauri_duplicates {
  KAURI_SUM = 0,    ///< they are added up, in the order of the arrays
  KAURI_REFUSE = 1  ///< they are KAURI_ERROR_INPUT
};

/// A symmetric matrix as programs keep it: compressed columns or rows. Borrowed for the time of the call. `storage` says which half is
/// there by row and column of A, however these are compressed. NaN and infinite values are taken as they are: a factorisation names them.
struct kauri_compressed {
  size_t struct_size;   ///< set by KAURI_COMPRESSED_INIT
  int64_t n;            ///< rows and columns of A, 0 to 2^31 - 1
  int64_t entries;      ///< length of index and value: ptr[n] - base
  const void* ptr;      ///< length n+1, ptr[0] = base: column (or row) j has the entries ptr[j] - base to ptr[j+1] - base - 1
  const void* index;    ///< row (or column) of each entry, base to n - 1 + base, in any order
  const void* value;    ///< of each entry
  int32_t ptr_type;     ///< kauri_integer
  int32_t index_type;   ///< kauri_integer
  int32_t scalar;       ///< kauri_scalar
  int32_t storage;      ///< kauri_storage
  int32_t compression;  ///< kauri_compression
  int32_t base;         ///< 0 or 1: what indices count from
  int32_t duplicates;   ///< kauri_duplicates
  int32_t reserved;     ///< 0
  double symmetry;      ///< of KAURI_FULL, the threshold for halves that differ, at most 1; 0: 1000 eps of the scalar
};
/// Begins a kauri_compressed: int32_t, double, the lower half by columns, from 0, entries of one place added up.
#define KAURI_COMPRESSED_INIT \
  { sizeof(struct kauri_compressed), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/// A symmetric matrix as triplets (row[k], column[k], value[k]) in any order, borrowed for the time of the call.
struct kauri_triplets {
  size_t struct_size;  ///< set by KAURI_TRIPLETS_INIT
  int64_t n;           ///< rows and columns of A, 0 to 2^31 - 1
  int64_t entries;     ///< length of row, column and value
  const void* row;     ///< base to n - 1 + base
  const void* column;  ///< base to n - 1 + base
  const void* value;   ///< of each entry
  int32_t index_type;  ///< kauri_integer, of row and column
  int32_t scalar;      ///< kauri_scalar
  int32_t storage;     ///< kauri_storage
  int32_t base;        ///< 0 or 1: what rows and columns count from
  int32_t duplicates;  ///< kauri_duplicates
  int32_t reserved;    ///< 0
  double symmetry;     ///< as that of kauri_compressed
};
/// Begins a kauri_triplets: int32_t, double, the lower half, from 0, entries of one place added up.
#define KAURI_TRIPLETS_INIT \
  { sizeof(struct kauri_triplets), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/// A symmetric matrix that owns its lower triangle: by columns, rows ascending, the diagonal first in each, without duplicates. It knows
/// where the entries of the arrays went that it was made of, for new values in the caller's order (8 bytes an entry).
typedef struct kauri_matrix kauri_matrix;

/// A copy of what `a` describes. A missing diagonal entry becomes a stored zero. Fails with KAURI_ERROR_INPUT naming row and column of an
/// index out of range, an entry in the wrong half, or two halves that do not agree. O(n + entries log entries of a column).
kauri_status kauri_matrix_from_compressed(const struct kauri_compressed* a, kauri_matrix** matrix);
/// The same of triplets.
kauri_status kauri_matrix_from_triplets(const struct kauri_triplets* a, kauri_matrix** matrix);
/// Reads a file, in double, counted from 0: Matrix Market and Rutherford-Boeing (plain, gzipped, in tar archives) or SciPy .npz, told from
/// the content. By `threads` threads at most, 0: all; the matrix is the same. KAURI_ERROR_INPUT names file and line.
kauri_status kauri_matrix_read(const char* path, int32_t threads, kauri_matrix** matrix);
/// How kauri_matrix_read_with() reads.
struct kauri_read {
  size_t struct_size;   ///< set by KAURI_READ_INIT
  size_t max_bytes;     ///< that reading may take: of the file, unpacked, and of all arrays of its numbers; 0: what there is
  double symmetry;      ///< of KAURI_FULL: that of kauri_compressed
  int32_t threads;      ///< at most; 0: all
  int32_t both_halves;  ///< of files that hold both: KAURI_FULL, KAURI_LOWER_OF_FULL or KAURI_UPPER_OF_FULL; others hold one half, which is
                        ///< taken
};
/// Begins a kauri_read: as kauri_matrix_read() reads, by all threads.
#define KAURI_READ_INIT \
  { sizeof(struct kauri_read), 0, 0, 0, KAURI_FULL }
/// Reads a file as kauri_matrix_read() does, with the settings in `how`. A file that needs more than how->max_bytes is KAURI_ERROR_MEMORY,
/// with the bytes, before they are taken.
kauri_status kauri_matrix_read_with(const char* path, const struct kauri_read* how, kauri_matrix** matrix);
/// Writes by the ending of the name: .npz as SciPy's save_npz, all others as Matrix Market, gzipped for .gz. Reading it gives the same
/// bits.
kauri_status kauri_matrix_write(const kauri_matrix* matrix, const char* path);
/// Gives it back.
void kauri_matrix_destroy(kauri_matrix* matrix);

/// Rows and columns of A.
kauri_status kauri_matrix_n(const kauri_matrix* matrix, int64_t* n);
/// Stored entries, of the lower triangle, each diagonal entry among them.
kauri_status kauri_matrix_nnz(const kauri_matrix* matrix, int64_t* nnz);
/// Its kauri_scalar.
kauri_status kauri_matrix_scalar(const kauri_matrix* matrix, int32_t* scalar);
/// What rows and columns count from: 0, or 1.
kauri_status kauri_matrix_base(const kauri_matrix* matrix, int32_t* base);
/// The lower triangle, in the matrix: col_ptr of length n+1, row and value of length nnz, counted from 0 whatever the base; value is of the
/// matrix's scalar. Any of the three places may be null. Valid until the matrix is destroyed.
kauri_status kauri_matrix_lower(const kauri_matrix* matrix, const int64_t** col_ptr, const int32_t** row, const void** value);

/// New values of the entries that the matrix was made of, in their order and scalar; `entries`: how many they are. Of a matrix with both
/// halves those of the one that is taken, unchecked. Of a matrix that was read: those of its lower triangle, nnz of them.
kauri_status kauri_matrix_set_values(kauri_matrix* matrix, const void* value, int64_t entries);
/// Where the entries that the matrix was made of are in its lower triangle: place[k] of entry k, or -1 for one of the half that was
/// left out. Length entries, as for kauri_matrix_set_values(). For values that are put together elsewhere, on a device say.
kauri_status kauri_matrix_places(const kauri_matrix* matrix, int64_t* place, int64_t entries);

/// Where numbers are.
enum kauri_memory {
  KAURI_HOST = 0,   ///< ordinary memory
  KAURI_DEVICE = 1  ///< that of a CUDA device: of cudaMalloc and its kin, or managed
};
/// How a dense matrix lies in memory.
enum kauri_layout {
  KAURI_COLUMN_MAJOR = 0,  ///< column after column
  KAURI_ROW_MAJOR = 1      ///< row after row
};
/// A dense matrix, borrowed: entry (i,j) is data[i + j*ld], or, where it is row-major, data[i*ld + j]. Its scalar is that of the solver or
/// factor that it is given to.
struct kauri_dense {
  size_t struct_size;  ///< set by KAURI_DENSE_INIT
  void* data;          ///< may be null when rows*cols = 0; only read where the call says so
  int64_t rows;        ///< n
  int64_t cols;        ///< right-hand sides
  int64_t ld;          ///< leading dimension: >= rows, of a row-major matrix >= cols
  int32_t layout;      ///< kauri_layout
  int32_t memory;      ///< kauri_memory
};
/// Begins a kauri_dense: column-major, in the host's memory.
#define KAURI_DENSE_INIT \
  { sizeof(struct kauri_dense), 0, 0, 0, 0, 0, 0 }

#ifdef __cplusplus
}
#endif
#endif

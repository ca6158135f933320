// C: sparse symmetric matrices and dense ones.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_MATRIX_H
#define KAURI_C_MATRIX_H

/// @file
/// C: sparse symmetric matrices and dense ones. Include kauri/kauri.h, which has the rules for
/// every call.

#include "kauri/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Types of the entries of matrices and vectors.
enum kauri_scalar {
  KAURI_DOUBLE = 0,  ///< double
  KAURI_FLOAT = 1    ///< float
};
/// Types of the numbers in index and pointer arrays.
enum kauri_integer {
  KAURI_INT32 = 0,  ///< int32_t
  KAURI_INT64 = 1   ///< int64_t
};
/// Entries of a symmetric matrix that arrays hold.
enum kauri_storage {
  KAURI_LOWER = 0,  ///< row >= column only; an entry above the diagonal is KAURI_ERROR_INPUT
  KAURI_UPPER = 1,  ///< row <= column only; an entry below the diagonal is KAURI_ERROR_INPUT
  /// Both halves, which must agree; the lower one is taken unchanged. Entries a_ij and a_ji agree
  /// if they differ by at most `symmetry`, a member of the struct, times the largest of sqrt(|a_ii
  /// a_jj|), |a_ij| and |a_ji|; a missing entry counts as 0.
  KAURI_FULL = 2,
  KAURI_LOWER_OF_FULL = 3,  ///< row >= column is taken; entries above the diagonal are ignored, but
                            ///< an index out of range is KAURI_ERROR_INPUT there, too
  KAURI_UPPER_OF_FULL = 4   ///< row <= column is taken; entries below the diagonal are ignored, but
                            ///< an index out of range is KAURI_ERROR_INPUT there, too
};
/// Direction in which a kauri_compressed is compressed.
enum kauri_compression {
  KAURI_COLUMNS = 0,  ///< column by column
  KAURI_ROWS = 1      ///< row by row
};
/// Treatment of several entries at one position (row, column).
enum kauri_duplicates {
  KAURI_SUM = 0,    ///< they are added up, in the order of the arrays
  KAURI_REFUSE = 1  ///< they are KAURI_ERROR_INPUT
};

/// A symmetric matrix in compressed columns or rows, borrowed for the time of the call. `storage`
/// refers to rows and columns of A, whatever `compression` is. NaN and infinite values are accepted
/// here; a factorisation refuses them.
struct kauri_compressed {
  size_t struct_size;  ///< set by KAURI_COMPRESSED_INIT
  int64_t n;           ///< rows and columns of A, 0 to 2^31 - 1
  int64_t entries;     ///< length of index and value: ptr[n] - base
  const void* ptr;  ///< length n+1, ptr[0] = base: column (or row) j has the entries ptr[j] - base
                    ///< to ptr[j+1] - base - 1
  const void* index;    ///< row (or column) of each entry, base to n - 1 + base, in any order
  const void* value;    ///< value of each entry
  int32_t ptr_type;     ///< kauri_integer of ptr
  int32_t index_type;   ///< kauri_integer of index
  int32_t scalar;       ///< kauri_scalar of value
  int32_t storage;      ///< kauri_storage: the half or halves that the arrays hold
  int32_t compression;  ///< kauri_compression: direction of ptr
  int32_t base;         ///< 0 or 1: the index of the first row and column
  int32_t duplicates;   ///< kauri_duplicates: treatment of several entries at one position
  int32_t reserved;     ///< 0
  double symmetry;      ///< threshold, with KAURI_FULL, for halves that differ, 0 to 1; 0 stands
                        ///< for 1000 eps of the scalar
};
/// Initialises a kauri_compressed: int32_t, double, the lower half by columns, base 0, duplicates
/// added up.
#define KAURI_COMPRESSED_INIT \
  { sizeof(struct kauri_compressed), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/// A symmetric matrix as triplets (row[k], column[k], value[k]) in any order, borrowed for the time
/// of the call.
struct kauri_triplets {
  size_t struct_size;  ///< set by KAURI_TRIPLETS_INIT
  int64_t n;           ///< rows and columns of A, 0 to 2^31 - 1
  int64_t entries;     ///< length of row, column and value
  const void* row;     ///< row of each entry, base to n - 1 + base
  const void* column;  ///< column of each entry, base to n - 1 + base
  const void* value;   ///< value of each entry
  int32_t index_type;  ///< kauri_integer of row and column
  int32_t scalar;      ///< kauri_scalar of value
  int32_t storage;     ///< kauri_storage: the half or halves that the arrays hold
  int32_t base;        ///< 0 or 1: the index of the first row and column
  int32_t duplicates;  ///< kauri_duplicates: treatment of several entries at one position
  int32_t reserved;    ///< 0
  double symmetry;     ///< threshold, as kauri_compressed::symmetry
};
/// Initialises a kauri_triplets: int32_t, double, the lower half, base 0, duplicates added up.
#define KAURI_TRIPLETS_INIT \
  { sizeof(struct kauri_triplets), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/// A symmetric matrix that owns its lower triangle: by columns, in each column rows ascending, the
/// diagonal first, without duplicates. It also stores where each entry of the arrays that it was
/// made from lies in it (8 bytes an entry), so that new values may come in the caller's order.
typedef struct kauri_matrix kauri_matrix;

/// Creates a matrix, a copy of the lower triangle that `a` describes. A missing diagonal entry
/// becomes a stored zero. KAURI_ERROR_INPUT names row and column of an index out of range, of an
/// entry in the wrong half, of a repeated entry with KAURI_REFUSE, or of entries (i,j) and (j,i)
/// that do not agree with KAURI_FULL. KAURI_ERROR_OVERFLOW for n of 2^31 or more. O(n + entries log
/// entries of a column).
kauri_status kauri_matrix_from_compressed(const struct kauri_compressed* a, kauri_matrix** matrix);
/// Creates a matrix from triplets, as kauri_matrix_from_compressed() does from compressed arrays.
kauri_status kauri_matrix_from_triplets(const struct kauri_triplets* a, kauri_matrix** matrix);
/// Reads a matrix from a file, in double and with base 0: Matrix Market and Rutherford-Boeing
/// (plain, gzipped, in tar archives) or SciPy .npz. The content tells the format. threads: the most
/// threads that read, 0 for all; the matrix does not depend on their number. KAURI_ERROR_INPUT
/// names file and line.
kauri_status kauri_matrix_read(const char* path, int32_t threads, kauri_matrix** matrix);
/// Settings of kauri_matrix_read_with().
struct kauri_read {
  size_t struct_size;   ///< set by KAURI_READ_INIT
  size_t max_bytes;     ///< most bytes that reading may take, the sum of the file, its unpacked
                        ///< content and all arrays made from it; 0: no bound, but a matrix of n >
                        ///< 2^24 rows must then have n/4 entries or more, else KAURI_ERROR_INPUT
  double symmetry;      ///< threshold with KAURI_FULL, as kauri_compressed::symmetry
  int32_t threads;      ///< most threads that read; 0: all
  int32_t both_halves;  ///< for files that hold both halves: KAURI_FULL, KAURI_LOWER_OF_FULL or
                        ///< KAURI_UPPER_OF_FULL; a file that holds one half is read as it is
};
/// Initialises a kauri_read: the settings of kauri_matrix_read(), with all threads.
#define KAURI_READ_INIT \
  { sizeof(struct kauri_read), 0, 0, 0, KAURI_FULL }
/// Reads a file as kauri_matrix_read() does, with the settings in `how`. A file that needs more
/// than how->max_bytes is KAURI_ERROR_MEMORY, whose message names the bytes, before they are
/// allocated.
kauri_status kauri_matrix_read_with(const char* path, const struct kauri_read* how,
                                    kauri_matrix** matrix);
/// Writes the matrix to a file. The ending of the name sets the format: .npz is that of SciPy's
/// save_npz, any other Matrix Market, gzipped for .gz. Reading the file gives the same bits.
/// KAURI_ERROR_INPUT if writing fails, and for a value that is not finite.
kauri_status kauri_matrix_write(const kauri_matrix* matrix, const char* path);
/// Destroys the matrix.
void kauri_matrix_destroy(kauri_matrix* matrix);

/// Returns the number of rows, and columns, of A.
kauri_status kauri_matrix_n(const kauri_matrix* matrix, int64_t* n);
/// Returns the number of stored entries, those of the lower triangle including the whole diagonal.
kauri_status kauri_matrix_nnz(const kauri_matrix* matrix, int64_t* nnz);
/// Returns the kauri_scalar of the matrix.
kauri_status kauri_matrix_scalar(const kauri_matrix* matrix, int32_t* scalar);
/// Returns the base, 0 or 1, from which rows and columns are counted.
kauri_status kauri_matrix_base(const kauri_matrix* matrix, int32_t* base);
/// Returns pointers into the matrix, to its lower triangle: col_ptr of length n+1, row and value of
/// length nnz. col_ptr and row count from 0 whatever the base is; value is of the matrix's scalar.
/// Any of the three arguments may be null. The pointers are valid until the matrix is destroyed;
/// kauri_matrix_set_values() overwrites the numbers at *value.
kauri_status kauri_matrix_lower(const kauri_matrix* matrix, const int64_t** col_ptr,
                                const int32_t** row, const void** value);

/// Sets new values. value: `entries` numbers of the matrix's scalar, one for each entry of the
/// arrays that the matrix was made of, in their order. If the arrays hold both halves, the half
/// that was taken is used and the other is not checked. A matrix that was read from a file takes
/// the nnz values of its lower triangle. Another length is KAURI_ERROR_USAGE.
kauri_status kauri_matrix_set_values(kauri_matrix* matrix, const void* value, int64_t entries);
/// Returns the positions of the caller's entries: place[k] is the position, among the values of the
/// lower triangle, of entry k of the arrays that the matrix was made from, or -1 if k lies in the
/// half that was left out. place: length `entries`, as for kauri_matrix_set_values(). With it a
/// program can assemble the values itself, for example on a device.
kauri_status kauri_matrix_places(const kauri_matrix* matrix, int64_t* place, int64_t entries);

/// Kinds of memory in which an array lies.
enum kauri_memory {
  KAURI_HOST = 0,  ///< ordinary memory, which the CPU reads and writes
  KAURI_DEVICE =
      1  ///< memory of a CUDA device, from cudaMalloc or a similar call, or managed memory
};
/// Layouts of a dense matrix in memory.
enum kauri_layout {
  KAURI_COLUMN_MAJOR = 0,  ///< column after column
  KAURI_ROW_MAJOR = 1      ///< row after row
};
/// A dense matrix, borrowed for the time of the call, or on a stream until its work is done. Entry
/// (i,j) is data[i + j*ld], of a row-major matrix data[i*ld + j]. Its scalar is that of the solver
/// or factor that the call is for.
struct kauri_dense {
  size_t struct_size;  ///< set by KAURI_DENSE_INIT
  void* data;  ///< may be null if rows*cols = 0; not written if the call does not change the matrix
  int64_t rows;    ///< number of rows: n, the order of A
  int64_t cols;    ///< number of columns, each a right-hand side or a solution
  int64_t ld;      ///< leading dimension: at least rows, of a row-major matrix at least cols
  int32_t layout;  ///< kauri_layout
  int32_t memory;  ///< kauri_memory
};
/// Initialises a kauri_dense: column-major, in the host's memory.
#define KAURI_DENSE_INIT \
  { sizeof(struct kauri_dense), 0, 0, 0, 0, 0, 0 }

#ifdef __cplusplus
}
#endif
#endif

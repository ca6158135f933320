// The public readers: take the file, tell its format, hand it on.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/io.hpp"

#include <new>

#include "src/io/dense_file.hpp"
#include "src/io/file.hpp"
#include "src/io/gunzip.hpp"
#include "src/io/matrix_market.hpp"
#include "src/io/matrix_market_header.hpp"
#include "src/io/npy.hpp"
#include "src/io/npz.hpp"
#include "src/io/parse.hpp"
#include "src/io/permutation_file.hpp"
#include "src/io/text.hpp"
#include "src/io/zip.hpp"

namespace kauri {
namespace io {
namespace {

/// Refuses an empty file and unpacks a gzipped one.
std::string unpacked(std::string bytes, const std::string& name) {
  if (bytes.empty()) fail(name, "is empty");
  if (!is_gzip(bytes)) return bytes;
  bytes = gunzip(bytes, name);
  if (bytes.empty()) fail(name, "is empty inside its gzip wrapping");
  return bytes;
}

[[noreturn]] void fail_unknown(const std::string& bytes, const std::string& name, const char* expected) {
  fail(name, std::string("is not in a known format: expected ") + expected + "; it starts with '" +
                 printable(std::string_view(bytes).substr(0, 16)) + "'");
}

/// A wrong claim never asks for much, but a right one may.
template <class Read>
auto guarded(const std::string& path, Read&& read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::memory, path + ": not enough memory for its content");
  }
}

}  // namespace

SymmetricMatrix<double> parse_matrix(std::string bytes, const std::string& name) {
  bytes = unpacked(std::move(bytes), name);
  if (is_matrix_market(bytes)) return parse_market_matrix(bytes, name);
  if (is_zip(bytes)) return parse_npz(bytes, name);
  if (is_npy(bytes)) fail(name, "is a dense .npy array, expected a sparse matrix");
  fail_unknown(bytes, name, "Matrix Market (plain or gzipped) or SciPy .npz");
}

DenseMatrix parse_dense(std::string bytes, const std::string& name) {
  bytes = unpacked(std::move(bytes), name);
  if (is_matrix_market(bytes)) return parse_market_dense(bytes, name);
  if (is_npy(bytes)) return parse_npy_dense(bytes, name);
  if (is_zip(bytes)) fail(name, "is a zip archive, expected Matrix Market or a single .npy array");
  fail_unknown(bytes, name, "Matrix Market (plain or gzipped) or .npy");
}

}  // namespace io

SymmetricMatrix<double> read_matrix(const std::string& path) {
  return io::guarded(path, [&] { return io::parse_matrix(io::read_file(path), path); });
}

DenseMatrix read_dense(const std::string& path) {
  return io::guarded(path, [&] { return io::parse_dense(io::read_file(path), path); });
}

std::vector<Index> read_permutation(const std::string& path) {
  return io::guarded(path, [&] { return io::parse_permutation(io::unpacked(io::read_file(path), path), path); });
}

}  // namespace kauri

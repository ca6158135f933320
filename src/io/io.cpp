// The public readers: take the file, tell its format, hand it on.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/io.hpp"

#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "src/base/allowed_threads.hpp"
#include "src/io/dense_file.hpp"
#include "src/io/file.hpp"
#include "src/io/gunzip.hpp"
#include "src/io/matrix_market.hpp"
#include "src/io/matrix_market_header.hpp"
#include "src/io/npy.hpp"
#include "src/io/npz.hpp"
#include "src/io/parse.hpp"
#include "src/io/permutation_file.hpp"
#include "src/io/rutherford_boeing.hpp"
#include "src/io/tar.hpp"
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

[[noreturn]] void fail_unknown(std::string_view bytes, const std::string& name, const char* expected) {
  fail(name, std::string("is not in a known format: expected ") + expected + "; it starts with '" + printable(bytes.substr(0, 16)) + "'");
}

SymmetricMatrix<double> matrix_of(std::string_view bytes, const std::string& name, const BothHalves& both) {
  if (is_matrix_market(bytes)) return parse_market_matrix(bytes, name, both);
  if (is_zip(bytes)) return parse_npz(bytes, name, both);
  if (is_npy(bytes)) fail(name, "is a dense .npy array, expected a sparse matrix");
  if (is_rutherford_boeing(bytes) || has_boeing_ending(name)) return parse_rutherford_boeing(bytes, name);
  fail_unknown(bytes, name, "Matrix Market or Rutherford-Boeing (plain, gzipped, or in a .tar.gz) or SciPy .npz");
}

DenseMatrix dense_of(std::string_view bytes, const std::string& name, Index rows) {
  if (is_matrix_market(bytes)) return parse_market_dense(bytes, name, rows);
  if (is_npy(bytes)) return parse_npy_dense(bytes, name, rows);
  if (is_zip(bytes)) fail(name, "is a zip archive, expected Matrix Market or a single .npy array");
  fail_unknown(bytes, name, "Matrix Market (plain, gzipped, or in a .tar.gz) or .npy");
}

/// `read` of the file's bytes, or of those of a member of a tar archive, with the member in the name.
template <class Read>
auto of_content(std::string_view bytes, const std::string& name, const std::string& member, TarWanted wanted, Read&& read) {
  if (!is_tar(bytes)) {
    if (!member.empty()) fail(name, "is no tar archive, so it has no member '" + printable(member) + "'");
    return read(bytes, name);
  }
  const TarMember found = find_tar_member(tar_members(bytes, name), name, member, wanted);
  const std::string inside = name + ": '" + printable(found.name) + "'";
  if (found.bytes.empty()) fail(inside, "is empty");
  return read(found.bytes, inside);
}

[[noreturn]] void content_too_large(const std::string& path) {
  throw Error(ErrorKind::memory, path + ": not enough memory for its content");
}

/// A wrong claim never asks for much, but a right one may.
template <class Read>
auto guarded(const std::string& path, Read&& read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    content_too_large(path);
  } catch (const std::length_error&) {  // more than a string or a vector may ever hold
    content_too_large(path);
  }
}

}  // namespace

FileAndMember split_member(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return {path, {}};
  for (std::size_t colon = path.rfind(':'); colon != std::string::npos && colon > 0; colon = path.rfind(':', colon - 1))
    if (std::filesystem::exists(path.substr(0, colon), ignored)) return {path.substr(0, colon), path.substr(colon + 1)};
  return {path, {}};
}

SymmetricMatrix<double> parse_matrix(std::string bytes, const std::string& name, const std::string& member, const BothHalves& both) {
  bytes = unpacked(std::move(bytes), name);
  return of_content(bytes, name, member, TarWanted::matrix,
                    [&both](std::string_view content, const std::string& inside) { return matrix_of(content, inside, both); });
}

DenseMatrix parse_dense(std::string bytes, const std::string& name, const std::string& member, Index rows) {
  bytes = unpacked(std::move(bytes), name);
  return of_content(bytes, name, member, TarWanted::dense,
                    [rows](std::string_view content, const std::string& inside) { return dense_of(content, inside, rows); });
}

}  // namespace io

SymmetricMatrix<double> read_matrix(const std::string& path, int threads) { return read_matrix(path, ReadOptions{.threads = threads}); }

SymmetricMatrix<double> read_matrix(const std::string& path, const ReadOptions& options) {
  if (options.both_halves == Storage::lower || options.both_halves == Storage::upper)
    throw Error(ErrorKind::usage, "read_matrix: a storage of one half, expected full, lower_of_full or upper_of_full");
  (void)SymmetryRule<double>(options.symmetry);  // looks at it, whatever the file holds
  return io::guarded(path, [&] {
    const io::FileAndMember source = io::split_member(path);
    std::string bytes = io::read_file(source.file);
    SymmetricMatrix<double> a;
    with_threads(options.threads, [&] {
      a = io::parse_matrix(std::move(bytes), source.file, source.member, {options.both_halves, options.symmetry});
    });
    return a;
  });
}

DenseMatrix read_dense(const std::string& path, int threads, Index rows) {
  return io::guarded(path, [&] {
    const io::FileAndMember source = io::split_member(path);
    std::string bytes = io::read_file(source.file);
    DenseMatrix x;
    with_threads(threads, [&] { x = io::parse_dense(std::move(bytes), source.file, source.member, rows); });
    return x;
  });
}

std::vector<Index> read_permutation(const std::string& path) {
  return io::guarded(path, [&] { return io::parse_permutation(io::unpacked(io::read_file(path), path), path); });
}

}  // namespace kauri

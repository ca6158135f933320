// The public readers: read the file, recognise its format, call its parser.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/extras/io.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/threads/allowed_threads.hpp"
#include "src/io/boeing/rutherford_boeing.hpp"
#include "src/io/content/content.hpp"
#include "src/io/content/tar.hpp"
#include "src/io/file/file.hpp"
#include "src/io/market/matrix_market.hpp"
#include "src/io/numpy/dense.hpp"
#include "src/io/numpy/npy.hpp"
#include "src/io/numpy/npy_header.hpp"
#include "src/io/numpy/npz.hpp"
#include "src/io/packed/zip.hpp"
#include "src/io/parse.hpp"
#include "src/io/permutation_file.hpp"
#include "src/io/text/text.hpp"

namespace kauri {
namespace io {
namespace {

[[noreturn]] void fail_unknown(std::string_view bytes, const std::string& name,
                               const char* expected) {
  fail(name, std::string("is not in a known format: expected ") + expected + "; it starts with '" +
                 printable(bytes.substr(0, 16)) + "'");
}

SymmetricMatrix<double> matrix_of(std::string_view bytes, const std::string& name,
                                  const BothHalves& both, const Allowance& allowance) {
  if (is_zip(bytes)) return parse_npz(bytes, name, both, allowance);
  if (is_npy(bytes)) fail(name, "is a dense .npy array, expected a sparse matrix");
  const std::string_view text = plain_text(bytes, name);
  if (is_matrix_market(text)) return parse_market_matrix(text, name, both, allowance);
  if (is_rutherford_boeing(text) || has_boeing_ending(name))
    return parse_rutherford_boeing(text, name, both, allowance);
  fail_unknown(
      bytes, name,
      "Matrix Market or Rutherford-Boeing (plain, gzipped, or in a .tar.gz) or SciPy .npz");
}

DenseMatrix dense_of(std::string_view bytes, const std::string& name, Index rows,
                     const Allowance& allowance) {
  if (is_npy(bytes)) return parse_npy_dense(bytes, name, rows, allowance);
  if (is_zip(bytes)) fail(name, "is a zip archive, expected Matrix Market or a single .npy array");
  const std::string_view text = plain_text(bytes, name);
  if (is_matrix_market(text)) return parse_market_dense(text, name, rows, allowance);
  fail_unknown(bytes, name, "Matrix Market (plain, gzipped, or in a .tar.gz) or .npy");
}

/// Checks the header if the first bytes are Matrix Market or Rutherford-Boeing, and accepts zip and
/// tar; otherwise throws the error that matrix_of() throws for the whole file.
void look_for_matrix(std::string_view head, const std::string& name) {
  const std::string_view text = plain_text(head, name);
  if (is_zip(head) || is_tar(head)) return;
  if (is_matrix_market(text)) {
    TextCursor cursor(text, name);
    read_market_header(cursor);
  } else if (is_rutherford_boeing(text) || has_boeing_ending(name)) {
    check_boeing_header(text, name);
  } else {
    matrix_of(head, name, {}, {});
  }
}

void look_for_dense(std::string_view head, const std::string& name) {
  const std::string_view text = plain_text(head, name);
  if (is_tar(head)) return;
  if (is_matrix_market(text)) {
    TextCursor cursor(text, name);
    read_market_header(cursor);
  } else if (is_npy(head)) {
    read_npy_header(head, name);
  } else {
    dense_of(head, name, kNone, {});
  }
}

/// Throws Error(input) if the beginning is not text, which row numbers and comments are.
void look_for_numbers(std::string_view head, const std::string& name) {
  const std::string_view text = plain_text(head, name);
  for (const char c : text)
    if (static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\r' && c != '\n')
      fail(name, "is not text, expected one row number a line; it starts with '" +
                     printable(head.substr(0, 16)) + "'");
}

Look looking(void (*look)(std::string_view, const std::string&), const std::string& name) {
  return [look, &name](std::string_view head) { look(head, name); };
}

/// Most bytes that may be unpacked from a tar archive besides matrices and the member asked for:
/// kMostBeside, or kTimesPacked times the bytes of the packed file if that is more.
constexpr std::size_t kMostBeside = std::size_t{64} << 20, kTimesPacked = 16;

MakeWatch watching(const FileAndMember& source) {
  return [&source](std::size_t packed) -> Watch {
    const auto tar = std::make_shared<TarWatch>(source.file, source.member,
                                                std::max(kMostBeside, kTimesPacked * packed));
    return [tar](std::string_view so_far) {
      if (is_tar(so_far)) (*tar)(so_far);
    };
  };
}

/// Returns read(bytes, name) for the file's content; if that is a tar archive, for the content of
/// the wanted member, with the member added to the name.
template <class Read>
auto of_content(std::string_view bytes, const std::string& name, const std::string& member,
                TarWanted wanted, Allowance& allowance, Read&& read) {
  if (!is_tar(bytes)) {
    if (!member.empty())
      fail(name, "is not a tar archive, so it has no member '" + printable(member) +
                     "'; omit the member");
    return read(bytes, name);
  }
  const TarMember found =
      find_tar_member(tar_members(bytes, name, allowance), name, member, wanted);
  const std::string inside = name + ": '" + printable(found.name) + "'";
  if (found.bytes.empty()) fail(inside, "is empty");
  return read(found.bytes, inside);
}

SymmetricMatrix<double> matrix_in(std::string_view content, const FileAndMember& source,
                                  const BothHalves& both, Allowance& allowance) {
  return of_content(content, source.file, source.member, TarWanted::matrix, allowance,
                    [&](std::string_view bytes, const std::string& inside) {
                      return matrix_of(bytes, inside, both, allowance);
                    });
}

DenseMatrix dense_in(std::string_view content, const FileAndMember& source, Index rows,
                     Allowance& allowance) {
  return of_content(content, source.file, source.member, TarWanted::dense, allowance,
                    [&](std::string_view bytes, const std::string& inside) {
                      return dense_of(bytes, inside, rows, allowance);
                    });
}

[[noreturn]] void content_too_large(const std::string& path) {
  throw Error(ErrorKind::memory, shown(path) + ": not enough memory for its content");
}

/// Returns read(), with std::bad_alloc turned into Error(memory). Readers refuse false claims of a
/// file before they allocate, but a valid file may be too large.
template <class Read>
auto guarded(const std::string& path, Read&& read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    content_too_large(path);
  } catch (const std::length_error&) {  // longer than a string or a vector may be
    content_too_large(path);
  }
}

}  // namespace

FileAndMember split_member(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return {path, {}};
  for (std::size_t colon = path.rfind(':'); colon != std::string::npos && colon > 0;
       colon = path.rfind(':', colon - 1))
    if (std::filesystem::exists(path.substr(0, colon), ignored))
      return {path.substr(0, colon), path.substr(colon + 1)};
  return {path, {}};
}

SymmetricMatrix<double> parse_matrix(std::string_view bytes, const std::string& name,
                                     const std::string& member, const BothHalves& both,
                                     Allowance allowance) {
  const FileAndMember source{name, member};
  const Content content =
      content_of(bytes, name, allowance, looking(look_for_matrix, name), watching(source));
  return matrix_in(content.bytes, source, both, allowance);
}

DenseMatrix parse_dense(std::string_view bytes, const std::string& name, const std::string& member,
                        Index rows, Allowance allowance) {
  const FileAndMember source{name, member};
  const Content content =
      content_of(bytes, name, allowance, looking(look_for_dense, name), watching(source));
  return dense_in(content.bytes, source, rows, allowance);
}

}  // namespace io

SymmetricMatrix<double> read_matrix(const std::string& path, int threads) {
  return read_matrix(path, ReadOptions{.threads = threads});
}

SymmetricMatrix<double> read_matrix(const std::string& path, const ReadOptions& options) {
  if (options.both_halves == Storage::lower || options.both_halves == Storage::upper)
    throw Error(
        ErrorKind::usage,
        "read_matrix: a storage of one half, expected full, lower_of_full or upper_of_full");
  (void)SymmetryRule<double>(options.symmetry);  // throws if out of range, whatever the file holds
  return io::guarded(path, [&] {
    const io::FileAndMember source = io::split_member(path);
    io::Allowance allowance(options.max_bytes);
    const io::Content content =
        io::content_of_file(source.file, allowance, io::looking(io::look_for_matrix, source.file),
                            io::watching(source));
    SymmetricMatrix<double> a;
    with_threads(options.threads, [&] {
      a = io::matrix_in(content.bytes, source, {options.both_halves, options.symmetry}, allowance);
    });
    return a;
  });
}

DenseMatrix read_dense(const std::string& path, const ReadOptions& options) {
  return io::guarded(path, [&] {
    const io::FileAndMember source = io::split_member(path);
    io::Allowance allowance(options.max_bytes);
    const io::Content content = io::content_of_file(
        source.file, allowance, io::looking(io::look_for_dense, source.file), io::watching(source));
    DenseMatrix x;
    with_threads(options.threads,
                 [&] { x = io::dense_in(content.bytes, source, options.rows, allowance); });
    return x;
  });
}

DenseMatrix read_dense(const std::string& path, int threads, Index rows) {
  return read_dense(path, ReadOptions{.threads = threads, .rows = rows});
}

std::vector<Index> read_permutation(const std::string& path, const ReadOptions& options) {
  return io::guarded(path, [&] {
    io::Allowance allowance(options.max_bytes);
    const io::Content content =
        io::content_of_file(path, allowance, io::looking(io::look_for_numbers, path));
    return io::parse_permutation(io::plain_text(content.bytes, path), path, allowance);
  });
}

}  // namespace kauri

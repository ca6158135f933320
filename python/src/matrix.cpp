// Converts compressed columns or rows of SciPy to SymmetricMatrix, and reads files.
// SPDX-License-Identifier: BSD-3-Clause
#include "python/src/matrix.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "kauri/extras/io.hpp"
#include "python/src/support.hpp"

namespace kauri::python {
namespace {

/// Compressed columns or rows of SciPy. The arrays of indices and values may be longer than the
/// last pointer says; import_matrix() cuts them off there.
template <Scalar T, class Number>
using View = CompressedView<T, Number, Number>;

/// Returns true if the pointers allow a loop over the entries. If they do not, from_compressed()
/// reports the fault.
template <Scalar T, class Number>
bool walkable(const View<T, Number>& a) {
  if (a.ptr.size() != static_cast<std::size_t>(a.n) + 1 || a.ptr.front() != 0) return false;
  for (std::size_t j = 0; j + 1 < a.ptr.size(); ++j)
    if (a.ptr[j] > a.ptr[j + 1]) return false;
  return static_cast<std::size_t>(a.ptr.back()) == a.index.size() &&
         a.index.size() == a.value.size();
}

/// Returns a number with the sign of row minus column of entry k, which is in column `line` (row
/// `line` if stored by rows).
template <Scalar T, class Number>
Number below(const View<T, Number>& a, Number line, std::size_t k) {
  return a.compression == Compression::columns ? a.index[k] - line : line - a.index[k];
}

/// The halves that hold nonzero numbers, and the halves that hold any entry.
struct Seen {
  bool lower = false, upper = false, lower_entry = false, upper_entry = false;
};

/// Finds the halves that hold entries. Stops when both are known to hold a nonzero number.
template <Scalar T, class Number>
Seen halves(const View<T, Number>& a) {
  Seen seen;
  for (Number line = 0; line < a.n && !(seen.lower && seen.upper); ++line)
    for (auto k = static_cast<std::size_t>(a.ptr[static_cast<std::size_t>(line)]);
         k < static_cast<std::size_t>(a.ptr[static_cast<std::size_t>(line) + 1]); ++k) {
      const Number d = below<T, Number>(a, line, k);
      const bool zero = a.value[k] == T(0);
      seen.lower_entry = seen.lower_entry || d > 0;
      seen.upper_entry = seen.upper_entry || d < 0;
      seen.lower = seen.lower || (d > 0 && !zero);
      seen.upper = seen.upper || (d < 0 && !zero);
    }
  return seen;
}

/// Returns full if both halves hold nonzero numbers, else the one half that does. If neither does,
/// the halves that hold any entry decide; lower if none does.
Storage storage_of(const Seen& seen) {
  if (seen.lower && seen.upper) return Storage::full;
  if (seen.lower != seen.upper) return seen.lower ? Storage::lower_of_full : Storage::upper_of_full;
  return seen.lower_entry && seen.upper_entry ? Storage::full
         : seen.upper_entry                   ? Storage::upper
                                              : Storage::lower;
}

template <Scalar T, class Number>
SymmetricMatrix<T> taken(View<T, Number> a, Triangle triangle) {
  a.storage = Storage::full;
  if (triangle == Triangle::lower) a.storage = Storage::lower_of_full;
  if (triangle == Triangle::upper) a.storage = Storage::upper_of_full;
  if (triangle == Triangle::automatic && walkable(a)) a.storage = storage_of(halves(a));
  return SymmetricMatrix<T>::from_compressed(a);
}

Triangle triangle_of(const std::string& name) {
  if (name == "auto") return Triangle::automatic;
  if (name == "lower") return Triangle::lower;
  if (name == "upper") return Triangle::upper;
  if (name == "both") return Triangle::both;
  throw Error(ErrorKind::usage,
              "triangle: '" + name + "' was given, expected auto, lower, upper or both");
}

template <Scalar T, class Number>
SymmetricMatrix<T> import_matrix(const Vector<Number>& ptr, const Vector<Number>& index,
                                 const Vector<T>& value, bool by_rows, const std::string& triangle,
                                 double symmetry) {
  const Triangle which = triangle_of(triangle);
  if (ptr.size() == 0)
    throw Error(ErrorKind::input, "matrix: indptr is empty, expected n + 1 entries");
  return released(nullptr, Weight::light, [&](const std::stop_token&) {
    View<T, Number> a{.n = static_cast<Number>(ptr.size() - 1),
                      .ptr = span_of<Number>(ptr),
                      .index = span_of<Number>(index),
                      .value = span_of<T>(value),
                      .compression = by_rows ? Compression::rows : Compression::columns,
                      .symmetry = symmetry};
    const auto end = static_cast<std::size_t>(a.ptr.back() < 0 ? 0 : a.ptr.back());
    if (end < a.index.size()) a.index = a.index.first(end);
    if (end < a.value.size()) a.value = a.value.first(end);
    return taken<T, Number>(a, which);
  });
}

template <Scalar T>
void bind_matrix(nb::module_& module, const char* name, const char* maker) {
  using Matrix = SymmetricMatrix<T>;
  nb::class_<Matrix>(module, name)
      .def_prop_ro("n", &Matrix::n)
      .def_prop_ro("nnz", &Matrix::nnz)
      .def("indptr",
           [](const Matrix& a) {
             return to_numpy(
                 std::vector<Offset>(a.pattern().col_ptr.begin(), a.pattern().col_ptr.end()));
           })
      .def("indices",
           [](const Matrix& a) {
             return to_numpy(std::vector<Index>(a.pattern().row.begin(), a.pattern().row.end()));
           })
      .def("values", [](const Matrix& a) {
        return to_numpy(std::vector<T>(a.value().begin(), a.value().end()));
      });
  module.def(maker, import_matrix<T, std::int32_t>, nb::arg("indptr").noconvert(),
             nb::arg("indices").noconvert(), nb::arg("values").noconvert(), nb::arg("by_rows"),
             nb::arg("triangle"), nb::arg("symmetry"));
  module.def(maker, import_matrix<T, std::int64_t>, nb::arg("indptr").noconvert(),
             nb::arg("indices").noconvert(), nb::arg("values").noconvert(), nb::arg("by_rows"),
             nb::arg("triangle"), nb::arg("symmetry"));
}

/// Reads a matrix from a file. threads: number of threads that parse it; 0: all.
SymmetricMatrix<double> read(const std::string& path, int threads, std::size_t max_bytes,
                             const std::string& half, double symmetry) {
  ReadOptions options{.threads = threads, .max_bytes = max_bytes, .symmetry = symmetry};
  if (half == "lower") options.both_halves = Storage::lower_of_full;
  if (half == "upper") options.both_halves = Storage::upper_of_full;
  return released(nullptr, Weight::heavy,
                  [&](const std::stop_token&) { return read_matrix(path, options); });
}

}  // namespace

template <Scalar T>
std::vector<T> values_on(const Pattern& pattern, const SymmetricMatrix<T>& a) {
  if (a.n() != pattern.n)
    throw Error(ErrorKind::usage, "the matrix has " + std::to_string(a.n()) +
                                      " rows, the analysed one has " + std::to_string(pattern.n) +
                                      "; analyse this one first");
  std::vector<T> value(static_cast<std::size_t>(pattern.nnz()), T(0));
  const Pattern own = a.pattern();
  for (std::size_t j = 0; j < static_cast<std::size_t>(pattern.n); ++j) {
    auto to = static_cast<std::size_t>(pattern.col_ptr[j]);
    const auto end = static_cast<std::size_t>(pattern.col_ptr[j + 1]);
    for (auto k = static_cast<std::size_t>(own.col_ptr[j]);
         k < static_cast<std::size_t>(own.col_ptr[j + 1]); ++k) {
      while (to < end && pattern.row[to] < own.row[k]) ++to;
      if (to == end || pattern.row[to] != own.row[k]) {
        if (a.value()[k] == T(0)) continue;
        throw Error(ErrorKind::usage,
                    "entry (" + std::to_string(own.row[k]) + ", " + std::to_string(j) +
                        ") is not in the pattern that was analysed; analyse a pattern that has it");
      }
      value[to] = a.value()[k];
    }
  }
  return value;
}

template std::vector<float> values_on(const Pattern&, const SymmetricMatrix<float>&);
template std::vector<double> values_on(const Pattern&, const SymmetricMatrix<double>&);

void bind_matrices(nb::module_& module) {
  bind_matrix<double>(module, "MatrixF64", "matrix_f64");
  bind_matrix<float>(module, "MatrixF32", "matrix_f32");
  module.def("read", read);
}

}  // namespace kauri::python

// C: sparse symmetric matrices, from arrays and from files.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/c/matrix.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "kauri/extras/io.hpp"
#include "src/c/guard.hpp"
#include "src/c/handles.hpp"
#include "src/c/values.hpp"

namespace kauri::c {
namespace {

Storage storage_of(std::int32_t storage) {
  if (storage == KAURI_LOWER) return Storage::lower;
  if (storage == KAURI_UPPER) return Storage::upper;
  if (storage == KAURI_FULL) return Storage::full;
  if (storage == KAURI_LOWER_OF_FULL) return Storage::lower_of_full;
  if (storage == KAURI_UPPER_OF_FULL) return Storage::upper_of_full;
  no_such("storage", storage);
}

Compression compression_of(std::int32_t compression) {
  if (compression == KAURI_COLUMNS) return Compression::columns;
  if (compression == KAURI_ROWS) return Compression::rows;
  no_such("compression", compression);
}

Duplicates duplicates_of(std::int32_t duplicates) {
  if (duplicates == KAURI_SUM) return Duplicates::sum;
  if (duplicates == KAURI_REFUSE) return Duplicates::refuse;
  no_such("duplicates", duplicates);
}

/// Returns f(Integer{}) for the type that a kauri_integer names. Throws Error(usage) for a number
/// that names none.
template <class F>
auto with_integer(std::int32_t type, F&& f) {
  if (type == KAURI_INT32) return f(std::int32_t{});
  if (type == KAURI_INT64) return f(std::int64_t{});
  no_such("integer type", type);
}

void require_order(std::int64_t n) {
  if (n < 0)
    throw Error(ErrorKind::input, "matrix: n is " + std::to_string(n) + ", expected 0 or more");
  if (n > std::numeric_limits<Index>::max())
    throw Error(ErrorKind::overflow, "matrix: n is " + std::to_string(n) + ", at most 2^31 - 1");
}

template <class T, class Number, class Pointer>
MatrixOf<T> made_of(const CompressedView<T, Number, Pointer>& view,
                    std::vector<Offset> sorted = {}) {
  auto lower = SymmetricMatrix<T>::from_compressed(view);
  const auto entries = static_cast<Offset>(view.index.size());
  return {std::move(lower), std::make_shared<const CallerOrder<T>>(
                                CallerOrder<T>{entries, EntryMap<T>(view), std::move(sorted)})};
}

template <class T, class Number, class Pointer>
MatrixOf<T> compressed(const kauri_compressed& a) {
  CompressedView<T, Number, Pointer> view;
  view.n = static_cast<Number>(a.n);
  view.ptr = span_of<const Pointer>(a.ptr, a.n + 1, "ptr");
  view.index = span_of<const Number>(a.index, a.entries, "index");
  view.value = span_of<const T>(a.value, a.entries, "value");
  view.storage = storage_of(a.storage);
  view.compression = compression_of(a.compression);
  view.base = base_of(a.base);
  view.duplicates = duplicates_of(a.duplicates);
  view.symmetry = a.symmetry;
  return made_of(view);
}

/// Makes a matrix from triplets: sorts them by column, keeping their order within a column, and
/// passes them on as compressed columns with the caller's row numbers. Throws Error(input) for a
/// column outside the matrix, and the errors of SymmetricMatrix::from_compressed().
template <class T, class Number>
MatrixOf<T> triplets(const kauri_triplets& a) {
  const auto row = span_of<const Number>(a.row, a.entries, "row"),
             column = span_of<const Number>(a.column, a.entries, "column");
  const auto value = span_of<const T>(a.value, a.entries, "value");
  const std::int64_t base = base_of(a.base);
  std::vector<Offset> ptr(static_cast<std::size_t>(a.n) + 1, 0), sorted(row.size());
  for (std::size_t k = 0; k < column.size(); ++k) {
    if (column[k] < base || column[k] - base >= a.n)
      throw Error(ErrorKind::input, "matrix: triplet " + std::to_string(k) + ": column " +
                                        std::to_string(column[k]) + ", expected " +
                                        std::to_string(base) + " to " +
                                        std::to_string(a.n - 1 + base));
    ++ptr[static_cast<std::size_t>(column[k] - base) + 1];
  }
  std::partial_sum(ptr.begin(), ptr.end(), ptr.begin());
  std::vector<Offset> next(ptr.begin(), ptr.end() - 1);
  std::vector<Number> index(row.size());
  std::vector<T> number(row.size());
  for (std::size_t k = 0; k < row.size(); ++k) {
    const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(column[k] - base)]++);
    index[at] = row[k];
    number[at] = value[k];
    sorted[at] = static_cast<Offset>(k);
  }
  for (Offset& p : ptr) p += base;
  return made_of(CompressedView<T, Number, Offset>{static_cast<Number>(a.n), ptr, index, number,
                                                   storage_of(a.storage), Compression::columns,
                                                   static_cast<int>(base),
                                                   duplicates_of(a.duplicates), a.symmetry},
                 std::move(sorted));
}

template <class T>
MatrixOf<T> of_lower(SymmetricMatrix<T>&& lower) {
  const Offset entries = lower.nnz();
  return {std::move(lower),
          std::make_shared<const CallerOrder<T>>(CallerOrder<T>{entries, std::nullopt})};
}

}  // namespace

template <Scalar T>
void CallerOrder<T>::apply(std::span<const T> value, std::span<T> lower) const {
  require_length("entries", static_cast<std::int64_t>(value.size()), entries);
  if (!map) {
    require_length("entries of the pattern", static_cast<std::int64_t>(lower.size()), entries);
    std::copy(value.begin(), value.end(), lower.begin());
  } else if (sorted.empty()) {
    map->apply(value, lower);
  } else {
    std::vector<T> in_order(value.size());
    for (std::size_t k = 0; k < value.size(); ++k)
      in_order[k] = value[static_cast<std::size_t>(sorted[k])];
    map->apply(in_order, lower);
  }
}

template <Scalar T>
void CallerOrder<T>::places(std::span<Offset> place) const {
  require_length("entries", static_cast<std::int64_t>(place.size()), entries);
  if (!map)
    std::iota(place.begin(), place.end(), Offset{0});
  else if (sorted.empty())
    std::copy(map->places().begin(), map->places().end(), place.begin());
  else
    for (std::size_t k = 0; k < place.size(); ++k)
      place[static_cast<std::size_t>(sorted[k])] = map->places()[k];
}

template struct CallerOrder<float>;
template struct CallerOrder<double>;

extern "C" {

kauri_status kauri_matrix_from_compressed(const struct kauri_compressed* a, kauri_matrix** matrix) {
  return guarded([&] {
    kauri_matrix*& place = place_for(matrix, "matrix");
    const kauri_compressed& given = read_struct(a, "compressed");
    require_order(given.n);
    place = with_scalar(given.scalar, [&]<class T>(T) {
      return with_integer(given.index_type, [&]<class Number>(Number) {
        return with_integer(given.ptr_type, [&]<class Pointer>(Pointer) {
          return new kauri_matrix{compressed<T, Number, Pointer>(given), given.base};
        });
      });
    });
  });
}

kauri_status kauri_matrix_from_triplets(const struct kauri_triplets* a, kauri_matrix** matrix) {
  return guarded([&] {
    kauri_matrix*& place = place_for(matrix, "matrix");
    const kauri_triplets& given = read_struct(a, "triplets");
    require_order(given.n);
    place = with_scalar(given.scalar, [&]<class T>(T) {
      return with_integer(given.index_type, [&]<class Number>(Number) {
        return new kauri_matrix{triplets<T, Number>(given), given.base};
      });
    });
  });
}

kauri_status kauri_matrix_read(const char* path, int32_t threads, kauri_matrix** matrix) {
  kauri_read how = KAURI_READ_INIT;
  how.threads = threads;
  return kauri_matrix_read_with(path, &how, matrix);
}

kauri_status kauri_matrix_read_with(const char* path, const struct kauri_read* how,
                                    kauri_matrix** matrix) {
  return guarded([&] {
    kauri_matrix*& place = place_for(matrix, "matrix");
    const kauri_read& h = sized(how, "how");
    if (h.threads < 0) misuse("threads is " + std::to_string(h.threads) + ", expected 0 or more");
    const ReadOptions options{.threads = h.threads,
                              .max_bytes = h.max_bytes,
                              .both_halves = storage_of(h.both_halves),
                              .symmetry = h.symmetry};
    place = new kauri_matrix{of_lower(read_matrix(&need(path, "path"), options))};
  });
}

kauri_status kauri_matrix_write(const kauri_matrix* matrix, const char* path) {
  return guarded([&] {
    const std::string name = &need(path, "path");
    const auto write = [&](const auto& of) {
      const std::vector<double> value(of.lower.value().begin(), of.lower.value().end());
      write_matrix(name, {of.lower.pattern(), value});
    };
    std::visit(write, need(matrix, "matrix").of);
  });
}

void kauri_matrix_destroy(kauri_matrix* matrix) { delete matrix; }

kauri_status kauri_matrix_n(const kauri_matrix* matrix, int64_t* n) {
  return guarded([&] {
    need(n, "n") =
        std::visit([](const auto& of) { return of.lower.n(); }, need(matrix, "matrix").of);
  });
}
kauri_status kauri_matrix_nnz(const kauri_matrix* matrix, int64_t* nnz) {
  return guarded([&] {
    need(nnz, "nnz") =
        std::visit([](const auto& of) { return of.lower.nnz(); }, need(matrix, "matrix").of);
  });
}
kauri_status kauri_matrix_scalar(const kauri_matrix* matrix, int32_t* scalar) {
  return guarded([&] {
    const auto scalar_in = [](const auto& of) {
      return scalar_of<typename std::remove_cvref_t<decltype(of)>::Number>();
    };
    need(scalar, "scalar") = std::visit(scalar_in, need(matrix, "matrix").of);
  });
}
kauri_status kauri_matrix_base(const kauri_matrix* matrix, int32_t* base) {
  return guarded([&] { need(base, "base") = need(matrix, "matrix").base; });
}

kauri_status kauri_matrix_lower(const kauri_matrix* matrix, const int64_t** col_ptr,
                                const int32_t** row, const void** value) {
  return guarded([&] {
    const auto tell = [&](const auto& of) {
      const Pattern pattern = of.lower.pattern();
      put(col_ptr, pattern.col_ptr.data());
      put(row, pattern.row.data());
      put(value, of.lower.value().data());
    };
    std::visit(tell, need(matrix, "matrix").of);
  });
}

kauri_status kauri_matrix_set_values(kauri_matrix* matrix, const void* value, int64_t entries) {
  return guarded([&] {
    const auto set = [&]<class T>(MatrixOf<T>& of) {
      of.order->apply(span_of<const T>(value, entries, "value"), of.lower.value());
    };
    std::visit(set, need(matrix, "matrix").of);
  });
}
kauri_status kauri_matrix_places(const kauri_matrix* matrix, int64_t* place, int64_t entries) {
  return guarded([&] {
    const auto tell = [&](const auto& of) {
      of.order->places(span_of<Offset>(place, entries, "place"));
    };
    std::visit(tell, need(matrix, "matrix").of);
  });
}

}  // extern "C"

}  // namespace kauri::c

// C: determinant, entries and inverse diagonal of a factor.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/extras/lower_factor.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "kauri/c/factor.h"
#include "kauri/extras/selected_inverse.hpp"
#include "src/c/guard.hpp"
#include "src/c/handles.hpp"
#include "src/c/values.hpp"
#include "symbolic/plan/restore.hpp"

namespace kauri::c {
namespace {

template <class T>
void copy_all(const std::vector<T>& from, void* to, const char* name) {
  const std::span<T> out = span_of<T>(to, static_cast<std::int64_t>(from.size()), name);
  std::copy(from.begin(), from.end(), out.begin());
}

}  // namespace

extern "C" {

kauri_status kauri_factor_determinant(const kauri_factor* factor, double* determinant) {
  return guarded([&] {
    double& out = need(determinant, "determinant");
    out = std::visit([]<class T>(const Factor<T>& of) { return kauri::determinant<T>(of); },
                     need(factor, "factor").of);
  });
}

kauri_status kauri_factor_log_determinant(const kauri_factor* factor, double* log_determinant) {
  return guarded([&] {
    double& out = need(log_determinant, "log_determinant");
    out = std::visit([]<class T>(const Factor<T>& of) { return kauri::log_determinant<T>(of); },
                     need(factor, "factor").of);
  });
}

kauri_status kauri_factor_diagonal(const kauri_factor* factor, void* diagonal, int64_t length) {
  return guarded([&] {
    const auto run = [&]<class T>(const Factor<T>& of) {
      require_length("length", length, of.plan().n);
      copy_all(lower_diagonal<T>(of), diagonal, "diagonal");
    };
    std::visit(run, need(factor, "factor").of);
  });
}

kauri_status kauri_factor_extract(const kauri_factor* factor, int64_t* col_ptr, int32_t* row,
                                  void* value, int64_t capacity, int64_t* entries) {
  return guarded([&] {
    const auto run = [&]<class T>(const Factor<T>& of) {
      const Offset count = need(entries, "entries") = symbolic::lower_entries(of.plan().supernodes);
      if (col_ptr == nullptr && row == nullptr && value == nullptr) return;
      if (capacity < count)
        misuse("capacity is " + std::to_string(capacity) + ", expected " + std::to_string(count) +
               " or more");
      (void)need(col_ptr, "col_ptr");
      const LowerFactor<T> l = lower_factor<T>(of);
      copy_all(l.row, row, "row");
      copy_all(l.value, value, "value");
      std::copy(l.col_ptr.begin(), l.col_ptr.end(), col_ptr);
    };
    std::visit(run, need(factor, "factor").of);
  });
}

kauri_status kauri_factor_inverse_diagonal(const kauri_factor* factor, void* diagonal,
                                           int64_t length) {
  return guarded([&] {
    const kauri_factor& f = need(factor, "factor");
    const auto run = [&]<class T>(const Factor<T>& of) {
      require_length("length", length, of.plan().n);
      auto inverse = SelectedInverse<T>::create(of);
      inverse.compute(of, token_of(f.cancel));
      copy_all(inverse.diagonal(), diagonal, "diagonal");
    };
    std::visit(run, f.of);
  });
}

}  // extern "C"

}  // namespace kauri::c

// Contents of the opaque handles of the C interface. Objects that several handles use are owned by
// all of these.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/threads/one_call.hpp"
#include "kauri/core/backend.hpp"
#include "kauri/core/matrix.hpp"
#include "kauri/core/plan.hpp"
#include "kauri/solve/factor.hpp"
#include "kauri/solve/solver.hpp"

namespace kauri::c {

/// A stop source. request() stops the calls that took a token since the last reset(), and calls
/// that begin before the next one; reset() makes a new source, so that later calls run.
/// Thread-safe.
class CancelState {
 public:
  [[nodiscard]] std::stop_token token() const {
    const std::scoped_lock lock(mutex_);
    return source_.get_token();
  }
  void request() {
    std::stop_source source;
    {
      const std::scoped_lock lock(mutex_);
      source = source_;
    }
    source.request_stop();
  }
  void reset() {
    const std::scoped_lock lock(mutex_);
    source_ = std::stop_source();
  }

 private:
  mutable std::mutex mutex_;
  std::stop_source source_;
};

using Cancel = std::shared_ptr<const CancelState>;

/// Returns the stop token for a call that begins now; an empty one if cancel is null.
inline std::stop_token token_of(const Cancel& cancel) {
  return cancel ? cancel->token() : std::stop_token();
}

/// Map from the entries of the caller's arrays to those of the lower triangle.
template <Scalar T>
struct CallerOrder {
  Offset entries = 0;              ///< length of the caller's arrays
  std::optional<EntryMap<T>> map;  ///< none: the caller's entries are those of the lower triangle
  std::vector<Offset> sorted{};    ///< entry k of the map is the caller's entry sorted[k]; empty
                                   ///< unless made from triplets

  /// Puts `value`, in the caller's order, into `lower`, the values of the lower triangle. Throws
  /// Error(usage) unless `value` has `entries` numbers.
  void apply(std::span<const T> value, std::span<T> lower) const;
  /// Sets place[k] to the index of the caller's entry k among the values of the lower triangle, or
  /// -1 if k was left out. Throws Error(usage) unless `place` has `entries` elements.
  void places(std::span<Offset> place) const;
};

template <Scalar T>
struct MatrixOf {
  using Number = T;
  SymmetricMatrix<T> lower;
  std::shared_ptr<const CallerOrder<T>> order;
};

template <Scalar T>
struct SolverOf {
  using Number = T;
  Solver<T> solver;
  std::shared_ptr<const CallerOrder<T>> order{};  ///< order of the matrix of the last compute()
  std::optional<Breakdown> breakdown{};  ///< breakdown of the last factorisation, if it had one
  bool filled = false;  ///< the last factorisation ended, with a factor or a breakdown
};

}  // namespace kauri::c

// NOLINTBEGIN(readability-identifier-naming): names of the C interface

struct kauri_cancel {
  std::shared_ptr<kauri::c::CancelState> state;
};

struct kauri_options {
  kauri::SolverOptions options;
  kauri::c::Cancel cancel;
  std::size_t max_bytes = 0;  ///< bound for loaded plans and factors; 0: none
};

struct kauri_matrix {
  std::variant<kauri::c::MatrixOf<double>, kauri::c::MatrixOf<float>> of;
  int base = 0;
};

struct kauri_backend {
  std::shared_ptr<kauri::Backend> backend;
};

struct kauri_plan {
  std::shared_ptr<const kauri::Plan> plan;
  std::string reason;
  int base = 0;
};

struct kauri_factor {
  std::shared_ptr<kauri::Backend> backend;  // declared first, so destroyed last
  std::variant<kauri::Factor<double>, kauri::Factor<float>> of;
  int base = 0;
  kauri::c::Cancel cancel{};
};

struct kauri_saved {
  std::vector<std::byte> bytes;
};

struct kauri_workspace {
  std::shared_ptr<kauri::Backend> backend;  // declared first, so destroyed last
  std::variant<kauri::Workspace<double>, kauri::Workspace<float>> of;
};

struct kauri_solver {
  std::variant<kauri::c::SolverOf<double>, kauri::c::SolverOf<float>> of;
  int base = 0;
  kauri::c::Cancel cancel{};
  kauri::CallFlag calls{};
};

// NOLINTEND(readability-identifier-naming)

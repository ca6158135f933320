// What the opaque handles of the C interface hold. Each shares what others may outlive.
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
#include "kauri/backend.hpp"
#include "kauri/factor.hpp"
#include "kauri/matrix.hpp"
#include "kauri/plan.hpp"
#include "kauri/solver.hpp"

namespace kauri::c {

/// A stop source that can be had anew, for calls to come.
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

/// Of a call that begins now.
inline std::stop_token token_of(const Cancel& cancel) { return cancel ? cancel->token() : std::stop_token(); }

/// Where the entries of the caller's arrays are in the lower triangle made of them.
template <Scalar T>
struct CallerOrder {
  Offset entries = 0;              ///< of the caller's arrays
  std::optional<EntryMap<T>> map;  ///< none: they are those of the lower triangle
  std::vector<Offset> sorted{};    ///< of triplets: entry k of the map is the caller's sorted[k]

  /// Values in the caller's order to those of the lower triangle.
  void apply(std::span<const T> value, std::span<T> lower) const;
  /// place[k]: of entry k, -1 where it was left out.
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
  std::shared_ptr<const CallerOrder<T>> order{};  ///< of the matrix last computed
  std::optional<Breakdown> breakdown{};           ///< of the last filling
  bool filled = false;                            ///< the last filling came to an end
};

}  // namespace kauri::c

// NOLINTBEGIN(readability-identifier-naming): names of the C interface

struct kauri_cancel {
  std::shared_ptr<kauri::c::CancelState> state;
};

struct kauri_options {
  kauri::SolverOptions options;
  kauri::c::Cancel cancel;
  std::size_t max_bytes = 0;  ///< of what is loaded
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
  std::shared_ptr<kauri::Backend> backend;  // goes last
  std::variant<kauri::Factor<double>, kauri::Factor<float>> of;
  int base = 0;
  kauri::c::Cancel cancel{};
};

struct kauri_saved {
  std::vector<std::byte> bytes;
};

struct kauri_workspace {
  std::shared_ptr<kauri::Backend> backend;  // goes last
  std::variant<kauri::Workspace<double>, kauri::Workspace<float>> of;
};

struct kauri_solver {
  std::variant<kauri::c::SolverOf<double>, kauri::c::SolverOf<float>> of;
  int base = 0;
  kauri::c::Cancel cancel{};
  kauri::CallFlag calls{};
};

// NOLINTEND(readability-identifier-naming)

// WorkspacePool: memory of solves, leased to one thread at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "kauri/solve/factor.hpp"
#include "kauri/solve/refiner.hpp"
#include "numeric/matrix_impl.hpp"

namespace kauri {

/// Memory of one solve with its refinement.
template <Scalar T>
struct SolveMemory {
  std::optional<Workspace<T>> workspace;
  std::unique_ptr<numeric::ResidualImpl<T>>
      residual;                       ///< residuals for b and x on the host, or null
  std::optional<Refiner<T>> refiner;  ///< refiner for b and x on a device, or none
  std::uint64_t version = 0;          ///< Engine's version of the values in `refiner`; 0: none
};

/// Memory for solves: objects of SolveMemory that no thread uses now. Any number of threads may
/// lease at once.
template <Scalar T>
class WorkspacePool {
 public:
  /// A SolveMemory that this object takes from the pool for its lifetime, with a workspace for
  /// `cols` right-hand sides, at most kSolveBlock.
  class Lease {
   public:
    /// Takes idle memory with a large enough workspace; else idle memory whose workspace it
    /// replaces by a larger one; else allocates. Throws as Workspace::create().
    Lease(WorkspacePool& pool, const Factor<T>& factor, Index cols);
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_.put(std::move(memory_)); }
    SolveMemory<T>& operator*() { return *memory_; }
    SolveMemory<T>* operator->() { return memory_.get(); }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<SolveMemory<T>> memory_;
  };

  /// Adds memory that the caller has made.
  void add(std::unique_ptr<SolveMemory<T>> memory);
  /// Frees all memory that is not leased.
  void clear();

 private:
  std::unique_ptr<SolveMemory<T>> take(Index nrhs);
  /// Takes back memory that take() returned. Allocates nothing: idle_ has capacity for all memory
  /// that exists.
  void put(std::unique_ptr<SolveMemory<T>> memory) noexcept;
  void make_room();

  std::mutex mutex_;
  std::size_t most_ = 0;  // at least the number of SolveMemory objects, leased or idle
  std::vector<std::unique_ptr<SolveMemory<T>>> idle_;
};

}  // namespace kauri

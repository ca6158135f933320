// Saves plans and factors to files or bytes, and loads them: in another process, on another
// machine, on another kind of device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kauri/core/message.hpp"
#include "kauri/core/plan.hpp"
#include "kauri/solve/factor.hpp"

namespace kauri {

/// Number of the format that this library writes, which is the newest that it reads: see
/// docs/saved-files.md.
inline constexpr int kSaveFormat = 1;

/// Options of load_plan() and load_factor().
struct LoadOptions {
  /// Target of the plan, the name of a cost table: "cpu-avx2", "sm_90" ... If it is empty,
  /// load_plan() takes the target that the plan was saved for. load_factor() does too if the
  /// backend is a CPU that can run that target, so that solves have the bits of the saved factor;
  /// else it takes the backend's target.
  std::string target{};
  /// Number of CPU tasks that the planned memory lets run at the same time, >= 0, as
  /// AnalyzeOptions::workers; 0 takes the saved number. L of a later refactorize() has the same
  /// bits for any number.
  int workers = 0;
  /// Name, in texts of errors, of bytes that do not come from a file.
  std::string name = "saved bytes";
  /// Most bytes that the plan and L together may take, for files that are not trusted: a small file
  /// can describe a very large plan. 0 sets no bound but the machine's memory. Bytes are computed
  /// before memory is allocated: first from the header, then from the sizes of the fronts, before
  /// the lists of their rows are made. The lists of a plan are counted by upper bounds, somewhat
  /// more than they take. If a file needs more than the bound, the call throws Error(memory), which
  /// names the file, the bytes and the bound.
  std::size_t max_bytes = 0;
  /// Most bytes of device memory for a plan for a device and its factor, as
  /// AnalyzeOptions::device_bytes, with the scalar of the saved factor, or with doubles for a plan;
  /// 0: no limit. The limit of a plan that was saved is not saved with it.
  Offset device_bytes = 0;
  /// Receives a warning, as in an analysis, if a device runs slower kernels for the plan since a
  /// contribution block is too large (docs/limits.md).
  MessageHandler on_message{};
};

/// Contents of a file or of bytes.
enum class SavedKind {
  plan,    ///< a Plan
  factor,  ///< a Factor and its plan
};

/// Header of a saved plan or factor.
struct SavedInfo {
  SavedKind kind = SavedKind::plan;  ///< load_plan() takes either kind, load_factor() a factor
  int scalar_bytes = 0;              ///< 4 (float) or 8 (double) for a factor, 0 for a plan
  int format = kSaveFormat;          ///< format of the file
  Index n = 0;                       ///< rows of A
  Offset nnz = 0;                    ///< entries of A's lower triangle
  Index supernodes = 0;              ///< number of supernodes, each with one front
};

/// Writes what determines the plan: A's pattern, the permutation and the supernodes. Everything
/// else in a plan follows from these and the target, and load_plan() makes it again. An existing
/// file is replaced once all bytes are written, not before; a pipe is written to at once. Throws
/// Error(input) if writing fails.
void save_plan(const std::string& path, const Plan& plan);
/// Returns the bytes that save_plan() writes to a file.
std::vector<std::byte> save_plan(const Plan& plan);

/// Returns the plan in a file of a plan or of a factor. For the saved target, number of workers and
/// device_bytes it equals the saved plan; for another target the permutation and the supernodes are
/// the saved ones. The call takes the memory and time of an analysis without the ordering.
///
/// Throws Error: input (no such file; a foreign, damaged, truncated or newer file; a plan that does
/// not fit its pattern; the text names the place), usage (options with an unknown target or workers
/// < 0), memory, overflow.
std::shared_ptr<const Plan> load_plan(const std::string& path, const LoadOptions& options = {});
/// Returns the plan in these bytes, which save_plan() or save_factor() made, as from a file.
std::shared_ptr<const Plan> load_plan(std::span<const std::byte> bytes,
                                      const LoadOptions& options = {});

/// Writes the factor's plan and L, but no values of A. Throws Error(usage) if the factor is not
/// valid, Error(device) if the copy from its device fails, and Error(input) as save_plan() does.
template <Scalar T>
void save_factor(const std::string& path, const Factor<T>& factor);
/// Returns the bytes that save_factor() writes to a file.
template <Scalar T>
std::vector<std::byte> save_factor(const Factor<T>& factor);

/// Returns the factor in a file, on this backend, whatever kind of backend it was saved from. It is
/// valid, and L is the same bit for bit. For the same target, solves have the bits of those with
/// the saved factor; on a device only if both devices run the same kernels of large fronts
/// (Backend::kernels()). The factor holds no values of A; refactorize_shifted() uses the values
/// that it is given. L is read front by front; if the backend is a device, a copy of L takes host
/// memory for the duration of the call.
///
/// Throws Error as load_plan() does, and: input (the file holds a plan, or a factor of the other
/// scalar), memory, device, usage (a target for the other kind of backend).
template <Scalar T>
Factor<T> load_factor(const std::string& path, Backend& backend, const LoadOptions& options = {});
/// Returns the factor in these bytes, which save_factor() made, as from a file.
template <Scalar T>
Factor<T> load_factor(std::span<const std::byte> bytes, Backend& backend,
                      const LoadOptions& options = {});

/// Returns the header of a file, and reads nothing behind it. Throws Error(input) if it is not the
/// header of a plan or factor.
SavedInfo saved_info(const std::string& path);
/// Returns the header of these bytes. name: the name of the bytes in errors.
SavedInfo saved_info(std::span<const std::byte> bytes, const std::string& name = "saved bytes");

}  // namespace kauri

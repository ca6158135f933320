// Plans and factors in files and in bytes, to be loaded by another process, on another machine, on another kind of device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kauri/factor.hpp"
#include "kauri/plan.hpp"

namespace kauri {

/// The format that this library writes, and the newest that it reads: see docs/saved-files.md.
inline constexpr int kSaveFormat = 1;

/// How load_plan() and load_factor() make what they load.
struct LoadOptions {
  /// What the plan is made for: a cost table, "cpu-avx2", "sm_90" ... Empty: of a plan what it was saved for; of a factor the same where
  /// the backend is a CPU that can run it, so that bits are those of the factor saved, and else the backend's own target.
  std::string target{};
  /// Tasks at once that the CPU's memory is planned for, as AnalyzeOptions::workers; 0: as it was saved. Reaches no bit.
  int workers = 0;
  /// What errors call bytes that come from no file.
  std::string name = "saved bytes";
  /// Bytes that the plan, and L, may take, counted before memory is taken for them: by the header, and by the counts of fronts before there
  /// are lists of their rows. A small file may stand for very much. 0: what there is. Of a plan the lists are counted by bounds: somewhat
  /// more than they take. A file that needs more is an Error(memory) that names file, bytes and bound.
  std::size_t max_bytes = 0;
  /// Told, as an analysis tells it, where a device does the plan by slower kernels since a contribution block is too large
  /// (docs/limits.md).
  MessageHandler on_message{};
};

/// What is in a file or in bytes.
enum class SavedKind {
  plan,    ///< a Plan
  factor,  ///< a Factor and its plan
};

/// What the beginning of a file says of it.
struct SavedInfo {
  SavedKind kind = SavedKind::plan;  ///< what load_plan() takes, both, or load_factor(), a factor
  int scalar_bytes = 0;              ///< of a factor 4, float, or 8, double; else 0
  int format = kSaveFormat;          ///< of the file
  Index n = 0;                       ///< rows of A
  Offset nnz = 0;                    ///< entries of A's lower triangle
  Index supernodes = 0;              ///< fronts
};

/// Writes what decides the plan: A's pattern, permutation and supernodes; what was made of them for a target and for tests is made again.
/// A file is replaced once all is written, not before (a pipe is written to at once). Throws Error(input) if that fails.
void save_plan(const std::string& path, const Plan& plan);
/// The same bytes in memory.
std::vector<std::byte> save_plan(const Plan& plan);

/// The plan of a file, or that of a factor's file: for the target that it was saved for every field is as it was, supernodes are for any.
/// Memory and time are those of an analysis without the ordering.
///
/// Throws Error: input (no such file; a foreign, damaged, cut or newer one, or a plan that does not fit its own pattern: the text tells the
/// place), usage (an unknown target or less than 0 workers asked for), memory, overflow.
std::shared_ptr<const Plan> load_plan(const std::string& path, const LoadOptions& options = {});
/// The same from memory.
std::shared_ptr<const Plan> load_plan(std::span<const std::byte> bytes, const LoadOptions& options = {});

/// Writes the factor's plan and L. Values of A are not among it. Throws Error(usage) if the factor is not valid, Error(device) if the copy
/// from its device failed, Error(input) as save_plan().
template <Scalar T>
void save_factor(const std::string& path, const Factor<T>& factor);
/// The same bytes in memory.
template <Scalar T>
std::vector<std::byte> save_factor(const Factor<T>& factor);

/// A factor on this backend, whatever kind of device it was saved from: valid, with L bit for bit. On the same target solves have the bits
/// of those by the factor saved; on a device for that it must come from one that ran the same loops. Of A no values are there:
/// refactorize_shifted() takes those given. From a file L is read front by front; on a device a copy of it is in the host's memory
/// meanwhile.
///
/// Throws Error: as load_plan(), input (a plan, or the other scalar: the text tells), memory, device, usage (a target of the other kind of
/// backend).
template <Scalar T>
Factor<T> load_factor(const std::string& path, Backend& backend, const LoadOptions& options = {});
/// The same from memory.
template <Scalar T>
Factor<T> load_factor(std::span<const std::byte> bytes, Backend& backend, const LoadOptions& options = {});

/// What the beginning of a file says; all else is not looked at. Throws Error(input).
SavedInfo saved_info(const std::string& path);
/// The same from memory. name: what errors call the bytes.
SavedInfo saved_info(std::span<const std::byte> bytes, const std::string& name = "saved bytes");

}  // namespace kauri

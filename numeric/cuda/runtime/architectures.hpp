// The devices that a build has code for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace kauri::numeric::cuda {

/// The kind of code that a device runs, in ascending order of preference. PTX needs a driver that
/// is not older than the CUDA toolkit that made the PTX.
enum class Code { none, ptx, machine };

/// Returns the best code made for `built_for` that runs on a device of compute capability
/// major.minor. `built_for` holds items of CMAKE_CUDA_ARCHITECTURES with spaces between them:
/// "80-real" (machine code: 8.0 and later ones of the same major version), "90-virtual" (PTX: 9.0
/// and all later ones), "90" (both), "90a" (9.0 alone), "100f" (10.0 and later 10.x). Devices of
/// Tegra modules (8.7, 10.1, 11.0) run machine code of their own version alone. Other text,
/// like "all" or an empty one, is not understood and counts as machine code: then loading a kernel
/// shows whether the device can run it.
Code code_for(std::string_view built_for, int major, int minor);

/// Returns what code_for() found, in words: "machine code for 8.0", or "PTX of 9.0, which the
/// driver compiles when it is first loaded"; empty if no code runs, or if `built_for` is not
/// understood.
std::string code_in_words(std::string_view built_for, int major, int minor);

/// Returns the architectures that this build has code for, in the form that code_for() reads. Under
/// the emulator (tests/emulator) a test sets them.
std::string_view built_for();

/// Returns the architectures in words: "8.0 and 9.0" for "80-real 90"; empty if they are not known.
std::string in_words(std::string_view built_for);

}  // namespace kauri::numeric::cuda

// Which devices a build has code for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace kauri::numeric::cuda {

/// The kind of code that a device runs. PTX needs a driver that is not older than the toolkit which made it.
enum class Code { none, ptx, machine };

/// The best code made for `built_for` that runs on a device of that compute capability. built_for: items of CMAKE_CUDA_ARCHITECTURES with
/// spaces between them: "80-real" (machine code: 8.0 and later ones of the same major version), "90-virtual" (PTX: 9.0 and all later ones),
/// "90" (both), "90a" (9.0 alone), "100f" (as machine code). Anything else, like "all" or nothing, is not known here and counts as machine
/// code: then the driver finds out.
Code code_for(std::string_view built_for, int major, int minor);

/// The architectures that this build has code for, in the form above. In the tests' emulator a test sets them.
std::string_view built_for();

/// "8.0 and 9.0" for "80-real 90". Empty where that is not known.
std::string in_words(std::string_view built_for);

}  // namespace kauri::numeric::cuda

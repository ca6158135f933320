// Symbolic: an analysis for Python, with the texts of its options.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kauri/core/analysis.hpp"
#include "src/engine/symbolic.hpp"

namespace kauri::python {

/// Names of options, each with the text of its value.
using OptionTexts = std::vector<std::pair<std::string, std::string>>;

/// An analysis for Python, which all factors made from it share.
struct Symbolic : kauri::Symbolic {
  /// Sets the options and makes the backends, without an analysis. Throws Error(usage) for unknown
  /// options and values.
  Symbolic(OptionTexts texts, int scalar_size);

  OptionTexts given;
};

/// Waits until the work on the caller's stream at the time of the call has ended. Returns at once
/// if Python gave None for the stream.
inline void wait_for(const Symbolic& symbolic, std::optional<std::uintptr_t> stream) {
  if (stream) symbolic.wait_for(reinterpret_cast<StreamHandle>(*stream));
}

}  // namespace kauri::python

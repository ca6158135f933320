// Options by name and text: for languages, files and command lines that have no structs of C++.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kauri/solver.hpp"

namespace kauri {

/// What the value of a named option is.
enum class OptionKind {
  boolean,  ///< "true" or "false", also "1" or "0"
  integer,  ///< decimal digits, perhaps with a minus
  number,   ///< as std::from_chars reads a double: "0.5", "1e-3", "inf"; a point in every locale
  word,     ///< one of NamedOption::words
};

/// "boolean", "integer", "number", "word".
std::string_view name_of(OptionKind kind);

/// An option there is. The texts stay as long as the process.
struct NamedOption {
  std::string name;                  ///< that of the member, behind that of its struct: "threads", "ordering.method", "refine.max_steps"
  OptionKind kind;                   ///< of its value
  std::vector<std::string> words{};  ///< of kind word: all that there are
  std::string accepts;               ///< what values it takes, for people: "an integer from 0 to 2^31 - 1", "fast, default or best"
  std::string initial;               ///< its value in SolverOptions{}
  std::string help;                  ///< what it does: one sentence, without a full stop
};

/// All of them: what is one word or one number in SolverOptions and the structs in it. In the order of documents.
const std::vector<NamedOption>& named_options();

/// The one of that name. Throws Error(usage) for another name, with the nearest one that there is.
const NamedOption& named_option(std::string_view name);

/// Sets it from text, of which every letter counts. Throws Error(usage) as named_option() does, and for a value that it does not take, with
/// the option, what was given and what is expected; then the options are as before. What several options say together is looked at by the
/// calls that take them.
void set_option(SolverOptions& options, std::string_view name, std::string_view value);

/// Its value as the text by which set_option() brings it back, to the last bit. Throws Error(usage) as named_option() does, and for a value
/// that has no name.
std::string get_option(const SolverOptions& options, std::string_view name);

}  // namespace kauri

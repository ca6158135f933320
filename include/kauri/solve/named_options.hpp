// Options by name and text, for languages, files and command lines that cannot fill C++ structs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kauri/solve/solver.hpp"

namespace kauri {

/// Type of the value of a named option.
enum class OptionKind {
  boolean,  ///< "true" or "false", also "1" or "0"
  integer,  ///< decimal digits, perhaps with a minus
  number,  ///< a double as std::from_chars reads it: "0.5", "1e-3", "inf"; the decimal separator is
           ///< a point in every locale
  word,    ///< one of NamedOption::words
  text,    ///< any text, as the name of a file
};

/// Returns "boolean", "integer", "number", "word" or "text".
std::string_view name_of(OptionKind kind);

/// Description of one option. named_options() and named_option() return references that stay valid
/// until the process ends.
struct NamedOption {
  std::string name;  ///< name of the member, after that of its struct and a point if it is not in
                     ///< SolverOptions itself: "threads", "ordering.method", "refine.max_steps"
  OptionKind kind;   ///< type of its value
  std::vector<std::string> words{};  ///< all values of an option of kind `word`; else empty
  std::string accepts;  ///< accepted values, for people: "an integer from 0 to 2^31 - 1", "fast,
                        ///< standard or best"
  std::string initial;  ///< its value in SolverOptions{}
  std::string help;     ///< its effect, in one sentence without a full stop
};

/// Returns all named options, in the order of the documentation: those members of SolverOptions and
/// of the structs in it that are a boolean, a number, an enumeration or the name of a file.
const std::vector<NamedOption>& named_options();

/// Returns the option of this name. Throws Error(usage) for an unknown name, and suggests the
/// nearest known one.
const NamedOption& named_option(std::string_view name);

/// Sets an option from text. The whole text is the value: case matters, and blanks are not skipped.
///
/// Throws Error(usage) as named_option() does, and for a value that the option does not accept,
/// naming the option, the value given and the values expected; `options` is then unchanged.
/// Combinations of options are not checked here, but by the calls that take the options.
void set_option(SolverOptions& options, std::string_view name, std::string_view value);

/// Returns the value of an option as text, from which set_option() restores it to the last bit.
/// Throws Error(usage) as named_option() does, and for a value that has no name.
std::string get_option(const SolverOptions& options, std::string_view name);

}  // namespace kauri

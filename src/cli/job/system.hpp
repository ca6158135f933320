// Systems of a command: read from files or generated from formulas, with a name for reports.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kauri/core/matrix.hpp"
#include "src/cli/options/options.hpp"

namespace kauri::cli {

/// The file that the name "-" stands for.
inline constexpr std::string_view kStandardInput = "/dev/stdin";
/// Returns the file that a word of the command line names: standard input for "-".
inline std::string opened(const std::string& word) {
  return word == "-" ? std::string(kStandardInput) : word;
}

/// Source of one system: a file, or a specification of kauri::generate().
struct SystemSource {
  std::string text;
  bool is_file = false;
  /// Returns the name for reports: the specification, as "poisson3d 60", or the name of the file,
  /// or of the member of an archive, without folder and ending, as "vem2"; "stdin" for the standard
  /// input.
  [[nodiscard]] std::string name() const;
};

struct System {
  std::string name;
  std::string source;              ///< file or specification, as on the command line
  SymmetricMatrix<double> matrix;  ///< matrix with the shift on its diagonal
  double read_s = 0;
};

/// Returns the sources, files first, then specifications. Throws Error(usage) if there is none.
std::vector<SystemSource> sources(const SystemOptions& options);
/// Reads or generates a system. threads: the threads that parse a file, 0 for all. Throws Error:
/// input (also naming the row in which the shift overflows), usage (a bad specification, a shift
/// that is not finite), memory (naming the bytes that were available).
System load(const SystemSource& source, const SystemOptions& options, const LimitOptions& limits,
            int threads);
/// Reads or generates the system of a command that takes a single one. Throws Error as load(), and
/// Error(usage) for several files, or if neither a file nor a specification is given.
System load_one(const SystemOptions& options, const LimitOptions& limits, int threads);

/// Values of a system in T: a view of the doubles, or a copy in float. The constructor throws
/// Error(input) naming source, row and column of a value that is not finite in T: one that a
/// formula made, or one beyond the range of float. The system must outlive it.
template <Scalar T>
class Values {
 public:
  explicit Values(const System& system);
  [[nodiscard]] SymmetricView<T> view() const { return view_; }

 private:
  std::vector<T> copy_;
  SymmetricView<T> view_;
};

}  // namespace kauri::cli

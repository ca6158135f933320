// The systems a command works on: from files or from formulas, with a name for reports.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kauri/matrix.hpp"
#include "src/cli/options/options.hpp"

namespace kauri::cli {

/// What the file "-" stands for.
inline constexpr std::string_view kStandardInput = "/dev/stdin";
/// The file that is read for a word of the command line.
inline std::string opened(const std::string& word) { return word == "-" ? std::string(kStandardInput) : word; }

/// Where one system comes from: a file, or a specification of kauri::generate.
struct Source {
  std::string text;
  bool is_file = false;
  /// "poisson3d 60", or the name of the file, or of the member of an archive, without folder and ending: "vem2".
  [[nodiscard]] std::string name() const;
};

struct System {
  std::string name;
  std::string source;              ///< the file or specification, as it was given
  SymmetricMatrix<double> matrix;  ///< with the shift on its diagonal
  double read_s = 0;
};

/// Files first, then specifications. Throws Error(usage) if there is none.
std::vector<Source> sources(const SystemOptions& options);
/// Files are parsed by so many threads, 0: by all. Throws Error: input (also naming the row where the shift overflows), usage, memory (with
/// the bytes that were there).
System load(const Source& source, const SystemOptions& options, const LimitOptions& limits, int threads);
/// For commands that take one system.
System load_one(const SystemOptions& options, const LimitOptions& limits, int threads);

/// The values of a system in T: the doubles themselves, or a float copy made once. Throws Error(input) naming source, row and column of
/// one that is not finite in T (of a formula, or beyond what float holds).
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

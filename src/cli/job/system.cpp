// Systems of a command: read from files or generated from formulas, with a name for reports.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/job/system.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <type_traits>

#include "kauri/extras/generate.hpp"
#include "kauri/extras/io.hpp"
#include "src/checks/find_non_finite.hpp"
#include "src/cli/job/limits.hpp"
#include "src/cli/terminal/measure.hpp"
#include "src/io/file/file.hpp"
#include "src/io/parse.hpp"

namespace kauri::cli {
namespace {

SymmetricMatrix<double> read(const SystemSource& source, const SystemOptions& options,
                             const LimitOptions& limits, int threads) {
  if (!source.is_file) return generate(source.text);
  std::error_code code;
  const std::filesystem::file_status status =
      std::filesystem::status(io::split_member(source.text).file, code);
  if (!std::filesystem::exists(status))
    throw Error(ErrorKind::input, fmt::format("{}: no such file", source.text));
  if (std::filesystem::is_directory(status))
    throw Error(ErrorKind::input, fmt::format("{}: is a folder, expected a file", source.text));
  ReadOptions how{.threads = threads, .symmetry = options.symmetry};
  // If the user bounds the memory, the fence enforces the bound; max_bytes only lifts the limit
  // that read_matrix() sets on rows without entries if it has no bound.
  if (std::isfinite(limits.max_gb)) how.max_bytes = std::numeric_limits<std::size_t>::max() - 1;
  if (options.half != "both")
    how.both_halves = options.half == "lower" ? Storage::lower_of_full : Storage::upper_of_full;
  return read_matrix(source.text, how);
}

void add_to_diagonal(SymmetricMatrix<double>& a, double shift, const std::string& source) {
  if (!std::isfinite(shift)) throw Error(ErrorKind::usage, "--shift: expected a finite number");
  if (shift == 0) return;
  const Pattern pattern = a.pattern();
  for (Index j = 0; j < pattern.n; ++j) {
    double& d = a.value()[static_cast<std::size_t>(pattern.col_ptr[j])];
    if (!std::isfinite(d + shift))
      throw Error(ErrorKind::input, fmt::format("{}: entry ({}, {}) of A (row, column, from 0) is "
                                                "{} with --shift {}, expected a finite number",
                                                source, j, j, d + shift, shift));
    d += shift;
  }
}

}  // namespace

std::string SystemSource::name() const {
  if (!is_file) return io::shown(text);
  if (text == kStandardInput) return "stdin";
  if (text.starts_with("/dev/"))
    return io::shown(text);  // a shell passes <(...) as /dev/fd/63, of which "63" would say nothing
  const auto [file, member] = io::split_member(text);
  std::string name = std::filesystem::path(member.empty() ? file : member).filename().string();
  for (const char* ending : {".gz", ".tgz", ".tar", ".mtx", ".npz", ".rb", ".rsa", ".psa"})
    if (name.size() > std::string_view(ending).size() && name.ends_with(ending))
      name.resize(name.size() - std::string_view(ending).size());
  return io::shown(name);
}

std::vector<SystemSource> sources(const SystemOptions& options) {
  std::vector<SystemSource> list;
  for (const std::string& file : options.files) list.push_back({opened(file), true});
  for (const std::string& spec : options.specs) list.push_back({spec, false});
  if (list.empty())
    throw Error(ErrorKind::usage, "no system given: name a FILE, or a formula with --gen \"SPEC\"");
  return list;
}

System load(const SystemSource& source, const SystemOptions& options, const LimitOptions& limits,
            int threads) {
  System system;
  system.name = source.name();
  system.source = source.text;
  const Stopwatch watch;
  system.matrix = fenced("the system " + source.text + " alone", limits,
                         [&] { return read(source, options, limits, threads); });
  add_to_diagonal(system.matrix, options.shift, source.text);
  system.read_s = watch.seconds();
  return system;
}

System load_one(const SystemOptions& options, const LimitOptions& limits, int threads) {
  if (options.files.size() > 1)
    throw Error(ErrorKind::usage,
                fmt::format("expected one file, there are {}: {}", options.files.size(),
                            fmt::join(options.files, ", ")));
  return load(sources(options).front(), options, limits, threads);
}

template <Scalar T>
Values<T>::Values(const System& system) {
  const SymmetricMatrix<double>& matrix = system.matrix;
  view_.pattern = matrix.pattern();
  if constexpr (std::is_same_v<T, double>) {
    view_.value = matrix.value();
  } else {
    copy_.assign(matrix.value().begin(), matrix.value().end());
    view_.value = copy_;
  }
  require_finite(view_, system.source);
}

template class Values<double>;
template class Values<float>;

}  // namespace kauri::cli

// Output files of commands: their names are checked before the work begins.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/job/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <system_error>

#include "kauri/core/error.hpp"
#include "src/cli/job/system.hpp"
#include "src/io/file/file.hpp"
#include "src/io/parse.hpp"

namespace kauri::cli {
namespace {

void check_name(const std::string& path, std::initializer_list<std::string_view> endings,
                const char* words) {
  if (std::none_of(endings.begin(), endings.end(),
                   [&](std::string_view ending) { return path.ends_with(ending); }))
    throw Error(ErrorKind::usage, fmt::format("{}: expected a name that ends in {}", path, words));
  check_folder(path);
}

/// Returns true if both names denote the same regular file, or will when they are written. The name
/// of a file that does not exist is compared by folder and last component, with links followed to
/// their end.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code code;
  if (std::filesystem::exists(a, code) && std::filesystem::exists(b, code))
    return std::filesystem::is_regular_file(a, code) && std::filesystem::equivalent(a, b, code) &&
           !code;
  const auto to_be = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(io::end_of_links(path), code);
  };
  const std::filesystem::path left = to_be(a), right = to_be(b);
  return !left.empty() && left == right;
}

std::string in_words(const NamedFile& file) {
  return file.option.empty() ? file.path : file.option + " " + file.path;
}

}  // namespace

void check_apart(const std::vector<NamedFile>& outputs, const CommonOptions& options,
                 const std::vector<NamedFile>& inputs) {
  std::vector<NamedFile> read = inputs;
  for (const std::string& file : options.system.files)
    read.push_back({"", io::split_member(opened(file)).file});
  if (!options.job.ordering_file.empty()) read.push_back({"--ordering", options.job.ordering_file});
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (outputs[k].path.empty()) continue;
    for (const NamedFile& input : read)
      if (!input.path.empty() && same_file(outputs[k].path, input.path))
        throw Error(ErrorKind::usage,
                    fmt::format("{}: would be written over {}, which is read; name another file",
                                in_words(outputs[k]), in_words(input)));
    for (std::size_t other = 0; other < k; ++other)
      if (!outputs[other].path.empty() && same_file(outputs[k].path, outputs[other].path))
        throw Error(ErrorKind::usage, fmt::format("{}: would be written over {}; name another file",
                                                  in_words(outputs[k]), in_words(outputs[other])));
  }
}

void check_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  if (!std::filesystem::is_directory(folder))
    throw Error(ErrorKind::input,
                fmt::format("{}: there is no folder {}; create it first", path, folder.string()));
}

void check_picture_name(const std::string& path) {
  check_name(path, {".svg", ".png"}, ".svg or .png");
}

void check_matrix_name(const std::string& path) {
  check_name(path, {".mtx", ".mtx.gz", ".npz"}, ".mtx, .mtx.gz or .npz");
}

void check_page_name(const std::string& path) { check_name(path, {".html"}, ".html"); }

void write_file(const std::string& path, std::string_view bytes) {
  io::FileWriter file(path);
  file.write(bytes);
  file.close();
}

}  // namespace kauri::cli

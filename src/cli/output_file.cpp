// Files that commands write: names that cannot be written are found before the work, not after it.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "kauri/error.hpp"
#include "src/io/file.hpp"

namespace kauri::cli {
namespace {

void check_name(const std::string& path, std::initializer_list<std::string_view> endings, const char* words) {
  if (std::none_of(endings.begin(), endings.end(), [&](std::string_view ending) { return path.ends_with(ending); }))
    throw Error(ErrorKind::usage, fmt::format("{}: expected a name that ends in {}", path, words));
  check_folder(path);
}

}  // namespace

void check_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  if (!std::filesystem::is_directory(folder))
    throw Error(ErrorKind::input, fmt::format("{}: there is no folder {}", path, folder.string()));
}

void check_picture_name(const std::string& path) { check_name(path, {".svg", ".png"}, ".svg or .png"); }

void check_matrix_name(const std::string& path) { check_name(path, {".mtx", ".mtx.gz", ".npz"}, ".mtx, .mtx.gz or .npz"); }

void check_page_name(const std::string& path) { check_name(path, {".html"}, ".html"); }

void write_file(const std::string& path, std::string_view bytes) {
  io::FileWriter file(path);
  file.write(bytes);
  file.close();
}

}  // namespace kauri::cli

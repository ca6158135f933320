// Files that commands write: names that cannot be written are found before the work, not after it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/cli/options/options.hpp"

namespace kauri::cli {

/// Throws Error(input) unless the folder of the file is there.
void check_folder(const std::string& path);
/// The same, and Error(usage) unless the name ends in .svg or .png.
void check_picture_name(const std::string& path);
/// The same for those that write_matrix tells apart: .mtx, .mtx.gz, .npz.
void check_matrix_name(const std::string& path);
/// The same for .html.
void check_page_name(const std::string& path);

/// A file that a command line names, and how: {"-o", "x.npy"}.
struct NamedFile {
  std::string option;  ///< empty: a word without a name
  std::string path;    ///< empty: it is not there
};
/// Throws Error(usage) where a file that is to be written is one that is read, a system, a permutation or one of `inputs`, or is written
/// twice: by its name or through links. Devices may be both.
void check_apart(const std::vector<NamedFile>& outputs, const CommonOptions& options, const std::vector<NamedFile>& inputs = {});

/// Creates or replaces the file. Throws Error(input).
void write_file(const std::string& path, std::string_view bytes);

}  // namespace kauri::cli

// Output files of commands: their names are checked before the work begins.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/cli/options/options.hpp"

namespace kauri::cli {

/// Throws Error(input) unless the folder of the file exists.
void check_folder(const std::string& path);
/// Throws Error(usage) unless the name ends in .svg or .png, else as check_folder().
void check_picture_name(const std::string& path);
/// Throws Error(usage) unless the name ends in .mtx, .mtx.gz or .npz, by which write_matrix()
/// chooses the format, else as check_folder().
void check_matrix_name(const std::string& path);
/// Throws Error(usage) unless the name ends in .html, else as check_folder().
void check_page_name(const std::string& path);

/// A file of the command line with its option: {"-o", "x.npy"}.
struct NamedFile {
  std::string option;  ///< name of the option; empty: a positional argument
  std::string path;    ///< name of the file; empty: the option is not given
};
/// Throws Error(usage) if an output file is also read (a system, a permutation or one of `inputs`)
/// or is written twice, under its name or through links. Files that are not regular, as devices,
/// may be both.
void check_apart(const std::vector<NamedFile>& outputs, const CommonOptions& options,
                 const std::vector<NamedFile>& inputs = {});

/// Creates or replaces the file. Throws Error(input).
void write_file(const std::string& path, std::string_view bytes);

}  // namespace kauri::cli

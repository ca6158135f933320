// Files that commands write: names that cannot be written are found before the work, not after it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace kauri::cli {

/// Throws Error(input) unless the folder of the file is there.
void check_folder(const std::string& path);
/// The same, and Error(usage) unless the name ends in .svg or .png.
void check_picture_name(const std::string& path);
/// The same for those that write_matrix tells apart: .mtx, .mtx.gz, .npz.
void check_matrix_name(const std::string& path);
/// The same for .html.
void check_page_name(const std::string& path);

/// Creates or replaces the file. Throws Error(input).
void write_file(const std::string& path, std::string_view bytes);

}  // namespace kauri::cli

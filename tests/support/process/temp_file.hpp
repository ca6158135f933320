// Files that exist during a test.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace kauri::test {

/// A unique path in the folder for temporary files; the destructor removes the file.
class TempFile {
 public:
  explicit TempFile(const std::string& ending = "") {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("kauri_" + std::to_string(::getpid()) + "_" + std::to_string(count++) + ending);
  }
  TempFile(const std::string& ending, std::string_view content) : TempFile(ending) {
    std::ofstream(path_, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  ~TempFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// A new folder with a unique path; the destructor removes it with its contents.
class TempFolder {
 public:
  TempFolder() { std::filesystem::create_directory(place_.path()); }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(place_.path(), ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  [[nodiscard]] std::string path() const { return place_.path(); }

 private:
  TempFile place_;
};

}  // namespace kauri::test

// Memory whose bytes lie in a file on a disk, for arrays that are larger than the machine's memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>
#include <utility>

#include "kauri/core/types.hpp"

namespace kauri::numeric::cpu {

/// Throws Error(input) unless `folder` is a folder in which this process may make files, and which
/// lies on a disk: files of tmpfs and ramfs are memory themselves. The text names the folder and
/// the reason of the system.
void require_disk_folder(const std::string& folder);

/// A block of bytes in a file of its own, mapped into memory: the system holds as much of it as
/// there is memory for, and writes the rest to the disk. The file has no name, so that the system
/// frees its bytes when this object is destroyed and when the process ends, however it ends. All
/// bytes are allocated on the disk beforehand, so that a full disk is an error of the constructor.
/// Bytes are zero at first. Move-only.
class FileMemory {
 public:
  FileMemory() = default;
  /// Throws Error: memory (the disk, a quota or the process's limit on the size of files leaves
  /// fewer bytes: the text has the bytes asked for, those free, and the folder), input (as
  /// require_disk_folder(), or the file cannot be made or mapped). bytes >= 0.
  FileMemory(Offset bytes, std::string folder);
  FileMemory(FileMemory&& other) noexcept { swap(other); }
  FileMemory& operator=(FileMemory&& other) noexcept {
    FileMemory taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~FileMemory();

  /// Returns the first byte, at the beginning of a page; null without a file.
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] Offset bytes() const { return bytes_; }
  /// Returns true if the file was made by another process, of which this one is a fork: both share
  /// the bytes.
  [[nodiscard]] bool foreign() const;

  /// Says that bytes [begin, end) will not be written soon: the system begins to write them to the
  /// disk, and does not wait. Without this it would begin when memory is short.
  void done(Offset begin, Offset end) const noexcept;
  /// Says that bytes [begin, end) will be read soon.
  void ahead(Offset begin, Offset end) const noexcept;
  /// Sets all bytes to zero without reading them from the disk, where the file system can do so;
  /// otherwise they keep their values.
  void forget() const noexcept;
  /// Throws Error(input) if the system could not write some bytes to the disk, which are lost then.
  void require_written() const;

 private:
  void swap(FileMemory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(file_, other.file_);
    std::swap(process_, other.process_);
    lost_.store(other.lost_.exchange(lost_.load()));
    std::swap(folder_, other.folder_);
  }
  void* data_ = nullptr;
  Offset bytes_ = 0;
  int file_ = -1;
  pid_t process_ = 0;                 // that made the file
  mutable std::atomic<int> lost_{0};  // errno of a failed write
  std::string folder_;
};

}  // namespace kauri::numeric::cpu

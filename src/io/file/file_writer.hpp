// Writes files completely or not at all.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "kauri/core/types.hpp"
#include "src/io/file/file.hpp"
#include "src/io/file/unfinished.hpp"

namespace kauri::io {

/// Place of the bytes until the file is finished.
enum class Unfinished {
  /// A file without a name, which the system removes however the process ends; as `named` if the
  /// file system has no nameless files.
  nameless,
  /// A file in the target's folder with the name NAME.partPROCESS.NUMBER, which is registered for
  /// remove_unfinished().
  named,
};

/// Follows symbolic links from `path` and returns the name at their end, which a FileWriter creates
/// if no file has it. Returns any name of a circle of links.
std::string end_of_links(const std::string& path);

/// Creates or replaces a file. The old file stays until close(): the bytes are written elsewhere in
/// its folder and reach the disk before they become the file, and the folder's entry is on the disk
/// when close() returns; without close() nothing is left of them. The new file has owner, group and
/// permissions of the one it replaces from its first byte on; if owner or group cannot be kept,
/// nobody gets more rights than before. For a symbolic link the file that it names is created or
/// replaced, not the link. Pipes and devices are written directly. Throws Error(input) with the
/// system's reason.
class FileWriter {
 public:
  explicit FileWriter(const std::string& path, Unfinished unfinished = Unfinished::nameless);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  void write(std::string_view bytes);
  /// Finishes the file. Required: only after it are all bytes known to be written.
  void close();

 private:
  /// A name beside the target, which is removed if a signal or an exception ends the work.
  class Beside;

  static constexpr Offset kStretch =
      Offset{4} << 20;  // bytes of a stretch sent to the disk; two stretches are under way

  void sync_to_disk();
  void open_target(Unfinished unfinished, mode_t mode);
  bool open_nameless(mode_t mode);
  /// Calls try_name(path) with names beside the target until it returns true. If it returns false,
  /// errno must be set: to EEXIST if the name is taken; another error is thrown as Error(input).
  template <class TryName>
  void name_beside(TryName&& try_name);
  void link_to_target();
  void synchronise_folder();
  [[noreturn]] void fail_here(const char* what) const;

  std::string path_;    // as the caller names it
  std::string target_;  // the file that path_ resolves to; empty: path_ is written directly
  std::string folder_;  // folder of the target
  Descriptor file_;
  Offset written_ = 0, begun_ = 0,
         there_ = 0;  // bytes: written in all, sent to the disk, known to be on the disk
  std::unique_ptr<Beside> beside_;  // null as long as the file has no name
};

}  // namespace kauri::io

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

/// The place of the bytes until a file is finished.
enum class Unfinished {
  /// A file without a name, which the system removes however the process ends; as `named` if the
  /// file system has no nameless files.
  nameless,
  /// A file in the target's folder with the name NAME.partPROCESS.NUMBER, which is registered for
  /// remove_unfinished().
  named,
};

/// Returns the name at the end of the symbolic links that begin at path, which a FileWriter creates
/// if nothing is there. Returns any name of a circle of links.
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
      Offset{4} << 20;  // stretch of bytes sent to the disk at a time; two are under way

  void sync_to_disk();
  void open_target(Unfinished unfinished, mode_t mode);
  bool open_nameless(mode_t mode);
  /// Calls try_name(path) with new names until it returns true; it returns false if it did not
  /// create the file, for EEXIST because the name is taken.
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

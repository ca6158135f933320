// Files written: all of them or nothing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "kauri/types.hpp"
#include "src/io/file/file.hpp"
#include "src/io/file/unfinished.hpp"

namespace kauri::io {

/// Where bytes are until a file is finished.
enum class Unfinished {
  nameless,  ///< in a file without a name, which the system removes whatever ends the process; else as below, where there are none
  named,     ///< beside the file, under a name of their own (NAME.partPROCESS.NUMBER): noted for remove_unfinished()
};

/// The name at the end of the symbolic links that begin at a path: what a FileWriter creates where nothing is there. Of a circle any name.
std::string end_of_links(const std::string& path);

/// Creates or replaces a file. What was there stays until close(): bytes are elsewhere in its folder, on the disk before they become the
/// file, and so is the folder's entry when close() returns; without close() nothing is left of them. The file has owner, group and
/// permissions of the one that it replaces from its first byte on; where owner or group cannot be kept, nobody may do more than before.
/// What a symbolic link names is created or replaced, not the link. Pipes and devices are written to at once. Throws Error(input) with the
/// system's reason.
class FileWriter {
 public:
  explicit FileWriter(const std::string& path, Unfinished unfinished = Unfinished::nameless);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  void write(std::string_view bytes);
  /// Must be called at the end: only then are all bytes known to be written.
  void close();

 private:
  /// A name beside the target, and what happens to it when a signal or an exception ends the work.
  class Beside;

  static constexpr Offset kStretch = Offset{4} << 20;  // bytes on their way to the disk at a time, twice

  void bring_to_disk();
  void open_target(Unfinished unfinished, mode_t mode);
  bool open_nameless(mode_t mode);
  /// try_name(path) says whether it made the file: false where there is one of that name.
  template <class TryName>
  void name_beside(TryName&& try_name);
  void link_to_target();
  void synchronise_folder();
  [[noreturn]] void fail_here(const char* what) const;

  std::string path_;    // as the caller names it
  std::string target_;  // what it stands for; empty: written to at once
  std::string folder_;  // of the target
  Descriptor file_;
  Offset written_ = 0, begun_ = 0, there_ = 0;  // bytes: in all, of which on their way to the disk, of which known to be there
  std::unique_ptr<Beside> beside_;              // null where there is no name yet
};

}  // namespace kauri::io

// Memory of the panels of L and of a factorisation, in the host's memory or in a file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>

#include "base/host/memory.hpp"
#include "numeric/cpu/runtime/file_memory.hpp"

namespace kauri::numeric::cpu {

/// A block of T, in memory that is counted in a ledger, or in a file, which is not. In a file the
/// calls that say what comes next make the system read and write in time; in memory they do
/// nothing. Places are in T from the beginning. Move-only.
template <class T>
class PanelMemory {
 public:
  /// folder: that of the file; empty: no file. Throws as Buffer and FileMemory do.
  PanelMemory(Offset count, MemoryLedger& ledger, const std::string& folder)
      : count_(count), folder_(folder) {
    if (folder.empty())
      buffer_ = Buffer<T>(count, ledger);
    else
      file_ = FileMemory(byte_count(count, Offset{sizeof(T)}), folder);
    data_ = folder.empty() ? buffer_.data() : static_cast<T*>(file_.data());
  }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] bool in_file() const { return !folder_.empty(); }

  /// Says that all values will be replaced, so that those in a file need not be read from the disk;
  /// they may be zero then. In a process that was forked since the file was made, makes a file of
  /// its own, since the other process needs the values; throws as FileMemory does.
  void replace() {
    if (!in_file()) return;
    if (!file_.foreign()) return file_.forget();
    file_ = FileMemory(byte_count(count_, Offset{sizeof(T)}), folder_);
    data_ = static_cast<T*>(file_.data());
  }
  /// Says that values [begin, end) will not be written again soon.
  void done(Offset begin, Offset end) const {
    if (in_file()) file_.done(begin * Offset{sizeof(T)}, end * Offset{sizeof(T)});
  }
  /// Says that values [begin, end) will be read soon.
  void ahead(Offset begin, Offset end) const {
    if (in_file()) file_.ahead(begin * Offset{sizeof(T)}, end * Offset{sizeof(T)});
  }
  /// Throws Error(input) if values in a file could not be written to the disk.
  void require_written() const {
    if (in_file()) file_.require_written();
  }

 private:
  Buffer<T> buffer_;
  FileMemory file_;
  T* data_ = nullptr;
  Offset count_;
  std::string folder_;
};

/// Says which panels a sweep over the fronts of a task will read, some megabytes before it reads
/// them.
template <class T>
class PanelsAhead {
 public:
  /// The sweep reads values [begin, end), `upwards` or downwards.
  PanelsAhead(const PanelMemory<T>& memory, Offset begin, Offset end, bool upwards)
      : memory_(memory),
        begin_(begin),
        end_(end),
        asked_(upwards ? begin : end),
        upwards_(upwards) {}
  /// Says that the sweep reads the panel [begin, end) now.
  void at(Offset begin, Offset end) {
    if (!memory_.in_file()) return;
    if (upwards_ && asked_ < end_ && asked_ < std::max(end, begin + kWindow / 2)) {
      const Offset to = std::min(end_, std::max(end, begin + kWindow));
      memory_.ahead(asked_, to);
      asked_ = to;
    } else if (!upwards_ && asked_ > begin_ && asked_ > std::min(begin, end - kWindow / 2)) {
      const Offset to = std::max(begin_, std::min(begin, end - kWindow));
      memory_.ahead(to, asked_);
      asked_ = to;
    }
  }

 private:
  static constexpr Offset kWindow = (Offset{16} << 20) / Offset{sizeof(T)};
  const PanelMemory<T>& memory_;
  Offset begin_, end_;
  Offset asked_;  // the end of what was said, in the direction of the sweep
  bool upwards_;
};

}  // namespace kauri::numeric::cpu

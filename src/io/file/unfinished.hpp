// Names of files that are written and not finished, for a program that a signal ends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kauri::io {

/// A name that stands for an unfinished file as long as this object lives. Few at a time are kept, and no longer names than the system's:
/// a name beyond that is not noted, which takes nothing but the service below from it.
class UnfinishedName {
 public:
  explicit UnfinishedName(const std::string& path) noexcept;
  ~UnfinishedName();
  UnfinishedName(const UnfinishedName&) = delete;
  UnfinishedName& operator=(const UnfinishedName&) = delete;

 private:
  int slot_ = -1;
};

/// Removes the files of all names noted in this process. May be called by a signal's handler; the library itself installs none.
void remove_unfinished() noexcept;

}  // namespace kauri::io

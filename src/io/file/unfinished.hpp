// Names of unfinished files, for a program to remove when a signal ends it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kauri::io {

/// Registers the name of an unfinished file as long as this object lives. The table holds eight
/// names of less than PATH_MAX bytes; a name that does not fit is not registered, and
/// remove_unfinished() then leaves its file.
class UnfinishedName {
 public:
  explicit UnfinishedName(const std::string& path) noexcept;
  ~UnfinishedName();
  UnfinishedName(const UnfinishedName&) = delete;
  UnfinishedName& operator=(const UnfinishedName&) = delete;

 private:
  int slot_ = -1;
};

/// Removes the files of all names registered in this process. Safe to call in a signal handler; the
/// library itself installs none.
void remove_unfinished() noexcept;

}  // namespace kauri::io

// Tar archives as the SuiteSparse Matrix Collection ships its matrices: ustar, pax and GNU's long
// names (POSIX.1-2008, pax interchange).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kauri/core/types.hpp"
#include "src/io/file/allowance.hpp"

namespace kauri::io {

/// Returns true if the first header has tar's magic.
bool is_tar(std::string_view bytes);

struct TarMember {
  std::string name;
  std::string_view bytes;  ///< contents, borrowed from the archive
};

/// Returns the ordinary files of an archive in memory, in order, each counted in `allowance` before
/// it is listed. Throws Error(input) naming the byte of a header that is damaged, of a member that
/// is longer than the archive, or of a name of more than 64 KB.
std::vector<TarMember> tar_members(std::string_view bytes, const std::string& name,
                                   Allowance& allowance);

/// The kind of member to find in an archive of several files.
enum class TarWanted { matrix, dense };

/// Returns the member called `member`, by its whole name, or by the part after the last '/' if that
/// is unique. If `member` is empty, returns the only one whose name ends as that of a Matrix Market
/// or Rutherford-Boeing file; among several, the matrix is the one named as its folder or as the
/// archive (name/name.mtx), right-hand sides are the one that ends in _b.mtx. name: that of the
/// archive. Throws Error(input) that lists the members if this does not decide.
TarMember find_tar_member(const std::vector<TarMember>& members, const std::string& name,
                          const std::string& member, TarWanted wanted);

/// Callback for gunzip() that follows a tar archive and throws Error(input) once more than `most`
/// of its bytes are of no use: members other than Matrix Market or Rutherford-Boeing files and the
/// member asked for, headers, and what follows the end. All bytes of a member of no use count as
/// soon as its header promises them. Throws Error(input) also for a broken header.
class TarWatch {
 public:
  TarWatch(std::string name, std::string member, std::size_t most);
  ~TarWatch();
  TarWatch(const TarWatch&) = delete;
  TarWatch& operator=(const TarWatch&) = delete;
  void operator()(std::string_view so_far);

 private:
  class Members;
  std::unique_ptr<Members> members_;
};

}  // namespace kauri::io

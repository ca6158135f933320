// Values that the device writes to page-locked memory of the host, each beside the number of the
// object whose work writes it. The memory outlives the object: work that was enqueued for the
// object, for example in a captured graph, may be launched when another object has the memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace kauri::numeric::cuda {

/// A value, and the number of the object whose work wrote it; 0: none.
template <class V>
struct Owned {
  V value;
  std::uint64_t owner = 0;
};

/// Argument of a kernel: address of an Owned value, and the owner's number to write beside it.
template <class V>
struct OwnedPlace {
  Owned<V>* there;
  std::uint64_t owner;
};

/// Returns a new owner's number: not 0, and different from all others of the process.
std::uint64_t next_owner();

/// Returns the value at `place` in host memory. Throws Error(usage), whose text begins with `name`,
/// if the owner's number beside it is not place.owner: work of another owner wrote it.
template <class V>
const V& read(const OwnedPlace<V>& place, const char* name);
[[noreturn]] void throw_foreign(const char* name);

template <class V>
const V& read(const OwnedPlace<V>& place, const char* name) {
  if (place.there->owner != place.owner) throw_foreign(name);
  return place.there->value;
}

}  // namespace kauri::numeric::cuda

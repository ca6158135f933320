// Values that the device writes to page-locked memory of the host, with the number of the object
// that they come from. The memory outlives the object: work that was enqueued for it, for example
// in a captured graph, may be launched when another object has the memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace kauri::numeric::cuda {

template <class V>
struct Owned {
  V value;
  std::uint64_t owner = 0;
};

/// A place, and the owner that a launch writes for; an argument of kernels.
template <class V>
struct OwnedPlace {
  Owned<V>* there;
  std::uint64_t owner;
};

/// Returns a number that is never 0 and never the same twice in a process.
std::uint64_t next_owner();

/// Returns the value at a place. Throws Error(usage), whose text begins with `name`, if another
/// owner's work wrote it.
template <class V>
const V& read(const OwnedPlace<V>& place, const char* name);
[[noreturn]] void throw_foreign(const char* name);

template <class V>
const V& read(const OwnedPlace<V>& place, const char* name) {
  if (place.there->owner != place.owner) throw_foreign(name);
  return place.there->value;
}

}  // namespace kauri::numeric::cuda

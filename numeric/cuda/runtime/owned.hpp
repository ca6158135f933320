// What the device writes to page-locked memory of the host, with the number of the object that it is from. Such memory outlives the object:
// work that was enqueued for it, as a captured graph, may be launched when the memory is another one's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace kauri::numeric::cuda {

template <class V>
struct Owned {
  V value;
  std::uint64_t owner = 0;
};

/// A place and the owner that a launch writes for; an argument of kernels.
template <class V>
struct OwnedPlace {
  Owned<V>* there;
  std::uint64_t owner;
};

/// Never the same twice in a process, never 0.
std::uint64_t next_owner();

/// Throws Error(usage) if what is there is from another owner: `name` says what it is.
template <class V>
const V& read(const OwnedPlace<V>& place, const char* name);
[[noreturn]] void throw_foreign(const char* name);

template <class V>
const V& read(const OwnedPlace<V>& place, const char* name) {
  if (place.there->owner != place.owner) throw_foreign(name);
  return place.there->value;
}

}  // namespace kauri::numeric::cuda

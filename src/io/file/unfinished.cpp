// A table that a signal handler may read: fixed slots, each with an atomic state.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/file/unfinished.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>

namespace kauri::io {
namespace {

enum SlotState : int { kFree, kTaken, kNoted };

struct Slot {
  std::atomic<int> state{kFree};
  std::array<char, PATH_MAX> path{};
};

static_assert(std::atomic<int>::is_always_lock_free, "else no handler may read it");

std::array<Slot, 8> slots;

}  // namespace

UnfinishedName::UnfinishedName(const std::string& path) noexcept {
  if (path.size() >= PATH_MAX) return;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    int expected = kFree;
    if (!slots[k].state.compare_exchange_strong(expected, kTaken)) continue;
    slots[k].path[path.copy(slots[k].path.data(), path.size())] = '\0';
    slots[k].state = kNoted;
    slot_ = static_cast<int>(k);
    return;
  }
}

UnfinishedName::~UnfinishedName() {
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].state = kFree;
}

void remove_unfinished() noexcept {
  for (const Slot& slot : slots)
    if (slot.state == kNoted) ::unlink(slot.path.data());
}

}  // namespace kauri::io

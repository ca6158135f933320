// Copies and products that device code begins and waits for: to shared memory, from it, and of
// tensor cores.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/emulator/machine/block.hpp"

namespace kauri::emulator {
namespace {

void finish(const Thread::Copy& c) {
  if (c.there)
    std::memcpy(c.to, c.from, static_cast<std::size_t>(c.bytes));
  else
    std::memset(c.to, 0, static_cast<std::size_t>(c.bytes));
}

void poison(void* place, int bytes) { std::memset(place, 0xff, static_cast<std::size_t>(bytes)); }

void check_units(const void* a, const void* b, int bytes, std::uintptr_t unit) {
  if ((reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b) |
       static_cast<std::uintptr_t>(bytes)) %
          unit !=
      0)
    fail("an asynchronous copy of " + std::to_string(bytes) +
         " bytes, or its places, are no multiples of " + std::to_string(unit));
}

}  // namespace

void Thread::read_stores() {
  for (Store& s : stores) {
    if (s.read) continue;
    std::memcpy(s.held.data(), s.from, s.held.size());
    s.read = true;
  }
}

void Thread::write_stores() {
  read_stores();
  for (const Store& s : stores) std::memcpy(s.to, s.held.data(), s.held.size());
  stores.clear();
}

void Block::Arrival::finish_copies() {
  for (const Thread::Copy& c : copies) finish(c);
  copies.clear();
}

void bulk_copy(void* to, const void* from, int bytes, std::uint64_t* barrier) {
  check_units(to, from, bytes, 16);
  check_barrier(barrier);
  current_block().forget_brought(to, bytes);
  poison(to, bytes);
  current_block().bulk_copies.push_back({to, from, bytes, barrier});
  note_progress();
}

void prefetch(const void* from, int bytes) {
  check_units(from, from, bytes, 16);
  if (bytes <= 0) fail("a prefetch of " + std::to_string(bytes) + " bytes");
}

void bulk_store(void* to, const void* from, int bytes) {
  check_units(to, from, bytes, 16);
  Thread& self = current_block().thread();
  self.stores.push_back({to, from, std::vector<std::byte>(static_cast<std::size_t>(bytes)), false});
  if (current_block().random()() % 4 == 0) self.write_stores();
}

void finish_stores() {
  maybe_yield();
  current_block().thread().write_stores();
}

void finish_store_reads() {
  maybe_yield();
  current_block().thread().read_stores();
}

void copy_async(void* to, const void* from, int bytes, bool there) {
  check_units(to, from, bytes, static_cast<std::uintptr_t>(bytes));
  poison(to, bytes);
  Thread& self = current_block().thread();
  self.copies.push_back({to, from, bytes, there, self.group});
}

void arrive_after_copies(std::uint64_t* barrier) {
  check_barrier(barrier);
  Thread& self = current_block().thread();
  current_block().arrivals.push_back({self.index, std::move(self.copies), barrier});
  self.copies.clear();
  note_progress();
}

void commit_copies() { ++current_block().thread().group; }

void wait_for_copies(int groups_left) {
  maybe_yield();
  Thread& self = current_block().thread();
  for (Block::Arrival& a : current_block().arrivals)
    if (a.thread == self.index) a.finish_copies();
  std::erase_if(self.copies, [&](const Thread::Copy& c) {
    if (c.group >= self.group - groups_left) return false;
    finish(c);
    return true;
  });
}

void finish_async_copies() {
  commit_copies();
  wait_for_copies(0);
}

void ask_for_product(std::function<void()> compute) {
  Thread& self = current_block().thread();
  self.products.push_back({std::move(compute), self.product_group});
}

void commit_products() { ++current_block().thread().product_group; }

void wait_for_products(int groups_left) {
  maybe_yield();
  Thread& self = current_block().thread();
  std::size_t ready = 0;
  while (ready < self.products.size() &&
         self.products[ready].group < self.product_group - groups_left)
    ++ready;
  for (std::size_t k = 0; k < ready; ++k) self.products[k].compute();
  self.products.erase(self.products.begin(),
                      self.products.begin() + static_cast<std::ptrdiff_t>(ready));
}

}  // namespace kauri::emulator

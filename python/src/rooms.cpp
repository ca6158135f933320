// Memory lent by DLPack (https://dmlc.github.io/dlpack/latest/c_api.html).
// SPDX-License-Identifier: BSD-3-Clause
#include "python/src/rooms.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace kauri::python {
namespace {

namespace nb = nanobind;

/// Kept idle: x of the last solve lives while that of the next is made.
constexpr std::size_t kIdle = 2;

constexpr const char* kName = "dltensor";  // another once somebody has taken what is in it

/// DLManagedTensor, as the specification lays it out.
struct Managed {
  nb::dlpack::dltensor tensor;
  void* owner = nullptr;
  void (*release)(Managed*) = nullptr;
};

void drop(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kName) == 0) return;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kName));
  managed->release(managed);
}

}  // namespace

struct Rooms::Lent {
  Managed managed;
  std::shared_ptr<Rooms> rooms;
  Room room;
  std::vector<std::int64_t> shape;
};

Rooms::Room Rooms::take(Backend& backend, std::size_t size) {
  {
    const std::lock_guard lock(mutex_);
    const auto fits = [&](const Room& room) { return room.first >= size && room.first / 2 <= size; };
    if (const auto found = std::ranges::find_if(idle_, fits); found != idle_.end()) {
      Room room = std::move(*found);
      idle_.erase(found);
      return room;
    }
  }
  return {size, backend.executor().make_bytes(size)};
}

void Rooms::give_back(Room room) noexcept {
  Room oldest;  // let go of without the lock
  const std::lock_guard lock(mutex_);
  try {
    idle_.push_back(std::move(room));
  } catch (const std::bad_alloc&) {  // then it is let go of
    return;
  }
  if (idle_.size() <= kIdle) return;
  oldest = std::move(idle_.front());
  idle_.erase(idle_.begin());
}

nb::object Rooms::lend(Backend& backend, int device, std::vector<std::int64_t> shape, int bytes) {
  const auto entries = static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
  auto lent = std::make_unique<Lent>();
  lent->rooms = shared_from_this();
  lent->room = take(backend, entries * static_cast<std::size_t>(bytes));
  lent->shape = std::move(shape);
  nb::dlpack::dltensor& tensor = lent->managed.tensor;
  tensor.data = lent->room.second->data();
  const bool there = backend.kind() == BackendKind::cuda;
  tensor.device = {there ? nb::device::cuda::value : nb::device::cpu::value, there ? device : 0};
  tensor.ndim = static_cast<std::int32_t>(lent->shape.size());
  tensor.dtype = {static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float), static_cast<std::uint8_t>(8 * bytes), 1};
  tensor.shape = lent->shape.data();
  lent->managed.owner = lent.get();
  lent->managed.release = [](Managed* managed) {
    const std::unique_ptr<Lent> ended(static_cast<Lent*>(managed->owner));
    ended->rooms->give_back(std::move(ended->room));
  };
  nb::object capsule = nb::steal(PyCapsule_New(&lent->managed, kName, drop));
  if (!capsule.is_valid()) throw nb::python_error();
  lent.release();  // the capsule's, or whose who takes it
  return capsule;
}

}  // namespace kauri::python

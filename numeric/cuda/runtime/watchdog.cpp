// The host's side of the watchdog: sends settings to the device and reads records from it.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/runtime/watchdog.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <vector>

#include "numeric/cuda/runtime/device.hpp"

namespace kauri::numeric::cuda::watchdog {
namespace {

constexpr std::array kKernels{"a kernel",
                              "front_kernel",
                              "run_tasks",
                              "run_streamed_tasks",
                              "factor_fronts_by_warps",
                              "factor_fronts_by_blocks",
                              "portable_fronts_by_warps",
                              "sweep",
                              "multi sweep"};
constexpr std::array kAwaited{"a barrier in shared memory, phase",
                              "tasks that write the blocks of the front's children",
                              "tasks that fill the front",
                              "tasks of a level of fronts",
                              "finished columns of L, 16 each, in the task's tile rows",
                              "finished blocks of a pivot tile",
                              "the state of a pivot tile",
                              "children of a small front",
                              "a number of the solve"};

/// Record and settings of one device. The record fills a page of the host's memory, which the
/// device writes before it traps; it outlives the device's context.
struct Armed {
  alignas(4096) Record record{};
  Settings settings{};
};

struct Devices {
  std::mutex mutex;
  std::map<int, std::unique_ptr<Armed>> armed;
};

std::vector<Module>& modules() {
  static std::vector<Module> all;
  return all;
}
Devices& devices() {
  static auto* all =
      new Devices;  // never destroyed: a device may still write when the program ends
  return *all;
}

std::string text(const Waiter& w) {
  std::ostringstream out;
  out << kKernels.at(static_cast<std::size_t>(w.kernel)) << ", block " << w.block << ", warp "
      << w.warp;
  if (w.unit >= 0) out << ", ticket " << w.unit;
  if (w.unit < -1) out << ", front " << -2 - w.unit;
  out << " waits for " << kAwaited.at(static_cast<std::size_t>(w.what));
  if (w.what == Awaited::barrier)
    out << " " << w.wanted << ", at";
  else if (w.what != Awaited::number)
    out << ": " << w.found << ", " << w.wanted << " wanted, counter";
  else
    out << " that is not there, at";
  out << " 0x" << std::hex << w.place;
  return out.str();
}

/// Returns true if wait a comes before wait b in a report: waits for other blocks come before those
/// for warps of the same block (barriers), then lower tickets first.
bool tells_more(const Waiter& a, const Waiter& b) {
  const auto key = [](const Waiter& w) {
    return std::tuple(w.what == Awaited::barrier, w.unit < 0, w.unit, w.block, w.warp);
  };
  return key(a) < key(b);
}

}  // namespace

bool add_module(Module module) {
  modules().push_back(module);
  return true;
}

void arm(const Choice& choice) {
  if (modules().empty()) return;
  int device = 0;
  check(cudaGetDevice(&device), "the current device");
  const std::scoped_lock lock(devices().mutex);
  std::unique_ptr<Armed>& armed = devices().armed[device];
  if (!armed) armed = std::make_unique<Armed>();
  armed->record = {};
  armed->settings = {.record = nullptr,
                     .limit = choice.limit,
                     .lost_kernel = choice.lost_kernel,
                     .lost_unit = choice.lost_unit,
                     .lost_lane = choice.lost_lane,
                     .taken = {}};
  void* there = nullptr;
  if (cudaHostGetDevicePointer(&there, &armed->record, 0) !=
      cudaSuccess) {  // not registered yet, or in a context that was destroyed since
    static_cast<void>(cudaGetLastError());
    check(cudaHostRegister(&armed->record, sizeof(Record),
                           cudaHostRegisterMapped | cudaHostRegisterPortable),
          "the watchdog's record");
    check(cudaHostGetDevicePointer(&there, &armed->record, 0), "the watchdog's record");
  }
  armed->settings.record = static_cast<Record*>(there);
  for (const Module module : modules())
    if (module(armed->settings) != cudaSuccess)
      static_cast<void>(cudaGetLastError());  // this device cannot run the module's kernels
}

std::string report() {
  constexpr std::size_t kMost = 8;
  const std::scoped_lock lock(devices().mutex);
  std::vector<Waiter> found;
  for (const auto& [device, armed] : devices().armed)
    for (const Waiter& waiter : armed->record.waiter)
      if (const volatile int& there = waiter.there; there != 0) found.push_back(waiter);
  if (found.empty()) return {};
  std::sort(found.begin(), found.end(), tells_more);
  std::string all = "; the watchdog ended waits:";
  for (std::size_t k = 0; k < std::min(found.size(), kMost); ++k) all += "\n  " + text(found[k]);
  if (found.size() > kMost) all += "\n  and " + std::to_string(found.size() - kMost) + " others";
  return all;
}

}  // namespace kauri::numeric::cuda::watchdog

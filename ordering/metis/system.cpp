// Calls the system's METIS, and limits its effects on the process as far as possible.
// SPDX-License-Identifier: BSD-3-Clause
#include <metis.h>
#include <signal.h>

#include <array>
#include <mutex>
#include <type_traits>

#include "base/threads/per_process.hpp"
#include "base/threads/stopping.hpp"
#include "ordering/metis/call.hpp"
#include "ordering/metis/metis.hpp"

namespace kauri::ordering {
namespace {

static_assert(std::is_same_v<idx_t, std::int32_t>,
              "kauri expects a METIS of 32-bit indices (IDXTYPEWIDTH 32)");

// METIS draws random numbers from rand(), whose state is process-wide, as are signal handlers.
PerProcess<std::mutex> metis_mutex;

/// Saves and restores signal handlers. METIS installs handlers while it runs, and then restores the
/// earlier ones in System V style: without flags and mask, and for one signal only.
class KeptHandlers {
 public:
  KeptHandlers() {
    for (std::size_t k = 0; k < kNumbers.size(); ++k) sigaction(kNumbers[k], nullptr, &before_[k]);
  }
  ~KeptHandlers() {
    for (std::size_t k = 0; k < kNumbers.size(); ++k) sigaction(kNumbers[k], &before_[k], nullptr);
  }
  KeptHandlers(const KeptHandlers&) = delete;
  KeptHandlers& operator=(const KeptHandlers&) = delete;

 private:
  static constexpr std::array kNumbers{SIGTERM, SIGABRT};
  std::array<struct sigaction, 2> before_{};
};

}  // namespace

bool metis_is_own() { return false; }

MetisEnd call_metis(std::int32_t n, std::int32_t* ptr, std::int32_t* adjacency,
                    std::int32_t* weight, std::int32_t seed, std::int32_t* order,
                    std::int32_t* new_of) {
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = seed;
  const int status = [&] {
    const std::scoped_lock lock(metis_mutex.here());
    stop_here();  // the lock may have been held for long
    const KeptHandlers kept;
    return METIS_NodeND(&n, ptr, adjacency, weight, options, order, new_of);
  }();
  if (status == METIS_OK) return MetisEnd::done;
  if (status == METIS_ERROR_MEMORY) return MetisEnd::memory;
  if (status != METIS_ERROR) return MetisEnd::failed;
  raise(SIGTERM);  // METIS took the signal for an error
  return MetisEnd::interrupted;
}

}  // namespace kauri::ordering

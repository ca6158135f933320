// PhaseRange by NVTX. The NVTX headers need no library: the first range looks for a profiler
// (NVTX_INJECTION64_PATH).
// SPDX-License-Identifier: BSD-3-Clause
#include "base/progress/phase_range.hpp"

#ifdef KAURI_NVTX
#include <nvtx3/nvToolsExt.h>

#include <atomic>

#include "base/threads/host_threads.hpp"
#endif

namespace kauri {

// name_of() returns literals, which are null-terminated.
PhaseRange::PhaseRange(Phase phase) : PhaseRange(name_of(phase).data()) {}

#ifdef KAURI_NVTX

namespace {

std::atomic<nvtxDomainHandle_t> kauri_domain = nullptr;
std::atomic<bool> domain_is_made = false;

/// Returns the NVTX domain "kauri", which is never destroyed, since ranges may end during program
/// exit. It is not a local static: if a thread initialised a local static while another one forks,
/// the static's guard would stay locked in the child.
nvtxDomainHandle_t domain() {
  const host_threads::FirstCall call(domain_is_made);
  if (!domain_is_made) kauri_domain = nvtxDomainCreateA("kauri");
  domain_is_made = true;
  return kauri_domain;
}

}  // namespace

PhaseRange::PhaseRange(const char* name) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &event);
}
PhaseRange::~PhaseRange() { nvtxDomainRangePop(domain()); }

#else

PhaseRange::PhaseRange(const char* /*name*/) {}
PhaseRange::~PhaseRange() = default;

#endif

}  // namespace kauri

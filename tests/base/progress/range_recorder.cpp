// Records ranges of the domain "kauri"; NVTX loads it in place of a profiler.
// SPDX-License-Identifier: BSD-3-Clause
#include <nvtx3/nvToolsExt.h>

#include <mutex>
#include <string>
#include <string_view>

namespace {

std::mutex writing;
std::string ranges;
int domain_of_kauri;

nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  return std::string_view(name) == "kauri" ? reinterpret_cast<nvtxDomainHandle_t>(&domain_of_kauri)
                                           : nullptr;
}

void write(nvtxDomainHandle_t domain, std::string_view text) {
  const std::lock_guard lock(writing);
  ranges +=
      domain == reinterpret_cast<nvtxDomainHandle_t>(&domain_of_kauri) ? text : "another domain";
}

int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  const bool ascii =
      event->version == NVTX_VERSION && event->messageType == NVTX_MESSAGE_TYPE_ASCII;
  write(domain, ascii ? std::string(event->message.ascii) + "(" : "unreadable");
  return 0;
}

int NVTX_API pop(nvtxDomainHandle_t domain) {
  write(domain, ")");
  return 0;
}

template <class Function>
void put(NvtxFunctionTable table, NvtxCallbackIdCore2 id, Function function) {
  *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

/// Initialises the recorder at the first range; NVTX calls it, and 1 means success.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size))
    return 0;
  if (size <= NVTX_CBID_CORE2_DomainCreateA) return 0;
  put(table, NVTX_CBID_CORE2_DomainCreateA, create_domain);
  put(table, NVTX_CBID_CORE2_DomainRangePushEx, push);
  put(table, NVTX_CBID_CORE2_DomainRangePop, pop);
  return 1;
}

/// Returns the ranges since the last call, nested in brackets, such as "factor()solve()". The text
/// is valid until the next call.
extern "C" __attribute__((visibility("default"))) const char* ranges_recorded() {
  static std::string taken;
  const std::lock_guard lock(writing);
  taken.swap(ranges);
  ranges.clear();
  return taken.c_str();
}

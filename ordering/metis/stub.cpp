// Replaces metis.cpp if kauri is built without METIS.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/core/error.hpp"
#include "ordering/metis/metis.hpp"

namespace kauri::ordering {
namespace {

[[noreturn]] void fail() {
  throw Error(ErrorKind::usage,
              "method 'metis': kauri was built without METIS; build it with KAURI_METIS=ON, or "
              "order by 'nd'");
}

}  // namespace

bool metis_available() { return false; }

bool metis_is_own() { return false; }

void require_metis_size(Offset, Offset) { fail(); }

void metis_nested_dissection(const GraphView&, std::uint64_t, MetisWorkspace&, std::span<Index>) {
  fail();
}

}  // namespace kauri::ordering

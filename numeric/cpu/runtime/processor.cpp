// Reads the name of the processor from /proc.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/runtime/processor.hpp"

#include <fstream>

#include "kauri/core/backend.hpp"

namespace kauri::numeric::cpu {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  info.exceptions(std::ios::badbit);  // running out of memory while a line is read throws instead
                                      // of ending the loop
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return host_target();
}

}  // namespace kauri::numeric::cpu

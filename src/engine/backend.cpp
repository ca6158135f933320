// The public Backend: a handle on an executor.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/core/backend.hpp"

#include "base/threads/allowed_threads.hpp"
#include "numeric/backend.hpp"
#include "numeric/cpu/executor.hpp"
#include "numeric/cuda/executor.hpp"

namespace kauri {

Backend::Backend(std::unique_ptr<numeric::Executor> executor) : executor_(std::move(executor)) {}
Backend::~Backend() = default;
Backend::Backend(Backend&&) noexcept = default;
Backend& Backend::operator=(Backend&&) noexcept = default;

BackendKind Backend::kind() const { return executor_->kind(); }
std::string Backend::target() const { return executor_->target(); }
std::string Backend::kernels(int scalar_bytes) const { return executor_->kernels(scalar_bytes); }
std::string Backend::mixed_kernels() const { return executor_->scaled_kernels(); }
Roofline Backend::roofline(int scalar_bytes) const { return executor_->roofline(scalar_bytes); }
Roofline Backend::mixed_roofline() const { return executor_->scaled_roofline(); }
std::string Backend::device() const { return executor_->device(); }
std::string Backend::device_code() const { return executor_->device_code(); }
int Backend::threads() const { return executor_->threads(); }
Offset Backend::bytes_in_use() const { return executor_->memory().in_use(); }
Offset Backend::peak_bytes() const { return executor_->memory().peak(); }
void Backend::reset_peak() { executor_->memory().reset_peak(); }

Backend cpu_backend(int threads, const CpuOptions& options) {
  if (threads < 0)
    throw Error(ErrorKind::usage,
                "cpu_backend: threads is " + std::to_string(threads) + ", expected 0 or more");
  return Backend(
      numeric::cpu::make_executor(threads == 0 ? default_threads() : threads, options.factor_file));
}

Backend cuda_backend(const CudaOptions& options) {
  if ((options.allocator.allocate == nullptr) != (options.allocator.release == nullptr))
    throw Error(ErrorKind::usage, "cuda_backend: the allocator needs both functions, or none");
  return Backend(numeric::cuda::make_executor(options));
}
Backend cuda_backend(int device) {
  return cuda_backend(CudaOptions{.device = device, .allocator = {}});
}
bool cuda_available() { return numeric::cuda::available(); }

}  // namespace kauri

// A stack of its own and the way there and back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace kauri::emulator {

class Fiber {
 public:
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// From the beginning of `body` at the next resume(); what ran before is forgotten.
  void start(std::function<void()> body) {
    body_ = std::move(body);
    if (std::exchange(ended_, false)) return;  // it stands before the next
    if (!stack_) stack_ = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
    getcontext(&own_);
    own_.uc_stack.ss_sp = stack_.get();
    own_.uc_stack.ss_size = kStackBytes;
    own_.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
    started_ = false;
  }

#if defined(__SANITIZE_ADDRESS__)
  /// Runs it until it calls suspend().
  void resume() {
    started_ = true;
    __sanitizer_start_switch_fiber(&fake_of_host_, stack_.get(), kStackBytes);
    swapcontext(&host_, &own_);
    __sanitizer_finish_switch_fiber(fake_of_host_, nullptr, nullptr);
  }
  void suspend() {
    __sanitizer_start_switch_fiber(&fake_, host_stack_, host_bytes_);
    swapcontext(&own_, &host_);
    __sanitizer_finish_switch_fiber(fake_, &host_stack_, &host_bytes_);
  }
#else
  /// Runs it until it calls suspend(). Jumps, since swapcontext() calls the kernel each time.
  void resume() {
    if (_setjmp(host_) != 0) return;
    if (started_) _longjmp(jump_, 1);
    started_ = true;
    setcontext(&own_);
  }
  void suspend() {
    if (_setjmp(jump_) == 0) _longjmp(host_, 1);
  }
#endif

 private:
  static constexpr std::size_t kStackBytes = std::size_t{192} << 10;

  static void enter(unsigned high, unsigned low) {
    Fiber& self = *reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &self.host_stack_, &self.host_bytes_);
#endif
    for (;;) {
      self.body_();
      self.ended_ = true;
      self.suspend();
    }
  }

  std::unique_ptr<std::byte[]> stack_;
  std::function<void()> body_;
  ucontext_t own_{};
  bool started_ = false;
  bool ended_ = false;
#if defined(__SANITIZE_ADDRESS__)
  ucontext_t host_{};
  void* fake_ = nullptr;
  void* fake_of_host_ = nullptr;
  const void* host_stack_ = nullptr;
  std::size_t host_bytes_ = 0;
#else
  jmp_buf host_{}, jump_{};
#endif
};

}  // namespace kauri::emulator

// A fiber: its own stack, and switches to and from it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

// AddressSanitizer clears its record of a whole stack at each swapcontext() and longjmp(), which
// took more than half of the tests' time. It does not intercept the compiler's own jumps, so the
// code reports each switch to it.
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define KAURI_SAVE(jump) __builtin_setjmp(jump)
#define KAURI_OWN_JUMPS __attribute__((noinline, no_sanitize("address")))
#else
#define KAURI_SAVE(jump) _setjmp(jump)
#define KAURI_OWN_JUMPS
#endif

namespace kauri::emulator {

class Fiber {
 public:
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Sets the body that the next resume() starts from its beginning; an earlier body is dropped.
  void start(std::function<void()> body) {
    body_ = std::move(body);
    if (std::exchange(ended_, false)) return;  // the fiber waits for its next body
    if (!stack_) stack_ = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
    getcontext(&own_);
    own_.uc_stack.ss_sp = stack_.get();
    own_.uc_stack.ss_size = kStackBytes;
    own_.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::enter), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
    started_ = false;
  }

  /// Runs the fiber until it calls suspend(). Uses jumps, since swapcontext() makes a system call
  /// each time.
  KAURI_OWN_JUMPS void resume() {
    leave_host();
    if (KAURI_SAVE(host_) == 0) {
      if (started_) jump(jump_);
      started_ = true;
      setcontext(&own_);
    }
    back_on_host();
  }
  KAURI_OWN_JUMPS void suspend() {
    leave_fiber();
    if (KAURI_SAVE(jump_) == 0) jump(host_);
    back_on_fiber();
  }

 private:
  static constexpr std::size_t kStackBytes = std::size_t{192} << 10;

  static void enter(unsigned high, unsigned low) {
    Fiber& self = *reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low);
    self.back_on_fiber();
    for (;;) {
      self.body_();
      self.ended_ = true;
      self.suspend();
    }
  }

#if defined(__SANITIZE_ADDRESS__)
  using Jump = void* [5];
  [[noreturn]] KAURI_OWN_JUMPS static void jump(Jump& to) { __builtin_longjmp(to, 1); }
  void leave_host() { __sanitizer_start_switch_fiber(&fake_of_host_, stack_.get(), kStackBytes); }
  void back_on_host() { __sanitizer_finish_switch_fiber(fake_of_host_, nullptr, nullptr); }
  void leave_fiber() { __sanitizer_start_switch_fiber(&fake_, host_stack_, host_bytes_); }
  void back_on_fiber() { __sanitizer_finish_switch_fiber(fake_, &host_stack_, &host_bytes_); }

  void* fake_ = nullptr;
  void* fake_of_host_ = nullptr;
  const void* host_stack_ = nullptr;
  std::size_t host_bytes_ = 0;
#else
  using Jump = jmp_buf;
  [[noreturn]] static void jump(Jump& to) { _longjmp(to, 1); }
  void leave_host() {}
  void back_on_host() {}
  void leave_fiber() {}
  void back_on_fiber() {}
#endif

  std::unique_ptr<std::byte[]> stack_;
  std::function<void()> body_;
  ucontext_t own_{};
  Jump host_{}, jump_{};
  bool started_ = false;
  bool ended_ = false;
};

#undef KAURI_SAVE
#undef KAURI_OWN_JUMPS

}  // namespace kauri::emulator

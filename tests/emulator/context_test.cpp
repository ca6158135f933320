// CUDA contexts on the emulated device: no call of kauri creates one implicitly; texts of the
// runtime's errors.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "numeric/cuda/runtime/architectures.hpp"
#include "src/engine/symbolic.hpp"
#include "tests/emulator/runtime/contexts.hpp"
#include "tests/numeric/cuda/runtime/driver.hpp"
#include "tests/support/device/device_calls.hpp"
#include "tests/support/process/error_text.hpp"

namespace kauri::test {
namespace {

/// Runs every call on `device`, in a thread without a context, and expects that the runtime gives
/// it none.
void expect_none_given(int device) {
  emulator::let_run(device);
  const int before = emulator::contexts_given();
  std::thread([&] {
    DeviceCalls(device, [&](const char* call) {
      EXPECT_EQ(emulator::contexts_given(), before) << "by " << call;
      EXPECT_EQ(current_context(), nullptr) << "after " << call;
    }).run(nullptr);
  }).join();
  emulator::let_run(0);
}

TEST(EmulatedContexts, NoCallIsGivenOne) { expect_none_given(0); }
TEST(EmulatedContexts, NorOnTheFirstDeviceWhereTheSecondWorks) { expect_none_given(1); }

TEST(EmulatedContexts, ALookAtADeviceMakesNone) {
  const int before = emulator::contexts_given();
  std::thread([] {
    for (int device = 0; device < emulator::kDeviceCount; ++device)
      EXPECT_EQ(numeric::cuda::survey(device).has_value(), device < 3) << device;
    EXPECT_FALSE(numeric::cuda::survey(2)->started);
    const OwnContext own(2);
    EXPECT_TRUE(numeric::cuda::survey(2)->started) << "a backend would work in it";
    EXPECT_EQ(current_context(), own.get());
  }).join();
  EXPECT_EQ(emulator::contexts_given(), before);
}

/// Calls on objects of a destroyed context throw an Error that says so, and their destructors are
/// silent.
TEST(EmulatedContexts, ADestroyedOneIsTold) {
  std::optional<OwnContext> own(std::in_place, 0);
  Backend backend = cuda_backend();
  const auto a = generate("poisson2d 4");
  AnalyzeOptions options;
  options.target = backend.target();
  auto factor = Factor<double>::create(
      run_by(*analyze(a.pattern(), options), symbolic::kFewestEver), backend);
  own.reset();
  EXPECT_EQ(error_text(ErrorKind::device, [&] { (void)refactorize<double>(factor, a.value()); }),
            "CUDA: the context that the backend was made in: context is destroyed");
}

class Refusals : public ::testing::Test {
 protected:
  void TearDown() override {
    emulator::refuse_devices(cudaSuccess, CUDART_VERSION);
    emulator::refuse_kernels(cudaSuccess);
    emulator::build_for("");
  }
  /// Returns the text of the error; expects the same text from every way of asking for a device.
  static std::string text_of(cudaError_t error, int driver = CUDART_VERSION) {
    emulator::refuse_devices(error, driver);
    EXPECT_FALSE(cuda_available());
    const std::string text = error_text(ErrorKind::device, [] { (void)cuda_backend(); });
    EXPECT_EQ(Backends(BackendChoice::automatic, 1).offered({}, 8, 1).second,
              host_target() + ": " + text);
    return text;
  }
};

TEST_F(Refusals, AreToldInTheDriversWords) {
  const std::string none = "there is no CUDA device 0: ";
  EXPECT_EQ(text_of(cudaErrorInsufficientDriver, 12020),
            none + "insufficient driver (the driver is for CUDA 12.2, kauri was built with 13.0)");
  EXPECT_EQ(text_of(cudaErrorInsufficientDriver, 0), none + "no NVIDIA driver is installed");
  EXPECT_EQ(
      text_of(cudaErrorNoDevice),
      none + "no device is detected (there is none, or CUDA_VISIBLE_DEVICES hides all of them)");
  EXPECT_EQ(text_of(cudaErrorInitializationError),
            none +
                "initialization error (a process that was forked from one that has used CUDA "
                "cannot use it: spawn it)");
  EXPECT_EQ(text_of(cudaErrorSystemNotReady),
            none + "system not ready (is nvidia-fabricmanager running?)");
  EXPECT_EQ(text_of(cudaErrorNotSupported), none + "not supported");
}

TEST_F(Refusals, OfKernelsNameTheDevice) {
  emulator::refuse_kernels(cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(error_text(ErrorKind::device, [] { (void)cuda_backend(); }),
            "CUDA: a kernel: no kernel image (the device is 9.0)");
}

// Devices 0 and 1 are 9.0 and 8.0. All ways of asking agree, before anything is planned for the
// device.
TEST_F(Refusals, OfABuildNameItsCodeAndTheDevice) {
  const auto text_of = [](int device) {
    return error_text(ErrorKind::device, [&] { (void)cuda_backend(device); });
  };
  const auto offer_of = [](int device) {
    return Backends(BackendChoice::automatic, 1, CudaOptions{.device = device})
        .offered({}, 8, 1)
        .second;
  };
  emulator::build_for("90");
  EXPECT_TRUE(cuda_available());
  EXPECT_EQ(text_of(0), "no Error");
  EXPECT_EQ(text_of(1),
            "CUDA device 1 (emulated A100) cannot run this kauri: it was built for 9.0; the device "
            "is 8.0; build kauri with CMAKE_CUDA_ARCHITECTURES=80");
  EXPECT_EQ(offer_of(0), "");
  EXPECT_EQ(offer_of(1), host_target() + ": " + text_of(1));
  EXPECT_FALSE(numeric::cuda::survey(1));
  emulator::build_for("80-real");
  EXPECT_FALSE(cuda_available());
  EXPECT_EQ(
      text_of(0),
      "CUDA device 0 (emulated) cannot run this kauri: it was built for 8.0; the device is 9.0; "
      "build kauri with CMAKE_CUDA_ARCHITECTURES=90");
  EXPECT_TRUE(numeric::cuda::survey(1));
  EXPECT_EQ(offer_of(1), "");
}

// PTX of 8.0 on device 0, which is 9.0.
TEST_F(Refusals, OfPtxNameTheDriver) {
  emulator::build_for("80-virtual");
  EXPECT_TRUE(cuda_available());
  emulator::refuse_devices(cudaSuccess, 12080);
  const std::string text = error_text(ErrorKind::device, [] { (void)cuda_backend(); });
  EXPECT_EQ(text,
            "CUDA device 0 (emulated) cannot run this kauri: it was built for 8.0; the device is "
            "9.0 and can run this build's PTX alone, "
            "which needs a "
            "driver for CUDA 13.0 or later; this driver is for CUDA 12.8");
  EXPECT_FALSE(cuda_available());
  EXPECT_FALSE(numeric::cuda::survey(0));
  EXPECT_EQ(Backends(BackendChoice::automatic, 1).offered({}, 8, 1).second,
            host_target() + ": " + text);
  emulator::build_for("90");
  EXPECT_TRUE(cuda_available()) << "machine code wants no such driver";
}

// A backend that cannot be made leaves no context behind. No other test makes a backend on device
// 2.
TEST_F(Refusals, LeaveNoContext) {
  emulator::let_run(2);
  std::thread([] {
    ASSERT_FALSE(emulator::has_primary(2));
    emulator::refuse_kernels(cudaErrorNoKernelImageForDevice);
    EXPECT_NE(error_text(ErrorKind::device, [] { (void)cuda_backend(2); }), "no Error");
    EXPECT_FALSE(emulator::has_primary(2));
    const OwnContext own(2);
    EXPECT_NE(error_text(ErrorKind::device, [] { (void)cuda_backend(2); }), "no Error");
    EXPECT_EQ(current_context(), own.get());
    EXPECT_FALSE(emulator::has_primary(2));
  }).join();
  const emulator::Capture capture(cudaStreamCaptureModeGlobal,
                                  true);  // a capture by this thread, while another thread makes
                                          // the backend
  std::thread([] {
    EXPECT_NE(error_text(ErrorKind::device, [] { (void)cuda_backend(2); }), "no Error");
    EXPECT_FALSE(emulator::has_primary(2));
  }).join();
  EXPECT_FALSE(capture.is_invalidated());
  emulator::let_run(0);
}

TEST(Architectures, SayWhichDevicesHaveCode) {
  using numeric::cuda::Code;
  using numeric::cuda::code_for;
  struct Case {
    const char* built_for;
    int major, minor;
    Code code;
  };
  constexpr Code none = Code::none, ptx = Code::ptx, machine = Code::machine;
  const Case cases[] = {
      {"90", 9, 0, machine},
      {"90", 8, 0, none},
      {"90", 10, 0, ptx},
      {"90", 12, 1, ptx},
      {"80-real", 8, 0, machine},
      {"80-real", 8, 9, machine},
      {"80-real", 9, 0, none},
      {"86-real", 8, 0, none},
      {"80-virtual", 9, 0, ptx},
      {"80-virtual", 7, 5, none},
      {"90a", 9, 0, machine},
      {"90a", 10, 0, none},
      {"100f", 10, 3, machine},
      {"100f", 12, 0, none},
      {"80-real 90", 8, 6, machine},
      {"80-real 90", 7, 5, none},
      {"90a-virtual", 9, 0, ptx},
      {"all", 8, 0, machine},
      {"", 9, 0, machine},
      {"90 native", 8, 0, machine},
      {"80 90-real", 9, 0, machine},
      // Devices of Tegra modules (8.7, 10.1, 11.0) share no machine code with others.
      {"80-real", 8, 7, none},
      {"80", 8, 7, ptx},
      {"80-real 86-real", 8, 7, none},
      {"87-real", 8, 7, machine},
      {"87-real", 8, 9, none},
      {"87", 8, 9, ptx},
      {"100-real", 10, 1, none},
      {"100", 10, 1, ptx},
      {"100f", 10, 1, none},
      {"101-real", 10, 3, none},
      {"110-real", 11, 0, machine},
      {"80-real 90", 8, 7, none}};
  for (const Case& c : cases)
    EXPECT_EQ(code_for(c.built_for, c.major, c.minor), c.code)
        << c.built_for << " on " << c.major << c.minor;
  EXPECT_EQ(numeric::cuda::in_words("90"), "9.0");
  EXPECT_EQ(numeric::cuda::in_words("80-real 90 120-virtual"), "8.0, 9.0 and 12.0");
  EXPECT_EQ(numeric::cuda::in_words("all"), "");
  using numeric::cuda::code_in_words;
  EXPECT_EQ(code_in_words("80-real 86-real 90", 8, 9), "machine code for 8.6");
  EXPECT_EQ(code_in_words("80-real 86-real 90", 8, 0), "machine code for 8.0");
  EXPECT_EQ(code_in_words("80-real 90", 12, 0),
            "PTX of 9.0, which the driver compiles when it is first loaded");
  EXPECT_EQ(code_in_words("90", 8, 0), "");
  EXPECT_EQ(code_in_words("all", 8, 0), "");
}

/// The architectures are those of cmake/CudaArchitectures.cmake. 8.7 (Orin) needs a build of its
/// own.
TEST(Architectures, OfADefaultBuildServeEveryCard) {
  constexpr const char* kBuilt = "80-real 90-real 100 120-real";
  struct Case {
    int major, minor;
    const char* code;
  };
  constexpr const char* kPtx = "PTX of 10.0, which the driver compiles when it is first loaded";
  for (const Case& c :
       {Case{7, 5, ""}, Case{8, 0, "machine code for 8.0"}, Case{8, 6, "machine code for 8.0"},
        Case{8, 7, ""}, Case{8, 9, "machine code for 8.0"}, Case{9, 0, "machine code for 9.0"},
        Case{10, 0, "machine code for 10.0"}, Case{10, 3, "machine code for 10.0"},
        Case{11, 0, kPtx}, Case{12, 0, "machine code for 12.0"},
        Case{12, 1, "machine code for 12.0"}, Case{13, 0, kPtx}})
    EXPECT_EQ(numeric::cuda::code_in_words(kBuilt, c.major, c.minor), c.code)
        << c.major << "." << c.minor;
  EXPECT_EQ(numeric::cuda::in_words(kBuilt), "8.0, 9.0, 10.0 and 12.0");
}

}  // namespace
}  // namespace kauri::test

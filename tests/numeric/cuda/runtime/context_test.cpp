// Tests that kauri shares the device with its caller: the caller's own contexts, threads without a
// context, captures of other threads and of the same one, values that the caller's stream is still
// writing. The emulated device runs the tests as well.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "tests/numeric/cuda/runtime/driver.hpp"
#include "tests/numeric/cuda/runtime/held.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_calls.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/meeting.hpp"

namespace kauri::test {
namespace {

class Contexts : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
  }
};

/// Runs f() in a new thread, which has no context.
template <class F>
void in_new_thread(F&& f) {
  std::thread(std::forward<F>(f)).join();
}

/// The test calls the driver directly, since the runtime's functions would create a context.
TEST_F(Contexts, OfTheCallersOwnAreCurrentAfterEachCall) {
  in_new_thread([] {
    const OwnContext own(0);
    const CallerStream stream;
    DeviceCalls(0, [&](const char* call) {
      ASSERT_EQ(current_context(), own.get()) << "after " << call;
    }).run(stream.get());
  });
}

TEST_F(Contexts, ThreadsWithoutOneHaveNoneAfterEachCall) {
  in_new_thread([] {
    DeviceCalls(0, [](const char* call) {
      ASSERT_EQ(current_context(), nullptr) << "after " << call;
    }).run(nullptr);
  });
}

/// Objects made in the caller's own context work from a thread without one, and from a thread that
/// has another context.
TEST_F(Contexts, OtherThreadsWorkInTheOneOfTheBackend) {
  in_new_thread([] {
    const OwnContext own(0);
    std::optional<CallerStream> stream(std::in_place);
    CUcontext expected = own.get();
    DeviceCalls calls(
        0, [&](const char* call) { ASSERT_EQ(current_context(), expected) << "after " << call; });
    calls.make();
    in_new_thread([&] {
      expected = nullptr;
      calls.use(stream->get());
    });
    in_new_thread([&] {
      const OwnContext other(0);
      expected = other.get();
      calls.use(stream->get());
    });
    in_new_thread([&] {
      expected = nullptr;
      calls.end();
    });
    expected = own.get();
    EXPECT_EQ(current_context(), expected);
  });
}

/// A backend of the primary context works in a thread that has since changed to its own context.
TEST_F(Contexts, ThePrimaryOneIsEnteredFromTheCallersOwn) {
  in_new_thread([] {
    CUcontext expected = nullptr;
    DeviceCalls calls(
        0, [&](const char* call) { ASSERT_EQ(current_context(), expected) << "after " << call; });
    calls.make();
    const OwnContext own(0);
    expected = own.get();
    calls.use(nullptr);
    calls.end();
  });
}

class Captures : public Contexts {};

/// Holds a capture in global mode, the default of torch.cuda.graph, during its lifetime.
class GlobalCapture {
 public:
  /// `flags` are the stream's. A stream without cudaStreamNonBlocking waits for the default stream,
  /// so calls must not touch the default stream during its capture.
  explicit GlobalCapture(unsigned flags = cudaStreamNonBlocking) {
    require(cudaStreamCreateWithFlags(&stream_, flags));
    require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
  }
  GlobalCapture(const GlobalCapture&) = delete;
  GlobalCapture& operator=(const GlobalCapture&) = delete;
  ~GlobalCapture() {
    static_cast<void>(end());
    cudaStreamDestroy(stream_);
  }
  /// Ends the capture; returns success if nothing has invalidated it.
  cudaError_t end() {
    if (ended_) return cudaSuccess;
    ended_ = true;
    cudaGraph_t graph = nullptr;
    const cudaError_t status = cudaStreamEndCapture(stream_, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    return status;
  }

 private:
  cudaStream_t stream_ = nullptr;
  bool ended_ = false;
};

/// The test itself must detect what a capture forbids; otherwise it would prove nothing.
TEST_F(Captures, InGlobalModeAreSpoiltByAnAllocation) {
  void* data = nullptr;
  GlobalCapture capture;
  in_new_thread([&] { EXPECT_NE(cudaMalloc(&data, 256), cudaSuccess); });
  EXPECT_EQ(capture.end(), cudaErrorStreamCaptureInvalidated);
  static_cast<void>(cudaGetLastError());
}

/// Holds another thread that captures in global mode.
class CapturingThread {
 public:
  explicit CapturingThread(unsigned flags) : thread_([this, flags] { work(flags); }) {
    EXPECT_TRUE(meeting_.meet());
  }
  CapturingThread(const CapturingThread&) = delete;
  CapturingThread& operator=(const CapturingThread&) = delete;
  ~CapturingThread() {
    static_cast<void>(renew(false));
    thread_.join();
  }
  /// Ends the capture and, if `more`, begins another one; returns success if nothing has
  /// invalidated it.
  cudaError_t renew(bool more = true) {
    more_ = more;
    return meeting_.meet() && meeting_.meet() ? seen_ : cudaErrorLaunchFailure;
  }

 private:
  void work(unsigned flags) {
    auto capture = std::make_unique<GlobalCapture>(flags);
    if (!meeting_.meet()) return;
    while (capture && meeting_.meet()) {
      seen_ = capture->end();
      capture.reset();
      if (more_) capture = std::make_unique<GlobalCapture>(flags);
      if (!meeting_.meet()) return;
    }
  }

  Meeting meeting_{2};
  bool more_ = true;
  cudaError_t seen_ = cudaSuccess;
  std::thread thread_;  // must be last: it uses the members above
};

void expect_not_seen(unsigned flags) {
  const CallerStream stream;
  CapturingThread other(flags);
  DeviceCalls(0, [&](const char* call) {
    EXPECT_EQ(other.renew(), cudaSuccess) << "after " << call;
  }).run(stream.get());
}

TEST_F(Captures, OfAnotherThreadSeeNothingOfAnyCall) { expect_not_seen(cudaStreamNonBlocking); }

/// A copy on the default stream would invalidate this capture in any thread mode.
TEST_F(Captures, OfAStreamThatWaitsForTheDefaultOneSeeNothingEither) { expect_not_seen(0); }

/// The test destroys objects in the capturing thread, as a garbage collector may.
TEST_F(Captures, OutliveWhatIsFreedInsideThem) {
  DeviceCalls calls(0, [](const char*) {});
  const CallerStream stream;
  calls.make();
  calls.use(stream.get());
  GlobalCapture capture;
  calls.end();
  EXPECT_EQ(capture.end(), cudaSuccess);
}

/// A synchronous call cannot wait for work that a capture has only recorded.
TEST_F(Captures, ARefactorisationAfterACapturingStreamIsRefused) {
  Backend backend = cuda_backend();
  const auto a = generate("poisson2d 6");
  AnalyzeOptions options;
  options.target = backend.target();
  auto factor = Factor<double>::create(analyze(a.pattern(), options), backend);
  const auto there = DeviceValues<double>::copy_of(a.value(), backend);
  const CallerStream stream;
  require(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  const std::string text =
      error_text(ErrorKind::usage, [&] { (void)refactorize(factor, there, 0, stream.get()); });
  cudaGraph_t graph = nullptr;
  require(cudaStreamEndCapture(stream.get(), &graph));
  cudaGraphDestroy(graph);
  EXPECT_EQ(text.find("refactorize: the stream is capturing"), 0U) << text;
  EXPECT_TRUE(refactorize(factor, there, 0, stream.get()).ok());
}

/// Holds a system whose values arrive late: a stream that is held up copies them over the early
/// values, which also form a matrix, with other bits of L.
class LateValues : public Contexts {
 protected:
  struct Job {
    Backend& backend;
    SymmetricMatrix<double> a;
    std::shared_ptr<const Plan> plan;
    DeviceValues<double> there;
    StreamHandle stream;
    std::function<void()>
        hold;  ///< enqueues the late values on the stream, which is held up for a while
  };
  static constexpr double kScale = 4;  // late values are early values times this

  /// Releases the stream after a time in which a call that fails to wait has read the early values.
  /// A call that waits correctly does so for any such time.
  template <class F>
  void run(const F& f) {
    Backend backend = cuda_backend();
    auto a = generate("poisson2d 6");
    const std::vector<double> early(a.value().begin(), a.value().end());
    std::vector<double> late = early;
    for (double& v : late) v *= kScale;
    const CallerArray<double> there(early), from(late);
    const CallerStream stream;
    std::optional<Held> held;
    std::thread releases;
    AnalyzeOptions options;
    options.target = backend.target();
    options.ordering.method = OrderingMethod::natural;
    const auto plan = run_by(*analyze(a.pattern(), options), symbolic::kFewestEver);
    const auto hold = [&] {
      held.emplace(stream);
      require(cudaMemcpyAsync(there.data(), from.data(), late.size() * sizeof(double),
                              cudaMemcpyDefault, stream.get()));
      releases = std::thread([&held] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        held->release();
      });
    };
    f(Job{backend, std::move(a), plan, DeviceValues<double>::borrow({there.data(), late.size()}),
          stream.get(), hold});
    ASSERT_TRUE(releases.joinable());
    releases.join();
  }
};

TEST_F(LateValues, OfAFactor) {
  run([](const Job& job) {
    auto factor = Factor<double>::create(job.plan, job.backend);
    EXPECT_TRUE(refactorize<double>(factor, job.a.value()).ok());
    const double early = factor.entry(0, 0);
    job.hold();
    EXPECT_TRUE(refactorize(factor, job.there, 0, job.stream).ok());
    EXPECT_EQ(factor.entry(0, 0), 2 * early);
  });
}

TEST_F(LateValues, OfAMixedFactor) {
  run([](const Job& job) {
    auto factor = MixedFactor::create(job.a.pattern(), job.plan, job.backend);
    const Index n = job.a.n();
    std::vector<double> x(static_cast<std::size_t>(n), 1.0), y = x;
    EXPECT_TRUE(factor.refactorize(job.a.value()).ok());
    EXPECT_TRUE(factor.solve({x.data(), n, 1, n}, {x.data(), n, 1, n}).ok());
    job.hold();
    EXPECT_TRUE(factor.refactorize(job.there, job.stream).ok());
    EXPECT_TRUE(factor.solve({y.data(), n, 1, n}, {y.data(), n, 1, n}).ok());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(kScale * y[i], x[i], 1e-12 * x[i]);
  });
}

TEST_F(LateValues, OfABatch) {
  for (const BatchWay way : {BatchWay::together, BatchWay::one_by_one})
    run([&](const Job& job) {
      auto batch = BatchFactor<double>::create(job.plan, 2, job.backend, way);
      refactorize<double>(batch, job.a.value(), 0);
      const double early = batch.entry(1, 0, 0);
      job.hold();
      refactorize(batch, job.there, 0, 0, job.stream);
      EXPECT_EQ(batch.entry(1, 0, 0), 2 * early) << static_cast<int>(way);
    });
}

}  // namespace
}  // namespace kauri::test

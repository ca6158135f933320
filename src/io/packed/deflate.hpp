// Deflates to gzip files (RFC 1952) and raw deflate streams (RFC 1951) by zlib.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <zlib.h>

#include <functional>
#include <string>
#include <string_view>

namespace kauri::io {

/// Compresses what is written, and passes compressed bytes to the sink as they become available.
class Deflater {
 public:
  enum class Format { gzip, raw };
  Deflater(Format format, std::function<void(std::string_view)> sink);
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  void write(std::string_view bytes);
  /// Ends the stream. Must be called once, after all writes.
  void finish();

 private:
  void run(int flush);

  std::function<void(std::string_view)> sink_;
  std::string room_;
  z_stream stream_{};
};

}  // namespace kauri::io

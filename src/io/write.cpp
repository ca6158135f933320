// Writes Matrix Market and .npy files.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <charconv>
#include <optional>

#include "base/matrix/dense_lines.hpp"
#include "kauri/extras/io.hpp"
#include "numeric/dense_view.hpp"
#include "src/checks/dense_shape.hpp"
#include "src/checks/find_non_finite.hpp"
#include "src/io/file/file.hpp"
#include "src/io/numpy/dense.hpp"
#include "src/io/numpy/write_npz.hpp"
#include "src/io/packed/deflate.hpp"

namespace kauri {
namespace {

/// Collects text in pieces before it goes to the file, compressed if the name ends in .gz.
class TextWriter {
 public:
  explicit TextWriter(const std::string& path) : file_(path) {
    if (path.ends_with(".gz"))
      deflater_.emplace(io::Deflater::Format::gzip,
                        [this](std::string_view bytes) { file_.write(bytes); });
  }
  TextWriter& operator<<(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() > kPiece) flush();
    return *this;
  }
  TextWriter& operator<<(Offset value) {
    return put(std::to_chars(digits_.data(), digits_.data() + digits_.size(), value).ptr);
  }
  /// Writes 17 significant digits, enough to restore every double.
  TextWriter& operator<<(double value) {
    return put(std::to_chars(digits_.data(), digits_.data() + digits_.size(), value,
                             std::chars_format::scientific, 16)
                   .ptr);
  }
  void close() {
    flush();
    if (deflater_) deflater_->finish();
    file_.close();
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 20;
  TextWriter& put(const char* end) {
    return *this << std::string_view(digits_.data(),
                                     static_cast<std::size_t>(end - digits_.data()));
  }
  void flush() {
    if (deflater_)
      deflater_->write(buffer_);
    else
      file_.write(buffer_);
    buffer_.clear();
  }
  io::FileWriter file_;
  std::optional<io::Deflater> deflater_;
  std::string buffer_;
  std::array<char, 40> digits_{};
};

void write_market_array(const std::string& path, MatrixView<const double> x) {
  TextWriter out(path);
  out << "%%MatrixMarket matrix array real general\n"
      << Offset{x.rows} << " " << Offset{x.cols} << "\n";
  const numeric::StridedView<const double> entry = numeric::strided(x);
  for (Index j = 0; j < x.cols; ++j)
    for (Index i = 0; i < x.rows; ++i) out << entry(i, j) << "\n";
  out.close();
}

void write_npy(const std::string& path, MatrixView<const double> x) {
  io::FileWriter out(path);
  out.write(io::npy_header(x.rows, x.cols));
  std::vector<double> column(static_cast<std::size_t>(x.rows));
  for (Index j = 0; j < x.cols && x.rows > 0; ++j) {
    copy_entries(numeric::columns(x, j, 1), column_view(std::span<double>(column)));
    out.write({reinterpret_cast<const char*>(column.data()), column.size() * sizeof(double)});
  }
  out.close();
}

}  // namespace

void write_dense(const std::string& path, MatrixView<const double> x) {
  require_dense(x, "write_dense: x", x.rows);
  if (path.ends_with(".npy")) return write_npy(path, x);
  if (path.ends_with(".mtx")) return write_market_array(path, x);
  throw Error(
      ErrorKind::usage,
      io::shown(path) + ": cannot tell the format from the name, expected an ending .mtx or .npy");
}

void write_matrix(const std::string& path, const SymmetricView<double>& a) {
  const Pattern& p = a.pattern;
  check(p);
  if (static_cast<Offset>(a.value.size()) != p.nnz())
    throw Error(ErrorKind::usage, "write_matrix: " + std::to_string(a.value.size()) +
                                      " values for " + std::to_string(p.nnz()) +
                                      " entries, expected as many");
  require_finite(a, io::shown(path));  // no reader accepts NaN or infinity
  if (path.ends_with(".npz")) return io::write_npz(path, a);
  TextWriter out(path);
  out << "%%MatrixMarket matrix coordinate real symmetric\n"
      << Offset{p.n} << " " << Offset{p.n} << " " << p.nnz() << "\n";
  for (Index j = 0; j < p.n; ++j)
    for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k)
      out << Offset{p.row[k]} + 1 << " " << Offset{j} + 1 << " " << a.value[k] << "\n";
  out.close();
}

}  // namespace kauri

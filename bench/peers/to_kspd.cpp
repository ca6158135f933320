// Writes systems in the peers' input format, .kspd: the lower triangle by rows, see
// ../shared/peers.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <span>
#include <vector>

#include "bench/source.hpp"
#include "kauri/core/matrix.hpp"

namespace {

template <class T>
void write(std::ofstream& file, std::span<const T> numbers) {
  file.write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size_bytes()));
}

/// Writes A by rows of its lower triangle, which is the transpose of its lower triangle by columns,
/// so the columns of a row ascend.
void write_kspd(const kauri::SymmetricMatrix<double>& a, const char* path) {
  const kauri::Pattern lower = a.pattern();
  const std::size_t n = static_cast<std::size_t>(lower.n), nnz = lower.row.size();
  std::vector<std::int64_t> row_ptr(n + 1);
  for (const kauri::Index row : lower.row) ++row_ptr[static_cast<std::size_t>(row) + 1];
  for (std::size_t row = 0; row < n; ++row) row_ptr[row + 1] += row_ptr[row];
  std::vector<std::int64_t> next(row_ptr.begin(), row_ptr.end() - 1);
  std::vector<std::int32_t> col(nnz);
  std::vector<double> value(nnz);
  for (std::size_t j = 0; j < n; ++j) {
    for (auto p = static_cast<std::size_t>(lower.col_ptr[j]);
         p < static_cast<std::size_t>(lower.col_ptr[j + 1]); ++p) {
      const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(lower.row[p])]++);
      col[place] = static_cast<std::int32_t>(j);
      value[place] = a.value()[p];
    }
  }
  std::ofstream file(path, std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.write("KSPD0001", 8);
  const std::int64_t counts[] = {static_cast<std::int64_t>(n), static_cast<std::int64_t>(nnz)};
  write(file, std::span<const std::int64_t>(counts));
  write(file, std::span<const std::int64_t>(row_ptr));
  write(file, std::span<const std::int32_t>(col));
  write(file, std::span<const double>(value));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr,
                 "usage: to_kspd SYSTEM FILE.kspd     a file that kauri reads, or a specification "
                 "of kauri generate\n");
    return 1;
  }
  try {
    write_kspd(kauri::bench::load(argv[1]), argv[2]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "to_kspd: %s\n", e.what());
    return 1;
  }
  return 0;
}

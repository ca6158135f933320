// L as sections of a file, after those of its plan: the inverses that a device's solves use, then L
// front by front.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/save/factor_sections.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/common/digits.hpp"
#include "base/host/memory.hpp"
#include "numeric/backend.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/plan/restore.hpp"

namespace kauri::save {
namespace {

constexpr Offset kCount = sizeof(std::uint32_t);

constexpr Offset kBlock = 16;
static_assert(kBlock == symbolic::kInverseOrder, "blocks of format 1 are what devices keep");

/// Returns the number of entries of the lower triangles of a front's diagonal blocks, of order 16
/// but for the last one; p: pivots of the front.
Offset triangle_entries(Index p) {
  const Offset whole = p / kBlock, rest = p % kBlock;
  return whole * (kBlock * (kBlock + 1) / 2) + rest * (rest + 1) / 2;
}

template <class T>
Offset inverse_entries(const Factor<T>& factor) {
  Offset entries = 0;
  for (Index s = 0; s < factor.plan().supernodes.count(); ++s)
    entries += factor.store().host_access().diagonal_inverse_entries(s);
  return entries;
}

/// Returns the number of bytes in section "dinv": 0 if no front has inverses of diagonal blocks;
/// else a mark for each front, 1 if it has inverses, and the lower triangles of all inverses.
template <class T>
Offset inverse_bytes(const Factor<T>& factor) {
  const Offset entries = inverse_entries(factor);
  return entries == 0 ? 0 : kCount * factor.plan().supernodes.count() + entries * Offset{sizeof(T)};
}

template <class T>
Offset l_bytes(const Plan& plan) {
  return symbolic::lower_entries(plan.supernodes) * Offset{sizeof(T)};
}

/// Returns the number of entries of the largest panel.
std::size_t largest_panel(const Supernodes& nodes) {
  Offset largest = 0;
  for (Index s = 0; s < nodes.count(); ++s)
    largest = std::max(largest, Offset{nodes.order(s)} * nodes.pivots(s));
  return static_cast<std::size_t>(largest);
}

/// Sections of a file that HostAccess::restore() reads: "dinv", read when the object is made, and
/// the contents of "lval", front by front.
template <Scalar T>
class PanelsOfFile final : public numeric::SavedPanels<T> {
 public:
  PanelsOfFile(const Supernodes& nodes, Reader& reader) : nodes_(nodes), reader_(reader) {
    read_inverses();
  }

  void read(Index s, std::span<T> to) override {
    const auto m = static_cast<std::size_t>(nodes_.order(s)),
               p = static_cast<std::size_t>(nodes_.pivots(s));
    for (std::size_t c = 0; c < p; ++c) {
      const std::span<T> column = to.subspan(c * m + c, m - c);
      reader_.numbers(column);
      look_at(column, nodes_.first[s] + static_cast<Index>(c));
    }
    look_at_inverses(s, to);
  }

  std::span<const T> diagonal_inverses(Index s) override {
    if (begin_.empty()) return {};
    return std::span<const T>(inverse_).subspan(begin_[s], begin_[s + 1] - begin_[s]);
  }

  /// Returns the first fault found: a column that cannot be one of L, or a block of `dinv` that is
  /// not the inverse of its block of L. Empty if there is none.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  void read_inverses() {
    const Offset bytes = reader_.begin("dinv"), count = nodes_.count();
    if (bytes > 0) {
      if (bytes < count * kCount)
        reader_.fail(std::to_string(bytes) + " bytes, expected marks of " + std::to_string(count) +
                     " fronts");
      begin_.resize(static_cast<std::size_t>(count) + 1, 0);
      for (Index s = 0; s < count; ++s) {
        const auto mark = reader_.number<std::uint32_t>();
        if (mark > 1)
          reader_.fail("front " + std::to_string(s) + " has mark " + std::to_string(mark) +
                       ", expected 0 or 1");
        begin_[s + 1] = begin_[s] + static_cast<std::size_t>(
                                        mark == 1 ? triangle_entries(nodes_.pivots(s)) : 0);
      }
      const Offset expected = count * kCount + static_cast<Offset>(begin_.back() * sizeof(T));
      if (bytes != expected)
        reader_.fail(std::to_string(bytes) + " bytes, expected " + std::to_string(expected) +
                     " by its marks");
      resize_large(inverse_, static_cast<Offset>(begin_.back()));
      reader_.numbers(std::span<T>(inverse_));
    }
    reader_.end();
  }

  /// Records the first fault in column j of L, and replaces a bad pivot by 1, since backends
  /// require positive pivots. read_factor() reports the fault once the checksum is known to be
  /// right.
  void look_at(std::span<T> column, Index j) {
    const auto note = [&](T x, const char* expected) {
      if (fault_.empty())
        fault_ =
            "column " + std::to_string(j) + " of L holds " + digits(x) + ", expected " + expected;
    };
    for (const T x : column)
      if (!std::isfinite(x)) note(x, "finite numbers");
    if (column[0] > 0 && std::isfinite(column[0])) return;
    note(column[0], "more than 0 on the diagonal");
    column[0] = T(1);
  }

  /// Checks that each block X of `dinv`, if there are any, is the inverse of its block of L up to
  /// rounding. The panel of the front has been read.
  void look_at_inverses(Index s, std::span<const T> panel) {
    const std::span<const T> inverses = diagonal_inverses(s);
    const Offset m = nodes_.order(s), p = nodes_.pivots(s);
    Offset at = 0;
    for (Offset first = 0; at < static_cast<Offset>(inverses.size()) && fault_.empty();
         first += kBlock) {
      const Offset order = std::min(kBlock, p - first);
      const T* x = inverses.data() + at;
      for (Offset i = 0; i < order; ++i)
        for (Offset j = 0; j <= i; ++j)
          if (!is_of_inverse(panel.data() + first * m + first, m, x, i, j))
            return note_inverse(s, nodes_.first[s] + static_cast<Index>(first + i),
                                nodes_.first[s] + static_cast<Index>(first + j));
      at += order * (order + 1) / 2;
    }
  }

  /// Returns true if entry (i, j) of L X equals that of I up to a bound. The bound is far above the
  /// errors that rounding and underflow leave in an inverse (Higham, section 14.2: a small multiple
  /// of eps |L| |X|), and far below errors that would harm solves. L: column-major; X: its lower
  /// triangle by rows. Returns false for NaN.
  static bool is_of_inverse(const T* l, Offset ld, const T* x, Offset i, Offset j) {
    const double bound = std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon()));
    double sum = i == j ? -1 : 0, magnitude = 0, underflow = 0;
    for (Offset k = j; k <= i; ++k) {
      const double of_l = l[i + k * ld], term = of_l * static_cast<double>(x[k * (k + 1) / 2 + j]);
      sum += term, magnitude += std::abs(term);
      underflow += std::abs(of_l) * static_cast<double>(std::numeric_limits<T>::min());
    }
    return std::isfinite(magnitude) && std::abs(sum) <= bound * magnitude + underflow;
  }

  void note_inverse(Index s, Index row, Index column) {
    fault_ = "dinv of front " + std::to_string(s) +
             " is not the inverse of L's diagonal blocks at row " + std::to_string(row) +
             ", column " + std::to_string(column) + " of L";
  }

  const Supernodes& nodes_;
  Reader& reader_;
  std::vector<std::size_t>
      begin_;  // start of each front's inverses in inverse_; empty if there are none
  Array<T> inverse_;
  std::string fault_;
};

}  // namespace

template <Scalar T>
Offset factor_bytes(const Factor<T>& factor) {
  return inverse_bytes(factor) + l_bytes<T>(factor.plan()) +
         2 * static_cast<Offset>(kSectionHead + kChecksum);
}

template <Scalar T>
void write_factor(const Factor<T>& factor, Writer& writer) {
  const Supernodes& nodes = factor.plan().supernodes;
  const numeric::HostAccess<T>& l = factor.store().host_access();
  std::vector<T> numbers;
  numbers.reserve(largest_panel(nodes));  // allocated once: a growing vector holds two copies
  writer.begin("dinv", inverse_bytes(factor));
  if (inverse_entries(factor) > 0) {
    for (Index s = 0; s < nodes.count(); ++s)
      writer.number<std::uint32_t>(l.diagonal_inverse_entries(s) > 0 ? 1 : 0);
    for (Index s = 0; s < nodes.count(); ++s) {
      numbers.resize(static_cast<std::size_t>(l.diagonal_inverse_entries(s)));
      if (!numbers.empty()) l.copy_diagonal_inverses(s, numbers);
      writer.numbers(std::span<const T>(numbers));
    }
  }
  writer.end();
  writer.begin("lval", l_bytes<T>(factor.plan()));
  for (Index s = 0; s < nodes.count(); ++s) {
    const auto m = static_cast<std::size_t>(nodes.order(s)),
               p = static_cast<std::size_t>(nodes.pivots(s));
    numbers.resize(m * p);
    l.copy_panel(s, numbers);
    for (std::size_t c = 0; c < p; ++c)
      writer.numbers(std::span<const T>(numbers).subspan(c * m + c, m - c));
  }
  writer.end();
}

void check_factor_bytes(std::span<const Index> pivots, std::span<const Index> order,
                        const Header& header, const Reader& reader) {
  const auto entries = static_cast<std::uint64_t>(symbolic::lower_entries(pivots, order));
  if (entries > header.bytes / header.scalar_bytes)
    io::fail(reader.name(), "damaged: L of its plan has " + std::to_string(entries) +
                                " entries, there are " + std::to_string(header.bytes) +
                                " bytes in all");
}

template <Scalar T>
void read_factor(Factor<T>& factor, Reader& reader) {
  PanelsOfFile<T> panels(factor.plan().supernodes, reader);
  reader.begin("lval", l_bytes<T>(factor.plan()));
  factor.store().host_access().restore(panels);
  reader.end();
  if (!panels.fault().empty()) reader.fail("damaged: " + panels.fault());
}

template Offset factor_bytes(const Factor<float>&);
template Offset factor_bytes(const Factor<double>&);
template void write_factor(const Factor<float>&, Writer&);
template void write_factor(const Factor<double>&, Writer&);
template void read_factor(Factor<float>&, Reader&);
template void read_factor(Factor<double>&, Reader&);

}  // namespace kauri::save

// Turns the words of a specification into a system: generate() and its help.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kauri/core/error.hpp"
#include "kauri/extras/generate.hpp"
#include "src/generate/kinds.hpp"

namespace kauri {
namespace gen {
namespace {

using Words = std::vector<std::string>;

constexpr Offset kMostRows = std::numeric_limits<Index>::max() - 1;

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::usage, "generate: " + what);
}

Words split(std::string_view spec) {
  Words words;
  for (std::size_t at = 0; at < spec.size();) {
    const std::size_t begin = spec.find_first_not_of(" \t\r\n", at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(spec.find_first_of(" \t\r\n", begin), spec.size());
    words.emplace_back(spec.substr(begin, end - begin));
    at = end;
  }
  return words;
}

/// Returns the number that all of the word spells; throws Error(usage) if there is none. what: the
/// word's name in the error.
template <class T>
T number(const std::string& word, const std::string& what) {
  T value{};
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (code != std::errc() || end != word.data() + word.size())
    fail("'" + word + "' for " + what + ": expected " +
         (std::is_integral_v<T> ? "an integer" : "a number"));
  return value;
}

/// Returns a seed of 64 bits; a negative number stands for its two's complement.
std::uint64_t seed_number(const std::string& word, const std::string& what) {
  return word.starts_with('-') ? static_cast<std::uint64_t>(number<std::int64_t>(word, what))
                               : number<std::uint64_t>(word, what);
}

double real_number(const std::string& word, const std::string& what, double least, double most,
                   const char* expected) {
  const double x = number<double>(word, what);
  if (!(x >= least && x <= most)) fail("'" + word + "' for " + what + ": expected " + expected);
  return x;
}

Index count(const std::string& word, const std::string& what, Offset least, Offset most) {
  const auto x = number<Offset>(word, what);
  if (x < least || x > most)
    fail("'" + word + "' for " + what + ": expected " + std::to_string(least) + " to " +
         std::to_string(most));
  return static_cast<Index>(x);
}

/// A parsed specification. Which options its kind allows is checked later, by judge().
struct Request {
  std::string kind;
  Words argument;
  std::optional<Holes> holes;
  std::optional<double> shift, far;
  std::optional<std::uint64_t> shuffle;
  Index dof = 1;

  [[nodiscard]] double shift_or(double standard) const { return shift.value_or(standard); }
};

constexpr double kTiny = std::numeric_limits<double>::denorm_min(),
                 kHuge = std::numeric_limits<double>::max();

Request parse(const Words& words) {
  Request request;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 >= words.size())
        fail("'" + word + "' lacks its value; expected it in the next word");
      return words[++i];
    };
    if (word == "--holes") {
      const std::uint64_t seed = seed_number(value(), "--holes SEED");
      request.holes = Holes{seed, real_number(value(), "--holes SEED P", 0, 1, "0 to 1")};
    } else if (word == "--shift") {
      request.shift = real_number(value(), word, kTiny, kHuge, "a positive number");
    } else if (word == "--far") {
      request.far = real_number(value(), word, 0, 1, "0 to 1");
    } else if (word == "--shuffle") {
      request.shuffle = seed_number(value(), word);
    } else if (word == "--dof") {
      request.dof = count(value(), word, 1, kMostRows);
    } else if (word.starts_with("--")) {
      fail("unknown option '" + word + "'; expected --holes, --shift, --far, --dof or --shuffle");
    } else if (request.kind.empty()) {
      request.kind = word;
    } else {
      request.argument.push_back(word);
    }
  }
  return request;
}

enum Option : unsigned { kNoOption = 0, kHoles = 1, kShift = 2, kFar = 4 };

/// Largest N with N^2, N^3 or 3 N (N+1)^2 rows below 2^31 - 1.
constexpr Offset kMostPlane = 46340, kMostCube = 1290, kMostBricks = 893;

struct Generator {
  const char* name;
  const char* arguments;  ///< names of the arguments, blank-separated
  unsigned options;
  const char* help;
  Columns (*make)(const Request&);
};

Index side(const Request& r, Offset most) { return count(r.argument[0], r.kind + " N", 1, most); }
Index rows(const Request& r) { return count(r.argument[0], r.kind + " N", 1, kMostRows); }

constexpr std::array kKinds = {
    Generator{"poisson2d", "N", kNoOption, "5-point, n = N^2",
              [](const Request& r) { return poisson2d(side(r, kMostPlane)); }},
    Generator{"poisson3d", "N", kNoOption, "7-point, n = N^3",
              [](const Request& r) { return aniso3d(side(r, kMostCube), 1.0); }},
    Generator{"lap27", "N", kNoOption, "27-point, n = N^3",
              [](const Request& r) { return lap27(side(r, kMostCube)); }},
    Generator{"aniso3d", "N EPS", kNoOption, "7-point with EPS in z, n = N^3",
              [](const Request& r) {
                return aniso3d(side(r, kMostCube), real_number(r.argument[1], "aniso3d EPS", kTiny,
                                                               kHuge, "a positive number"));
              }},
    Generator{"shell2d", "N", kNoOption, "13-point biharmonic, n = N^2",
              [](const Request& r) { return shell2d(side(r, kMostPlane)); }},
    Generator{
        "elast3d", "N", kHoles, "elasticity on N^3 bricks, n = 3 N (N+1)^2",
        [](const Request& r) { return elast3d(side(r, kMostBricks), r.holes.value_or(Holes{})); }},
    Generator{"rgg3d", "N K SEED", kShift,
              "Laplacian of N random points in space, K nearest neighbours (shift 0.01)",
              [](const Request& r) {
                const Index n = rows(r), k = count(r.argument[1], "rgg3d K", 1, Offset{n} - 1);
                return rgg3d(n, k, seed_number(r.argument[2], "rgg3d SEED"), r.shift_or(1e-2));
              }},
    Generator{"tri2d", "N SEED", kShift,
              "Laplacian of a random triangulation of N points (shift 0.001)",
              [](const Request& r) {
                return tri2d(rows(r), seed_number(r.argument[1], "tri2d SEED"), r.shift_or(1e-3));
              }},
    Generator{"tree", "N SEED", kShift | kFar,
              "like a power grid: random spanning tree and 10 % more edges (shift 0.001)",
              [](const Request& r) {
                return tree(rows(r), seed_number(r.argument[1], "tree SEED"), r.far.value_or(0),
                            r.shift_or(1e-3));
              }},
    Generator{"arrow", "N K", kNoOption, "band behind K dense rows",
              [](const Request& r) {
                const Index n = rows(r);
                return arrow(n, count(r.argument[1], "arrow K", 0, Offset{n} - 1));
              }},
    Generator{"blockdiag", "N B", kNoOption, "dense blocks of order B",
              [](const Request& r) {
                return blockdiag(rows(r), count(r.argument[1], "blockdiag B", 1, kMostRows));
              }},
    Generator{"hubs", "N H D SEED", kShift,
              "random path and H hubs of D random neighbours (shift 0.001)",
              [](const Request& r) {
                const Index n = rows(r), hubs_of = count(r.argument[1], "hubs H", 0, n);
                const Index degree = count(r.argument[2], "hubs D", 0, kMostRows);
                return hubs(n, hubs_of, degree, seed_number(r.argument[3], "hubs SEED"),
                            r.shift_or(1e-3));
              }},
    Generator{
        "powerlaw", "N K SEED", kShift, "preferential attachment, K links a vertex (shift 0.001)",
        [](const Request& r) {
          const Index n = rows(r), links = count(r.argument[1], "powerlaw K", 1, kMostRows);
          return power_law(n, links, seed_number(r.argument[2], "powerlaw SEED"), r.shift_or(1e-3));
        }},
    Generator{
        "bundle", "C P K SEED", kNoOption, "C cameras, P points seen by K of them, n = 9 C + 3 P",
        [](const Request& r) {
          const Index cameras = count(r.argument[0], "bundle C", 1, kMostRows / kBundleCamera);
          const Index points = count(r.argument[1], "bundle P", 0,
                                     (kMostRows - Offset{kBundleCamera} * cameras) / kBundlePoint);
          return bundle(cameras, points, count(r.argument[2], "bundle K", 1, cameras),
                        seed_number(r.argument[3], "bundle SEED"));
        }},
};

std::string names_of_kinds() {
  std::string names;
  for (const Generator& kind : kKinds) names += std::string(names.empty() ? "" : ", ") + kind.name;
  return names;
}

const Generator& find_kind(const Request& request) {
  if (request.kind.empty()) fail("no kind given; expected one of " + names_of_kinds());
  for (const Generator& kind : kKinds)
    if (request.kind == kind.name) return kind;
  fail("unknown kind '" + request.kind + "'; expected one of " + names_of_kinds());
}

void judge(const Generator& kind, const Request& request) {
  const std::size_t wanted = split(kind.arguments).size(), got = request.argument.size();
  const std::string usage = "; use: " + std::string(kind.name) + " " + kind.arguments;
  if (got < wanted) fail("'" + request.kind + "' lacks " + split(kind.arguments)[got] + usage);
  if (got > wanted) fail("'" + request.argument[wanted] + "' is one word too many" + usage);
  const auto refuse = [&](bool given, unsigned option, const char* name) {
    if (given && (kind.options & option) == 0)
      fail("'" + std::string(name) + "' has no meaning for " + kind.name + "; omit it");
  };
  refuse(request.holes.has_value(), kHoles, "--holes");
  refuse(request.shift.has_value(), kShift, "--shift");
  refuse(request.far.has_value(), kFar, "--far");
}

SymmetricMatrix<double> make(const Request& request) {
  const Generator& kind = find_kind(request);
  judge(kind, request);
  Columns a = kind.make(request);
  if (a.n() * Offset{request.dof} > kMostRows)
    fail("'" + std::to_string(request.dof) + "' for --dof: the system would have more than " +
         std::to_string(kMostRows) + " rows; choose fewer");
  if (request.dof > 1) a = with_dofs(a, request.dof);
  if (request.shuffle) a = shuffled(a, *request.shuffle);
  return to_matrix(std::move(a));
}

}  // namespace
}  // namespace gen

SymmetricMatrix<double> generate(std::string_view spec) {
  const gen::Request request = gen::parse(gen::split(spec));
  try {
    return gen::make(request);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::memory, "generate: not enough memory for '" + std::string(spec) + "'");
  } catch (const std::length_error&) {
    throw Error(ErrorKind::memory, "generate: '" + std::string(spec) +
                                       "' has more entries than memory can be addressed for");
  }
}

std::string generator_help() {
  std::string text;
  for (const gen::Generator& kind : gen::kKinds) {
    std::string words = std::string(kind.name) + " " + kind.arguments;
    if (kind.options & gen::kHoles) words += " [--holes SEED P]";
    if (kind.options & gen::kShift) words += " [--shift S]";
    if (kind.options & gen::kFar) words += " [--far SHARE]";
    words.resize(std::max<std::size_t>(words.size(), 40), ' ');
    text += "  " + words + "  " + kind.help + "\n";
  }
  return text +
         "any kind: [--dof D] Kronecker product with a D x D SPD block; [--shuffle SEED] random "
         "renumbering\n";
}

}  // namespace kauri

// The same properties on systems with structure, n from a thousand to a hundred thousand, by fixed specifications and seeds.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/quotient_elimination.hpp"

namespace kauri {
namespace {

std::vector<std::string> specs() {
  std::vector<std::string> all{"poisson2d 40", "poisson2d 60 --shuffle 3", "lap27 12",           "tree 20000 1",
                               "arrow 4000 5", "blockdiag 3000 12",        "rgg3d 3000 8 1",     "shell2d 40",
                               "elast3d 8",    "poisson3d 14 --shuffle 5", "tree 3000 5 --far 1"};
#if defined(KAURI_LONG_TESTS)
  for (const char* spec :
       {"poisson2d 320", "poisson2d 200 --shuffle 9", "poisson3d 40", "tree 100000 2", "arrow 100000 3", "blockdiag 100000 20",
        "rgg3d 30000 8 2", "shell2d 120", "elast3d 18 --holes 7 0.2", "lap27 28", "poisson2d 100 --dof 3"})
    all.emplace_back(spec);
#endif
  return all;
}

std::vector<AnalyzeOptions> all_options(const Pattern& pattern) {
  std::vector<AnalyzeOptions> all;
  for (const auto method :
       {OrderingMethod::rcm, OrderingMethod::minimum_degree, OrderingMethod::amd, OrderingMethod::metis, OrderingMethod::automatic}) {
    if (!ordering_available(method)) continue;
    all.emplace_back().ordering.method = method;
    all.back().workers = 2;
  }
  // A caller's numbering: minimum degree with neighbours in the order swapped, so that it is neither the best nor hopeless.
  std::vector<Index> old_of;
  const Permutation amd = order(Graph(pattern), {.method = OrderingMethod::amd});
  for (Index k = 0; k < amd.size(); ++k) old_of.push_back(amd.old_of((k ^ 1) < amd.size() ? k ^ 1 : k));
  all.emplace_back().permutation = Permutation::from_old_of(old_of);
  return all;
}

TEST(Structured, PlansAreSoundAndSolvesAccurate) {
  Backend backend = cpu_backend(2);
  for (const std::string& spec : specs()) {
    const auto a = generate(spec);
    for (const AnalyzeOptions& options : all_options(a.pattern())) {
      SCOPED_TRACE(spec + " " + std::string(options.permutation ? "given" : name_of(options.ordering.method)));
      const auto plan = analyze(a.pattern(), options);
      if (plan->cost.flops > 3e10) continue;  // a band of a shuffled mesh
      ASSERT_EQ(find_flaw(*plan), "");
      ASSERT_EQ(plan->tree.column_count, symbolic::quotient_column_counts(Graph(a.pattern()), plan->perm));
      Offset nnz_l = 0;
      for (Index j = 0; j < plan->n; ++j) {
        ASSERT_TRUE(plan->tree.parent[j] == kNone || plan->tree.parent[j] > j);
        ASSERT_EQ(plan->perm.new_of(plan->perm.old_of(j)), j);
        nnz_l += plan->tree.column_count[j];
      }
      ASSERT_EQ(nnz_l, plan->cost.nnz_l);
      const auto factor = factorize<double>(plan, a.value(), backend);
      ASSERT_TRUE(factor.ok());
      auto workspace = Workspace<double>::create(factor.value(), 1);
      std::vector<double> b(static_cast<std::size_t>(a.n()));
      std::mt19937_64 random(8);
      for (double& v : b) v = std::uniform_real_distribution<double>(-1, 1)(random);
      std::vector<double> x = b;
      factor.value().solve(column_view(std::span(x)), workspace);
      const std::span<const double> solution(x), rhs(b);
      EXPECT_LE(backward_error<double>(a.view(), column_view(solution), column_view(rhs), backend).componentwise, 1e-14);
    }
  }
}

}  // namespace
}  // namespace kauri

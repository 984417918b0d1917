#include "core/canon/graph.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace resilient::canon;

namespace {

std::vector<std::string> found(const std::vector<graph_article>& articles,
                               const graph_rules& rules) {
  const auto follow = [&](const std::string& target) -> std::optional<link_end> {
    if (target.rfind("lake:", 0) == 0) {
      return link_end{.is_elsewhere = true, .address = ""};
    }
    for (const graph_article& article : articles) {
      if (article.address == target) {
        return link_end{.is_elsewhere = false, .address = target};
      }
    }
    return std::nullopt;
  };
  std::vector<std::string> lines;
  for (const graph_finding& finding : check_graph(articles, rules, follow)) {
    lines.push_back(std::string(to_string(finding.what)) + " " + finding.address
                    + (finding.other.empty() ? "" : " " + finding.other)
                    + (finding.hint.empty() ? "" : " (" + finding.hint + ")"));
  }
  return lines;
}

using lines = std::vector<std::string>;

} // namespace

TEST_CASE("the graph is checked by the rules that the schema sets") {
  const graph_rules none;
  const graph_rules orphans{.warn_of_orphans = true,
                            .orphan_hint = "Link it.",
                            .children_are_listed = false,
                            .children_hint = ""};
  const graph_rules children{.warn_of_orphans = false,
                             .orphan_hint = "",
                             .children_are_listed = true,
                             .children_hint = "List it."};
  struct row {
    const char* what;
    std::vector<graph_article> articles;
    graph_rules rules;
    lines findings;
  };
  const std::vector<row> table{
      {"an empty store", {}, orphans, {}},
      {"no rules, no links", {{"a", {}}, {"a/b", {}}}, none, {}},
      {"dead links, each once",
       {{"a", {"x", "y", "x", "a"}}},
       none,
       {"dead-link a x", "dead-link a y"}},
      {"links into other stores", {{"a", {"lake:p"}}}, none, {}},
      {"nobody links to it", {{"a", {"b"}}, {"b", {}}}, orphans, {"orphan a (Link it.)"}},
      {"a link to itself does not count", {{"a", {"a"}}}, orphans, {"orphan a (Link it.)"}},
      {"two that link to each other", {{"a", {"b"}}, {"b", {"a"}}}, orphans, {}},
      {"a child that is not listed",
       {{"a", {"a/b"}}, {"a/b", {}}, {"a/c", {}}},
       children,
       {"unlisted-child a a/c (List it.)"}},
      {"grandchildren belong to the child",
       {{"a", {"a/b"}}, {"a/b", {}}, {"a/b/c", {}}},
       children,
       {"unlisted-child a/b a/b/c (List it.)"}},
      {"with nobody in between, to the grandparent",
       {{"a", {}}, {"a/b/c", {}}},
       children,
       {"unlisted-child a a/b/c (List it.)"}},
      {"a sibling with the same beginning is no child",
       {{"a", {}}, {"ab", {}}, {"a-b/c", {}}},
       children,
       {}},
  };
  for (const row& line : table) {
    CAPTURE(line.what);
    CHECK(found(line.articles, line.rules) == line.findings);
  }
}

#include "core/canon/graph.hpp"

#include <map>
#include <set>
#include <utility>

namespace resilient::canon {

namespace {

using children_of = std::map<std::string, std::vector<std::string>>;

[[nodiscard]] children_of find_children(const std::set<std::string>& addresses) {
  children_of children;
  for (const std::string& address : addresses) {
    std::string above = address;
    for (auto slash = above.rfind('/'); slash != std::string::npos; slash = above.rfind('/')) {
      above.resize(slash);
      if (addresses.count(above) > 0) {
        children[above].push_back(address);
        break;
      }
    }
  }
  return children;
}

} // namespace

std::vector<graph_finding>
check_graph(const std::vector<graph_article>& articles, const graph_rules& rules,
            const std::function<std::optional<link_end>(const std::string&)>& follow) {
  std::set<std::string> addresses;
  for (const graph_article& article : articles) {
    addresses.insert(article.address);
  }
  std::map<std::string, std::set<std::string>> links; ///< from an article to those it links to
  std::map<std::string, std::vector<std::string>> dead;
  std::set<std::string> linked;
  for (const graph_article& article : articles) {
    std::set<std::string> told;
    for (const std::string& target : article.links) {
      const auto end = follow(target);
      if (!end) {
        if (told.insert(target).second) {
          dead[article.address].push_back(target);
        }
      } else if (!end->is_elsewhere) {
        links[article.address].insert(end->address);
        if (end->address != article.address) {
          linked.insert(end->address);
        }
      }
    }
  }
  const children_of children = find_children(addresses);

  using kind = graph_finding::kind;
  std::vector<graph_finding> findings;
  for (const graph_article& article : articles) {
    const std::string& address = article.address;
    if (const auto targets = dead.find(address); targets != dead.end()) {
      for (const std::string& target : targets->second) {
        findings.push_back({kind::dead_link, address, target, ""});
      }
    }
    if (rules.warn_of_orphans && linked.count(address) == 0) {
      findings.push_back({kind::orphan, address, "", rules.orphan_hint});
    }
    const auto below = children.find(address);
    if (!rules.children_are_listed || below == children.end()) {
      continue;
    }
    for (const std::string& child : below->second) {
      if (links[address].count(child) == 0) {
        findings.push_back({kind::unlisted_child, address, child, rules.children_hint});
      }
    }
  }
  return findings;
}

const char* to_string(graph_finding::kind what) noexcept {
  switch (what) {
  case graph_finding::kind::dead_link:
    return "dead-link";
  case graph_finding::kind::orphan:
    return "orphan";
  case graph_finding::kind::unlisted_child:
    return "unlisted-child";
  }
  return "";
}

} // namespace resilient::canon

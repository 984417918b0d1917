#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace resilient::canon {

/// One article as a reader of the whole store sees it.
struct graph_article {
  std::string address;
  std::vector<std::string> links; ///< wikilink targets of its body, as they are written
};

/// Which rules of `schema.json` only a reader of the whole store can enforce.
struct graph_rules {
  bool warn_of_orphans = false; ///< `relations.orphan.warn`
  std::string orphan_hint;
  bool children_are_listed = false; ///< `relations.children.listed`
  std::string children_hint;
};

/// Where a link leads: an address of the same store, or a place in another one.
struct link_end {
  bool is_elsewhere = false;
  std::string address; ///< when it is not elsewhere
};

struct graph_finding {
  enum class kind : std::uint8_t { dead_link, orphan, unlisted_child };
  kind what = kind::dead_link;
  std::string address; ///< of the article that should be changed
  std::string other;   ///< the dead target, or the child that is not listed
  std::string hint;    ///< from the schema; may be empty
};

/// Everything that is wrong with the links of a store, by address, in the order of the articles.
/// `articles` are sorted by address. `follow` gives the article that a target means, or nothing.
///
/// An article is an orphan when no other one links to it. Its children are the articles below its
/// address that have no other article in between.
[[nodiscard]] std::vector<graph_finding>
check_graph(const std::vector<graph_article>& articles, const graph_rules& rules,
            const std::function<std::optional<link_end>(const std::string& target)>& follow);

/// The stable name of a kind: "dead-link", "orphan", "unlisted-child".
[[nodiscard]] const char* to_string(graph_finding::kind what) noexcept;

} // namespace resilient::canon

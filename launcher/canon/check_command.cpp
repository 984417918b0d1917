#include "core/canon/graph.hpp"
#include "core/canon/relations.hpp"
#include "core/canon/schema.hpp"
#include "core/support/folder.hpp"
#include "core/support/json_text.hpp"
#include "core/support/text.hpp"
#include "launcher/canon/commands.hpp"
#include "launcher/canon/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace resilient::canon {

namespace {

/// One line of the report.
struct finding {
  std::string kind;
  std::string address; ///< empty when it is not about one article
  std::string other;
  std::string message;
};

struct read_store {
  std::vector<graph_article> articles;
  std::vector<finding> unreadable;
};

/// Says where a file is not text that every program reads alike; nothing when it is.
[[nodiscard]] std::optional<std::string> encoding_problem(const store& knowledge,
                                                          const std::string& file) {
  const auto bytes = knowledge.bytes_of(file);
  if (!bytes || is_valid_utf8(*bytes)) {
    return std::nullopt;
  }
  std::size_t number = 0;
  std::size_t first = 0;
  std::size_t count = 0;
  for (std::size_t at = 0; at < bytes->size();) {
    const std::size_t end = std::min(bytes->find('\n', at), bytes->size());
    ++number;
    if (!is_valid_utf8(std::string_view(*bytes).substr(at, end - at))) {
      first = first == 0 ? number : first;
      ++count;
    }
    at = end + 1;
  }
  return fmt::format("{}/{} is not UTF-8 in line {}{}. Save it as UTF-8.", knowledge.root(), file,
                     first, count > 1 ? fmt::format(" and {} more", count - 1) : "");
}

[[nodiscard]] bool is_text(const article& content) {
  return is_valid_utf8(content.body) && is_valid_utf8(content.capsule.value)
         && std::all_of(content.foreign.begin(), content.foreign.end(),
                        [](const foreign_lines& lines) { return is_valid_utf8(lines.raw); });
}

[[nodiscard]] read_store read_articles(const store& knowledge) {
  read_store all;
  const auto add_problem = [&](const std::string& address, const error& problem) {
    all.unreadable.push_back({"unreadable", address, "", problem.message});
  };
  knowledge.visit(
      [&](const article_file& file, const std::function<result<article>()>& read) {
        const auto content = read();
        if (!content) {
          add_problem(file.address, content.error());
          return;
        }
        if (!is_valid_utf8(file.address)) {
          all.unreadable.push_back({"encoding", file.address, "",
                                    fmt::format("The name {}/articles/{}.md is not UTF-8: no agent "
                                                "can name it. Give it another one.",
                                                knowledge.root(), file.address)});
        }
        if (!is_text(*content)) {
          if (auto problem = encoding_problem(knowledge, "articles/" + file.address + ".md")) {
            all.unreadable.push_back({"encoding", file.address, "", std::move(*problem)});
          }
        }
        all.articles.push_back({file.address, wikilinks(content->text())});
      },
      [&](const error& problem) { add_problem("", problem); });
  std::sort(all.articles.begin(), all.articles.end(),
            [](const graph_article& left, const graph_article& right) {
              return left.address < right.address;
            });
  return all;
}

void read_journal(const store& knowledge, std::vector<finding>& findings) {
  if (auto problem = knowledge.journal_problem()) {
    findings.push_back({"unreadable", "", "journal", std::move(*problem)});
  }
  for (const std::string& name : knowledge.journal_names()) {
    if (const auto entry = knowledge.read_entry(name); !entry) {
      findings.push_back({"unreadable", "", "journal/" + name, entry.error().message});
    } else if (auto problem = encoding_problem(knowledge, "journal/" + name)) {
      findings.push_back({"encoding", "", "journal/" + name, std::move(*problem)});
    }
  }
}

[[nodiscard]] std::string sentence_of(const graph_finding& found) {
  const std::string hint = found.hint.empty() ? "" : " " + found.hint;
  switch (found.what) {
  case graph_finding::kind::dead_link:
    return fmt::format("[[{}]] leads to no article.{}", found.other, hint);
  case graph_finding::kind::orphan:
    return "No other article links to it." + hint;
  case graph_finding::kind::unlisted_child:
    return fmt::format("It does not link to its child {}.{}", found.other, hint);
  }
  return "";
}

[[nodiscard]] std::vector<finding> check_project(const places& where, std::size_t& count) {
  const store& knowledge = where.project().knowledge;
  read_store all = read_articles(knowledge);
  std::vector<finding> findings = std::move(all.unreadable);
  read_journal(knowledge, findings);
  for (const std::string& name : knowledge.leftovers(current_time())) {
    findings.push_back({"leftover", "", name,
                        fmt::format("{}/{} was left by a write that was killed; what it was to "
                                    "replace is whole. Delete it.",
                                    knowledge.root(), name)});
  }

  const schema rules = parse_schema(knowledge.schema_text());
  for (const std::string& problem : rules.problems) {
    findings.push_back({"schema", "", "", problem});
  }
  const auto exists = [&](const std::string& address) {
    const auto found = std::lower_bound(
        all.articles.begin(), all.articles.end(), address,
        [](const graph_article& one, const std::string& wanted) { return one.address < wanted; });
    return found != all.articles.end() && found->address == address;
  };
  const auto follow = [&](const std::string& target) -> std::optional<link_end> {
    if (exists(target)) {
      return link_end{.is_elsewhere = false, .address = target};
    }
    const located end = where.locate(target);
    if (end.place != 0) {
      return where.at(end.place).knowledge.has(end.address)
                 ? std::optional<link_end>{link_end{.is_elsewhere = true, .address = {}}}
                 : std::nullopt;
    }
    return exists(end.address)
               ? std::optional<link_end>{link_end{.is_elsewhere = false, .address = end.address}}
               : std::nullopt;
  };
  for (const graph_finding& found : check_graph(all.articles,
                                                {.warn_of_orphans = rules.orphan_warn,
                                                .orphan_hint = rules.orphan_hint,
                                                .children_are_listed = rules.children_listed,
                                                .children_hint = rules.children_hint},
                                                follow)) {
    findings.push_back({to_string(found.what), found.address, found.other, sentence_of(found)});
  }
  count = all.articles.size();
  return findings;
}

void print_as_json(const std::vector<finding>& findings, std::size_t count) {
  nlohmann::json list = nlohmann::json::array();
  for (const finding& one : findings) {
    list.push_back({{"kind", one.kind},
                    {"address", one.address},
                    {"other", one.other},
                    {"message", one.message}});
  }
  print(json_page(nlohmann::json{{"articles", count}, {"findings", list}}));
}

} // namespace

int run_check(const common_flags& flags, const check_flags& how) {
  const auto project = project_of(flags);
  if (!project) {
    return report(project.error());
  }
  const chosen_options chosen = choose_options(flags);
  if (chosen.problem) {
    print_error("canon: " + *chosen.problem);
  }
  const auto where = open_places(*project, chosen.values);
  if (!where) {
    return report(where.error());
  }
  where->project().knowledge.check_mentions(current_time());
  std::size_t count = 0;
  const std::vector<finding> findings = check_project(*where, count);
  const int code = how.strict && !findings.empty() ? exit_not_done : exit_done;
  if (how.as_json) {
    print_as_json(findings, count);
    return code;
  }
  const terminal out = terminal::of(STDOUT_FILENO);
  for (const finding& one : findings) {
    print_shown(
        out.shown(one.kind, terminal::style::warning) + "  "
        + (one.address.empty() ? "" : out.shown(one.address, terminal::style::strong) + ": ")
        + out.shown(one.message));
  }
  print(counted(count, "article", "articles") + ", "
        + counted(findings.size(), "finding", "findings") + ".");
  return code;
}

} // namespace resilient::canon

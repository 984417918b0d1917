#include "core/canon/lint.hpp"

#include "core/canon/address.hpp"
#include "core/canon/relations.hpp"
#include "core/support/files.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace resilient::canon {

namespace {

using sentences = std::vector<std::string>;

constexpr std::size_t large_body = 20000;
constexpr std::size_t long_body = 8000;
constexpr std::size_t small_body = 400;
constexpr std::size_t long_capsule = 1000;
constexpr std::size_t most_dead_links = 10;

/// Whether a word ends at this place: the next byte is no ASCII letter, digit or underscore.
bool word_ends(std::string_view text, std::size_t at) {
  return at >= text.size()
         || !(is_ascii_letter(text[at]) || is_ascii_digit(text[at]) || text[at] == '_');
}

void advise_on_constraints(const linted_write& write, sentences& advice) {
  if (!write.before || !write.body_supplied) {
    return;
  }
  for (const std::string& line : dropped_constraints(write.before->text(), write.after.text())) {
    advice.push_back(
        fmt::format("This write dropped constraint language: \"{}\". If it still holds, "
                    "put it back; if it changed, log the change in the journal.",
                    line));
  }
}

void advise_on_rules(const linted_write& write, sentences& advice) {
  if (write.retrieval == retrieval_kind::none || !write.body_supplied
      || !speaks_of_constraint(write.after.text())
      || (write.before && speaks_of_constraint(write.before->text()))) {
    return;
  }
  if (governs_asset(write.in.directory, write.address)) {
    advice.push_back(fmt::format("This states a rule at the address of one asset, {}. If it holds "
                                 "beyond that asset, give it an address of its own.",
                                 write.in.qualified(write.address)));
  } else if (!write.after.is_rule()) {
    advice.push_back(
        fmt::format("This states a rule and no asset is at {}: write it again with scope "
                    "rule to declare that.",
                    write.in.qualified(write.address)));
  }
}

void advise_on_size(const linted_write& write, sentences& advice) {
  const std::size_t size = utf16_length(write.after.text());
  const auto& rule = write.rules.body;
  if (size > large_body) {
    if (!rule || !rule->max_chars) {
      advice.push_back(
          fmt::format("The body is {} chars, large past {}: go hierarchical. Keep this "
                      "article as summary and router and move the parts below it.",
                      size, large_body));
    }
  } else if (size > long_body) {
    advice.push_back(fmt::format("The body is {} chars (articles warn past {}).", size, long_body));
  } else if (size > 0 && size < small_body && (!rule || !rule->min_chars)) {
    const std::string parent = parent_address(write.address);
    if (!parent.empty() && write.in.knowledge.has(parent)) {
      advice.push_back(fmt::format("The body is only {} chars: consider folding it into {}.", size,
                                   write.in.qualified(parent)));
    }
  }
}

void advise_on_capsule(const linted_write& write, sentences& advice) {
  const std::string& capsule = write.after.capsule.value;
  const auto& rule = write.rules.capsule;
  if (capsule.empty()) {
    if (!rule || !rule->required) {
      advice.emplace_back("No capsule: this article has no line to surface. Add one that says what "
                          "is true now.");
    }
    return;
  }
  const std::size_t length = utf16_length(capsule);
  if (length > long_capsule && (!rule || !rule->max_chars)) {
    advice.push_back(fmt::format("The capsule is {} chars (at most {}); one dense line is enough.",
                                 length, long_capsule));
  }
  constexpr std::array<std::string_view, 10> log_words = {
      "added",      "changed", "fixed",   "implemented", "migrated",
      "refactored", "removed", "renamed", "updated",     "verified"};
  const std::string lower = ascii_lower(capsule);
  if (std::any_of(log_words.begin(), log_words.end(), [&](std::string_view word) {
        return starts_with(lower, word) && word_ends(lower, word.size());
      })) {
    advice.emplace_back("The capsule reads like a change log. Say what is true now; what changed "
                        "belongs in the journal.");
  }
}

bool holds_date(std::string_view address) {
  constexpr std::string_view shape = "dddd-dd-dd";
  for (std::size_t begin = 0; begin + shape.size() <= address.size(); ++begin) {
    bool matches = true;
    for (std::size_t index = 0; index < shape.size() && matches; ++index) {
      const char byte = address[begin + index];
      matches = shape[index] == 'd' ? is_ascii_digit(byte) : byte == '-';
    }
    if (matches) {
      return true;
    }
  }
  return false;
}

void advise_on_address(const linted_write& write, sentences& advice) {
  constexpr std::array<std::string_view, 9> log_names = {"log",      "logs",     "journal",
                                                         "session",  "sessions", "standup",
                                                         "standups", "meeting",  "meetings"};
  bool log_like = holds_date(write.address);
  for (std::string rest = ascii_lower(write.address); !rest.empty() && !log_like;) {
    const std::string segment = rest.substr(0, rest.find('/'));
    rest.erase(0, std::min(segment.size() + 1, rest.size()));
    log_like = std::find(log_names.begin(), log_names.end(), segment) != log_names.end();
  }
  if (log_like) {
    advice.push_back(
        fmt::format("The address {} names a log or a day. Events belong in the journal "
                    "(action journal); an article says what is true now.",
                    write.in.qualified(write.address)));
  }
}

bool link_is_alive(const linted_write& write, const std::string& target) {
  const located found = write.where.locate(target);
  if (found.place != 0) {
    return write.where.at(found.place).knowledge.has(found.address);
  }
  return write.in.knowledge.has(contained(target)) || write.in.knowledge.has(normalize(target));
}

void advise_on_links(const linted_write& write, sentences& advice) {
  std::size_t dead = 0;
  for (const std::string& target : wikilinks(write.after.body)) {
    if (link_is_alive(write, target)) {
      continue;
    }
    if (++dead <= most_dead_links) {
      advice.push_back(fmt::format("Dead link: no article is at [[{}]].", target));
    }
  }
  if (dead > most_dead_links) {
    advice.push_back(fmt::format("{} more dead links.", dead - most_dead_links));
  }
}

} // namespace

std::optional<std::string> growth_advice(const linted_write& write) {
  if (!write.before || !write.body_supplied
      || write.after.text().size() <= write.before->text().size()) {
    return std::nullopt;
  }
  return fmt::format("Body grew {} -> {} bytes. An article carries current state; narrated history "
                     "(old values, transitions) belongs in the journal.",
                     write.before->text().size(), write.after.text().size());
}

std::vector<std::string> lint(const linted_write& write) {
  sentences advice;
  advise_on_constraints(write, advice);
  advise_on_rules(write, advice);
  advise_on_size(write, advice);
  advise_on_capsule(write, advice);
  advise_on_address(write, advice);
  advise_on_links(write, advice);
  return advice;
}

std::optional<std::string> orphan_question(const place& in, const std::string& address,
                                           const article& content) {
  const std::string parent = parent_address(address);
  if (content.is_rule() || parent.empty()) {
    return std::nullopt;
  }
  const auto folder = posix_files().status(in.directory + "/" + parent);
  if (!folder || !*folder || (*folder)->kind != file_kind::folder
      || governs_asset(in.directory, address)) {
    return std::nullopt;
  }
  return fmt::format(
      "No asset on disk matches {}, though its parent directory exists. If the asset "
      "moved, move the article's file to the new address; if it is gone, fold what is "
      "still true into the parent and log the rest in the journal; if this is a rule "
      "and not an asset, write it with scope rule.",
      in.qualified(address));
}

} // namespace resilient::canon

#include "core/canon/tool.hpp"

#include "core/canon/address.hpp"
#include "core/canon/arguments.hpp"
#include "core/canon/lint.hpp"
#include "core/canon/passed_over.hpp"
#include "core/canon/schema.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace resilient::canon {

namespace {

using nlohmann::json;

/// The message with a period at its end, whether it had one or not.
std::string sentence(const std::string& message) {
  return ends_with(message, ".") ? message : message + ".";
}

/// A name as a part of one line, whatever bytes it has.
std::string on_one_line(const std::string& name) {
  return name.find_first_of("\n\r\v\f") == std::string::npos ? name : fold_capsule(name);
}

std::string journal_line(const place& project, const std::string& key, wall_time now) {
  const std::vector<std::string> names = project.knowledge.mentions(key, now);
  if (names.empty()) {
    return {};
  }
  constexpr std::size_t shown = 3;
  std::string line = "journal: ";
  for (std::size_t index = 0; index < names.size() && index < shown; ++index) {
    line += index == 0 ? "" : ", ";
    line += on_one_line(names[names.size() - 1 - index]);
  }
  if (names.size() > shown) {
    line += fmt::format(" and {} earlier", names.size() - shown);
  }
  return line;
}

std::string schema_report(const schema& rules, const article& content) {
  std::vector<std::string> lines = check_schema(rules, {content}).warnings;
  lines.insert(lines.end(), rules.problems.begin(), rules.problems.end());
  if (lines.empty()) {
    return {};
  }
  return fmt::format("schema.json: {} A write can mend this article.", fmt::join(lines, " "));
}

} // namespace

tool::tool(places where, options chosen, std::unique_ptr<searcher> search)
    : where_(std::move(where)), chosen_(std::move(chosen)), search_(std::move(search)) {}

tool_answer tool::call(const json& arguments, const tool_call& how) {
  const json none = json::object();
  const json& given = arguments.is_object() ? arguments : none;
  const std::string action = string_argument(given, "action").value_or("");
  tool_answer answer;
  if (action == "read") {
    answer = read(given, how);
  } else if (action == "write") {
    answer = write(given, how);
  } else if (action == "journal") {
    answer = journal(given, how);
  } else if (action == "map") {
    answer = map(given);
  } else if (action == "search") {
    answer = search(given, how);
  } else {
    answer = tool_answer::misuse(
        fmt::format("Unknown action \"{}\". The actions are read, write, journal, map "
                    "and search.",
                    action));
  }
  if (const auto unknown = unknown_arguments(given)) {
    answer.text += fmt::format("\n{} What is not known was ignored.", *unknown);
  }
  // Files may hold any bytes; hosts take UTF-8 only.
  answer.text = to_valid_utf8(answer.text);
  return answer;
}

tool_answer tool::read(const json& arguments, const tool_call& how) {
  const auto target = asset_argument(arguments, where_);
  if (!target) {
    return tool_answer::misuse("read " + target.error().message);
  }
  const place& in = where_.at(target->place);
  const auto found = in.knowledge.resolve(target->address);
  if (!found) {
    return tool_answer::refusal(
        fmt::format("The article could not be read: {}", sentence(found.error().message)));
  }
  const std::string asked = in.qualified(target->address);
  const std::string clamped =
      place_advice(where_, string_argument(arguments, "path").value_or(""), *target).value_or("");
  const std::string obstacles =
      passed_over(in.knowledge, target->address, *found ? (*found)->address : "");
  if (!*found) {
    return {fmt::format("No article governs {}. {}{}{}", asked,
                        obstacles.empty() ? "Once the task is done, write one there if what you "
                                            "learned should last."
                                          : obstacles,
                        clamped.empty() ? "" : "\n", clamped),
            false, std::nullopt};
  }
  const governing_article& governing = **found;
  const std::string key = in.qualified(governing.address);
  const article& content = governing.content;
  std::string text = key == asked ? key : fmt::format("{} governs {}", key, asked);
  if (!content.capsule.value.empty()) {
    text += "\ncapsule: " + content.capsule.value;
  }
  if (!content.updated.value.empty()) {
    text += "\nupdated: " + content.updated.value;
  }
  text += "\n\n";
  text += content.body;
  text = std::string(trim_end(text));
  for (const std::string& part :
       {journal_line(where_.project(), key, how.now),
        schema_report(parse_schema(in.knowledge.schema_text()), content),
        orphan_question(in, governing.address, content).value_or(""), obstacles, clamped}) {
    if (!part.empty()) {
      text += "\n\n" + part;
    }
  }
  seen_[key] = governing.hash;
  return {text, false,
          touched_article{key, content.capsule.value + "\n" + std::string(content.body), false},
          false};
}

tool_answer tool::journal(const json& arguments, const tool_call& how) {
  const auto body = string_argument(arguments, "body");
  const std::string event(trim(body.value_or("")));
  if (event.empty()) {
    return tool_answer::misuse(
        "journal needs a body: what happened, with names and exact numbers.");
  }
  const auto slug = optional_string_argument(arguments, "slug");
  if (!slug) {
    return tool_answer::misuse(slug.error().message);
  }
  journal_entry entry;
  std::vector<located> subjects;
  std::vector<std::string> advice;
  const auto given = arguments.find("subject");
  if (given != arguments.end() && !given->is_array() && !given->is_null()) {
    advice.emplace_back("The subject was left out: it must be a list of addresses, such as "
                        "[\"src/core/config\"].");
  }
  if (given != arguments.end() && given->is_array()) {
    for (const json& subject : *given) {
      if (!subject.is_string()) {
        return tool_answer::misuse(
            "Each subject must be a string, the address of what the event is about. "
            "Nothing was logged.");
      }
      const located target = where_.locate(subject.get_ref<const std::string&>());
      const std::string key = where_.at(target.place).qualified(target.address);
      if (target.address.empty() || target.address.find('\0') != std::string::npos
          || std::find(entry.subjects.begin(), entry.subjects.end(), key) != entry.subjects.end()) {
        continue;
      }
      if (auto said = place_advice(where_, subject.get_ref<const std::string&>(), target)) {
        advice.push_back(std::move(*said));
      }
      entry.subjects.push_back(fold_capsule(key));
      subjects.push_back(target);
    }
  }
  entry.logged = instant_text(how.now);
  entry.harness = how.harness;
  entry.session = how.session;
  entry.body = event;
  const auto name = where_.project().knowledge.append(entry, slug_from(slug->value_or("entry")));
  if (!name) {
    return tool_answer::refusal(
        fmt::format("The entry was not logged: {}", sentence(name.error().message)));
  }
  std::string text = fmt::format("Logged {}.", *name);
  constexpr std::size_t most = 6;
  std::vector<std::string> missing;
  for (const located& subject : subjects) {
    const place& in = where_.at(subject.place);
    const auto found = in.knowledge.read(subject.address);
    if (!found || !*found) {
      continue;
    }
    const article& content = (*found)->content;
    for (const std::string& value :
         missing_values(event, content.capsule.value + "\n" + content.body)) {
      if (missing.size() < most) {
        missing.push_back(fmt::format("{} is missing {}", in.qualified(subject.address), value));
      }
    }
  }
  if (!missing.empty()) {
    text += fmt::format("\nValues that the article does not hold: {}. Carry them over if they are "
                        "part of what is true now.",
                        fmt::join(missing, "; "));
  }
  for (const std::string& each : advice) {
    text += "\n" + each;
  }
  if (const auto secret = secret_advice("", event)) {
    text += "\n" + *secret;
  }
  return {text, false, std::nullopt, false};
}

tool_answer tool::map(const json& arguments) {
  const auto path = optional_string_argument(arguments, "path");
  if (!path) {
    return tool_answer::misuse(path.error().message);
  }
  located filter = where_.locate_contained(path->value_or(""));
  const place& in = where_.at(filter.place);
  std::vector<std::pair<std::string, std::string>> lines;
  std::vector<std::string> problems;
  const auto collect = [&] {
    problems.clear();
    in.knowledge.visit_capsules(
        [&](const std::string& address, const std::string& capsule) {
          if (filter.address.empty() || address == filter.address
              || starts_with(address, filter.address + "/")) {
            lines.emplace_back(address, capsule);
          }
        },
        [&](const error& problem) { problems.push_back(problem.message); });
  };
  collect();
  if (lines.empty() && !filter.address.empty()) {
    // No address is spelled like this; then a file name with its extension was meant.
    filter = where_.locate(path->value_or(""));
    collect();
  }
  const auto advice = place_advice(where_, path->value_or(""), filter);
  std::string more = advice ? "\n" + *advice : "";
  if (!problems.empty()) {
    more += fmt::format("\nNot read, {} in all: {}", problems.size(), problems.front());
  }
  if (lines.empty()) {
    std::string none = "No articles yet.";
    if (!filter.address.empty()) {
      none = fmt::format("No articles under {}.", in.qualified(filter.address));
    } else if (!problems.empty()) {
      none = "No article can be shown.";
    }
    return {none + more, false, std::nullopt};
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const auto& [address, capsule] : lines) {
    text += text.empty() ? "" : "\n";
    text += on_one_line(in.qualified(address));
    text += capsule.empty() ? "" : ": " + capsule;
  }
  return {text + more, false, std::nullopt, false};
}

tool_answer tool::search(const json& arguments, const tool_call& how) {
  const auto query = string_argument(arguments, "query");
  const auto path = optional_string_argument(arguments, "path");
  if (!path) {
    return tool_answer::misuse(path.error().message);
  }
  if (trim(query.value_or("")).empty()) {
    return tool_answer::misuse("search needs a query: a few words to look for.");
  }
  const auto journal = arguments.find("journal");
  if (journal != arguments.end() && !journal->is_boolean() && !journal->is_null()) {
    return tool_answer::misuse("The argument journal must be true or false.");
  }
  if (!search_) {
    return tool_answer::refusal("search is not available here; use map and read.");
  }
  const located in = where_.locate_contained(path->value_or(""));
  const bool with_journal =
      journal != arguments.end() && journal->is_boolean() && journal->get<bool>();
  if (with_journal && how.one_shot) {
    // It reads every entry anyway; a process that reads one article must not.
    where_.project().knowledge.check_mentions(how.now);
  }
  const auto text = search_->search(where_.at(in.place), *query, with_journal);
  if (!text) {
    return tool_answer::refusal(
        fmt::format("The search failed: {}", sentence(text.error().message)));
  }
  const auto advice = place_advice(where_, path->value_or(""), in);
  return {*text + (advice ? "\n" + *advice : ""), false, std::nullopt, false};
}

} // namespace resilient::canon

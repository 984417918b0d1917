#include "core/canon/arguments.hpp"
#include "core/canon/lint.hpp"
#include "core/canon/relations.hpp"
#include "core/canon/schema.hpp"
#include "core/canon/tool.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

namespace resilient::canon {

namespace {

using nlohmann::json;

/// The arguments of a write, and advice on those that were not understood.
struct write_request {
  article_change change;
  std::vector<std::string> advice;
};

result<write_request> read_request(const json& arguments) {
  write_request request;
  auto capsule = optional_string_argument(arguments, "capsule");
  auto body = optional_string_argument(arguments, "body");
  auto scope = optional_string_argument(arguments, "scope");
  for (const auto* field : {&capsule, &body, &scope}) {
    if (!*field) {
      return tl::unexpected(field->error());
    }
  }
  request.change.capsule = std::move(*capsule);
  if (*body) {
    // Pasted front matter alone leaves nothing to write.
    const std::string_view text = without_pasted_front_matter(**body);
    if (!trim(text).empty()) {
      request.change.body = std::string(text);
    }
  }
  if (*scope) {
    if (**scope == "rule" || **scope == "asset") {
      request.change.scope = std::move(*scope);
    } else {
      request.advice.push_back(
          fmt::format("The scope \"{}\" was ignored: it is \"rule\" or \"asset\".", **scope));
    }
  }
  return request;
}

/// Names Windows keeps for devices: a store with one cannot be checked out there.
std::optional<std::string> device_name_advice(const std::string& address) {
  std::size_t begin = 0;
  while (begin <= address.size()) {
    const std::size_t end = std::min(address.find('/', begin), address.size());
    const std::string segment = address.substr(begin, end - begin);
    const std::string stem = ascii_lower(segment.substr(0, segment.find('.')));
    const bool numbered = stem.size() == 4 && is_ascii_digit(stem[3]) && stem[3] != '0'
                          && (starts_with(stem, "com") || starts_with(stem, "lpt"));
    if (numbered || stem == "con" || stem == "prn" || stem == "aux" || stem == "nul") {
      return fmt::format(
          "\"{}\" is the name of a device on Windows: the store cannot be checked out "
          "there.",
          segment);
    }
    begin = end + 1;
  }
  return std::nullopt;
}

/// What the session did not know when it wrote over it.
std::string unseen_version(const article& before) {
  return fmt::format("This replaced a version{} that this session had not seen{}",
                     before.updated.value.empty() ? "" : " of " + before.updated.value,
                     before.capsule.value.empty() ? "; it had no capsule."
                                                  : "; its capsule said: " + before.capsule.value);
}

} // namespace

tool_answer tool::write(const json& arguments, const tool_call& how) {
  const auto target = asset_argument(arguments, where_);
  if (!target) {
    return tool_answer::misuse("write " + target.error().message);
  }
  place& in = where_.at(target->place);
  const std::string key = in.qualified(target->address);
  const auto request = read_request(arguments);
  if (!request) {
    return tool_answer::misuse(request.error().message);
  }
  if (const auto reason = store::refusal(target->address)) {
    return tool_answer::misuse(*reason + " Nothing was written.");
  }
  // Once it is written, the address is one that is there.
  const auto advice =
      place_advice(where_, string_argument(arguments, "path").value_or(""), *target);
  const schema rules = parse_schema(in.knowledge.schema_text());
  const article_change& change = request->change;

  std::optional<governing_article> before;
  article after;
  schema_verdict verdict;
  const auto outcome = in.knowledge.edit(
      target->address,
      [&](const std::optional<governing_article>& stored) -> std::optional<article> {
        before = stored;
        const auto old = stored ? std::optional<article>(stored->content) : std::nullopt;
        after = apply_change(old, change, day_text(how.now));
        const bool citations_changed =
            change.body && stored && citations(stored->content.body) != citations(after.body);
        verdict = check_schema(rules, {after, !stored, change.capsule.has_value(),
                                       change.body.has_value(), citations_changed});
        if (!verdict.rejections.empty() || (stored && same_content(*old, after))) {
          return std::nullopt;
        }
        return after;
      });
  if (!outcome) {
    return tool_answer::refusal(
        fmt::format("The article {} was not written: {}", key, outcome.error().message));
  }
  std::vector<std::string> lines;
  if (!verdict.rejections.empty()) {
    lines.push_back(fmt::format("Write rejected by the schema.json of this store ({}):", key));
    for (const std::string& rejection : verdict.rejections) {
      lines.push_back("- " + rejection);
    }
    lines.emplace_back("Nothing was written.");
    return tool_answer::refusal(fmt::format("{}", fmt::join(lines, "\n")));
  }
  const bool unchanged = *outcome == store::edit_outcome::left_alone;
  const auto old = before ? std::optional<article>(before->content) : std::nullopt;
  const linted_write linted{
      where_, in, target->address, old, after, change.body.has_value(), chosen_.retrieval, rules};
  if (unchanged) {
    lines.push_back(fmt::format("{} is already current (updated {}); nothing was written.", key,
                                old->updated.value.empty() ? "never" : old->updated.value));
  } else {
    lines.push_back(fmt::format("Wrote {}.", key));
    if (const auto grown = growth_advice(linted)) {
      lines.push_back(*grown);
    }
  }
  for (const std::string& warning : verdict.warnings) {
    lines.push_back("schema: " + warning);
  }
  lines.insert(lines.end(), rules.problems.begin(), rules.problems.end());
  lines.insert(lines.end(), request->advice.begin(), request->advice.end());
  if (advice) {
    lines.push_back(*advice);
  }
  if (!unchanged) {
    for (std::string& sentence : lint(linted)) {
      lines.push_back(std::move(sentence));
    }
    const auto seen = seen_.find(key);
    if (before && !how.one_shot && (seen == seen_.end() || seen->second != before->hash)) {
      lines.push_back(unseen_version(before->content));
    }
    if (!before) {
      if (const auto device = device_name_advice(target->address)) {
        lines.push_back(*device);
      }
    }
    if (const auto secret = secret_advice(change.capsule.value_or(""), change.body.value_or(""))) {
      lines.push_back(*secret);
    }
    if (const auto question = orphan_question(in, target->address, after)) {
      lines.push_back(*question);
    }
  }
  seen_[key] = unchanged ? before->hash : content_hash(compose_article(after));
  const std::string supplied = change.capsule.value_or("")
                               + (change.capsule && change.body ? "\n" : "")
                               + change.body.value_or("");
  return {fmt::format("{}", fmt::join(lines, "\n")), false, touched_article{key, supplied, true},
          false};
}

} // namespace resilient::canon

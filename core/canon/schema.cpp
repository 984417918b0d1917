#include "core/canon/schema.hpp"

#include "core/canon/relations.hpp"
#include "core/support/json_text.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace resilient::canon {

namespace {

using nlohmann::json;

/// Finds out what is wrong with a text that is not JSON.
class problem_finder : public nlohmann::json_sax<json> {
public:
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(json::number_integer_t /*value*/) override { return true; }
  bool number_unsigned(json::number_unsigned_t /*value*/) override { return true; }
  bool number_float(json::number_float_t /*value*/, const std::string& /*text*/) override {
    return true;
  }
  bool string(std::string& /*value*/) override { return true; }
  bool binary(json::binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*size*/) override { return true; }
  bool key(std::string& /*name*/) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t /*size*/) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t /*position*/, const std::string& /*last*/,
                   const json::exception& problem) override {
    const std::string what = problem.what();
    const std::size_t end = what.find("] ");
    text_ = end == std::string::npos ? what : what.substr(end + 2);
    return false;
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
  std::string text_;
};

/// Reads the rules of one object and notes what it does not understand.
class rule_reader {
public:
  rule_reader(std::string name, const json& rule, std::vector<std::string>& problems)
      : name_(std::move(name)), rule_(rule), problems_(problems) {}

  /// False when this is no rule at all.
  [[nodiscard]] bool is_object() {
    if (!rule_.is_object()) {
      problems_.push_back(fmt::format(
          "schema.json: {} is not an object, so that rule is not being enforced.", name_));
      return false;
    }
    return true;
  }

  void allow_only(const std::vector<std::string>& keys) {
    for (const auto& [key, value] : rule_.items()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        problems_.push_back(
            fmt::format("schema.json: {}.{} is not a rule and is not being enforced (allowed: {}).",
                        name_, key, fmt::join(keys, ", ")));
      }
    }
  }

  void read(const char* key, bool& target) {
    if (const json* value = find(key)) {
      value->is_boolean() ? static_cast<void>(target = value->get<bool>())
                          : complain(key, "true or false");
    }
  }

  void read(const char* key, std::optional<std::size_t>& target) {
    if (const json* value = find(key)) {
      constexpr double most = 9007199254740992.0;
      const double number = value->is_number() ? value->get<double>() : -1;
      if (number >= 0 && number <= most && std::floor(number) == number) {
        target = static_cast<std::size_t>(number);
      } else {
        complain(key, "a whole number from 0 on");
      }
    }
  }

  void read(const char* key, std::string& target) {
    if (const json* value = find(key)) {
      value->is_string() ? static_cast<void>(target = value->get<std::string>())
                         : complain(key, "a string");
    }
  }

private:
  [[nodiscard]] const json* find(const char* key) const {
    const auto found = rule_.find(key);
    return found == rule_.end() ? nullptr : &*found;
  }

  void complain(const char* key, const char* expected) {
    problems_.push_back(fmt::format("schema.json: {}.{} must be {}, so it is not being enforced.",
                                    name_, key, expected));
  }

  std::string name_;
  const json& rule_;
  std::vector<std::string>& problems_;
};

void read_fields(schema& rules, const json& fields) {
  for (const auto& [name, rule] : fields.items()) {
    std::optional<field_rule>* target = name == "capsule" ? &rules.capsule
                                        : name == "title" ? &rules.title
                                        : name == "body"  ? &rules.body
                                                          : nullptr;
    if (target == nullptr) {
      rules.problems.push_back(
          fmt::format("schema.json: article.{} is not a field and is not being "
                      "enforced (allowed: capsule, title, body).",
                      name));
      continue;
    }
    rule_reader reader(name, rule, rules.problems);
    if (reader.is_object()) {
      reader.allow_only({"required", "min_chars", "max_chars", "hint"});
      field_rule read;
      reader.read("required", read.required);
      reader.read("min_chars", read.min_chars);
      reader.read("max_chars", read.max_chars);
      reader.read("hint", read.hint);
      *target = std::move(read);
    }
  }
}

void read_relations(schema& rules, const json& relations) {
  if (!relations.is_object()) {
    rules.problems.emplace_back(
        "schema.json: relations is not an object, so those rules are not being enforced.");
    return;
  }
  for (const auto& [name, rule] : relations.items()) {
    const std::string shown = "relations." + name;
    rule_reader reader(shown, rule, rules.problems);
    if (name != "refs" && name != "orphan" && name != "children") {
      rules.problems.push_back(
          fmt::format("schema.json: {} is not a rule and is not being enforced "
                      "(allowed: refs, orphan, children).",
                      shown));
    } else if (!reader.is_object()) {
      continue;
    } else if (name == "refs") {
      reader.allow_only({"required", "min_count", "hint"});
      schema::refs_rule read;
      reader.read("required", read.required);
      reader.read("min_count", read.min_count);
      reader.read("hint", read.hint);
      rules.refs = std::move(read);
    } else if (name == "orphan") {
      reader.allow_only({"warn", "hint"});
      reader.read("warn", rules.orphan_warn);
      reader.read("hint", rules.orphan_hint);
    } else {
      reader.allow_only({"listed", "hint"});
      reader.read("listed", rules.children_listed);
      reader.read("hint", rules.children_hint);
    }
  }
}

schema nothing_enforced(const std::string& reason) {
  schema rules;
  rules.problems.push_back(
      fmt::format("schema.json {}; its rules are not being enforced until it is mended.", reason));
  return rules;
}

std::string with_hint(const std::string& message, const std::string& hint) {
  return hint.empty() ? message : message + " " + hint;
}

/// One field with its value and whether this call is to blame for it.
struct judged_field {
  const char* name;
  const std::optional<field_rule>& rule;
  std::string_view value;
  bool accountable;
};

void check_field(const judged_field& field, schema_verdict& verdict) {
  if (!field.rule) {
    return;
  }
  const field_rule& rule = *field.rule;
  if (field.value.empty()) {
    if (rule.required) {
      (field.accountable ? verdict.rejections : verdict.warnings)
          .push_back(
              with_hint(fmt::format("{}: required, and there is none.", field.name), rule.hint));
    }
    return;
  }
  const std::size_t length = utf16_length(field.value);
  if (rule.min_chars && length < *rule.min_chars) {
    verdict.warnings.push_back(with_hint(
        fmt::format("{}: {} chars (min {}).", field.name, length, *rule.min_chars), rule.hint));
  }
  if (rule.max_chars && length > *rule.max_chars) {
    verdict.warnings.push_back(with_hint(
        fmt::format("{}: {} chars (max {}).", field.name, length, *rule.max_chars), rule.hint));
  }
}

} // namespace

schema parse_schema(const std::optional<std::string>& text) {
  if (!text) {
    return {};
  }
  if (starts_with(*text, "\xEF\xBB\xBF")) {
    return nothing_enforced("begins with a byte order mark, which JSON does not allow");
  }
  const json parsed = parse_json(*text);
  if (nests_too_deep(*text)) {
    return nothing_enforced("nests too deep");
  }
  if (parsed.is_discarded()) {
    problem_finder finder;
    const bool ignored = json::sax_parse(*text, &finder);
    static_cast<void>(ignored);
    return nothing_enforced("is not JSON (" + to_valid_utf8(finder.text()) + ")");
  }
  if (!parsed.is_object()) {
    return nothing_enforced("is not a JSON object");
  }
  schema rules;
  if (const auto fields = parsed.find("article"); fields != parsed.end() && !fields->is_null()) {
    if (!fields->is_object()) {
      return nothing_enforced("has an \"article\" that is not an object");
    }
    read_fields(rules, *fields);
  }
  if (const auto relations = parsed.find("relations"); relations != parsed.end()) {
    read_relations(rules, *relations);
  }
  return rules;
}

schema parse_schema(const result<std::optional<std::string>>& text) {
  if (!text) {
    return nothing_enforced("cannot be read (" + text.error().message + ")");
  }
  return parse_schema(*text);
}

std::string default_schema_text() {
  return R"({
  "schema_version": 1,
  "about": "What an article of this store has to be. A rule with required refuses a write that breaks it; every other rule only warns. Delete a rule to drop it, or this file to drop all of them.",
  "article": {
    "capsule": {
      "required": false,
      "max_chars": 1000,
      "hint": "Say what is true now in one dense line."
    },
    "title": {
      "required": false,
      "hint": "Begin the body with a # heading that names the asset."
    },
    "body": {
      "max_chars": 20000,
      "hint": "Split it: keep this article as summary and router, and move the parts below its address."
    }
  },
  "relations": {
    "refs": {
      "required": false,
      "hint": "Link what this depends on with [[address]]."
    },
    "orphan": {
      "warn": false,
      "hint": "Link this article from one that leads to it."
    },
    "children": {
      "listed": false,
      "hint": "Link every article directly below this address."
    }
  }
}
)";
}

schema_verdict check_schema(const schema& rules, const schema_subject& subject) {
  schema_verdict verdict;
  const std::string title = subject.composed.title();
  const bool body_accountable = subject.created || subject.body_supplied;
  for (const judged_field& field :
       {judged_field{"capsule", rules.capsule, subject.composed.capsule.value,
                     subject.created || subject.capsule_supplied},
        judged_field{"title", rules.title, title, body_accountable},
        judged_field{"body", rules.body, subject.composed.text(), body_accountable}}) {
    check_field(field, verdict);
  }
  if (rules.refs) {
    const std::size_t count = citations(subject.composed.body).size();
    if (rules.refs->required && count == 0) {
      (subject.created || subject.citations_changed ? verdict.rejections : verdict.warnings)
          .push_back(with_hint("refs: required, and the body links nothing.", rules.refs->hint));
    } else if (rules.refs->min_count && count < *rules.refs->min_count) {
      verdict.warnings.push_back(
          with_hint(fmt::format("refs: {} outgoing (min {}).", count, *rules.refs->min_count),
                    rules.refs->hint));
    }
  }
  return verdict;
}

} // namespace resilient::canon

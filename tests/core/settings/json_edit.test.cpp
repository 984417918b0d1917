#include "core/settings/json_edit.hpp"

#include "core/settings/json_read.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace resilient::settings {

namespace {

struct row {
  std::string before;
  std::string after;
};

std::string edited(const std::string& text) {
  const auto made = set_string(text, "canary", "chirp", "FILE");
  return made ? *made : "FAILED: " + made.error().message;
}

} // namespace

TEST_CASE("a value is replaced and every other byte stays") {
  for (const row& one : std::vector<row>{
           {R"({"canary":"x"})", R"({"canary":"chirp"})"},
           {R"({"canary":"chirp"})", R"({"canary":"chirp"})"},
           {R"({"canary":true})", R"({"canary":"chirp"})"},
           {R"({"canary":null , "a":1.0})", R"({"canary":"chirp" , "a":1.0})"},
           {R"({"canary":{"deep":[1,{"canary":2}]},"z":1})", R"({"canary":"chirp","z":1})"},
           {R"({"canary":[{"canary":1}]})", R"({"canary":"chirp"})"},
           {R"({"a":{"canary":"inner"},"canary":"x"})",
            R"({"a":{"canary":"inner"},"canary":"chirp"})"},
           {R"({"\u0063anary":"x"})", R"({"\u0063anary":"chirp"})"},
           {R"({"canary":1,"b":2,"canary":3})", R"({"canary":1,"b":2,"canary":"chirp"})"},
           {"\xEF\xBB\xBF{\"canary\":\"x\"}\r\n", "\xEF\xBB\xBF{\"canary\":\"chirp\"}\r\n"},
           {"{\n\t\"big\" : 123456789012345678901234567890,\n\t\"f\":1.0,\t\"e\":1E5 ,\n"
            "\t\"canary\"\n:\n\"a\\u0062\"\n\n}\n\n",
            "{\n\t\"big\" : 123456789012345678901234567890,\n\t\"f\":1.0,\t\"e\":1E5 ,\n"
            "\t\"canary\"\n:\n\"chirp\"\n\n}\n\n"},
           {"{\"bad\":\"\xff\\ud800\",\"canary\":\"x\"}",
            "{\"bad\":\"\xff\\ud800\",\"canary\":\"chirp\"}"},
       }) {
    CAPTURE(one.before);
    CHECK(edited(one.before) == one.after);
  }
}

TEST_CASE("a new member goes last and looks like its neighbours") {
  for (const row& one : std::vector<row>{
           {"", "{\n  \"canary\": \"chirp\"\n}\n"},
           {"{}", R"({"canary": "chirp"})"},
           {"{ }", R"({ "canary": "chirp" })"},
           {"{}\n", "{\"canary\": \"chirp\"}\n"},
           {"{\n}\n", "{\n  \"canary\": \"chirp\"\n}\n"},
           {"{\r\n}\r\n", "{\r\n  \"canary\": \"chirp\"\r\n}\r\n"},
           {"{\n\n}", "{\n  \"canary\": \"chirp\"\n\n}"},
           {R"({"a":1})", R"({"a":1,"canary":"chirp"})"},
           {R"({"a": 1})", R"({"a": 1, "canary": "chirp"})"},
           {R"({ "a": 1 })", R"({ "a": 1, "canary": "chirp" })"},
           {R"({"a": 1, "b": [ ]})", R"({"a": 1, "b": [ ], "canary": "chirp"})"},
           {R"({"a" : 1 , "b" : {} })", R"({"a" : 1 , "b" : {}, "canary" : "chirp" })"},
           {"{\n  \"a\": 1\n}", "{\n  \"a\": 1,\n  \"canary\": \"chirp\"\n}"},
           {"{\n\t\"a\": {\n\t\t\"canary\": 1\n\t}\n}\n",
            "{\n\t\"a\": {\n\t\t\"canary\": 1\n\t},\n\t\"canary\": \"chirp\"\n}\n"},
           {"{\r\n    \"a\":1,\r\n    \"b\":2\r\n}\r\n",
            "{\r\n    \"a\":1,\r\n    \"b\":2,\r\n    \"canary\":\"chirp\"\r\n}\r\n"},
           {"{\n\n\n  \"a\": 1\n}", "{\n\n\n  \"a\": 1,\n  \"canary\": \"chirp\"\n}"},
           {"{\n  \"a\": 1\n  ,\n  \"b\": 2\n}",
            "{\n  \"a\": 1\n  ,\n  \"b\": 2,\n  \"canary\": \"chirp\"\n}"},
           {"{\n  \"a\":\n    1\n}", "{\n  \"a\":\n    1,\n  \"canary\": \"chirp\"\n}"},
           {"{\"a,b\": \"},{\", \"c\": 2}", "{\"a,b\": \"},{\", \"c\": 2, \"canary\": \"chirp\"}"},
           {"\xEF\xBB\xBF{}", "\xEF\xBB\xBF{\"canary\": \"chirp\"}"},
           {"  {\"a\":1}  ", "  {\"a\":1,\"canary\":\"chirp\"}  "},
           {R"({"Canary":1})", R"({"Canary":1,"canary":"chirp"})"},
       }) {
    CAPTURE(one.before);
    CHECK(edited(one.before) == one.after);
  }
}

TEST_CASE("a text that is no JSON object is refused, with the place and the path") {
  for (const std::string text : {" ", "\n", "\xEF\xBB\xBF", "null", "[]", "\"canary\"", "7", "{",
                                 "{\"canary\":\"x\"", "{\"canary\":\"x\",}", "{\"canary\" \"x\"}",
                                 "{\"a\":01}", "{\"canary\":\"x\"}}", "{\"a\":1}//"}) {
    CAPTURE(text);
    const auto made = set_string(text, "canary", "chirp", "/home/u/settings.json");
    REQUIRE_FALSE(made);
    CHECK(made.error().kind == error_kind::data);
    CHECK(made.error().message.find("/home/u/settings.json") == 0);
    CHECK(made.error().message.find("it was not changed") != std::string::npos);
    CHECK_FALSE(has_member(text, "canary", "F"));
  }
}

TEST_CASE("quotes, backslashes and any script in the keyword make valid JSON") {
  for (const std::string value : {"Blue \"Canary\"", "back\\slash", "\U0001F426", "</script>",
                                  "a:b", "\u00a0x", "{\"a\":1}"}) {
    const auto made = set_string("{\"a\":1}", "canary", value, "F");
    REQUIRE(made);
    CHECK(nlohmann::json::parse(*made).at("canary") == value);
  }
}

TEST_CASE("a member is found whatever its value, by its decoded name, at the top only") {
  CHECK(has_member(R"({"canary":null})", "canary", "F").value());
  CHECK(has_member(R"({"\u0063anary":1})", "canary", "F").value());
  CHECK_FALSE(has_member(R"({"a":{"canary":1},"b":["canary"]})", "canary", "F").value());
  CHECK_FALSE(has_member("", "canary", "F").value());
  CHECK_FALSE(has_member("{}", "canary", "F").value());
}

namespace {

/// Writes random JSON with random space between all tokens.
class writer {
public:
  explicit writer(unsigned seed) : random_{seed} {}

  std::string object(int depth) {
    std::string text = "{" + space();
    const auto members = random_() % 4;
    for (unsigned at = 0; at < members; ++at) {
      text +=
          (at > 0 ? "," + space() : "") + key() + space() + ":" + space() + value(depth) + space();
    }
    return text + "}";
  }
  std::string space() { return pick({"", "", " ", "\n", "\n  ", "\t", "\r\n", "  \n\n "}); }

private:
  std::string value(int depth) {
    if (depth > 0 && random_() % 3 == 0) {
      return object(depth - 1);
    }
    if (depth > 0 && random_() % 4 == 0) {
      return "[" + space() + value(depth - 1) + space() + "," + value(depth - 1) + "]";
    }
    return pick({"1.0", "1", "-0", "1e5", "12345678901234567890123", "true", "null", "\"\"",
                 "\"a,b}{\\\"\"", "\"\\u0041\"", "\"\U0001F426\"", "[]", "{}"});
  }
  std::string key() {
    return pick(
        {"\"a\"", "\"b\"", "\"canary\"", "\"\\u0063anary\"", "\"Canary\"", "\"c d\"", "\"\""});
  }
  std::string pick(const std::vector<std::string>& from) {
    return from.at(random_() % from.size());
  }

  std::mt19937 random_;
};

} // namespace

TEST_CASE("whatever the file looks like, only the value changes") {
  for (unsigned seed = 0; seed < 5000; ++seed) {
    writer random{seed};
    const std::string before = random.space() + random.object(3) + random.space();
    const auto after = set_string(before, "canary", "Blue \"Canary\"", "F");
    CAPTURE(before);
    REQUIRE(after);
    nlohmann::json expected = *read_json(before, "F");
    expected["canary"] = "Blue \"Canary\"";
    CHECK(*read_json(*after, "F") == expected);

    // What was there is still there, in two unbroken parts.
    std::size_t same = 0;
    while (same < before.size() && before[same] == after->at(same)) {
      ++same;
    }
    std::size_t tail = 0;
    while (tail < before.size() - same
           && before[before.size() - 1 - tail] == after->at(after->size() - 1 - tail)) {
      ++tail;
    }
    const std::string replaced = before.substr(same, before.size() - same - tail);
    const bool had = has_member(before, "canary", "F").value();
    if (!had) {
      CHECK(replaced.empty());
    }
    CHECK(set_string(*after, "canary", "Blue \"Canary\"", "F").value() == *after);
  }
}

TEST_CASE("a broken file is refused or gives a valid one, whatever byte is broken") {
  std::mt19937 random{20261130};
  const std::string good = "{\n  \"a\": [1, 2.0, {\"b\": \"\\u00e9\"}],\n  \"canary\": \"x\"\n}\n";
  for (int round = 0; round < 20000; ++round) {
    std::string text = good;
    text.at(random() % text.size()) = static_cast<char>(random() % 256);
    if (random() % 2 == 0) {
      text.resize(random() % text.size());
    }
    const auto after = set_string(text, "canary", "chirp", "F");
    if (after) {
      CHECK(read_json(*after, "F").value().at("canary") == "chirp");
    }
  }
}

} // namespace resilient::settings

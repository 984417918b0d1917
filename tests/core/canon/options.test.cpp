#include "core/canon/options.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace resilient;
using namespace resilient::canon;
using nlohmann::json;

TEST_CASE("there are six options, and their defaults need no configuration") {
  CHECK(option_keys()
        == std::vector<std::string>{"root", "surface", "resurface", "retrieval", "standout",
                                    "mounts"});
  const options defaults;
  CHECK(defaults.surface);
  CHECK(defaults.resurface);
  CHECK(defaults.retrieval == retrieval_kind::none);
  CHECK(defaults.standout == 1.4);
  CHECK(defaults.root.empty());
  CHECK(defaults.mounts.empty());
}

TEST_CASE("values are checked before they are used") {
  struct row {
    std::string key;
    json value;
    bool accepted;
  };
  for (const row& each : std::vector<row>{
           {"surface", true, true},
           {"surface", "off", true},
           {"surface", 0, false},
           {"surface", "true", false},
           {"surface", nullptr, false},
           {"resurface", "on", true},
           {"resurface", 1, false},
           {"retrieval", "lexical", true},
           {"retrieval", " none ", true},
           {"retrieval", "bm25", false},
           {"retrieval", nullptr, false},
           {"retrieval", {{"name", "r"}, {"command", {"prog", "arg"}}}, true},
           {"retrieval", {{"name", " "}, {"command", {"prog"}}}, false},
           {"retrieval", {{"name", "r"}, {"command", json::array()}}, false},
           {"retrieval", {{"name", "r"}, {"command", {5}}}, false},
           {"retrieval", {{"name", "r"}, {"command", {"p"}}, {"x", 1}}, false},
           {"standout", 1, true},
           {"standout", "1.8", true},
           {"standout", 0.5, false},
           {"standout", "", false},
           {"standout", "two", false},
           {"standout", "0x10", false},
           {"standout", "inf", false},
           {"standout", nullptr, false},
           {"standout", std::numeric_limits<double>::infinity(), false},
           {"root", "/w/store", true},
           {"root", "", true},
           {"root", 5, false},
           {"mounts", {"/w/lake"}, true},
           {"mounts", json::array(), true},
           {"mounts", "x", false},
           {"mounts", {5}, false},
           {"mounts", {" "}, false},
           {"budget", 5, false},
           {"threshold", 5, false},
       }) {
    CAPTURE(each.key);
    CAPTURE(each.value.dump());
    const auto merged = merge_options({}, json{{each.key, each.value}}, options_source::caller);
    CHECK(merged.has_value() == each.accepted);
    if (!each.accepted) {
      CHECK(merged.error().kind == error_kind::config);
      CHECK(merged.error().message.find(each.key) != std::string::npos);
    }
  }
}

TEST_CASE("not every key may come from everywhere") {
  const json program = {{"retrieval", {{"name", "r"}, {"command", {"prog"}}}}};
  CHECK(merge_options({}, program, options_source::user_file).has_value());
  CHECK(merge_options({}, program, options_source::pi_user).has_value());
  CHECK_FALSE(merge_options({}, program, options_source::trusted_project).has_value());
  CHECK(merge_options({}, {{"root", "x"}}, options_source::trusted_project).has_value());
  const auto refused = merge_options({}, {{"root", "x"}}, options_source::user_file);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message.find("no root field") != std::string::npos);
}

TEST_CASE("later settings lie over earlier ones, key by key") {
  const options user =
      parse_options({}, R"({"surface":false,"standout":2})", options_source::user_file).value();
  const options both = merge_options(user, {{"standout", 1.6}, {"mounts", {"/w/lake"}}},
                                     options_source::trusted_project)
                           .value();
  CHECK_FALSE(both.surface);
  CHECK(both.standout == 1.6);
  CHECK(both.mounts == std::vector<std::string>{"/w/lake"});
}

TEST_CASE("a settings file that is wrong says what is wrong") {
  CHECK(parse_options({}, "", options_source::user_file).has_value());
  CHECK(parse_options({}, "\xEF\xBB\xBF{}", options_source::user_file).has_value());
  for (const std::string text : {"{bad", "null", "[]", "1", "\"x\"", "{\"a\":1,\"b\":2}"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_options({}, text, options_source::user_file).has_value());
  }
}

TEST_CASE("what a user turned off stays off beside a mistake") {
  CHECK(settings_file_turns_surfacing_off(R"({"surface":false,"standuot":2})"));
  CHECK(settings_file_turns_surfacing_off("\xEF\xBB\xBF{\"surface\":\"off\"}"));
  for (const std::string text : {"", "{bad", "[false]", "null", R"({"surface":true})",
                                 R"({"surface":"no"})", R"({"resurface":false})"}) {
    CAPTURE(text);
    CHECK_FALSE(settings_file_turns_surfacing_off(text));
  }
}

TEST_CASE("setting one option keeps the others and their order") {
  CHECK(set_option("", "surface", "off").value() == "{\n  \"surface\": false\n}\n");
  CHECK(set_option("{\"standout\":2.5,\"surface\":true}", "retrieval", "lexical").value()
        == "{\n  \"standout\": 2.5,\n  \"surface\": true,\n  \"retrieval\": \"lexical\"\n}\n");
  CHECK(set_option("{}", "standout", "1.8").value() == "{\n  \"standout\": 1.8\n}\n");
  CHECK(set_option("{}", "standout", "2").value() == "{\n  \"standout\": 2\n}\n");
  for (const std::vector<std::string>& each : std::vector<std::vector<std::string>>{
           {"{}", "standout", "0.5"},
           {"{}", "surface", "maybe"},
           {"{}", "root", "x"},
           {"{}", "retrieval", "bm25"},
           {"{bad", "surface", "on"},
           {"[]", "surface", "on"},
       }) {
    CAPTURE(each[1] + "=" + each[2]);
    CHECK_FALSE(set_option(each[0], each[1], each[2]).has_value());
  }
}

TEST_CASE("options are shown as a person types them") {
  const options values;
  CHECK(show_option(values, "surface").value() == "on");
  CHECK(show_option(values, "retrieval").value() == "none");
  CHECK(show_option(values, "standout").value() == "1.4");
  CHECK(show_option(values, "root").value() == ".canon");
  CHECK_FALSE(show_option(values, "budget").has_value());
}

TEST_CASE("settings that nest without end are refused") {
  constexpr std::size_t depth = 1'000'000;
  const std::string deep =
      R"({"surface":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
  CHECK_FALSE(parse_options({}, deep, options_source::user_file).has_value());
  CHECK_FALSE(set_option(deep, "resurface", "on").has_value());
}

#include "core/support/json_fields.hpp"

#include <doctest/doctest.h>

using namespace resilient;
using nlohmann::json;

namespace {

/// The problem of reading one field in every way that its kind has.
template <class Read>
std::string problem_of(const char* text, Read read) {
  const json data = json::parse(text);
  json_fields fields{data};
  (void)read(fields);
  return fields.problem();
}

} // namespace

TEST_CASE("fields are read by their kind") {
  const json data = json::parse(R"({"t":"x","l":["a","b"],"f":true,"n":-3,"c":5000000000,
                                    "w":3.9,"r":1.5,"rs":[1,2.5],"o":{"k":1},"extra":null})");
  json_fields fields{data};
  CHECK(fields.text("t") == "x");
  CHECK(fields.text_or_empty("none").empty());
  CHECK(fields.texts_or_empty("l") == std::vector<std::string>{"a", "b"});
  CHECK(fields.texts_or_empty("none").empty());
  CHECK(fields.flag("f"));
  CHECK(fields.flag_or("none", true));
  CHECK(fields.number("n") == -3);
  CHECK(fields.count_or_zero("n") == 0);
  CHECK(fields.count_or_zero("c") == 1'000'000'000);
  CHECK(fields.count_or_zero("none") == 0);
  CHECK(fields.whole_or_zero("w") == 3);
  CHECK(fields.whole_or_zero("n") == -3);
  CHECK(fields.whole_or_zero("none") == 0);
  CHECK(fields.real_or_zero("r") == 1.5);
  CHECK(fields.real_or_zero("none") == 0);
  CHECK(fields.reals_or_zero<2>("rs") == std::array<double, 2>{1, 2.5});
  CHECK(fields.reals_or_zero<2>("none") == std::array<double, 2>{0, 0});
  CHECK(fields.object("o") == json{{"k", 1}});
  CHECK(fields.object_or_empty("none") == json::object());
  CHECK(fields.problem().empty());
}

TEST_CASE("the first field that is missing or wrong is named") {
  CHECK(problem_of("{}", [](json_fields& of) { return of.text("a"); }) == "field \"a\" is missing");
  CHECK(problem_of("{}", [](json_fields& of) { return of.number("a"); })
        == "field \"a\" is missing");
  CHECK(problem_of("{}", [](json_fields& of) { return of.flag("a"); }) == "field \"a\" is missing");
  CHECK(problem_of("{}", [](json_fields& of) { return of.object("a"); })
        == "field \"a\" is missing");
  struct row {
    const char* text;
    std::string (*read)(json_fields&);
    const char* wanted;
  };
  const auto said = [](json_fields&) { return std::string{}; };
  for (const row& one : std::initializer_list<row>{
           {R"({"a":1})", [](json_fields& of) { return of.text_or_empty("a"); }, "a text"},
           {R"({"a":"x"})",
            [](json_fields& of) {
              (void)of.texts_or_empty("a");
              return std::string{};
            },
            "a list of texts"},
           {R"({"a":["x",1]})",
            [](json_fields& of) {
              (void)of.texts_or_empty("a");
              return std::string{};
            },
            "a list of texts"},
           {R"({"a":0})", [](json_fields& of) { return std::to_string(of.flag_or("a", true)); },
            "true or false"},
           {R"({"a":1.5})", [](json_fields& of) { return std::to_string(of.number("a")); },
            "an integer"},
           {R"({"a":18446744073709551615})",
            [](json_fields& of) { return std::to_string(of.number("a")); }, "an integer"},
           {R"({"a":1e300})", [](json_fields& of) { return std::to_string(of.whole_or_zero("a")); },
            "an integer"},
           {R"({"a":"1"})", [](json_fields& of) { return std::to_string(of.real_or_zero("a")); },
            "a number"},
           {R"({"a":[1]})",
            [](json_fields& of) { return std::to_string(of.reals_or_zero<2>("a")[0]); },
            "a list of 2 numbers"},
           {R"({"a":[1,"2"]})",
            [](json_fields& of) { return std::to_string(of.reals_or_zero<2>("a")[0]); },
            "a list of 2 numbers"},
           {R"({"a":[]})", [](json_fields& of) { return of.object_or_empty("a").dump(); },
            "an object"},
       }) {
    CAPTURE(one.text);
    CHECK(problem_of(one.text, one.read) == std::string{"field \"a\" must be "} + one.wanted);
    CHECK(problem_of(one.text, said).empty());
  }
  const json data = json::parse(R"({"a":1,"b":2})");
  json_fields fields{data};
  (void)fields.text("b");
  (void)fields.text("a");
  CHECK(fields.problem() == "field \"b\" must be a text");
}

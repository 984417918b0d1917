#include "core/settings/json_read.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

namespace resilient::settings {

TEST_CASE("values are those that JSON.parse gives") {
  const auto value =
      read_json("\xEF\xBB\xBF{\"a\":1,\"b\":[true,null,{\"c\":\"\\u00e9\"}],\"a\":2.5,"
                "\"big\":1e400,\"low\":-1e400,\"bad\":\"\xff\",\"lone\":\"\\ud800\"}",
                "FILE");
  REQUIRE(value);
  CHECK(value->at("a") == 2.5);
  CHECK(value->at("b").at(2).at("c") == "\u00e9");
  CHECK(value->at("b").at(1).is_null());
  CHECK(std::isinf(value->at("big").get<double>()));
  CHECK(value->at("low").get<double>() < 0);
  CHECK(value->at("bad") == "\ufffd");
  CHECK(value->at("lone") == "\ufffd");
}

TEST_CASE("a later equal key replaces a whole object and what was read into it") {
  CHECK(read_json(R"({"a":{"x":1},"a":{"y":2}})", "FILE").value()
        == nlohmann::json{{"a", {{"y", 2}}}});
  CHECK(read_json(R"({"a":{"x":1},"a":7})", "FILE").value() == nlohmann::json{{"a", 7}});
}

TEST_CASE("malformed and bottomless texts are refused by name") {
  CHECK(read_json("{", "FILE").error().message.find("FILE is not valid JSON") == 0);
  const std::string deep = std::string(300, '[') + std::string(300, ']');
  CHECK(read_json(deep, "FILE").error().message.find("FILE nests more than") == 0);
  const std::string fine = std::string(200, '[') + std::string(200, ']');
  CHECK(read_json(fine, "FILE").has_value());
}

TEST_CASE("objects merge recursively, lists and everything else replace") {
  const auto base = read_json(R"({"a":1,"o":{"x":1,"p":{"q":1}},"l":[1,2],"n":{"k":1}})", "F");
  const auto over =
      read_json(R"({"a":2,"o":{"y":2,"p":{"r":2}},"l":[3],"n":null,"new":{"z":1}})", "F");
  CHECK(merge(*base, *over)
        == *read_json(R"({"a":2,"o":{"x":1,"y":2,"p":{"q":1,"r":2}},"l":[3],"n":null,
                          "new":{"z":1}})",
                      "F"));
  CHECK(merge(*base, nlohmann::json::object()) == *base);
}

} // namespace resilient::settings

#include "core/canon/layered_options.hpp"

#include <doctest/doctest.h>

using namespace resilient;
using namespace resilient::canon;
using nlohmann::json;

namespace {

options_layer user(json value) {
  return {"/agent/settings.json", std::move(value), options_source::pi_user};
}
options_layer project(json value) {
  return {"/project/.pi/settings.json", std::move(value), options_source::trusted_project};
}
constexpr const char* own = "/config/canon/settings.json";

} // namespace

TEST_CASE("a later file decides, and each option names the file that decided it") {
  const layered_options laid =
      lay_options(own, "\xEF\xBB\xBF{\"standout\":2,\"retrieval\":\"lexical\"}",
                  {user({{"standout", 3}, {"root", "notes"}}), project({{"root", "docs"}})});
  CHECK(laid.problems.empty());
  CHECK(laid.values.standout == 3);
  CHECK(laid.values.root == "docs");
  CHECK(laid.values.retrieval == retrieval_kind::lexical);
  CHECK(laid.decided_by
        == std::map<std::string, std::string>{{"retrieval", own},
                                              {"root", "/project/.pi/settings.json"},
                                              {"standout", "/agent/settings.json"}});
  CHECK(lay_options(own, "", {user({}), project({})}).decided_by.empty());
}

TEST_CASE("what a user turned off stays off, whatever a project says and whatever else is wrong") {
  struct row {
    const char* own_text;
    json of_user;
    const char* decides;
  };
  const row table[] = {
      {R"({"surface":false})", json::object(), own},
      {R"({"surface":"off","standout":0})", json::object(), own},
      {"", {{"surface", "off"}}, "/agent/settings.json"},
      {"", {{"surface", false}, {"seventh", 1}}, "/agent/settings.json"},
      {R"({"surface":false})", {{"surface", false}}, "/agent/settings.json"},
      {R"({"surface":false})", {{"surface", true}}, own},
  };
  for (const row& each : table) {
    CAPTURE(std::string{each.own_text});
    const layered_options laid =
        lay_options(own, each.own_text, {user(each.of_user), project({{"surface", true}})});
    CHECK_FALSE(laid.values.surface);
    CHECK(laid.decided_by.at("surface") == each.decides);
  }
  CHECK_FALSE(lay_options(own, "", {user({}), project({{"surface", false}})}).values.surface);
}

TEST_CASE("a file with a mistake is left out as a whole and named, the others count") {
  const layered_options laid =
      lay_options(own, "{broken",
                  {user({{"standout", 2}, {"seventh", 1}}),
                   project({{"mounts", {"/lake"}}, {"resurface", false}})});
  REQUIRE(laid.problems.size() == 2);
  CHECK(laid.problems.at(0).first == own);
  CHECK(laid.problems.at(1).first == "/agent/settings.json");
  CHECK(laid.problems.at(1).second.find("seventh") != std::string::npos);
  CHECK(laid.values.standout == 1.4);
  CHECK(laid.values.mounts == std::vector<std::string>{"/lake"});
  CHECK_FALSE(laid.values.resurface);
  const auto unreadable =
      lay_options(own, tl::unexpected{error{error_kind::io, "It cannot be read."}}, {});
  REQUIRE(unreadable.problems.size() == 1);
  CHECK(unreadable.problems.front().second == "It cannot be read.");
}

#include "core/support/secrets.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace resilient;

namespace {

// Put together here, so that nobody takes the test for a leak.
const std::string key = "sk-" + std::string(40, 'a');
const std::string token = "ghp_" + std::string(36, 'B');

} // namespace

TEST_CASE("tokens are cut down to their beginning, and nothing else is touched") {
  struct row {
    std::string text;
    std::string masked;
  };
  const row table[] = {
      {"", ""},
      {"401 Unauthorized", "401 Unauthorized"},
      {"Incorrect API key provided: " + key + ".", "Incorrect API key provided: sk-***."},
      {key, "sk-***"},
      {"\"" + token + "\" and " + key + "\n" + token, "\"ghp_***\" and sk-***\nghp_***"},
      {"sk-short and task-" + std::string(40, 'a'), "sk-short and task-" + std::string(40, 'a')},
      {"ask-" + std::string(40, 'a'), "ask-" + std::string(40, 'a')},
      {"\xC3\xBC " + key + " \xC3\xBC", "\xC3\xBC sk-*** \xC3\xBC"},
  };
  for (const row& each : table) {
    CAPTURE(each.text);
    CHECK(mask_secrets(each.text) == each.masked);
  }
}

TEST_CASE("the first token is found, with where it is and what it is") {
  const std::string text = "x " + token + " " + key;
  const auto first = find_secret(text);
  REQUIRE(first);
  CHECK(first->at == 2);
  CHECK(first->size == token.size());
  CHECK(first->kind == "a GitHub token");
  const auto second = find_secret(text, first->at + first->size);
  REQUIRE(second);
  CHECK(text.substr(second->at, second->size) == key);
  CHECK_FALSE(find_secret(text, second->at + second->size));
}

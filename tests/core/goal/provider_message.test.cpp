#include "core/goal/provider_message.hpp"

#include "core/goal/error_codes.hpp"
#include "core/goal/phrases.hpp"
#include "core/goal/status_in_text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace resilient::goal {

namespace {

provider_message read(const std::string& text) {
  return read_message(text, line_joint::blank);
}

} // namespace

TEST_CASE("the fields of a body are found however the body is written") {
  for (const std::string text : {
           R"({"error":{"type":"rate_limit_error","message":"Slow down"}})",
           R"(429 {"error":{"type":"rate_limit_error","message":"Slow down"}} (attempt 2))",
           R"(Error code: 429 - {'error': {'type': 'rate_limit_error', 'message': 'Slow down'}})",
           R"({"error":{"type":"rate_limit_error","message":"Slow down)",
           "{\"error\":{\"type\":\"rate_limit_error\",\n   \"message\":\"Slow\n   down\"}}",
           R"({"message":"{\"error\":{\"type\":\"rate_limit_error\",\"message\":\"Slow down\"}}"})",
           R"(body: {\"error\":{\"type\":\"rate_limit_error\",\"message\":\"Slow down\"}})",
           R"([{"error": {"type": "rate_limit_error", "message": "Slow down"}}])",
       }) {
    CAPTURE(text);
    const auto message = read(text);
    CHECK(message.field("type") == "rate_limit_error");
    CHECK(message.lower.find("slow down") != std::string::npos);
    CHECK(message.lower.find('{') == std::string::npos);
  }
}

TEST_CASE("escapes in a body are resolved") {
  const auto message = read(R"({"message":"caf\u00e9 \"x\"\n1\/2"})");
  CHECK(message.field("message") == "café \"x\"\n1/2");
}

TEST_CASE("an apostrophe does not end a string in single quotes") {
  const auto message = read(R"({'error': {'message': 'It's over, don't retry', 'code': 'x_y'}})");
  CHECK(message.field("message") == "It's over, don't retry");
  CHECK(message.field("code") == "x_y");
}

TEST_CASE("addresses, terminal sequences and frames are no part of the prose") {
  CHECK(read("See https://aka.ms/oai/quotaincrease if you want.").prose == "See if you want.\n");
  CHECK(read("\x1b[31mred\x1b[0m \x1b]8;;x\x07link").prose == "red link\n");
  CHECK(read("│ limit   │\n│ reached │").prose == "limit reached\n");
  CHECK(read_message("please try a\ngain", line_joint::nothing).prose == "please try again\n");
}

TEST_CASE("a web page is read by its visible words") {
  const auto page = read("403 <!DOCTYPE html><html><head><title>Just a moment...</title><script>"
                         "var quota = 1;</script></head><body><h1>Checking</h1></body></html>");
  CHECK(page.html);
  CHECK(page.challenge);
  CHECK(page.status == 403);
  CHECK(page.lower.find("quota") == std::string::npos);
  CHECK(page.lower.find("checking") != std::string::npos);
}

TEST_CASE("a status is told from numbers that only look like one") {
  struct sample {
    const char* text;
    int status;
  };
  for (const auto& row : std::vector<sample>{
           {"429 {\"error\":{}}", 429},
           {"429: {\"error\":{}}", 429},
           {"got status: 429 Too Many Requests.", 429},
           {"http error 503", 503},
           {"[429]: {", 429},
           {"api request failed (429): {", 429},
           {"error code: 401 - {'error'", 401},
           {"httperror: invalid status code 429 too many requests", 429},
           {"unexpected status 503 service unavailable", 503},
           {"processed 402 records", 0},
           {"fixed issue che-402 in the latest release", 0},
           {"limit 500, used 429", 0},
           {"500000 tokens", 0},
           {"version 4.29", 0},
           {"see issue 503 in the tracker", 0},
       }) {
    CAPTURE(row.text);
    CHECK(status_in_text(row.text).value_or(0) == row.status);
  }
}

TEST_CASE("codes are known in bodies and in prose, and by their parts") {
  const auto kind = [](const std::string& text, const std::string& provider = {}) {
    const auto found = meaning_of_codes(read(text), provider);
    return found ? std::string{to_string(found->kind)}
                       + (found->weight == code_weight::certain ? "!" : "")
                 : std::string{};
  };
  CHECK(kind(R"({"type":"insufficient_quota"})") == "usage_exhausted!");
  CHECK(kind("529 overloaded_error: Overloaded") == "transient!");
  CHECK(kind("read ECONNRESET") == "transient");
  CHECK(kind(R"({"code":"subscription:free-usage-exhausted"})") == "usage_exhausted!");
  CHECK(kind(R"({"code":"AcmeRateLimitHit"})") == "rate_limit");
  CHECK(kind("AcmeReadTimeoutError") == "transient");
  CHECK(kind(R"({"code":"1308"})", "zai") == "usage_exhausted!");
  CHECK(kind(R"({"code":"1308"})", "acme").empty());
  CHECK(kind(R"({"type":"error","name":"x"})").empty());
  // A word of the language is no code, even if some provider uses it as one.
  CHECK(kind("too many tokens and requests").empty());
}

TEST_CASE("a phrase begins at a word and may hold gaps and numbers") {
  const std::string lower = "you've hit your 5-hour limit\nresets at 3:00. used 97,5% of it";
  const phrase_text text{lower};
  CHECK(text.has("hit your * limit"));
  CHECK(!text.has("hit your * resets"));
  CHECK(text.has("used #% of"));
  CHECK(!text.has("our 5-hour"));
  CHECK(text.has("~our 5-hour"));
  CHECK(text.has("hit>"));
  CHECK(!text.has("hi>"));
  CHECK(!text.has("absent words"));
  CHECK(phrase_text{"aborted."}.is("aborted"));
  CHECK(!phrase_text{"aborted it"}.is("aborted"));
}

} // namespace resilient::goal

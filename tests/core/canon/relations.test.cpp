#include "core/canon/relations.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace resilient::canon;

TEST_CASE("wikilinks are found outside code") {
  struct row {
    std::string body;
    std::vector<std::string> targets;
  };
  for (const row& each : std::vector<row>{
           {"see [[a/b]] and [[c|shown]] and [[d#part]] and [[e#part|shown]]",
            {"a/b", "c", "d", "e"}},
           {"[[ spaced ]] [[x.md]] [[y.ts]]", {"spaced", "x", "y.ts"}},
           {"[[a]] [[a]] [[A]]", {"a", "A"}},
           {"![[embedded]]", {"embedded"}},
           {"[[a\nb]] [[]] [[ ]] [[#here]] [[a]b]] [[open", {}},
           {"[[a [[b]]", {"b"}},
           {"[[[a]]]", {"[a"}},
           {"`[[code]]` [[a]]", {"a"}},
           {"``[[co`de]]``", {}},
           {"```\n[[fenced]]\n```\n[[a]]", {"a"}},
           {"~~~\n[[fenced]]\n~~~\n[[a]]", {"a"}},
           {"````sh\n```\n[[ -f x ]]\n```\n````\n[[a]]", {"a"}},
           {"```\nnever closed\n[[x]]", {}},
           {"text\n\n    [[indented]]\n\n[[a]]", {"a"}},
           {"- item\n\n  [[in item]]", {"in item"}},
           {"> ```\n> [[quoted fence]]\n> ```\n> [[a]]", {"a"}},
           {"    [[first line]]", {}},
           {"``` [[info]]\nx\n```", {}},
           {"a ` lone tick [[a]]", {"a"}},
           {"", {}},
       }) {
    CAPTURE(each.body);
    CHECK(wikilinks(each.body) == each.targets);
  }
}

TEST_CASE("two spellings are one citation") {
  CHECK(citations("[[Gr\xC3\x96sse]] [[gr\xC3\xB6sse]] [[a.md]] [[A]]").size() == 2);
}

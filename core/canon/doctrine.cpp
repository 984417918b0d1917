#include "core/canon/tool.hpp"

namespace resilient::canon {

using nlohmann::json;

std::string tool_description(retrieval_kind retrieval) {
  std::string text =
      "Project memory: at most one article for each asset, at the asset's own address "
      "(src/core/config.ts is at src/core/config; lake/prices works too). read an asset's article "
      "before you work on it; write after a change that makes it untrue. "
      "An article says what is true now, in your words; the journal takes one event as it arrived, "
      "with its source, names and exact numbers, and is never changed. "
      "Carry exact values verbatim: ids, keys, counts, limits, durations, every member of a named "
      "set. map lists the capsules. Creating an article is rare: update the one that already "
      "governs. Put a constraint where the asset that it binds lives, or at the shared parent of "
      "several, not at the file that you happen to edit. ";
  if (retrieval == retrieval_kind::none) {
    text +=
        "Only a touched path brings an article up: knowledge off the asset path never surfaces, "
        "so file a rule where the assets are.";
  } else {
    text +=
        "A constraint that governs many assets and belongs to none gets an address of its own, "
        "named for the rule (an article at the top would surface on every touch). It is found "
        "by relevance: word its capsule as the situation in which it applies, and declare scope "
        "rule.";
  }
  return text;
}

json tool_input_schema() {
  const auto text = [](const char* description) {
    return json{{"type", "string"}, {"description", description}};
  };
  return {
      {"type", "object"},
      {"properties",
       {{"action",
         {{"type", "string"},
          {"enum", {"read", "write", "journal", "map", "search"}},
          {"description", "What to do."}}},
        {"path", text("read, write: the asset's path or address. map: only what is at or below it. "
                      "search: a mount to search instead of the project.")},
        {"body", text("write: the whole new article in Markdown; left out, it stays. journal: what "
                      "happened.")},
        {"capsule", text("write: one dense line of current truth; left out, it stays.")},
        {"query", text("search: words to look for.")},
        {"journal",
         {{"type", "boolean"}, {"description", "search: true searches the journal too."}}},
        {"scope",
         {{"type", "string"},
          {"enum", {"rule", "asset"}},
          {"description", "write: rule declares knowledge that belongs to no asset; asset "
                          "takes that back."}}},
        {"subject",
         {{"type", "array"},
          {"items", {{"type", "string"}}},
          {"description", "journal: the addresses that the event is about."}}},
        {"slug", text("journal: a few words for the file name.")}}},
      {"required", {"action"}}};
}

} // namespace resilient::canon

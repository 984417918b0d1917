#pragma once

#include "core/canon/article.hpp"
#include "core/support/error.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace resilient::canon {

/// The rule for one field of an article. Lengths are UTF-16 code units of the right-trimmed text.
struct field_rule {
  bool required = false;
  std::optional<std::size_t> min_chars;
  std::optional<std::size_t> max_chars;
  std::string hint;
};

/// The contract of a store: what its `schema.json` says, and what is wrong with that file.
///
/// A file that cannot be understood enforces nothing and says so in `problems`; a part that cannot
/// be understood is left out, and the rest still holds.
struct schema {
  std::optional<field_rule> capsule;
  std::optional<field_rule> title;
  std::optional<field_rule> body;

  struct refs_rule {
    bool required = false;
    std::optional<std::size_t> min_count;
    std::string hint;
  };
  std::optional<refs_rule> refs;

  /// Only a reader of the whole graph can enforce these two.
  bool orphan_warn = false;
  std::string orphan_hint;
  bool children_listed = false;
  std::string children_hint;

  std::vector<std::string> problems; ///< one sentence each
};

/// From the bytes of the file; nothing means that there is none.
[[nodiscard]] schema parse_schema(const std::optional<std::string>& text);

/// The same from what a store answered; a failure to read is a problem of the schema.
[[nodiscard]] schema parse_schema(const result<std::optional<std::string>>& text);

/// The file that comes with a new store: the defaults, spelled out. They require nothing.
[[nodiscard]] std::string default_schema_text();

/// What a write supplied, or a read has found, and what there was before.
struct schema_subject {
  const article& composed;
  bool created = false;
  bool capsule_supplied = false;
  bool body_supplied = false;
  bool citations_changed = false;
};

struct schema_verdict {
  std::vector<std::string> rejections; ///< any of these refuses the write
  std::vector<std::string> warnings;
};

[[nodiscard]] schema_verdict check_schema(const schema& rules, const schema_subject& subject);

} // namespace resilient::canon

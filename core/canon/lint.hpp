#pragma once

#include "core/canon/article.hpp"
#include "core/canon/options.hpp"
#include "core/canon/places.hpp"
#include "core/canon/schema.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// A write that has landed, with everything that advice on it depends on.
struct linted_write {
  const places& where;
  const place& in;
  const std::string& address;
  const std::optional<article>& before;
  const article& after;
  bool body_supplied = false;
  retrieval_kind retrieval = retrieval_kind::none;
  const schema& rules;
};

/// `Body grew 812 -> 1304 bytes.` with the reminder, when an existing body grew.
[[nodiscard]] std::optional<std::string> growth_advice(const linted_write& write);

/// All other advice, one sentence or two each, in the order in which it is shown. Advice never
/// refuses anything.
[[nodiscard]] std::vector<std::string> lint(const linted_write& write);

/// The question about an article whose asset is missing although its folder is there.
[[nodiscard]] std::optional<std::string>
orphan_question(const place& in, const std::string& address, const article& content);

/// Whether a text holds words of constraint: must, never, always, require(s, d), do not, don't.
[[nodiscard]] bool speaks_of_constraint(std::string_view text);

/// The first two lines of the old body that speak of constraint and are not in the new one.
[[nodiscard]] std::vector<std::string> dropped_constraints(std::string_view before,
                                                           std::string_view after);

/// Names what looks like a credential, by kind and line, never by value. Nothing is withheld.
[[nodiscard]] std::optional<std::string> secret_advice(std::string_view capsule,
                                                       std::string_view body);

/// Values in an entry (names in backticks or quotes, identifiers, numbers) that the text of an
/// article does not hold: the longest first, six at most.
[[nodiscard]] std::vector<std::string> missing_values(std::string_view entry,
                                                      std::string_view article_text);

} // namespace resilient::canon

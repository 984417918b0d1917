#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// A file longer than this is not an article, an entry or a schema.
inline constexpr std::size_t longest_file = 16U << 20U;

/// A front matter value of ours, with the lines that said it in the file. As long as the value is
/// what those lines say, they are written back as they were.
struct owned_value {
  std::string value;      ///< unquoted, on one line; empty when there is none
  std::string kept_value; ///< the value that `kept_lines` say
  std::string kept_lines; ///< raw lines with their line ends; empty when the file has none
};

/// Front matter lines that are not ours, byte for byte.
struct foreign_lines {
  std::string raw; ///< whole lines with their line ends
  /// When these lines are an empty key of ours (`capsule:`, perhaps with a list below), its name.
  /// They go when that key gets a value, or else it would stand there twice.
  std::string stands_for;
};

/// One article: the three values that are ours, and everything else as bytes.
///
/// A file is a front matter block (`capsule`, `updated`, `scope`, then foreign lines) and a body.
/// Anything else in the file survives: foreign keys, comments, blank lines, line ends, a BOM.
struct article {
  owned_value capsule;
  owned_value updated; ///< the day of the last change, `YYYY-MM-DD` in UTC
  owned_value scope;   ///< "rule", or empty
  std::string body;    ///< the bytes after the front matter, with the final line end

  bool byte_order_mark = false;
  std::string line_end = "\n";        ///< of the front matter: "\n" or "\r\n"
  std::string leading;                ///< indented lines before the first key
  std::vector<foreign_lines> foreign; ///< in the order of the file

  [[nodiscard]] bool is_rule() const { return scope.value == "rule"; }
  /// The body without white space at its end: what is measured, compared and shown.
  [[nodiscard]] std::string_view text() const;
  /// The text of a `# heading` on the first line that is not blank; else empty.
  [[nodiscard]] std::string title() const;
};

/// Reads any bytes; what is no front matter is body.
[[nodiscard]] article parse_article(std::string_view bytes);

/// Only the capsule of the file, or of its beginning as far as the front matter reaches; nothing
/// when there is no whole front matter.
[[nodiscard]] std::optional<std::string> capsule_of(std::string_view bytes);

/// The bytes of the file.
[[nodiscard]] std::string compose_article(const article& value);

/// What a write asked for. A field that is absent stays as it is.
struct article_change {
  std::optional<std::string> capsule;
  std::optional<std::string> body;
  std::optional<std::string> scope; ///< "rule" or "asset"
};

/// `stored` (or a new article) with the change applied, `updated` set to `today`.
[[nodiscard]] article apply_change(const std::optional<article>& stored,
                                   const article_change& change, const std::string& today);

/// Whether both say the same: capsule, scope, and body up to white space at its end.
[[nodiscard]] bool same_content(const article& left, const article& right);

/// A capsule as it is stored: every run of line breaks, with the blanks around it, is one space.
[[nodiscard]] std::string fold_capsule(std::string_view text);

/// A body as an agent handed it in, without the front matter of a file that was pasted whole.
[[nodiscard]] std::string_view without_pasted_front_matter(std::string_view body);

/// A fingerprint of bytes, to notice that a file is not the one that was read.
[[nodiscard]] std::uint64_t content_hash(std::string_view bytes) noexcept;

} // namespace resilient::canon

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// One event. Entries are never changed once they are written.
struct journal_entry {
  std::string name;   ///< file name, `<day>-<slug>.md` or `<day>-<slug>-<n>.md`
  std::string logged; ///< ISO instant with milliseconds and `Z`; else the day in the name
  std::vector<std::string> subjects; ///< addresses, those in a mount with its name before a colon
  std::string harness;               ///< which program wrote it; may be empty
  std::string session;               ///< which session of that program; may be empty
  std::string body;
};

/// Reads any bytes. Only the front matter is asked for metadata.
[[nodiscard]] journal_entry parse_entry(std::string name, std::string_view bytes);

/// The bytes of the file.
[[nodiscard]] std::string compose_entry(const journal_entry& entry);

/// What an entry's name is made of: lower-case ASCII letters and digits in groups joined by `-`, at
/// most 80 bytes, "entry" when nothing is left.
[[nodiscard]] std::string slug_from(std::string_view text);

/// `<day>-<slug>.md`, or with a number from 2 on.
[[nodiscard]] std::string entry_name(const std::string& day, const std::string& slug,
                                     unsigned number);

/// The number at the end of a name, 1 when there is none.
[[nodiscard]] unsigned long entry_number(std::string_view name) noexcept;

/// What the order of entries depends on.
struct dated_name {
  std::string logged;
  std::string name;

  [[nodiscard]] bool operator==(const dated_name&) const = default;
};

/// Whether the first was written before the second: by instant, then by number, then by name.
[[nodiscard]] bool written_before(const dated_name& first, const dated_name& second);

} // namespace resilient::canon

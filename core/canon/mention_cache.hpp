#pragma once

#include "core/support/descriptor.hpp"
#include "core/support/time.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace resilient::canon {

/// Remembers between processes which entries of a journal name which subject, so that a process
/// that reads one article need not read every entry. It only ever answers for exactly the state of
/// the journal's folder for which it was told; deleting it changes no answer.
///
/// One file for each journal. An answer reads a few blocks of it, however long it is.
class mention_cache {
public:
  /// `folder` is absolute and is created when there is something to remember.
  explicit mention_cache(std::string folder) : folder_(std::move(folder)) {}

  /// The names of the entries that name `subject`, in the order in which they were told. Nothing
  /// when this state of the journal is not remembered, or was last checked more than ten minutes
  /// before `now`.
  [[nodiscard]] std::optional<std::vector<std::string>> find(const std::string& journal,
                                                             const file_status& as_of,
                                                             wall_time now,
                                                             const std::string& subject) const;

  /// Remembers all mentions of a journal instead of what was remembered of it before; `checked` is
  /// when every entry was last looked at. A cache that cannot be written is no failure.
  void remember(const std::string& journal, const file_status& as_of, wall_time checked,
                const std::map<std::string, std::vector<std::string>>& by_subject) const;

private:
  [[nodiscard]] std::string path_of(const std::string& journal) const;

  std::string folder_;
};

} // namespace resilient::canon

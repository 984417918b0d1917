#pragma once

#include "core/canon/mention_changes.hpp"
#include "core/canon/mention_table.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace resilient::canon {

/// Keeps between processes which entries of a journal name which subject, so that a process that
/// reads one article need not read every entry: a table and what changed since, two files for each
/// journal. Whoever reads them judges by the state of the journal's folder whether they are true;
/// deleting them changes no answer, and neither does a writer whose file another one replaced.
class mention_cache {
public:
  /// `folder` is absolute and is created when there is something to keep.
  explicit mention_cache(std::string folder) : folder_(std::move(folder)) {}

  /// `store` is the path of the journal's store. Nothing when there is none, or a damaged one.
  [[nodiscard]] std::optional<mention_table> table(const std::string& store) const;
  /// What changed since this table; nothing when that is not known.
  [[nodiscard]] std::optional<mention_changes> changes(const std::string& store,
                                                       const mention_table& since) const;

  /// False when it could not be kept.
  [[nodiscard]] bool keep_table(const std::string& store, std::string_view bytes) const;
  [[nodiscard]] bool keep_changes(const std::string& store, const mention_changes& changes) const;

private:
  [[nodiscard]] std::string table_path(const std::string& store) const;
  [[nodiscard]] std::string changes_path(const std::string& store) const;
  [[nodiscard]] bool write(const std::string& path, std::string_view bytes) const;

  std::string folder_;
};

} // namespace resilient::canon

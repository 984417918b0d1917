#pragma once

#include "core/canon/article.hpp"
#include "core/canon/journal.hpp"
#include "core/canon/mention_index.hpp"
#include "core/support/error.hpp"
#include "core/support/folder.hpp"
#include "core/support/time.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace resilient::canon {

/// One article file, as a listing shows it.
struct article_file {
  std::string address; ///< `src/core/config` for `articles/src/core/config.md`
  file_status status;  ///< size, time and inode tell whether the file was changed
};

/// Where an article was found.
struct governing_article {
  std::string address;
  article content;
  std::uint64_t hash = 0; ///< `content_hash` of its file
};

/// The knowledge of one project or mount: `articles/<address>.md`, `journal/<name>`, `schema.json`.
///
/// A store is plain files that other programs change at any time. Nothing is kept between calls but
/// what `stat` can vouch for. Reading never creates anything; the first write does.
class store {
public:
  /// `directory` is the project or mount whose assets the addresses are computed from; `root` is
  /// where the files are, `<directory>/.canon` when empty. Both absolute; nothing is opened yet.
  explicit store(std::string directory, std::string root = "");

  [[nodiscard]] const std::string& directory() const noexcept { return directory_; }
  [[nodiscard]] const std::string& root() const noexcept { return root_; }

  // -- articles
  // ------------------------------------------------------------------------------------

  /// The article at exactly this address; nothing when there is none.
  [[nodiscard]] result<std::optional<governing_article>> read(const std::string& address) const;

  /// The article at the address, or at the nearest address above it.
  [[nodiscard]] result<std::optional<governing_article>> resolve(const std::string& address) const;

  /// Whether a regular article file is at exactly this address.
  [[nodiscard]] bool has(const std::string& address) const;

  /// Every article, sorted by the bytes of the address; empty when there is no store.
  [[nodiscard]] std::vector<article_file> list() const;

  /// Shows every article file in no promised order; `read` reads the one that is shown. Cheaper
  /// than `list` followed by one `read` each.
  using article_visitor =
      std::function<void(const article_file&, const std::function<result<article>()>& read)>;
  void visit(const article_visitor& show, const std::function<void(const error&)>& problem) const;

  /// Shows every address with its capsule, in no promised order. Reads no more than it must.
  using capsule_visitor =
      std::function<void(const std::string& address, const std::string& capsule)>;
  void visit_capsules(const capsule_visitor& show,
                      const std::function<void(const error&)>& problem) const;

  /// What `edit` did.
  enum class edit_outcome : std::uint8_t { written, left_alone };

  /// Changes one article under the store's lock. `compose` gets what is stored now and returns what
  /// shall be stored, or nothing to leave it alone. It is asked again when a program that takes no
  /// lock changed the file in between. Creates the store when it is missing.
  using composer = std::function<std::optional<article>(const std::optional<governing_article>&)>;
  [[nodiscard]] result<edit_outcome> edit(const std::string& address, const composer& compose);

  /// Why no article can be at this address, as a sentence; nothing when one can. An empty address,
  /// a NUL byte, a segment that is too long, or a folder that would be taken for an article.
  [[nodiscard]] static std::optional<std::string> refusal(const std::string& address);

  // -- journal
  // -------------------------------------------------------------------------------------

  /// Why nobody can look into the journal, as a sentence; nothing when it can be read or is not
  /// there.
  [[nodiscard]] std::optional<std::string> journal_problem() const;

  /// The names of all entries, sorted by bytes; empty when there is no journal.
  [[nodiscard]] std::vector<std::string> journal_names() const;

  /// The status of the journal's folder: it changes whenever an entry comes or goes.
  [[nodiscard]] std::optional<file_status> journal_status() const;

  /// The folder of the journal; `no_input` when there is none.
  [[nodiscard]] result<folder> open_journal() const;

  [[nodiscard]] result<journal_entry> read_entry(const std::string& name) const;

  /// The names of the entries whose subjects hold exactly this address, oldest first; how fresh the
  /// answer is, `mention_index` says.
  [[nodiscard]] std::vector<std::string> mentions(const std::string& subject, wall_time now) const;

  /// Looks at every entry, so that `mentions` knows also those that were edited in place.
  void check_mentions(wall_time now) const;

  /// Lets `mentions` use what earlier processes found, so that a process that asks once need not
  /// read the whole journal.
  void use_cache(mention_cache cache) { mentions_.use_cache(std::move(cache)); }

  /// Writes a new entry; its name comes from the day of `entry.logged` and the slug. Returns the
  /// name. Creates the store when it is missing.
  [[nodiscard]] result<std::string> append(const journal_entry& entry, const std::string& slug);

  // -- schema
  // --------------------------------------------------------------------------------------

  /// The bytes of `schema.json`; nothing when there is none.
  [[nodiscard]] result<std::optional<std::string>> schema_text() const;

  /// The bytes of an article, an entry or the schema, by its name below the root
  /// (`articles/src/core/config.md`).
  [[nodiscard]] result<std::string> bytes_of(const std::string& file) const;

  /// What writers that were killed left beside the files they wrote, as names below the root, in
  /// order. A file that is younger than a minute may belong to a writer that is at work.
  [[nodiscard]] std::vector<std::string> leftovers(wall_time now) const;

private:
  [[nodiscard]] result<folder> open() const;
  [[nodiscard]] result<folder> open_below(const std::string& name) const;
  [[nodiscard]] result<folder> open_or_create();

  std::string directory_;
  std::string root_;
  mutable mention_index mentions_;
};

} // namespace resilient::canon

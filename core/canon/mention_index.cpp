#include "core/canon/mention_index.hpp"

#include "core/canon/article.hpp"
#include "core/canon/journal_look.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace resilient::canon {

namespace {

constexpr std::chrono::minutes between_full_checks{1};
/// So few entries are read faster than a cache of them is kept.
constexpr std::uint64_t quickly_read = 100;
/// The status of so few is looked at whenever they are listed.
constexpr std::uint64_t quickly_examined = 500;
/// So few are listed in less time than a watch costs.
constexpr std::uint64_t quickly_listed = 2000;

[[nodiscard]] journal_state state_of(const file_status& status) {
  return {status.device, status.inode, status.modified_ns, status.changed_ns};
}

} // namespace

std::vector<std::string> mention_index::of(const std::string& subject, const journal& asked,
                                           wall_time now) {
  if (!asked.status) {
    return {};
  }
  load(asked);
  const bool asks_again = std::exchange(was_asked_, true);
  const bool check_is_due =
      asks_again && known_
      && (now < known_->changes.checked || now - known_->changes.checked >= between_full_checks);
  if (!known_ || check_is_due || known_->changes.as_of != state_of(*asked.status)) {
    look(asked, now, check_is_due);
  }
  auto found = known_ ? known_->table.find(subject) : std::nullopt;
  if (known_ && !found) {
    known_.reset(); // it is damaged
    look(asked, now, true);
    found = known_ ? known_->table.find(subject) : std::nullopt;
  }
  std::vector<std::string> names;
  if (found) {
    for (dated_name& one : known_->changes.applied_to(std::move(*found), subject)) {
      names.push_back(std::move(one.name));
    }
  }
  return names;
}

void mention_index::check(const journal& asked, wall_time now) {
  if (asked.status) {
    load(asked);
    look(asked, now, true);
  }
}

std::optional<folder_watch> mention_index::expect(const journal& asked, const folder& opened) {
  load(asked);
  if (!known_ || is_only_here_ || known_->table.size() <= quickly_listed) {
    return std::nullopt;
  }
  auto watch = folder_watch::start(opened);
  const auto status = watch ? opened.status(".") : std::nullopt;
  return status && *status && state_of(**status) == known_->changes.as_of ? std::move(watch)
                                                                          : std::nullopt;
}

void mention_index::has_come(const journal& asked, const folder& opened, folder_watch watch,
                             const journal_entry& entry) {
  const auto status = opened.status(entry.name);
  const auto state = watch.finish(entry.name);
  if (!state || !status || !*status) {
    return;
  }
  std::vector<mentioning_entry>& came = known_->changes.came;
  // Its status is not known well enough for a full check, which therefore reads it.
  came.insert(
      std::find_if(came.begin(), came.end(),
                   [&](const mentioning_entry& one) { return one.named.name > entry.name; }),
      {{entry.logged, entry.name},
       {.name = content_hash(entry.name), .inode = (*status)->inode, .content = 0},
       entry.subjects});
  known_->changes.as_of = state_of(*state);
  const bool with_table = has_many_changes();
  if (!with_table || rebuild(asked)) {
    keep(asked, with_table);
  }
}

/// Changes are read with every question; a table is made only now and then.
bool mention_index::has_many_changes() const {
  constexpr std::uint64_t few = 64;
  constexpr std::uint64_t part = 32;
  return known_->changes.gone.size() + known_->changes.came.size()
         > few + known_->table.size() / part;
}

void mention_index::load(const journal& asked) {
  if (is_only_here_) {
    return;
  }
  known_.reset();
  auto table = cache_ ? cache_->table(asked.root) : std::nullopt;
  if (!table) {
    return;
  }
  auto changes = cache_->changes(asked.root, *table);
  if (!changes) {
    changes = mention_changes{.table = table->id(),
                              .as_of = table->as_of(),
                              .checked = table->checked(),
                              .gone = {},
                              .came = {}};
  }
  known_ = known_mentions{std::move(*table), std::move(*changes)};
}

/// Begins with nothing known.
void mention_index::start_anew(const journal& asked, wall_time now) {
  const std::uint64_t store = content_hash(asked.root);
  auto empty = mention_table::open(
      mention_table::compose(
          {.store = store, .as_of = {}, .checked = now, .entries = {}, .by_subject = {}}),
      store);
  const std::uint64_t id = empty->id();
  known_ = known_mentions{std::move(*empty),
                          {.table = id, .as_of = {}, .checked = now, .gone = {}, .came = {}}};
  is_only_here_ = true;
}

void mention_index::look(const journal& asked, wall_time now, bool is_full_check) {
  const auto opened = asked.open();
  if (!opened) {
    known_.reset();
    is_only_here_ = false;
    return;
  }
  auto entries = known_ ? known_->table.entries() : std::nullopt;
  if (!entries) {
    start_anew(asked, now);
    entries.emplace();
  }
  is_full_check = is_full_check || entries->size() <= quickly_examined;
  journal_look look(*opened, *entries, known_->changes, is_full_check, now);
  if (!opened->visit_names([&](const shown_entry& shown) { look.show(shown); })) {
    return; // what was known is the best that there is, and is not vouched for
  }
  const bool is_vouched_for = is_settled(*asked.status, now) && look.is_settled();
  mention_changes found = std::move(look).changes();
  found.table = known_->table.id();
  found.as_of = is_vouched_for ? state_of(*asked.status) : journal_state{};
  found.checked = is_full_check ? now : known_->changes.checked;
  const bool is_news = found != known_->changes;
  known_->changes = std::move(found);
  const std::uint64_t count =
      entries->size() - known_->changes.gone.size() + known_->changes.came.size();
  const bool may_be_cached = cache_ && count > quickly_read;
  const bool with_table = has_many_changes() || (is_only_here_ && may_be_cached);
  if (with_table && !rebuild(asked)) {
    known_.reset();
    this->look(asked, now, true); // the table is damaged; without one there is nothing to damage
    return;
  }
  if (may_be_cached && (is_news || with_table)) {
    keep(asked, with_table);
  } else if (with_table || !may_be_cached) {
    is_only_here_ = true;
  }
}

/// Makes a table of what is known with no changes to it. False when the old one is damaged.
bool mention_index::rebuild(const journal& asked) {
  const mention_changes& changes = known_->changes;
  auto entries = known_->table.entries();
  auto by_subject = known_->table.everything();
  if (!entries || !by_subject) {
    return false;
  }
  entries->erase(std::remove_if(entries->begin(), entries->end(),
                                [&](const entry_trace& one) { return changes.has_gone(one.name); }),
                 entries->end());
  const mention_changes only_gone{
      .table = 0, .as_of = {}, .checked = {}, .gone = changes.gone, .came = {}};
  for (auto subject = by_subject->begin(); subject != by_subject->end();) {
    subject->second = only_gone.applied_to(std::move(subject->second), subject->first);
    subject = subject->second.empty() ? by_subject->erase(subject) : std::next(subject);
  }
  for (const mentioning_entry& one : changes.came) {
    entries->push_back(one.trace);
    for (const std::string& subject : one.subjects) {
      std::vector<dated_name>& names = (*by_subject)[subject];
      if (names.empty() || names.back() != one.named) {
        names.push_back(one.named);
      }
    }
  }
  for (auto& [subject, names] : *by_subject) {
    std::sort(names.begin(), names.end(), written_before);
  }
  const std::uint64_t store = content_hash(asked.root);
  auto table = mention_table::open(mention_table::compose({.store = store,
                                                           .as_of = changes.as_of,
                                                           .checked = changes.checked,
                                                           .entries = std::move(*entries),
                                                           .by_subject = std::move(*by_subject)}),
                                   store);
  if (!table) {
    return false;
  }
  const mention_changes none{.table = table->id(),
                             .as_of = changes.as_of,
                             .checked = changes.checked,
                             .gone = {},
                             .came = {}};
  known_ = known_mentions{std::move(*table), none};
  return true;
}

void mention_index::keep(const journal& asked, bool with_table) {
  const bool kept = with_table ? cache_->keep_table(asked.root, known_->table.bytes())
                               : cache_->keep_changes(asked.root, known_->changes);
  is_only_here_ = !kept;
}

} // namespace resilient::canon

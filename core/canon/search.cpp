#include "core/canon/search.hpp"

#include "core/canon/article.hpp"
#include "core/canon/journal.hpp"
#include "core/support/folder.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace resilient::canon {

namespace {

/// A server that is asked about ever new projects does not keep the indexes of all of them.
constexpr std::size_t most_stores = 8;
constexpr std::size_t most_results = 10;
constexpr std::size_t most_excerpt_units = 160;

/// File systems stamp changes by a clock that ticks every few milliseconds.
constexpr std::chrono::milliseconds coarsest_file_clock{50};
constexpr std::chrono::seconds between_full_checks{60};

/// On one line, cut to what fits a listing.
[[nodiscard]] std::string excerpt(std::string_view body) {
  std::string flat;
  std::size_t kept = 0;
  while (!body.empty() && kept <= most_excerpt_units + 1) {
    const std::string_view before = body;
    const char32_t c = take_code_point(body);
    if (!is_white_space(c)) {
      const std::string_view raw = before.substr(0, before.size() - body.size());
      flat.append(raw);
      kept += utf16_length(raw);
    } else if (!flat.empty() && flat.back() != ' ') {
      flat.push_back(' ');
      ++kept;
    }
  }
  flat.resize(trim_end(flat).size());
  if (utf16_length(flat) <= most_excerpt_units) {
    return flat;
  }
  return std::string{utf16_prefix(flat, most_excerpt_units - 3)} + "...";
}

[[nodiscard]] std::string article_line(const place& where, const std::string& address) {
  std::string shown = where.qualified(address);
  const auto found = where.knowledge.read(address);
  if (!found || !*found) {
    return shown; // it vanished just now
  }
  const article& content = (*found)->content;
  const std::string told =
      content.capsule.value.empty() ? excerpt(content.text()) : content.capsule.value;
  return told.empty() ? shown : shown + ": " + told;
}

[[nodiscard]] std::string entry_line(const place& where, const std::string& name) {
  const auto found = where.knowledge.read_entry(name);
  if (!found) {
    return "journal " + name; // it vanished just now
  }
  std::string line = "journal " + found->logged;
  if (!found->subjects.empty()) {
    line += fmt::format(" ({})", fmt::join(found->subjects, ", "));
  }
  return line + ": " + excerpt(found->body);
}

} // namespace

// -- index of one store ---------------------------------------------------------------------------

void index_searcher::indexed_files::begin_look() {
  ++looks;
  shown.clear();
}

std::pair<const std::string, index_searcher::indexed>*
index_searcher::indexed_files::find(const std::string& name) {
  if (shown.size() < in_order.size() && in_order[shown.size()]->first == name) {
    return in_order[shown.size()];
  }
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : &*found;
}

bool index_searcher::store_index::is_current(indexed_files& files, const std::string& name,
                                             const file_status& status) {
  auto* known = files.find(name);
  if (known == nullptr) {
    return false;
  }
  indexed& file = known->second;
  const bool current = !file.unsure && file.modified_ns == status.modified_ns
                       && file.size == status.size && file.inode == status.inode;
  if (current && file.seen != files.looks) {
    file.seen = files.looks;
    files.shown.push_back(known);
  }
  return current;
}

void index_searcher::store_index::put(indexed_files& files, const std::string& name,
                                      const file_status& status, word_index::group kind,
                                      const std::vector<std::string_view>& parts, bool unsure) {
  const auto [place, is_new] = files.by_name.try_emplace(name);
  indexed& file = place->second;
  if (!is_new) {
    words.remove(file.number);
    documents[file.number].name = nullptr;
  }
  if (is_new || file.seen != files.looks) {
    files.shown.push_back(&*place);
  }
  file = {status.modified_ns,     status.size, status.inode,
          words.add(parts, kind), files.looks, unsure};
  documents.resize(file.number + std::size_t{1});
  documents[file.number] = {&place->first, kind};
}

void index_searcher::store_index::forget_unseen(indexed_files& files) {
  if (files.shown.size() < files.by_name.size()) {
    for (auto at = files.by_name.begin(); at != files.by_name.end();) {
      if (at->second.seen == files.looks) {
        ++at;
        continue;
      }
      words.remove(at->second.number);
      documents[at->second.number].name = nullptr;
      at = files.by_name.erase(at);
    }
  }
  files.in_order.swap(files.shown);
}

// -- searcher -------------------------------------------------------------------------------------

index_searcher::index_searcher(std::function<wall_time()> now, std::string how_to_ask)
    : now_(std::move(now)), how_to_ask_(std::move(how_to_ask)) {}

bool index_searcher::changed_just_now(const file_status& status) const {
  const auto changed = std::chrono::nanoseconds{status.modified_ns};
  return changed + coarsest_file_clock > now_().time_since_epoch();
}

void index_searcher::refresh_articles(store_index& index, const store& knowledge) const {
  index.problems.clear();
  index.articles.begin_look();
  knowledge.visit(
      [&](const article_file& file, const std::function<result<article>()>& read) {
        if (index.is_current(index.articles, file.address, file.status)) {
          return;
        }
        const auto content = read();
        if (!content) {
          index.problems.push_back(content.error().message);
          return;
        }
        index.put(index.articles, file.address, file.status, word_index::group::articles,
                  {file.address, content->capsule.value, content->body},
                  changed_just_now(file.status));
      },
      [&](const error& problem) { index.problems.push_back(problem.message); });
  index.forget_unseen(index.articles);
}

void index_searcher::look_for_entries(store_index& index, const store& knowledge) const {
  const auto status = knowledge.journal_status();
  if (!status) {
    index.has_entries = false;
    index.journal_as_of.reset();
    return;
  }
  if (index.journal_unsure || index.journal_as_of != status) {
    index.has_entries = !knowledge.journal_names().empty();
    index.journal_as_of = status;
    index.journal_unsure = changed_just_now(*status);
    index.entries_checked.reset();
  }
}

void index_searcher::refresh_journal(store_index& index, const store& knowledge) const {
  const wall_time now = now_();
  if (index.entries_checked && *index.entries_checked <= now
      && now - *index.entries_checked < between_full_checks) {
    return;
  }
  index.entries_checked = now;
  index.entries.begin_look();
  if (index.has_entries) {
    const auto journal = knowledge.open_journal();
    if (!journal) {
      index.problems.push_back(journal.error().message);
      return;
    }
    journal->walk(
        ".md",
        [&](const folder::walked_file& file) {
          if (file.name.find('/') != std::string::npos
              || index.is_current(index.entries, file.name, file.status)) {
            return;
          }
          const auto bytes = file.read(longest_file);
          if (!bytes) {
            index.problems.push_back(bytes.error().message);
            return;
          }
          const journal_entry entry = parse_entry(file.name, *bytes);
          const std::string subjects = fmt::format("{}", fmt::join(entry.subjects, " "));
          index.put(index.entries, file.name, file.status, word_index::group::journal,
                    {file.name, subjects, entry.body}, changed_just_now(file.status));
        },
        [&](const error& problem) { index.problems.push_back(problem.message); });
  }
  index.forget_unseen(index.entries);
}

result<std::string> index_searcher::search(const place& where, const std::string& query,
                                           bool journal) {
  if (stores_.size() >= most_stores && stores_.count(where.knowledge.root()) == 0) {
    stores_.clear();
  }
  store_index& index = stores_[where.knowledge.root()];
  if (index.words.worn()) {
    index = {};
  }
  refresh_articles(index, where.knowledge);
  if (where.name.empty()) { // a mount's journal is that project's own business
    look_for_entries(index, where.knowledge);
    if (journal) {
      refresh_journal(index, where.knowledge);
      if (auto problem = where.knowledge.journal_problem()) {
        index.problems.push_back(std::move(*problem));
      }
    }
  }
  return answer(index, where, query, journal);
}

std::string index_searcher::answer(const store_index& index, const place& where,
                                   const std::string& query, bool journal) const {
  std::vector<std::string> lines;
  const bool journal_untold = !journal && index.has_entries;
  const bool nothing_yet = index.articles.by_name.empty() && (!journal || !index.has_entries);

  std::vector<word_index::hit> articles;
  std::vector<word_index::hit> entries;
  if (!nothing_yet) {
    for (const word_index::hit& hit : index.words.rank(
             query, journal ? word_index::scope::everything : word_index::scope::articles)) {
      const bool is_article = index.documents[hit.which].kind == word_index::group::articles;
      (is_article ? articles : entries).push_back(hit);
    }
  }
  const std::size_t article_lines =
      std::min(articles.size(),
               std::max(most_results / 2, most_results - std::min(most_results, entries.size())));
  const std::size_t entry_lines = std::min(entries.size(), most_results - article_lines);
  const auto keep_best = [&](std::vector<word_index::hit>& hits, std::size_t count) {
    const auto better = [&](const word_index::hit& left, const word_index::hit& right) {
      if (left.score != right.score) {
        return left.score > right.score;
      }
      return *index.documents[left.which].name < *index.documents[right.which].name;
    };
    std::partial_sort(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(count), hits.end(),
                      better);
  };
  keep_best(articles, article_lines);
  keep_best(entries, entry_lines);
  for (std::size_t i = 0; i < article_lines; ++i) {
    lines.push_back(article_line(where, *index.documents[articles[i].which].name));
  }
  for (std::size_t i = 0; i < entry_lines; ++i) {
    lines.push_back(entry_line(where, *index.documents[entries[i].which].name));
  }

  const std::size_t more = articles.size() + entries.size() - lines.size();
  if (more > 0) {
    lines.push_back(fmt::format("... {} more matched; narrow the query.", more));
  }
  if (lines.empty()) {
    lines.push_back(nothing_yet ? "There is nothing to search yet: no articles."
                                : fmt::format("Nothing matches \"{}\".", query));
  }
  if (journal_untold) {
    std::string hint = fmt::format("The journal was not searched; {} to include it.", how_to_ask_);
    if (articles.empty()) {
      lines.back() += " " + hint;
    } else {
      lines.push_back(std::move(hint));
    }
  }
  if (!index.problems.empty()) {
    lines.push_back(
        fmt::format("Not searched, {} in all: {}", index.problems.size(), index.problems.front()));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

} // namespace resilient::canon

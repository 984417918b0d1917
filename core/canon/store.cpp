#include "core/canon/store.hpp"

#include "core/canon/address.hpp"
#include "core/canon/schema.hpp"
#include "core/support/files.hpp"
#include "core/support/text.hpp"

#include <sys/types.h>

#include <algorithm>

namespace resilient::canon {

namespace {

using namespace std::chrono_literals;

constexpr const char* articles_name = "articles";
constexpr const char* journal_name = "journal";
constexpr const char* schema_name = "schema.json";
constexpr std::string_view extension = ".md";
constexpr std::chrono::milliseconds lock_patience = 20s;
/// How `folder` names a file until it is whole.
constexpr std::string_view temporary_prefix = ".write-";
constexpr std::string_view temporary_suffix = ".tmp";
constexpr std::chrono::minutes longest_write{1};

std::string article_path(const std::string& address) {
  return address + std::string(extension);
}

/// Whether an article could have this address as far as file names go. Others have none.
bool can_be_a_path(const std::string& address) {
  constexpr std::size_t longest_name = 255;
  for (std::size_t begin = 0; begin <= address.size();) {
    const std::size_t end = std::min(address.find('/', begin), address.size());
    if (end == begin || end - begin > longest_name) {
      return false;
    }
    begin = end + 1;
  }
  return address.find('\0') == std::string::npos;
}

/// Nothing when the failure means that there is no such regular file.
result<std::optional<std::string>> read_if_there(const folder& inside, const std::string& name) {
  auto contents = inside.read(name, longest_file);
  if (contents) {
    return std::optional<std::string>(std::move(*contents));
  }
  if (contents.error().kind == error_kind::no_input) {
    return std::optional<std::string>();
  }
  const auto status = inside.status(name);
  // A socket cannot even be opened.
  const bool is_special = status && *status && (*status)->kind == file_kind::other;
  if (is_special
      || (contents.error().kind == error_kind::data && status
          && (!*status || (*status)->kind != file_kind::regular))) {
    return std::optional<std::string>();
  }
  return tl::unexpected(contents.error());
}

/// A longer file could be written, and never be read or replaced again.
result<void> can_be_read_again(const std::string& bytes) {
  if (bytes.size() > longest_file) {
    return fail(error_kind::data, "It would be {} bytes long; at most {} can be read. Split it.",
                bytes.size(), longest_file);
  }
  return {};
}

} // namespace

store::store(std::string directory, std::string root)
    : directory_(std::move(directory)),
      root_(root.empty() ? directory_ + "/.canon" : std::move(root)) {}

result<folder> store::open() const {
  auto root = folder::open(root_);
  if (!root && root.error().kind == error_kind::no_input && posix_files{}.exists(root_)) {
    return fail(error_kind::data, "{} is not a folder, so it can hold no store.", root_);
  }
  return root;
}

result<folder> store::open_below(const std::string& name) const {
  const auto root = open();
  if (!root) {
    return tl::unexpected(root.error());
  }
  auto inside = root->open_folder(name);
  if (!inside && inside.error().kind == error_kind::no_input) {
    if (const auto status = root->status(name); status && *status) {
      return fail(error_kind::data, "{}/{} is not a folder.", root_, name);
    }
  }
  return inside;
}

std::optional<std::string> store::journal_problem() const {
  const auto journal = open_below(journal_name);
  if (journal || journal.error().kind == error_kind::no_input) {
    return std::nullopt;
  }
  return journal.error().message;
}

std::optional<std::string> store::refusal(const std::string& address) {
  if (address.empty()) {
    return "The address is empty.";
  }
  if (address.find('\0') != std::string::npos) {
    return "The address holds a NUL byte, which no file name can.";
  }
  constexpr std::size_t longest_name = 255;
  constexpr std::size_t longest_path = 4000;
  if (address.size() > longest_path) {
    return fmt::format("The address is {} bytes long, more than a path can be.", address.size());
  }
  std::size_t begin = 0;
  while (begin <= address.size()) {
    const std::size_t end = std::min(address.find('/', begin), address.size());
    const std::string segment = address.substr(begin, end - begin);
    const bool last = end == address.size();
    if (segment.empty() || segment == "." || segment == "..") {
      return fmt::format("The address {} has an empty or dotted segment.", address);
    }
    if (segment.size() + (last ? extension.size() : 0) > longest_name) {
      return fmt::format("The segment \"{}...\" is {} bytes long; a file name holds at most {}.",
                         utf16_prefix(segment, 40), segment.size(),
                         longest_name - extension.size());
    }
    if (!last && ends_with(segment, extension)) {
      return fmt::format("The folder \"{}\" would stand where the article \"{}\" belongs. Leave "
                         "\".md\" out of that segment.",
                         segment, segment.substr(0, segment.size() - extension.size()));
    }
    begin = end + 1;
  }
  return std::nullopt;
}

result<std::optional<governing_article>> store::read(const std::string& address) const {
  const auto nothing = std::optional<governing_article>();
  if (!can_be_a_path(address)) {
    return nothing;
  }
  const auto articles = open_below(articles_name);
  if (!articles) {
    if (articles.error().kind == error_kind::no_input) {
      return nothing;
    }
    return tl::unexpected(articles.error());
  }
  const auto contents = read_if_there(*articles, article_path(address));
  if (!contents) {
    return tl::unexpected(contents.error());
  }
  if (!*contents) {
    return nothing;
  }
  return std::optional<governing_article>(
      governing_article{address, parse_article(**contents), content_hash(**contents)});
}

result<std::optional<governing_article>> store::resolve(const std::string& address) const {
  std::string candidate = address;
  while (!candidate.empty()) {
    auto found = read(candidate);
    if (!found || *found) {
      return found;
    }
    const std::size_t slash = candidate.rfind('/');
    candidate.resize(slash == std::string::npos ? 0 : slash);
  }
  return std::optional<governing_article>();
}

bool store::has(const std::string& address) const {
  if (!can_be_a_path(address)) {
    return false;
  }
  const auto articles = open_below(articles_name);
  if (!articles) {
    return false;
  }
  const auto status = articles->status(article_path(address));
  return status && *status && (*status)->kind == file_kind::regular;
}

void store::visit(const article_visitor& show,
                  const std::function<void(const error&)>& problem) const {
  const auto articles = open_below(articles_name);
  if (!articles) {
    if (articles.error().kind != error_kind::no_input) {
      problem(articles.error());
    }
    return;
  }
  articles->walk(
      extension,
      [&](const folder::walked_file& file) {
        const std::string address = file.name.substr(0, file.name.size() - extension.size());
        if (address.empty() || address.back() == '/') {
          return; // a stray `.md` has no address
        }
        show({address, file.status}, [&]() -> result<article> {
          const auto contents = file.read(longest_file);
          if (!contents) {
            return tl::unexpected(contents.error());
          }
          return parse_article(*contents);
        });
      },
      problem);
}

void store::visit_capsules(const capsule_visitor& show,
                           const std::function<void(const error&)>& problem) const {
  const auto articles = open_below(articles_name);
  if (!articles) {
    if (articles.error().kind != error_kind::no_input) {
      problem(articles.error());
    }
    return;
  }
  constexpr std::size_t head_bytes = 4096;
  articles->walk_heads(
      extension, head_bytes,
      [&](const folder::walked_head& file) {
        const std::string address = file.name.substr(0, file.name.size() - extension.size());
        if (address.empty() || address.back() == '/') {
          return; // a stray `.md` has no address
        }
        const auto capsule = capsule_of(file.head);
        // Of a head that ends with the second fence, the rest may be that fence's line still.
        const bool ends_with_fence = !file.is_whole && ends_with(file.head, "---");
        if (file.is_whole || (capsule && !ends_with_fence)) {
          show(address, capsule.value_or(""));
          return;
        }
        const auto contents = articles->read(file.name, longest_file);
        if (contents) {
          show(address, capsule_of(*contents).value_or(""));
        } else {
          problem(contents.error());
          show(address, "");
        }
      },
      problem);
}

std::vector<article_file> store::list() const {
  std::vector<article_file> files;
  visit([&](const article_file& file, const auto&) { files.push_back(file); },
        [](const error&) {
          // nop: what cannot be listed has no address to show
        });
  std::sort(files.begin(), files.end(), [](const article_file& left, const article_file& right) {
    return left.address < right.address;
  });
  return files;
}

result<folder> store::open_or_create() {
  posix_files disk;
  const auto project = disk.status(directory_);
  if (!project) {
    return tl::unexpected(project.error());
  }
  if (!*project || (*project)->kind != file_kind::folder) {
    return fail(error_kind::no_input,
                "The project folder {} does not exist, so no store is created in it.", directory_);
  }
  if (auto made = disk.make_folders(root_, 0777); !made) {
    return tl::unexpected(made.error());
  }
  return open();
}

namespace {

/// The contract comes with a new store only: whoever deleted it later wants it gone.
result<void> create_schema_in_new_store(const folder& root) {
  for (const char* name : {articles_name, journal_name}) {
    const auto status = root.status(name);
    if (!status || *status) {
      return {}; // something is there, if only a link that cannot be followed
    }
  }
  const auto created = root.create(schema_name, default_schema_text());
  return created ? result<void>() : tl::unexpected(created.error());
}

} // namespace

result<store::edit_outcome> store::edit(const std::string& address, const composer& compose) {
  if (const auto reason = refusal(address)) {
    return fail(error_kind::usage, "{}", *reason);
  }
  const auto existing = open();
  if (!existing && existing.error().kind == error_kind::no_input && !compose(std::nullopt)) {
    return edit_outcome::left_alone; // and no store is created for it
  }
  const auto root = open_or_create();
  if (!root) {
    return tl::unexpected(root.error());
  }
  const auto held = root->lock(lock_patience);
  if (!held) {
    return fail(held.error().kind, "{} Nothing was written; try again.", held.error().message);
  }
  constexpr int attempts = 8;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    std::optional<governing_article> stored;
    std::optional<file_status> seen;
    const auto articles = root->open_folder(articles_name);
    if (articles) {
      file_status status;
      auto contents = articles->read(article_path(address), longest_file, &status);
      if (contents) {
        stored = governing_article{address, parse_article(*contents), content_hash(*contents)};
        seen = status;
      } else if (contents.error().kind != error_kind::no_input) {
        return tl::unexpected(contents.error());
      }
    } else if (articles.error().kind != error_kind::no_input) {
      return tl::unexpected(articles.error());
    }
    const auto composed = compose(stored);
    if (!composed) {
      return edit_outcome::left_alone;
    }
    const std::string bytes = compose_article(*composed);
    if (auto fits = can_be_read_again(bytes); !fits) {
      return tl::unexpected(fits.error());
    }
    if (auto created = create_schema_in_new_store(*root); !created) {
      return tl::unexpected(created.error());
    }
    if (auto made = root->make_folders(parent_path(std::string(articles_name) + "/" + address));
        !made) {
      return tl::unexpected(made.error());
    }
    const auto inside = root->open_folder(articles_name);
    if (!inside) {
      return tl::unexpected(inside.error());
    }
    // An editor takes no lock. What it saved since the article was read must not be lost.
    const auto now = inside->status(article_path(address));
    if (!now) {
      return tl::unexpected(now.error());
    }
    if (*now != seen) {
      continue;
    }
    if (auto replaced = inside->replace(article_path(address), bytes); !replaced) {
      return tl::unexpected(replaced.error());
    }
    return edit_outcome::written;
  }
  return fail(error_kind::busy,
              "The article {} keeps being changed by another program. Nothing was written; try "
              "again.",
              address);
}

std::vector<std::string> store::journal_names() const {
  std::vector<std::string> names;
  const auto root = open();
  if (!root) {
    return names;
  }
  const auto entries = root->list(journal_name);
  if (!entries) {
    return names;
  }
  for (const folder_entry& entry : *entries) {
    if (entry.kind != file_kind::folder && ends_with(entry.name, extension)
        && entry.name.size() > extension.size()) {
      names.push_back(entry.name);
    }
  }
  return names;
}

std::optional<file_status> store::journal_status() const {
  const auto root = open();
  if (!root) {
    return std::nullopt;
  }
  return root->status(journal_name).value_or(std::nullopt);
}

result<folder> store::open_journal() const {
  return open_below(journal_name);
}

result<journal_entry> store::read_entry(const std::string& name) const {
  const auto root = open();
  if (!root) {
    return tl::unexpected(root.error());
  }
  const auto contents = root->read(std::string(journal_name) + "/" + name, longest_file);
  if (!contents) {
    return tl::unexpected(contents.error());
  }
  return parse_entry(name, *contents);
}

std::vector<std::string> store::mentions(const std::string& subject, wall_time now) const {
  return mentions_.of(subject, {root_, journal_status(), [this] { return open_journal(); }}, now);
}

void store::check_mentions(wall_time now) const {
  mentions_.check({root_, journal_status(), [this] { return open_journal(); }}, now);
}

result<std::string> store::append(const journal_entry& entry, const std::string& slug) {
  const std::string bytes = compose_entry(entry);
  if (auto fits = can_be_read_again(bytes); !fits) {
    return tl::unexpected(fits.error());
  }
  const auto root = open_or_create();
  if (!root) {
    return tl::unexpected(root.error());
  }
  {
    const auto held = root->lock(lock_patience);
    if (!held) {
      return fail(held.error().kind, "{} Nothing was logged; try again.", held.error().message);
    }
    if (auto created = create_schema_in_new_store(*root); !created) {
      return tl::unexpected(created.error());
    }
    if (auto made = root->make_folders(journal_name); !made) {
      return tl::unexpected(made.error());
    }
  }
  const auto journal = root->open_folder(journal_name);
  if (!journal) {
    return tl::unexpected(journal.error());
  }
  constexpr std::size_t day_length = 10;
  const std::string day = entry.logged.substr(0, day_length);
  const auto taken = [&](unsigned number) {
    const auto status = journal->status(entry_name(day, slug, number));
    return !status || status->has_value();
  };
  // Doubling, then halving: thousands of entries of one slug cost a few looks each.
  unsigned number = 1;
  if (taken(1)) {
    unsigned last_taken = 1;
    unsigned free = 2;
    constexpr unsigned most = 1U << 30U;
    while (free < most && taken(free)) {
      last_taken = free;
      free *= 2;
    }
    while (free - last_taken > 1) {
      const unsigned middle = last_taken + (free - last_taken) / 2;
      (taken(middle) ? last_taken : free) = middle;
    }
    number = free;
  }
  const mention_index::journal asked{root_, std::nullopt, nullptr};
  auto watch = mentions_.expect(asked, *journal);
  constexpr unsigned attempts = 100'000;
  for (const unsigned end = number + attempts; number < end; ++number) {
    const std::string name = entry_name(day, slug, number);
    const auto created = journal->create(name, bytes);
    if (!created) {
      return tl::unexpected(created.error());
    }
    if (*created) {
      if (watch) {
        mentions_.has_come(asked, *journal, std::move(*watch), parse_entry(name, bytes));
      }
      return name;
    }
  }
  return fail(error_kind::no_create, "No free name was found for an entry {}-{}.", day, slug);
}

result<std::string> store::bytes_of(const std::string& file) const {
  const auto root = open();
  return root ? root->read(file, longest_file) : tl::unexpected(root.error());
}

result<std::optional<std::string>> store::schema_text() const {
  const auto root = open();
  if (!root) {
    return root.error().kind == error_kind::no_input
               ? result<std::optional<std::string>>(std::optional<std::string>())
               : tl::unexpected(root.error());
  }
  auto contents = root->read(schema_name, longest_file);
  if (contents) {
    return std::optional<std::string>(std::move(*contents));
  }
  return contents.error().kind == error_kind::no_input
             ? result<std::optional<std::string>>(std::optional<std::string>())
             : tl::unexpected(contents.error());
}

std::vector<std::string> store::leftovers(wall_time now) const {
  std::vector<std::string> names;
  const auto root = open();
  if (!root) {
    return names;
  }
  root->walk(
      temporary_suffix,
      [&](const folder::walked_file& file) {
        const std::chrono::nanoseconds modified{file.status.modified_ns};
        if (starts_with(last_segment(file.name), temporary_prefix)
            && modified + longest_write < now.time_since_epoch()) {
          names.push_back(file.name);
        }
      },
      [](const error&) {
        // nop: what cannot be looked into is told by whoever visits the articles
      });
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace resilient::canon

#include "core/canon/hook.hpp"
#include "core/canon/hook_transcript.hpp"
#include "core/support/descriptor.hpp"
#include "core/support/files.hpp"
#include "launcher/canon/commands.hpp"
#include "launcher/canon/environment.hpp"
#include "launcher/canon/hook_state_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace resilient::canon {

namespace {

using namespace std::chrono_literals;

/// A batch holds the results of all its calls.
constexpr std::size_t longest_event = std::size_t{256} << 20U;
/// Less than the five seconds that the hosts are asked to wait.
constexpr std::chrono::milliseconds lock_patience = 3s;

/// Where the session works, by what the host says: Claude Code names the folder, since the hook
/// itself is started wherever the agent has changed to; Codex starts it in the session's folder.
[[nodiscard]] result<std::string> project_of_hook(const common_flags& flags,
                                                  const std::string& host) {
  if (flags.project.empty() && host == "claude-code") {
    const std::string named = environment("CLAUDE_PROJECT_DIR");
    if (!named.empty() && named.front() == '/') {
      const auto folder = existing_folder(named);
      return folder ? project_of(*folder) : folder;
    }
  }
  return project_of(flags);
}

/// Where what a session was shown may be kept, the best place first.
[[nodiscard]] std::vector<std::string> state_folders() {
  std::vector<std::string> folders;
  for (const char* name : {"PLUGIN_DATA", "CLAUDE_PLUGIN_DATA"}) {
    if (const std::string folder = environment(name);
        folders.empty() && !folder.empty() && folder.front() == '/') {
      folders.push_back(folder + "/sessions");
    }
  }
  if (const std::string cache = cache_folder(); !cache.empty()) {
    folders.push_back(cache + "/sessions");
  }
  return folders;
}

/// Opened in the first folder that can be written to. Nothing can surface without: a line that
/// nobody remembers would come at each touch.
[[nodiscard]] result<hook_state_file> open_state(const hook_event& event, const std::string& name) {
  result<hook_state_file> file =
      fail(error_kind::config, "There is no folder to keep what a session was shown: set HOME "
                               "or XDG_CACHE_HOME.");
  for (const std::string& folder : state_folders()) {
    if (event.name == "SessionStart") {
      drop_old_hook_states(folder, current_time());
    }
    file = hook_state_file::open(folder, name, lock_patience);
    if (file || file.error().kind == error_kind::busy) {
      break;
    }
  }
  return file;
}

[[nodiscard]] bool has_store(const places& where) {
  const auto found = posix_files{}.status(where.project().knowledge.root() + "/articles");
  return found && *found && (*found)->kind == file_kind::folder;
}

[[nodiscard]] std::optional<wall_time> changed_at(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) {
    return std::nullopt;
  }
  return wall_time{std::chrono::seconds{found.st_ctim.tv_sec}};
}

/// The end of a host's transcript; empty when it cannot be read.
[[nodiscard]] std::string end_of(const std::string& path) {
  constexpr off_t most_bytes = off_t{32} << 20;
  const descriptor opened{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat found {};
  if (!opened || ::fstat(opened.get(), &found) != 0 || !S_ISREG(found.st_mode)) {
    return "";
  }
  ::lseek(opened.get(), std::max(off_t{0}, found.st_size - most_bytes), SEEK_SET);
  return read_all(opened.get(), std::size_t{64} << 20U, path).value_or("");
}

/// Reads each transcript once.
class transcripts {
public:
  [[nodiscard]] bool says_failure(const told_later& what) {
    const auto [place, is_new] = ends_.try_emplace(what.transcript);
    if (is_new) {
      place->second = end_of(what.transcript);
    }
    return transcript_says_failure(place->second, what.call);
  }

private:
  std::map<std::string, std::string> ends_;
};

[[nodiscard]] result<std::string> answer(const common_flags& flags, const std::string& host) {
  if (host != "claude-code" && host != "codex") {
    return fail(error_kind::usage,
                "The host of a hook is claude-code or codex, as in \"canon hook codex\".");
  }
  const auto bytes = read_all(STDIN_FILENO, longest_event, "stdin");
  if (!bytes) {
    return tl::unexpected{bytes.error()};
  }
  const auto event = parse_hook_event(*bytes);
  if (!event) {
    return tl::unexpected{event.error()};
  }
  const auto project = project_of_hook(flags, host);
  if (!project) {
    return tl::unexpected{project.error()};
  }
  const chosen_options chosen = choose_options(flags);
  if (chosen.problem) {
    print_error("canon: " + *chosen.problem);
  }
  const auto where = open_places(*project, chosen.values);
  if (!where) {
    return tl::unexpected{where.error()};
  }
  if (!chosen.values.surface || !has_store(*where)) {
    return nothing_to_say;
  }
  std::string session = event->session.empty() ? calling_session() : event->session;
  if (session.empty()) {
    session = "ambient";
  }
  auto file = open_state(*event, hook_state_name(host, session, *project));
  if (!file) {
    return tl::unexpected{file.error()};
  }
  hook_state state = file->state();
  transcripts told;
  std::string said = answer_hook(*event, *where,
                                 {environment("HOME"), current_time(), changed_at,
                                  [&](const told_later& call) { return told.says_failure(call); }},
                                 state);
  // Saved before it is said: a line may be lost with a hook that is killed, but never comes twice.
  if (auto saved = file->save(state); !saved) {
    return tl::unexpected{saved.error()};
  }
  return said;
}

} // namespace

int run_hook(const common_flags& flags, const std::string& host) {
  const auto said = answer(flags, host);
  if (!said) {
    print_error("canon: " + said.error().message);
  }
  const std::string line = said.value_or(nothing_to_say) + "\n";
  // A host that does not listen any more needs no answer.
  static_cast<void>(write_all(STDOUT_FILENO, line, "stdout"));
  return exit_done;
}

} // namespace resilient::canon

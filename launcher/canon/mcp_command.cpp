#include "core/canon/mcp.hpp"
#include "core/canon/search.hpp"
#include "launcher/canon/commands.hpp"
#include "launcher/canon/environment.hpp"
#include "launcher/canon/serve_mcp.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <list>
#include <memory>
#include <utility>

namespace resilient::canon {

namespace {

/// What one session of a host remembers in one project. A server that serves ever new sessions
/// forgets the one that was silent for longest.
constexpr std::size_t most_sessions = 32;

/// The beginning is all that some hosts show a model before it asks for the tool.
constexpr const char* instructions_start =
    "canon is this project's memory. Before you work on a file, call canon with action read and "
    "the file's path; after a real change, write what is true now. Log events with journal; find "
    "by words with search, list with map.\n\n";

/// Several sessions search one store by one index.
class shared_searcher final : public searcher {
public:
  explicit shared_searcher(std::shared_ptr<searcher> shared) : shared_(std::move(shared)) {}

  [[nodiscard]] result<std::string> search(const place& where, const std::string& query,
                                           bool journal) override {
    return shared_->search(where, query, journal);
  }

private:
  std::shared_ptr<searcher> shared_;
};

class mcp_sessions {
public:
  mcp_sessions(common_flags flags, const std::string& host)
      : flags_(std::move(flags)), harness_(calling_program(host)), session_(calling_session()),
        chosen_(choose_options(flags_)) {
    if (harness_.empty()) {
      harness_ = "mcp";
    }
    if (chosen_.problem) {
      log_line("canon: " + *chosen_.problem);
    }
  }

  [[nodiscard]] const options& chosen() const { return chosen_.values; }

  [[nodiscard]] mcp_answer call(const mcp_call& call) {
    const auto project = project_of_call(call);
    if (!project) {
      return {project.error().message + " Nothing was done.", true};
    }
    const std::string session = call.session.value_or(session_);
    const auto found = tool_of(*project, session);
    if (!found) {
      return {found.error().message + " Nothing was done.", true};
    }
    tool_answer answer = (*found)->call(
        call.arguments, {.now = current_time(), .harness = harness_, .session = session});
    return {std::move(answer.text), answer.is_error};
  }

private:
  struct known_session {
    std::string project;
    std::string session;
    tool canon;
  };

  /// Explicit flags win; then what the host says in the call, in its environment, or by starting us
  /// in the project's folder.
  [[nodiscard]] result<std::string> project_of_call(const mcp_call& call) const {
    if (!flags_.project.empty()) {
      return existing_folder(flags_.project);
    }
    std::string folder = call.folder.value_or("");
    if (folder.empty() && harness_ != "codex") {
      folder = environment("CLAUDE_PROJECT_DIR");
    }
    if (folder.empty()) {
      folder = ".";
    } else if (folder.front() != '/') {
      return fail(error_kind::usage,
                  "The host says that the session works in \"{}\", which is no absolute path.",
                  folder);
    }
    const auto existing = existing_folder(folder);
    if (!existing) {
      return fail(error_kind::no_input,
                  "The host says that the session works in {}, and there is no such folder.",
                  folder);
    }
    return project_of(*existing);
  }

  [[nodiscard]] result<tool*> tool_of(const std::string& project, const std::string& session) {
    for (auto known = sessions_.begin(); known != sessions_.end(); ++known) {
      if (known->project == project && known->session == session) {
        sessions_.splice(sessions_.begin(), sessions_, known);
        return &sessions_.front().canon;
      }
    }
    auto where = open_places(project, chosen_.values);
    if (!where) {
      return tl::unexpected{where.error()};
    }
    if (sessions_.size() >= most_sessions) {
      sessions_.pop_back();
    }
    sessions_.push_front(
        {project, session,
         tool{std::move(*where), chosen_.values, std::make_unique<shared_searcher>(search_)}});
    return &sessions_.front().canon;
  }

  common_flags flags_;
  std::string harness_;
  std::string session_;
  chosen_options chosen_;
  std::shared_ptr<searcher> search_{new_searcher("pass journal true")};
  std::list<known_session> sessions_; ///< the one used last comes first
};

} // namespace

int run_mcp(const common_flags& flags, const std::string& host) {
  mcp_sessions sessions{flags, host};
  const std::string description = tool_description(sessions.chosen().retrieval);
  mcp_server server{{.version = CANON_VERSION,
                     .instructions = instructions_start + description,
                     .tool_description = description,
                     .tool_parameters = tool_input_schema()},
                    [&sessions](const mcp_call& call) { return sessions.call(call); }};
  return serve_mcp(server, STDIN_FILENO, STDOUT_FILENO);
}

} // namespace resilient::canon

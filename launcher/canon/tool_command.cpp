#include "core/canon/search.hpp"
#include "launcher/canon/commands.hpp"
#include "launcher/canon/environment.hpp"
#include "launcher/canon/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

namespace resilient::canon {

namespace {

void write_out(std::ostream& out, const std::string& text) {
  out << text;
  if (text.empty() || text.back() != '\n') {
    out << '\n';
  }
  out.flush();
}

} // namespace

void print_shown(const std::string& text) {
  write_out(std::cout, text);
}

void print(std::string_view text) {
  write_out(std::cout, terminal::of(STDOUT_FILENO).shown(text));
}

void print_error(std::string_view text) {
  write_out(std::cerr, terminal::of(STDERR_FILENO).shown(text));
}

std::string from_current_folder(const std::string& path) {
  const bool relative =
      path == "." || path == ".." || path.rfind("./", 0) == 0 || path.rfind("../", 0) == 0;
  const auto folder = relative ? current_folder() : result<std::string>{""};
  return folder && relative ? *folder + "/" + path : path;
}

int report(const error& problem) {
  print_error("canon: " + problem.message);
  return problem.kind == error_kind::usage ? exit_usage : exit_not_done;
}

std::string calling_program(const std::string& host) {
  if (!host.empty()) {
    return host;
  }
  if (std::string named = own_environment("CALLER"); !named.empty()) {
    return named;
  }
  if (!environment("CODEX_THREAD_ID").empty()) {
    return "codex";
  }
  return environment("CLAUDE_CODE_SESSION_ID").empty() ? "" : "claude-code";
}

std::string calling_session() {
  if (std::string named = own_environment("SESSION_ID"); !named.empty()) {
    return named;
  }
  std::string thread = environment("CODEX_THREAD_ID");
  return thread.empty() ? environment("CLAUDE_CODE_SESSION_ID") : thread;
}

std::unique_ptr<searcher> new_searcher(std::string how_to_ask) {
  return std::make_unique<index_searcher>([] { return current_time(); }, std::move(how_to_ask));
}

int run_tool(const common_flags& flags, nlohmann::json arguments) {
  const auto project = project_of(flags);
  if (!project) {
    return report(project.error());
  }
  const chosen_options chosen = choose_options(flags);
  if (chosen.problem) {
    print_error("canon: " + *chosen.problem);
  }
  auto where = open_places(*project, chosen.values);
  if (!where) {
    return report(where.error());
  }
  if (arguments.contains("path") && arguments["path"].is_string()) {
    arguments["path"] = from_current_folder(arguments["path"].get<std::string>());
  }
  if (arguments.contains("subject") && arguments["subject"].is_array()) {
    for (nlohmann::json& subject : arguments["subject"]) {
      if (subject.is_string()) {
        subject = from_current_folder(subject.get<std::string>());
      }
    }
  }
  tool canon{std::move(*where), chosen.values, new_searcher("add --journal")};
  const tool_answer answer = canon.call(arguments, {.now = current_time(),
                                                    .harness = calling_program(""),
                                                    .session = calling_session(),
                                                    .one_shot = true});
  if (answer.is_error) {
    print_error("canon: " + answer.text);
    return answer.wrong_use ? exit_usage : exit_not_done;
  }
  print(answer.text);
  return exit_done;
}

} // namespace resilient::canon

#include "launcher/command/options.hpp"
#include "launcher/command/run_commands.hpp"
#include "launcher/run/supervise.hpp"

#include <unistd.h>

#include <cstdio>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

namespace {

using namespace resilient;

/// All of stdin, as far as anybody would read it.
std::string read_input() {
  constexpr std::size_t longest = 1U << 20U;
  std::string text;
  char buffer[16384];
  while (text.size() < longest) {
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (count <= 0) {
      break;
    }
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

int finish(const launcher::command_answer& answer) {
  std::fputs(answer.out.c_str(), stdout);
  std::fputs(answer.wrong.c_str(), stderr);
  return answer.exit_code;
}

} // namespace

int main(int count, char** values) {
  const auto parsed = launcher::parse_options(
      std::vector<std::string>(values + (count > 0 ? 1 : 0), values + count));
  if (const auto* end = std::get_if<launcher::early_end>(&parsed)) {
    std::fputs(end->text.c_str(), end->exit_code == 0 ? stdout : stderr);
    return end->exit_code;
  }
  const auto& chosen = std::get<launcher::options>(parsed);
  const posix_files disk;
  switch (chosen.what) {
  case launcher::command::supervise:
    return launcher::supervise(chosen);
  case launcher::command::sidecar:
    return launcher::serve_sidecar();
  case launcher::command::status:
    return finish(launcher::tell_status(disk, chosen, launcher::process_environment));
  case launcher::command::stop:
    return finish(launcher::stop_run(disk, chosen, launcher::process_environment));
  case launcher::command::explain_error:
    return finish(launcher::explain_error(read_input(), chosen, launcher::process_environment));
  }
  return 0;
}

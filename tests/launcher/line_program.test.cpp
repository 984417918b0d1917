#include "launcher/child/line_program.hpp"

#include "launcher/child/reaper.hpp"
#include "tests/core/support/temporary_folder.hpp"
#include "tests/launcher/run_until.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>

using namespace resilient;
using namespace resilient::launcher;
using namespace std::chrono_literals;
using tests::run_for;
using tests::run_until;
using tests::temporary_folder;

namespace {

/// A program whose process is reaped while the loop runs.
struct asked_program {
  // As the program does: who does not read its input must not end us.
  asked_program() { std::signal(SIGPIPE, SIG_IGN); }

  line_answer ask(const std::string& script, const std::string& line,
                  std::chrono::milliseconds deadline = 20s, const std::string& folder = {}) {
    std::optional<line_answer> answer;
    int calls = 0;
    program.ask({{"/bin/sh", "-c", script}, folder, line, deadline}, [&](line_answer given) {
      answer = std::move(given);
      ++calls;
    });
    CHECK(run_until(
        loop, [&] { return reap(), answer.has_value(); }, 20s));
    CHECK(calls == 1);
    return answer.value_or(line_answer{});
  }
  void wait_for_ends() {
    CHECK(run_until(
        loop, [&] { return reap(), alive.empty(); }, 20s));
  }
  void reap() {
    for (const reaped& each : reap_children()) {
      if (const auto* end = std::get_if<reaped_end>(&each)) {
        alive.erase(end->pid);
        program.on_ended(end->pid, end->status);
      }
    }
  }

  io_loop loop;
  std::set<pid_t> alive;
  int started = 0;
  line_program program{loop,
                       [this](pid_t pid) {
                         alive.insert(pid);
                         ++started;
                       },
                       {3, 500ms, 200ms}};
};

/// Answers each line with its number and itself.
const std::string counts = "n=0; while read -r line; do n=$((n+1)); echo \"$n $line\"; done";

} // namespace

TEST_CASE("one process answers every question of a session, in the folder that was asked for") {
  const temporary_folder folder;
  asked_program now;
  const std::string script = "pwd; " + counts;
  CHECK(now.ask(script, "one", 20s, folder.path()).text == folder.path());
  const line_answer second = now.ask(script, "two");
  CHECK(second.answered);
  CHECK(now.started == 1);
}

TEST_CASE("a long question and a long answer arrive whole") {
  asked_program now;
  const std::string question(300'000, 'q');
  CHECK(now.ask(counts, question).text == "1 " + question);
  CHECK(now.ask(counts, "next").text == "2 next");
}

TEST_CASE("a program that ends costs its answer; the next question starts it again, not for ever") {
  asked_program now;
  for (int start = 1; start <= 3; ++start) {
    const line_answer answer = now.ask("read -r line; exit 3", "one");
    CHECK_FALSE(answer.answered);
    CHECK(answer.text.find("3") != std::string::npos);
    CHECK(now.started == start);
  }
  CHECK(now.ask("read -r line; exit 3", "one").text.find("not started again") != std::string::npos);
  CHECK(now.started == 3);
  now.program.end();
  CHECK(now.ask("read -r line; exit 3", "one").text.find("3") != std::string::npos);
  CHECK(now.started == 4);
}

TEST_CASE("a late answer is thrown away, and no other question is asked meanwhile") {
  const temporary_folder folder;
  asked_program now;
  const std::string script = "read -r line; while [ ! -e go ]; do sleep 0.02; done; echo late; "
                             "while read -r line; do echo \"to $line\"; done";
  const line_answer late = now.ask(script, "one", 50ms, folder.path());
  CHECK_FALSE(late.answered);
  CHECK(late.text == "no answer within 50 ms");
  const line_answer meanwhile = now.ask(script, "two", 20s, folder.path());
  CHECK_FALSE(meanwhile.answered);
  CHECK(meanwhile.text.find("question before") != std::string::npos);
  folder.put("go", "");
  line_answer answer;
  for (int attempt = 0; attempt < 200 && !answer.answered; ++attempt) {
    answer = now.ask(script, "three", 20s, folder.path());
    run_for(now.loop, 20ms);
  }
  CHECK(answer.text == "to three");
}

TEST_CASE("a program that owes an answer for long is ended and started anew") {
  asked_program now;
  const std::string deaf = "trap '' TERM; while :; do sleep 0.05; done";
  CHECK_FALSE(now.ask(deaf, "one", 50ms).answered);
  run_for(now.loop, 600ms);
  CHECK_FALSE(now.ask(deaf, "two", 50ms).answered);
  CHECK(now.started == 2);
  now.program.end();
  now.wait_for_ends(); // although it does not listen to SIGTERM
}

TEST_CASE("a program that cannot be started says so") {
  asked_program now;
  std::optional<line_answer> answer;
  now.program.ask({{"/nowhere/at/all"}, {}, "one", 1s},
                  [&](line_answer given) { answer = std::move(given); });
  CHECK(run_until(
      now.loop, [&] { return answer.has_value(); }, 20s));
  REQUIRE(answer);
  CHECK_FALSE(answer->answered);
  CHECK(answer->text.find("/nowhere/at/all could not be started") == 0);
}

TEST_CASE("another command ends the program of the one before") {
  asked_program now;
  CHECK(now.ask(counts, "one").text == "1 one");
  CHECK(now.ask("read -r line; echo other", "one").text == "other");
  now.program.end();
  now.wait_for_ends();
}

TEST_CASE("the program sees nothing that proves us to Pi") {
  asked_program now;
  ::setenv("PI_RESILIENT_SECRET", "s3cret", 1);
  const line_answer answer = now.ask("read -r line; echo \"<$PI_RESILIENT_SECRET>\"", "one");
  ::unsetenv("PI_RESILIENT_SECRET");
  CHECK(answer.text == "<>");
}

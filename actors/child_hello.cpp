// Who may speak for the child, and which session it may work on.

#include "actors/child_process_manager.hpp"
#include "core/process/pi_version.hpp"

#include <fmt/format.h>

namespace resilient {

message::generation_verdict child_process_manager::check(const message::generation_check& hello) {
  if (child_.pid == 0 || hello.generation != child_.id) {
    return {false, "generation",
            "This Pi belongs to a child generation that is over. pi-resilient takes nothing from "
            "it."};
  }
  if (hello.secret != child_.secret) {
    return {false, "secret", "This Pi could not prove that pi-resilient started it."};
  }
  if (child_.client_pid != 0 && hello.pid != child_.client_pid) {
    return {false, "second_client",
            fmt::format("Process {} speaks for this child already. A Pi inside Pi works without "
                        "goals of its own launcher.",
                        child_.client_pid)};
  }
  child_.client_pid = hello.pid;
  return {true, {}, {}};
}

caf::result<message::hello_answer>
child_process_manager::on_hello(const message::child_hello& hello) {
  if (hello.generation != child_.id) {
    return message::hello_answer{"this generation is over"};
  }
  child_.said_hello = true;
  ever_said_hello_ = true;
  feed(process::first_beat{});
  const auto version = process::parse_pi_version(hello.pi_version);
  if (version && *version < process::oldest_supported_pi) {
    feed(process::evicted{fmt::format("Pi {} is too old, {} or later is needed.", hello.pi_version,
                                      process::to_string(process::oldest_supported_pi)),
                          static_cast<int>(error_kind::unavailable)});
    return message::hello_answer{"this Pi is too old"};
  }
  if (hello.session_file.empty()) {
    return message::hello_answer{};
  }
  const bool known_before = !description_.session_file.empty();
  auto promise = make_response_promise<message::hello_answer>();
  ask_recorder<message::lease_answer>(
      message::claim_lease{hello.session_file},
      [this, promise, known_before,
       file = hello.session_file](const message::lease_answer& answer) mutable {
        if (answer.granted) {
          description_.session_file = file;
          if (!answer.dead_run.empty() && !description_.keep_orphans) {
            // Nobody knew the session before the start: what its dead launcher left works beside
            // us.
            world().child->stop_leftovers(answer.dead_run, child_.pid);
          }
          cafx::tell(peers()->recorder, message::update_lease{child_.pid, child_.start_time});
          record();
          promise.deliver(message::hello_answer{});
        } else if (known_before) {
          promise.deliver(message::hello_answer{answer.message});
        } else {
          promise.deliver(message::hello_answer{answer.message});
          feed(process::evicted{answer.message, static_cast<int>(error_kind::busy)});
        }
      },
      [promise]() mutable {
        promise.deliver(
            message::hello_answer{"the lease of this session could not be taken in time"});
      });
  return promise;
}

caf::result<message::hello_answer>
child_process_manager::check_switch(const message::switch_check& request) {
  if (request.target_file.empty()) {
    return message::hello_answer{};
  }
  auto promise = make_response_promise<message::hello_answer>();
  ask_recorder<message::lease_answer>(
      message::reserve_lease{request.target_file},
      [promise](const message::lease_answer& answer) mutable {
        promise.deliver(message::hello_answer{answer.granted ? std::string{} : answer.message});
      },
      [promise]() mutable { promise.deliver(message::hello_answer{}); });
  return promise;
}

} // namespace resilient

// What happens before each start: the lease, what dead generations left running, the session file.

#include "actors/child_process_manager.hpp"
#include "messages/directives.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace resilient {

void child_process_manager::perform(const process::prepare&) {
  leftovers_.clear();
  dead_runs_.clear();
  leftover_child_ = {};
  leftovers_asked_ = 0;
  mending_ = mending::not_asked;
  const bool again = machine_.generation() > 0;
  if (again && !description_.keep_orphans) {
    dead_runs_.push_back(description_.run_id);
  }
  claim_lease(++preparation_);
  if (again) {
    // After the first start the lease is ours and nobody else writes the session. All of it can be
    // done at once, the mending before the recorder writes down what has just happened.
    if (mending_ == mending::not_asked) {
      mend_session(preparation_);
    }
    next_leftover();
  }
}

void child_process_manager::claim_lease(std::uint64_t preparation) {
  if (description_.session_file.empty()) {
    next_leftover();
    return;
  }
  ask_recorder<message::lease_answer>(
      message::claim_lease{description_.session_file},
      [this, preparation](const message::lease_answer& answer) {
        if (preparation != preparation_) {
          return;
        }
        if (!answer.granted) {
          refuse(answer.message, error_kind::busy);
          return;
        }
        leftover_child_ = answer.leftover;
        if (!answer.dead_run.empty()) {
          if (!description_.keep_orphans) {
            dead_runs_.push_back(answer.dead_run);
          }
          cafx::tell(peers()->session,
                     message::generation_ended{{}, "pi-resilient itself was killed"});
        }
        next_leftover();
      },
      [this, preparation] {
        if (preparation == preparation_) {
          refuse(fmt::format("The lease of {} could not be taken in time. Is its disk stuck?",
                             description_.session_file),
                 error_kind::busy);
        }
      });
}

/// First the child of a dead launcher, then what dead runs and our own dead generations left.
void child_process_manager::next_leftover() {
  if (machine_.state() != process::run_state::preparing || leftovers_asked_ > 0) {
    return;
  }
  if (leftover_child_.pid != 0) {
    const auto child = std::exchange(leftover_child_, {});
    log("leftover.child", bridge::encode({{"pid", child.pid}}));
    ++leftovers_asked_;
    world().child->stop_process(child.pid, child.start_time);
    return;
  }
  if (!dead_runs_.empty()) {
    const std::string run = dead_runs_.back();
    dead_runs_.pop_back();
    ++leftovers_asked_;
    world().child->stop_leftovers(run, 0);
    return;
  }
  if (mending_ == mending::not_asked) {
    mend_session(preparation_);
  }
  finish_preparing();
}

void child_process_manager::mend_session(std::uint64_t preparation) {
  if (description_.session_file.empty()) {
    mending_ = mending::done;
    return;
  }
  mending_ = mending::asked;
  ask_recorder<message::mended>(
      message::mend_session{description_.session_file},
      [this, preparation](const message::mended& mended) {
        if (preparation != preparation_) {
          return;
        }
        if (!mended.ok) {
          refuse(fmt::format("The session file cannot be used: {}", mended.message),
                 error_kind::no_create);
          return;
        }
        session_has_messages_ = mended.has_messages;
        mending_ = mending::done;
        finish_preparing();
      },
      [this, preparation] {
        if (preparation == preparation_) {
          refuse(fmt::format("{} could not be read in time. Is its disk stuck?",
                             description_.session_file),
                 error_kind::io);
        }
      });
}

/// The next child may start once nothing is left running and the session can be read. By then the
/// recorder, which answers in order, has granted the lease.
void child_process_manager::finish_preparing() {
  const bool nothing_runs = leftovers_asked_ == 0 && dead_runs_.empty() && leftover_child_.pid == 0;
  if (machine_.state() != process::run_state::preparing || !nothing_runs
      || mending_ != mending::done) {
    return;
  }
  if (!leftovers_.empty()) {
    log("leftovers.stopped", bridge::encode({{"processes", leftovers_}}));
    cafx::tell(peers()->session, message::leftovers_known{leftovers_});
  }
  feed(process::prepared{});
}

void child_process_manager::refuse(std::string message, error_kind kind) {
  feed(process::refused{std::move(message), static_cast<int>(kind)});
}

} // namespace resilient

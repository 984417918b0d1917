#pragma once

#include "actors/context.hpp"
#include "actors/request_deadlines.hpp"
#include "messages/actors.hpp"

#include <exception>
#include <memory>
#include <typeinfo>
#include <utility>

namespace resilient {

/// Base of the run's actors. When a handler throws, the actor rebuilds its state in place from what
/// is stored elsewhere and tells the supervisor, which ends the run when that happens too often.
/// Handle, mailbox and peers stay valid, so no message is lost but the one that failed.
template <class Handle>
class guarded_actor : public cafx::actor_base<Handle> {
public:
  void on_exit() override {
    peers_.reset();
    context_ = {};
    requests_ = {}; // they hold promises of this actor
  }

protected:
  guarded_actor(caf::actor_config& config, resilient::context context, const char* name)
      : cafx::actor_base<Handle>{config}, context_{std::move(context)}, name_{name} {}

  /// Makes the state anew. Whatever it throws ends the actor.
  virtual void rebuild() = 0;
  /// Called once the peers are known.
  virtual void introduced() {}

  /// A handler without an answer.
  template <class Message, class Handler>
  auto handle(Handler handler) {
    return [this, handler](const Message& message) {
      try {
        announce(typeid(Message));
        handler(message);
      } catch (...) {
        recover(std::current_exception());
      }
    };
  }

  /// A handler that answers with a `Result`.
  template <class Result, class Message, class Handler>
  auto answer(Handler handler) {
    return [this, handler](const Message& message) -> caf::result<Result> {
      try {
        announce(typeid(Message));
        return handler(message);
      } catch (...) {
        return recover(std::current_exception());
      }
    };
  }

  auto handle_introduction() {
    return [this](const message::introduce& introduction) {
      peers_ = introduction.peers;
      introduced();
    };
  }

  /// Wherever `ask` is used.
  auto handle_overdue_requests() {
    return handle<message::check_requests>([this](const auto&) {
      requests_.ring(now().monotonic);
      watch_requests();
    });
  }

  auto handle_stop() {
    return [this](const message::stop_actor&) { this->quit(); };
  }

  [[nodiscard]] instant now() const { return context_.time->now(); }
  [[nodiscard]] const resilient::context& world() const { return context_; }
  /// Null before the introduction and after the end.
  [[nodiscard]] const peer_handles* peers() const { return peers_.get(); }
  [[nodiscard]] bool is_supervised() const {
    return peers_ && static_cast<bool>(peers_->child_process_manager);
  }

  /// Asks another actor for an `Answer`, which may take `patience`. Calls one of the two, once:
  /// `answered(const Answer&)`, or `unanswered(const caf::error&)` when the time is over or the
  /// other has failed.
  template <class Answer, class Receiver, class Request, class Answered, class Unanswered>
  void ask(const Receiver& receiver, std::chrono::nanoseconds patience, Request request,
           Answered answered, Unanswered unanswered) {
    const auto number = requests_.begin(now().monotonic, patience, [unanswered]() mutable {
      unanswered(caf::make_error(caf::sec::request_timeout));
    });
    cafx::ask_without_deadline(this, receiver, std::move(request))
        .then(
            [this, number, answered = std::move(answered)](const Answer& answer) mutable {
              if (requests_.end(number)) {
                answered(answer);
              }
            },
            [this, number, unanswered](const caf::error& reason) mutable {
              if (requests_.end(number)) {
                unanswered(reason);
              }
            });
    watch_requests();
  }

  /// Adds a line to the event log. `facts` is the text of a JSON object.
  void log(const char* id, std::string facts = "{}") {
    if (peers_) {
      cafx::tell(peers_->recorder, message::record_event{name_, id, std::move(facts)});
    }
  }

private:
  void announce(const std::type_info& message) {
    if (context_.before_message) {
      context_.before_message(name_, message);
    }
  }

  void watch_requests() {
    if (const auto wait = requests_.wait(now().monotonic)) {
      cafx::tell_after(this, *wait, this->self_handle(), message::check_requests{});
    }
  }

  caf::error recover(const std::exception_ptr& thrown) {
    caf::error reason = cafx::to_error(thrown);
    rebuild();
    if (peers_) {
      cafx::tell(peers_->supervisor,
                 message::actor_failed{name_, cafx::render(this->system(), reason)});
    }
    return reason;
  }

  resilient::context context_;
  std::shared_ptr<const peer_handles> peers_;
  request_deadlines requests_;
  const char* name_;
};

} // namespace resilient

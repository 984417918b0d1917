#pragma once

/// One source for CAF 0.17.6 (Debian, Ubuntu) and CAF 1.x. Whatever differs between them stands in
/// this header and nowhere else. CAF 1.x is not tested.
///
/// - `typed_actor<caf::result<R>(A...)>` is the only way in which an interface is written.
/// - `tell`, `tell_after`, `ask`: sending. A `tell` is anonymous: in CAF 1.x a handler that throws
///   while serving a plain message would answer its sender with an error that kills it.
/// - `actor_base<Handle>`: base of every actor. An exception in a handler becomes its exit reason
///   and is not printed; unexpected messages are dropped.
/// - a timer cannot be cancelled on 0.17: timers carry a number, and the receiver ignores old ones.

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/init_global_meta_objects.hpp>
#include <caf/result.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/type_id.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// CAF 1.0.2 defines CAF_VERSION as 0002, so only the major number tells the two apart.
#if !defined(CAF_VERSION_MAJOR) || CAF_VERSION_MAJOR < 1
#define RESILIENT_CAF_LEGACY 1
#else
#define RESILIENT_CAF_LEGACY 0
#include <caf/anon_mail.hpp>
#endif

namespace resilient::cafx {

#if RESILIENT_CAF_LEGACY
namespace detail {
template <class Signature>
struct legacy_signature;
template <class... Results, class... Arguments>
struct legacy_signature<caf::result<Results...>(Arguments...)> {
  using type = typename caf::replies_to<Arguments...>::template with<Results...>;
};
template <class... Arguments>
struct legacy_signature<caf::result<void>(Arguments...)> {
  using type = caf::reacts_to<Arguments...>;
};
} // namespace detail
template <class... Signatures>
using typed_actor = caf::typed_actor<typename detail::legacy_signature<Signatures>::type...>;
#else
template <class... Signatures>
using typed_actor = caf::typed_actor<Signatures...>;
#endif

/// Sends without waiting, from an actor or from any thread.
template <class Receiver, class... Parts>
void tell(const Receiver& receiver, Parts&&... parts) {
#if RESILIENT_CAF_LEGACY
  caf::anon_send(receiver, std::forward<Parts>(parts)...);
#else
  caf::anon_mail(std::forward<Parts>(parts)...).send(receiver);
#endif
}

/// Sends after `delay` on the actor clock (monotonic; virtual in tests).
template <class Self, class Receiver, class Duration, class... Parts>
void tell_after(Self* self, Duration delay, const Receiver& receiver, Parts&&... parts) {
#if RESILIENT_CAF_LEGACY
  self->delayed_send(receiver, std::chrono::duration_cast<caf::timespan>(delay),
                     std::forward<Parts>(parts)...);
#else
  self->mail(std::forward<Parts>(parts)...)
      .delay(std::chrono::duration_cast<caf::actor_clock::duration_type>(delay))
      .send(receiver);
#endif
}

/// A request with a deadline. Go on with `.then(ok, failed)` in an actor, with `.receive(ok,
/// failed)` in a `caf::scoped_actor`. That `failed` is called is the failure: its argument may be
/// empty.
template <class Self, class Receiver, class Duration, class... Parts>
[[nodiscard]] auto ask(Self&& self, const Receiver& receiver, Duration deadline, Parts&&... parts) {
#if RESILIENT_CAF_LEGACY
  return self->request(receiver, std::chrono::duration_cast<caf::timespan>(deadline),
                       std::forward<Parts>(parts)...);
#else
  return self->mail(std::forward<Parts>(parts)...)
      .request(receiver, std::chrono::duration_cast<caf::timespan>(deadline));
#endif
}

/// A request without a deadline, to an actor that never blocks: it answers, or its end is the
/// failure. A deadline would cost a timer that lives on after the answer.
template <class Self, class Receiver, class... Parts>
[[nodiscard]] auto ask_without_deadline(Self&& self, const Receiver& receiver, Parts&&... parts) {
#if RESILIENT_CAF_LEGACY
  return self->request(receiver, caf::infinite, std::forward<Parts>(parts)...);
#else
  return self->mail(std::forward<Parts>(parts)...).request(receiver, caf::infinite);
#endif
}

/// The text of an actor's end, for logs.
inline std::string render([[maybe_unused]] caf::actor_system& system, const caf::error& reason) {
#if RESILIENT_CAF_LEGACY
  return system.render(reason);
#else
  return to_string(reason);
#endif
}

/// Whether an actor ended with a failure and not by its own `quit()`.
inline bool failed(const caf::error& reason) {
#if RESILIENT_CAF_LEGACY
  return static_cast<bool>(reason);
#else
  return reason.valid();
#endif
}

inline caf::error to_error(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    return caf::make_error(caf::sec::runtime_error, std::string{e.what()});
  } catch (...) {
    return caf::make_error(caf::sec::runtime_error, std::string{"unknown exception"});
  }
}

template <class Handle>
class actor_base : public Handle::base {
public:
  using handle_type = Handle;
  using behavior_type = typename Handle::base::behavior_type;

  explicit actor_base(caf::actor_config& config) : Handle::base(config) {
    this->set_exception_handler(
        [](std::exception_ptr& thrown) -> caf::error { return to_error(thrown); });
#if RESILIENT_CAF_LEGACY
    this->set_default_handler(caf::drop);
    this->set_down_handler([this](caf::down_msg& down) { on_down(down); });
#endif
  }

protected:
  Handle self_handle() {
    return Handle{this};
  }

  /// Calls `ended(const caf::error&)` in this actor once `watched` is down.
  template <class Watched, class Ended>
  void watch(const Watched& watched, Ended ended) {
#if RESILIENT_CAF_LEGACY
    watches_.emplace_back(watched.address(), std::move(ended));
    this->monitor(watched);
#else
    this->monitor(watched, std::move(ended));
#endif
  }

#if RESILIENT_CAF_LEGACY
private:
  void on_down(const caf::down_msg& down) {
    for (auto watch = watches_.begin(); watch != watches_.end(); ++watch) {
      if (watch->first == down.source) {
        auto ended = std::move(watch->second);
        watches_.erase(watch);
        ended(down.reason);
        return;
      }
    }
  }

  std::vector<std::pair<caf::actor_addr, std::function<void(const caf::error&)>>> watches_;
#endif
};

/// Registers the message types of a type id block; once, before the first actor system.
template <class IdBlock>
void init_types() {
#if !RESILIENT_CAF_LEGACY
  caf::init_global_meta_objects<IdBlock>();
  caf::core::init_global_meta_objects();
#endif
}

struct scheduler_options {
  std::string policy = "sharing"; ///< "stealing" polls; "testing" (0.17 only) is deterministic
  std::size_t threads = 1;
};

/// Sets the scheduler. `parse()` of the configuration is never called: it would read a file from
/// the current folder.
inline void configure(caf::actor_system_config& config, const scheduler_options& options = {}) {
#if RESILIENT_CAF_LEGACY
  config.set("scheduler.policy", caf::atom_from_string(options.policy));
  config.set("scheduler.max-threads", options.threads);
#else
  config.set("caf.scheduler.policy", options.policy);
  config.set("caf.scheduler.max-threads", options.threads);
#endif
}

} // namespace resilient::cafx

/// A message type that never leaves the process.
#define RESILIENT_MESSAGE(type) CAF_ALLOW_UNSAFE_MESSAGE_TYPE(type)

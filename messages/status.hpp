#pragma once

#include <memory>
#include <string>

namespace resilient {
struct peer_handles;
}

/// What every actor answers.
namespace resilient::message {

struct describe {};

/// A part of `pi-resilient status --json`: the text of a JSON object under a key.
struct status_part {
  std::string key;
  std::string json = "{}";
};

/// The other actors of the run; each actor's first message.
struct introduce {
  std::shared_ptr<const peer_handles> peers;
};

/// Ends an actor.
struct stop_actor {};

/// Begins the run.
struct start_run {};

/// To the supervisor: an actor's handler threw and the actor rebuilt itself.
struct actor_failed {
  std::string name;
  std::string why;
};

} // namespace resilient::message

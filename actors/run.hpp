#pragma once

#include "actors/canon_surfacing.hpp"
#include "actors/child_process_manager.hpp"
#include "actors/context.hpp"
#include "actors/recorder.hpp"
#include "core/heartbeat/liveness.hpp"
#include "messages/actors.hpp"

#include <memory>
#include <optional>
#include <string>

/// Starts the actors of one run.
namespace resilient {

struct run_options {
  std::string run_id;
  recorder_options record;
  heartbeat::limits heartbeat;
  goal::scheduler_options goal;
  canon_files canon;
  /// Nothing in a sidecar, which has no child of its own.
  std::optional<run_description> child;
  /// Actors that touch disks get threads of their own. Off in deterministic tests.
  bool detached = true;
};

/// Spawns and introduces the actors; `message::start_run` to the supervisor begins the run.
/// `message::stop_actor` to the supervisor ends them all.
[[nodiscard]] std::shared_ptr<const peer_handles> spawn_run(caf::actor_system& system,
                                                            const context& world,
                                                            run_options options,
                                                            std::shared_ptr<files> disk);

} // namespace resilient

#include "actors/run.hpp"

#include "actors/canary_recovery.hpp"
#include "actors/goal_scheduler.hpp"
#include "actors/heartbeat_monitor.hpp"
#include "actors/session.hpp"
#include "actors/settings.hpp"
#include "actors/supervisor.hpp"

#include <utility>

namespace resilient {

namespace {

template <class Actor, class Handle, class... Arguments>
Handle spawn_on_disk(caf::actor_system& system, bool detached, Arguments&&... arguments) {
  if (detached) {
    return system.spawn<Actor, caf::detached>(std::forward<Arguments>(arguments)...);
  }
  return system.spawn<Actor>(std::forward<Arguments>(arguments)...);
}

} // namespace

std::shared_ptr<const peer_handles> spawn_run(caf::actor_system& system, const context& world,
                                              run_options options, std::shared_ptr<files> disk) {
  auto peers = std::make_shared<peer_handles>();
  peers->recorder = spawn_on_disk<recorder, recorder_actor>(system, options.detached, world,
                                                            options.record, disk);
  peers->settings =
      spawn_on_disk<settings_service, settings_actor>(system, options.detached, world, disk);
  peers->canon_surfacing = spawn_on_disk<canon_surfacing, canon_surfacing_actor>(
      system, options.detached, world, options.canon, disk);
  peers->goal_scheduler = system.spawn<goal_scheduler>(world, options.goal);
  peers->canary_recovery = system.spawn<canary_recovery>(world);
  peers->session = system.spawn<session>(world, options.run_id);
  if (options.child) {
    peers->heartbeat_monitor = system.spawn<heartbeat_monitor>(world, options.heartbeat);
    peers->child_process_manager =
        system.spawn<child_process_manager>(world, std::move(*options.child));
  }
  peers->supervisor = system.spawn<supervisor>(world);
  const message::introduce introduction{peers};
  cafx::tell(peers->supervisor, introduction);
  cafx::tell(peers->recorder, introduction);
  cafx::tell(peers->settings, introduction);
  cafx::tell(peers->canon_surfacing, introduction);
  cafx::tell(peers->goal_scheduler, introduction);
  cafx::tell(peers->canary_recovery, introduction);
  cafx::tell(peers->session, introduction);
  if (peers->child_process_manager) {
    cafx::tell(peers->heartbeat_monitor, introduction);
    cafx::tell(peers->child_process_manager, introduction);
  }
  return peers;
}

} // namespace resilient

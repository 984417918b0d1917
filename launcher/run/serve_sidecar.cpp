#include "launcher/bridge/sidecar.hpp"
#include "launcher/child/commands.hpp"
#include "launcher/child/line_program.hpp"
#include "launcher/child/reaper.hpp"
#include "launcher/command/environment.hpp"
#include "launcher/command/run_folder.hpp"
#include "launcher/io/signals.hpp"
#include "launcher/io/system_alarms.hpp"
#include "launcher/io/system_clocks.hpp"
#include "launcher/run/actor_host.hpp"
#include "launcher/run/canon_place.hpp"
#include "launcher/run/machine.hpp"
#include "launcher/run/supervise.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace resilient::launcher {

int serve_sidecar() {
  prepare_signals();
  io_loop loop;
  actor_host host{loop};
  const auto bridge = std::make_shared<sidecar_bridge>(
      loop, bridge_limits{}, [&](bridge_event event) { host.tell(std::move(event)); });
  const auto commands = std::make_shared<command_runner>(loop, [](pid_t) {});
  context world;
  world.time = std::make_shared<system_clocks>();
  world.alarms = std::make_shared<system_alarms>(loop);
  world.bridge = bridge;
  world.commands = commands;
  const auto retriever = std::make_shared<line_program>(loop, [](pid_t) {});
  world.retriever = retriever;
  world.entropy = std::make_shared<system_entropy>();
  run_options run;
  run.run_id = make_run_id(world.time->now().wall, world.entropy->hex(4));
  run.record = {{}, run.run_id, this_machine(), this_process()};
  run.goal.local_zone = local_zone(process_environment);
  run.goal.outlives_pi = false;
  run.canon = canon_files_in(process_environment);
  // Ctrl+C in a terminal is meant for Pi, whose end closes our stdin.
  const signal_watcher signals{loop, [&](int number) {
                                 if (number == SIGCHLD) {
                                   for (const reaped& each : reap_children()) {
                                     if (const auto* end = std::get_if<reaped_end>(&each)) {
                                       commands->on_ended(end->pid, end->status);
                                       retriever->on_ended(end->pid, end->status);
                                     }
                                   }
                                 } else if (number == SIGTERM || number == SIGHUP) {
                                   loop.finish(128 + number);
                                 }
                               }};
  host.start(world, std::move(run), std::make_shared<posix_files>());
  bridge->start(STDIN_FILENO, STDOUT_FILENO, [&] { loop.finish(0); });
  loop.run();
  if (!host.stop()) {
    std::fflush(nullptr);
    std::_Exit(loop.exit_code());
  }
  return loop.exit_code();
}

} // namespace resilient::launcher

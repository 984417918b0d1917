#include "launcher/run/supervise.hpp"

#include "launcher/bridge/server.hpp"
#include "launcher/child/commands.hpp"
#include "launcher/child/line_program.hpp"
#include "launcher/child/port.hpp"
#include "launcher/child/sleep_inhibitor.hpp"
#include "launcher/child/spawner.hpp"
#include "launcher/command/environment.hpp"
#include "launcher/io/signals.hpp"
#include "launcher/io/standard_descriptors.hpp"
#include "launcher/io/system_alarms.hpp"
#include "launcher/io/system_clocks.hpp"
#include "launcher/run/actor_host.hpp"
#include "launcher/run/canon_place.hpp"
#include "launcher/run/machine.hpp"
#include "launcher/run/run_place.hpp"
#include "launcher/run/run_plan.hpp"
#include "launcher/run/unsupervised.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace resilient::launcher {

namespace {

int report(const error& why) {
  fmt::print(stderr, "pi-resilient: {}\n", why.message);
  return static_cast<int>(why.kind);
}

goal::guards bounds_of(const options& chosen) {
  goal::guards bounds;
  bounds.max_turns = chosen.max_turns;
  bounds.max_hours = chosen.max_hours;
  bounds.max_tokens = chosen.max_tokens;
  bounds.max_cost = chosen.max_cost;
  bounds.check = chosen.check;
  bounds.on_event = chosen.on_event;
  return bounds;
}

run_options options_for(const options& chosen, const run_plan& plan) {
  run_options run;
  run.run_id = plan.folder.id;
  run.record = {plan.folder.path, plan.folder.id, this_machine(), this_process()};
  run.heartbeat.startup = chosen.startup_timeout;
  run.heartbeat.stale = chosen.heartbeat_timeout;
  run.goal.local_zone = local_zone(process_environment);
  run.canon = canon_files_in(process_environment);
  run.goal.bounds = bounds_of(chosen);
  run.goal.start_paused = chosen.start_paused;
  run_description child;
  child.run_id = plan.folder.id;
  child.run_folder = plan.folder.path;
  child.socket_path = plan.socket_path;
  child.program = plan.pi.program;
  child.pi_version = plan.pi.version ? process::to_string(*plan.pi.version) : std::string{};
  child.working_folder = plan.working_folder;
  child.extension_path = plan.extension_path;
  child.arguments = plan.arguments;
  child.mode = plan.mode;
  child.session_file = plan.session_file;
  child.error_file = plan.error_file;
  child.first_start_asks = plan.first_start_asks;
  child.keep_orphans = chosen.keep_orphans;
  child.inhibit_sleep = chosen.inhibit_sleep;
  child.limits.healthy_after = chosen.healthy_after;
  run.child = std::move(child);
  return run;
}

/// Everything of one run, in the order in which it is made; undone in reverse.
class supervised_run {
public:
  supervised_run(const options& chosen, run_plan plan, std::shared_ptr<files> disk)
      : plan_{std::move(plan)}, host_{loop_}, child_{std::make_shared<system_child_port>(
                                                  loop_, child_port_options{plan_.folder.id, {}},
                                                  [this](child_event event) {
                                                    host_.tell(std::move(event));
                                                  })},
        commands_{std::make_shared<command_runner>(loop_,
                                                   [this](pid_t pid) { child_->add_helper(pid); })},
        sleep_{std::make_shared<sleep_inhibitor>(loop_,
                                                 [this](pid_t pid) { child_->add_helper(pid); })},
        retriever_{
            std::make_shared<line_program>(loop_, [this](pid_t pid) { child_->add_helper(pid); })},
        bridge_{std::make_shared<bridge_server>(
            loop_, bridge_limits{}, [this](bridge_event event) { host_.tell(std::move(event)); })},
        signals_{loop_, [this](int number) { child_->on_signal(number); }} {
    world_.time = std::make_shared<system_clocks>();
    world_.alarms = std::make_shared<system_alarms>(loop_);
    world_.bridge = bridge_;
    world_.child = child_;
    world_.commands = commands_;
    world_.sleep = sleep_;
    world_.retriever = retriever_;
    child_->on_other_end([this](pid_t pid, const process::exit_status& status) {
      commands_->on_ended(pid, status);
      sleep_->on_ended(pid, status);
      retriever_->on_ended(pid, status);
    });
    world_.entropy = std::make_shared<system_entropy>();
    options_ = options_for(chosen, plan_);
    disk_ = std::move(disk);
  }

  int run() {
    if (const auto listening = bridge_->listen(plan_.socket_path); !listening) {
      return report(listening.error());
    }
    if (const auto written = write_run_record(plan_.folder, ::getpid(), plan_.socket_path);
        !written) {
      return report(written.error());
    }
    child_->before_each_start([this] { return keep_place(); });
    for (const std::string& warning : plan_.warnings) {
      child_->say("pi-resilient: " + warning);
    }
    host_.start(world_, options_, disk_);
    loop_.run();
    child_->leave_terminal();
    const int exit_code = loop_.exit_code();
    if (!host_.stop()) {
      // Somebody hangs on a disk. Waiting would hang as well; the kernel lets go of the lease.
      bridge_->stop_listening();
      std::fflush(nullptr);
      std::_Exit(exit_code);
    }
    return exit_code;
  }

private:
  result<void> keep_place() {
    return restore_run_place(plan_.folder, plan_.socket_path, *bridge_, *disk_, process_environment)
        .map([this](bool was_missing) {
          if (was_missing) {
            child_->say(fmt::format("pi-resilient: the run folder {} had been removed in part or "
                                    "whole; it was made again",
                                    plan_.folder.path));
          }
        });
  }

  run_plan plan_;
  std::shared_ptr<files> disk_;
  io_loop loop_;
  context world_;
  run_options options_;
  actor_host host_;
  std::shared_ptr<system_child_port> child_;
  std::shared_ptr<command_runner> commands_;
  std::shared_ptr<sleep_inhibitor> sleep_;
  std::shared_ptr<line_program> retriever_;
  std::shared_ptr<bridge_server> bridge_;
  signal_watcher signals_;
};

} // namespace

int supervise(const options& chosen) {
  fill_standard_descriptors();
  const auto disk = std::make_shared<posix_files>();
  system_entropy random;
  const plan_surroundings around{process_environment, own_program(), working_folder(),
                                 ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1};
  auto made = make_plan(chosen, around, *disk, system_clocks{}.now(), random);
  if (!made) {
    return report(made.error());
  }
  if (const auto* as_it_is = std::get_if<unsupervised_plan>(&*made)) {
    return report(become(*as_it_is));
  }
  prepare_signals();
  adopt_orphans();
  supervised_run run{chosen, std::move(std::get<run_plan>(*made)), disk};
  return run.run();
}

} // namespace resilient::launcher

#include "launcher/run/actor_host.hpp"

#include <caf/actor_registry.hpp>

#include <thread>
#include <utility>

namespace resilient::launcher {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds stop_patience = 3s;

caf::actor_system_config& configured(caf::actor_system_config& config) {
  cafx::configure(config);
  return config;
}

} // namespace

struct actor_host::state {
  caf::actor_system_config config;
  caf::actor_system system{configured(config)};
  std::shared_ptr<const peer_handles> peers;
};

actor_host::actor_host(io_loop& loop) : loop_{loop} {
  cafx::init_types<caf::id_block::pi_resilient>();
  state_ = std::make_unique<state>();
  state_->system.await_actors_before_shutdown(false);
}

actor_host::~actor_host() = default;

void actor_host::start(const context& world, run_options options, std::shared_ptr<files> disk) {
  state_->peers = spawn_run(state_->system, world, std::move(options), std::move(disk));
  caf::actor_cast<caf::actor>(state_->peers->supervisor)->attach_functor([this] {
    loop_.finish(static_cast<int>(error_kind::software));
  });
  cafx::tell(state_->peers->supervisor, message::start_run{});
}

void actor_host::tell(child_event event) const {
  if (state_->peers && state_->peers->child_process_manager) {
    std::visit(
        [this](auto& each) { cafx::tell(state_->peers->child_process_manager, std::move(each)); },
        event);
  }
}

void actor_host::tell(bridge_event event) const {
  if (!state_->peers) {
    return;
  }
  if (auto* control = std::get_if<message::control_line>(&event)) {
    cafx::tell(state_->peers->supervisor, std::move(*control));
  } else if (auto* opened = std::get_if<message::connection_opened>(&event)) {
    cafx::tell(state_->peers->session, std::move(*opened));
  } else if (auto* line = std::get_if<message::line_received>(&event)) {
    cafx::tell(state_->peers->session, std::move(*line));
  } else if (auto* closed = std::get_if<message::connection_closed>(&event)) {
    cafx::tell(state_->peers->session, std::move(*closed));
  }
}

bool actor_host::stop() {
  if (state_->peers) {
    cafx::tell(state_->peers->supervisor, message::stop_actor{});
    state_->peers.reset();
  }
  const auto give_up_at = std::chrono::steady_clock::now() + stop_patience;
  while (state_->system.registry().running() > 0) {
    if (std::chrono::steady_clock::now() >= give_up_at) {
      return false;
    }
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

} // namespace resilient::launcher

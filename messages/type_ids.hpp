#pragma once

#include "messages/bridge.hpp"
#include "messages/caf_compat.hpp"
#include "messages/goal.hpp"
#include "messages/heartbeat.hpp"
#include "messages/process.hpp"
#include "messages/recorder.hpp"
#include "messages/session.hpp"
#include "messages/settings.hpp"
#include "messages/status.hpp"

/// Every message type of the program, by domain. None is ever serialised.
CAF_BEGIN_TYPE_ID_BLOCK(pi_resilient, caf::first_custom_type_id)

// bridge
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::connection_opened))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::line_received))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::connection_closed))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::control_line))
// process
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::child_started))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::child_failed))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::child_ended))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::child_paused))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::signal_received))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::enter_pressed))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::leftovers_stopped))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::child_frozen))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::child_hello))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::goal_status))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::stop_run))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::child_alarm))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::lease_answer))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::generation_check))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::generation_verdict))
// heartbeat
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::watch_child))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::beat))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::unwatch_child))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::child_resumed))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::check_liveness))
// recorder
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::record_runtime))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::record_supervisor))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::record_event))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::claim_lease))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::update_lease))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::release_lease))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::mend_session))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::mended))
// goal
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::goal_event))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::goal_outcome))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::goal_alarm))
// session
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::generation_ended))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::leftovers_known))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::show_notice))
// settings
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::settings_place))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::read_settings))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::settings_values))
// every actor
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::describe))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::status_part))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::stop_actor))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::start_run))
CAF_ADD_TYPE_ID(pi_resilient, (resilient::message::actor_failed))

CAF_END_TYPE_ID_BLOCK(pi_resilient)

RESILIENT_MESSAGE(resilient::message::connection_opened)
RESILIENT_MESSAGE(resilient::message::line_received)
RESILIENT_MESSAGE(resilient::message::connection_closed)
RESILIENT_MESSAGE(resilient::message::control_line)
RESILIENT_MESSAGE(resilient::message::child_started)
RESILIENT_MESSAGE(resilient::message::child_failed)
RESILIENT_MESSAGE(resilient::message::child_ended)
RESILIENT_MESSAGE(resilient::message::child_paused)
RESILIENT_MESSAGE(resilient::message::signal_received)
RESILIENT_MESSAGE(resilient::message::enter_pressed)
RESILIENT_MESSAGE(resilient::message::leftovers_stopped)
RESILIENT_MESSAGE(resilient::message::child_frozen)
RESILIENT_MESSAGE(resilient::message::child_hello)
RESILIENT_MESSAGE(resilient::message::hello_answer)
RESILIENT_MESSAGE(resilient::message::switch_check)
RESILIENT_MESSAGE(resilient::message::goal_status)
RESILIENT_MESSAGE(resilient::message::stop_run)
RESILIENT_MESSAGE(resilient::message::child_alarm)
RESILIENT_MESSAGE(resilient::message::lease_answer)
RESILIENT_MESSAGE(resilient::message::generation_check)
RESILIENT_MESSAGE(resilient::message::generation_verdict)
RESILIENT_MESSAGE(resilient::message::watch_child)
RESILIENT_MESSAGE(resilient::message::beat)
RESILIENT_MESSAGE(resilient::message::unwatch_child)
RESILIENT_MESSAGE(resilient::message::child_resumed)
RESILIENT_MESSAGE(resilient::message::check_liveness)
RESILIENT_MESSAGE(resilient::message::record_runtime)
RESILIENT_MESSAGE(resilient::message::record_supervisor)
RESILIENT_MESSAGE(resilient::message::record_event)
RESILIENT_MESSAGE(resilient::message::claim_lease)
RESILIENT_MESSAGE(resilient::message::reserve_lease)
RESILIENT_MESSAGE(resilient::message::update_lease)
RESILIENT_MESSAGE(resilient::message::release_lease)
RESILIENT_MESSAGE(resilient::message::mend_session)
RESILIENT_MESSAGE(resilient::message::mended)
RESILIENT_MESSAGE(resilient::message::goal_event)
RESILIENT_MESSAGE(resilient::message::goal_nudge)
RESILIENT_MESSAGE(resilient::message::goal_outcome)
RESILIENT_MESSAGE(resilient::message::goal_alarm)
RESILIENT_MESSAGE(resilient::message::generation_ended)
RESILIENT_MESSAGE(resilient::message::leftovers_known)
RESILIENT_MESSAGE(resilient::message::show_notice)
RESILIENT_MESSAGE(resilient::message::settings_place)
RESILIENT_MESSAGE(resilient::message::read_settings)
RESILIENT_MESSAGE(resilient::message::settings_values)
RESILIENT_MESSAGE(resilient::message::describe)
RESILIENT_MESSAGE(resilient::message::introduce)
RESILIENT_MESSAGE(resilient::message::status_part)
RESILIENT_MESSAGE(resilient::message::stop_actor)
RESILIENT_MESSAGE(resilient::message::start_run)
RESILIENT_MESSAGE(resilient::message::actor_failed)

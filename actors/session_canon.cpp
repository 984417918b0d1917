#include "actors/session.hpp"
#include "core/canon/tool.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

#include <utility>

/// The part of the session that speaks with `canon_surfacing`.
namespace resilient {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr std::chrono::seconds canon_deadline = 30s; // a store may lie on a slow disk
/// Pi waits for these: they end before the extension takes its default.
constexpr std::chrono::milliseconds hello_patience = 1s;
constexpr std::chrono::milliseconds turn_patience = 1500ms;
constexpr std::size_t most_unconfirmed = 64;
constexpr const char* surfacing_type = "resilient-canon";

json needles_of(const message::canon_wishes& wanted) {
  json needles = json::array();
  for (const canon::needle& each : wanted.needles) {
    needles.push_back({{"key", each.key}, {"id", each.id}, {"tail", each.tail}});
  }
  return needles;
}

/// What of an answer a frame can hold; says so when that is not all.
std::string fitting(const std::string& text) {
  constexpr std::size_t most_bytes = bridge::longest_line - 4096; // beside it stands little
  if (text.size() <= most_bytes / 6 || bridge::encode(json(text)).size() <= most_bytes) {
    return text; // a character of one byte takes six at most
  }
  const std::size_t line_end = text.find_last_of('\n', most_bytes / 6);
  return to_valid_utf8(text.substr(0, line_end == std::string::npos ? most_bytes / 6 : line_end))
         + fmt::format(
             "\n[canon] This is the beginning of {} bytes. Ask for less, for a path below.",
             text.size());
}

/// Forgets the oldest.
template <class Map>
void bound(Map& map) {
  while (map.size() > most_unconfirmed) {
    map.erase(map.begin());
  }
}

} // namespace

/// Asks canon on behalf of request `re`; `fields` makes the reply's fields of its answer.
template <class Answer, class Question, class Fields>
void session::ask_canon(Question question, std::int64_t re, Fields fields) {
  const connection_id asker = client_->connection;
  ask<Answer>(
      peers()->canon_surfacing, canon_deadline, std::move(question),
      [this, asker, re, fields](const Answer& answer) {
        if (is_current(asker)) {
          json wire = bridge::reply_to(re);
          wire.update(fields(answer));
          reply(wire);
        }
      },
      [this](const caf::error& reason) {
        log("canon.unanswered", bridge::encode({{"why", cafx::render(system(), reason)}}));
      });
}

void session::call_canon(const bridge::tool& frame) {
  ask_canon<message::canon_answer>(
      message::canon_call{bridge::encode(frame.parameters)}, frame.id,
      [](const message::canon_answer& answer) {
        return json{{"text", fitting(answer.text)}, {"is_error", answer.is_error}};
      });
}

void session::tell_canon_status(std::int64_t re) {
  ask_canon<message::canon_answer>(
      message::canon_status{}, re, [](const message::canon_answer& answer) {
        json notice{{"level", answer.is_error ? "error" : "info"}, {"text", answer.text}};
        return json{{"notices", json::array({std::move(notice)})}};
      });
}

/// Where there is no screen.
void session::tell_canon_settings(std::int64_t re) {
  ask_canon<message::canon_settings_answer>(
      message::canon_settings{}, re, [](const message::canon_settings_answer& answer) {
        const json settings = json::parse(answer.json, nullptr, false);
        const std::string text = fmt::format(
            "The screen of /canon-settings needs Pi's terminal. The settings stand in {}; `canon "
            "settings` shows and sets them.",
            settings.value("file", ""));
        return json{{"notices", json::array({{{"level", "error"}, {"text", text}}})}};
      });
}

/// The description depends on what is in force, so the extension's own is replaced.
void session::word_canon_tool() {
  const connection_id asker = client_->connection;
  ask<message::canon_words>(
      peers()->canon_surfacing, canon_deadline, message::canon_wording{},
      [this, asker](const message::canon_words& words) {
        if (is_current(asker)) {
          json tool{{"name", canon::tool_name},
                    {"description", words.description},
                    {"parameters", json::parse(words.parameters, nullptr, false)}};
          bridge::set_values values;
          values.tools = json::array({std::move(tool)});
          direct(values);
        }
      },
      [](const caf::error&) {
        // The extension's own wording stays.
      });
}

void session::on(const bridge::canon_request& frame) {
  const auto text_of = [&](const char* key) {
    const auto found = frame.body.find(key);
    return found != frame.body.end() && found->is_string() ? found->get<std::string>()
                                                           : std::string{};
  };
  ask_canon<message::canon_settings_answer>(
      message::canon_settings{text_of("action") == "set", text_of("key"), text_of("value")},
      frame.id, [](const message::canon_settings_answer& answer) {
        return json::parse(answer.json, nullptr, false);
      });
}

// -- what surfaces ------------------------------------------------------------------------------

void session::open_canon(const bridge::hello& hello) {
  const auto opened = [this, asker = client_->connection,
                       id = hello.id](const std::optional<message::canon_wishes>& wanted) {
    if (!is_current(asker) || client_->hello.id != id) {
      return;
    }
    if (wanted) {
      canon_.wanted = *wanted;
    }
    canon_.opened = true;
    if (const auto carry_on = std::exchange(canon_.when_opened, {})) {
      carry_on();
    }
  };
  ask<message::canon_wishes>(
      peers()->canon_surfacing, hello_patience,
      message::canon_place{hello.cwd, hello.trusted, hello.session.id, hello.reason != "new",
                           hello.reason == "resync", hello.reason == "reload", hello.session.file},
      [opened](const message::canon_wishes& wanted) { opened(wanted); },
      [opened](const caf::error&) { opened(std::nullopt); });
  word_canon_tool();
}

void session::when_canon_is_open(const std::function<void()>& carry_on) {
  if (canon_.opened) {
    carry_on();
  } else {
    canon_.when_opened = carry_on;
  }
}

void session::perform(const message::canon_wishes& wanted) {
  canon_.wanted = wanted;
  if (!canon_.welcomed) {
    return;
  }
  bridge::set_values values;
  values.touch = wanted.touches;
  values.needles = needles_of(wanted);
  values.ask_turn = canary_.enforced || wanted.touches;
  set_in_pi(std::move(values));
}

void session::on(const bridge::touch& frame) {
  cafx::tell(peers()->canon_surfacing,
             message::canon_touch{frame.tool, frame.call_id, frame.input});
}

void session::on(const bridge::tool_end& frame) {
  cafx::tell(peers()->canon_surfacing, message::canon_tool_end{frame.call_id, frame.is_error});
}

void session::on(const bridge::context& frame) {
  cafx::tell(peers()->canon_surfacing, message::canon_gone{frame.gone});
}

void session::ask_canon_message(
    bool settled, const std::function<void(const std::string& text, std::uint64_t)>& carry_on) {
  const connection_id asker = client_->connection;
  const std::uint64_t number = ++canon_messages_;
  ask<message::canon_message>(
      peers()->canon_surfacing, turn_patience, message::canon_question{number, settled},
      [this, asker, number, carry_on](const message::canon_message& message) {
        if (is_current(asker)) {
          carry_on(message.text, number);
        } else if (!message.text.empty()) {
          tell_undelivered(number, "the connection was lost");
        }
      },
      [this, asker, number, carry_on](const caf::error& reason) {
        log("canon.unanswered", bridge::encode({{"why", cafx::render(system(), reason)}}));
        // What it may answer yet comes to nobody.
        tell_undelivered(number, "it came too late");
        if (is_current(asker)) {
          carry_on({}, number);
        }
      });
}

void session::surface_at_turn(const json& wire) {
  if (!canon_.wanted.touches) {
    reply(wire);
    return;
  }
  ask_canon_message(false, [this, wire](const std::string& text, std::uint64_t number) {
    // Before the reply, which lets the run go on.
    steer(text, number, false);
    reply(wire);
  });
}

void session::surface_at_boundary(const json& wire, boundary::canon_part part) {
  if (!canon_.wanted.touches || part == boundary::canon_part::held) {
    reply(wire);
    return;
  }
  if (part == boundary::canon_part::with_later_continuation) {
    canon_.held_for_goal = true;
    reply(wire);
    return;
  }
  if (part != boundary::canon_part::with_continuation) {
    reply(wire);
    surface_with_next_prompt();
    return;
  }
  ask_canon_message(true, [this, wire](const std::string& text, std::uint64_t number) {
    json full = wire;
    if (!text.empty()) {
      json& continuation = full.at("send");
      canon_.carried[continuation.at("token").get<std::string>()] = number;
      bound(canon_.carried);
      continuation["text"] = continuation.at("text").get<std::string>() + "\n\n" + text;
    }
    reply(full);
  });
}

void session::surface_with_next_prompt() {
  ask_canon_message(
      true, [this](const std::string& text, std::uint64_t number) { steer(text, number, true); });
}

void session::steer(const std::string& text, std::uint64_t number, bool with_next_prompt) {
  if (!text.empty()) {
    note_sent(direct(bridge::steer{surfacing_type, text, with_next_prompt}), text, number);
  }
}

void session::note_sent(std::int64_t did, const std::string& text, std::uint64_t number) {
  if (!text.empty()) {
    canon_.steered[did] = number;
    bound(canon_.steered);
  }
}

void session::note_delivery(const bridge::directive_result& frame) {
  if (!frame.ok && sends_.count(frame.did) > 0 && canon_.steered.count(frame.did) > 0) {
    canon_.held_for_goal = true; // until it is continued once more
  }
  const auto take = [&](auto& map, const auto& key) {
    const auto found = map.find(key);
    if (found == map.end()) {
      return;
    }
    const std::uint64_t number = found->second;
    map.erase(found);
    if (!frame.ok) {
      tell_undelivered(number, frame.error);
    }
  };
  take(canon_.steered, frame.did);
  take(canon_.carried, frame.token);
}

void session::tell_undelivered(std::uint64_t number, const std::string& why) {
  cafx::tell(peers()->canon_surfacing, message::canon_undelivered{number, why});
}

} // namespace resilient

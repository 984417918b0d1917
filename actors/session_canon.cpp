#include "actors/session.hpp"
#include "core/canon/tool.hpp"

/// The part of the session that speaks with `canon_surfacing`.
namespace resilient {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr std::chrono::seconds canon_deadline = 30s; // a store may lie on a slow disk

} // namespace

/// Asks canon on behalf of request `re`; `fields` makes the reply's fields of its answer.
template <class Answer, class Question, class Fields>
void session::ask_canon(Question question, std::int64_t re, Fields fields) {
  const connection_id asker = client_->connection;
  cafx::ask(this, peers()->canon_surfacing, canon_deadline, std::move(question))
      .then(
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
        return json{{"text", answer.text}, {"is_error", answer.is_error}};
      });
}

void session::tell_canon_status(std::int64_t re) {
  ask_canon<message::canon_answer>(
      message::canon_status{}, re, [](const message::canon_answer& answer) {
        json notice{{"level", answer.is_error ? "error" : "info"}, {"text", answer.text}};
        return json{{"notices", json::array({std::move(notice)})}};
      });
}

/// The description depends on what is in force, so the extension's own is replaced.
void session::word_canon_tool() {
  const connection_id asker = client_->connection;
  cafx::ask(this, peers()->canon_surfacing, canon_deadline, message::canon_wording{})
      .then(
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

} // namespace resilient

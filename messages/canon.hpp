#pragma once

#include "core/canon/needle.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// To and from `canon_surfacing`.
namespace resilient::message {

/// Which project the connected Pi works in. Answered by `canon_wishes`.
struct canon_place {
  std::string project_folder;
  bool trusted = false;
  std::string session_id;
  /// Whether the model may still see there what it was shown before; not in a new session.
  bool keeps_context = false;
  bool resumes = false;      ///< the same session, whose connection was lost for a while
  bool loaded_again = false; ///< Pi has read its settings and extensions anew
  std::string session_file;  ///< Pi's log of it; empty for a session that is not kept
};

/// What has to be reported of Pi.
struct canon_wishes {
  bool touches = false; ///< tool calls and the ends of turns
  std::vector<canon::needle> needles;

  [[nodiscard]] bool operator==(const canon_wishes& other) const {
    return touches == other.touches && needles == other.needles;
  }
};

/// A run begins: what is in force may have changed. `held` is what Pi reports so far.
struct canon_run {
  canon_wishes held;
  std::string objective; ///< of the goal that is active; empty without one
};

/// A tool other than canon's own is called.
struct canon_touch {
  std::string tool;
  std::string call_id;
  nlohmann::json input;
};
/// That call has ended.
struct canon_tool_end {
  std::string call_id;
  bool is_error = false;
};
/// A person wrote to the agent.
struct canon_heard {
  std::string text;
};
/// Keys of the needles that are not in the request that goes out now.
struct canon_gone {
  std::vector<std::string> keys;
};

/// A turn has ended and the run goes on, or Pi has settled: what is to be told to the model?
struct canon_question {
  std::uint64_t number = 0; ///< names the answer, see `canon_undelivered`
  bool settled = false;
};
struct canon_message {
  std::string text; ///< empty for nothing
};
/// The answer to `canon_question` of that number did not reach the model.
struct canon_undelivered {
  std::uint64_t number = 0;
  std::string why;
};

/// What the retriever answered, from the port.
struct canon_ranked {
  std::uint64_t number = 0;
  bool answered = false;
  std::string text; ///< the line, or why there is none
};

/// The agent called the tool `canon`; `parameters` is the text of a JSON value.
struct canon_call {
  std::string parameters;
};
struct canon_answer {
  std::string text;
  bool is_error = false;
};

/// What the model is told about the tool, as the options in force have it.
struct canon_wording {};
struct canon_words {
  std::string description;
  std::string parameters; ///< the text of a JSON Schema
};

/// The settings screen asks, or saves one key. `value` is as a person types it.
struct canon_settings {
  bool save = false;
  std::string key;
  std::string value;
};
/// The text of a JSON object: `ok`, `settings`, `file`, or `message`.
struct canon_settings_answer {
  std::string json;
};

/// `/canon`, typed by a person: what the store holds and what is in force.
struct canon_status {};

} // namespace resilient::message

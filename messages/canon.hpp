#pragma once

#include <cstdint>
#include <string>

/// To and from `canon_surfacing`.
namespace resilient::message {

/// Which project the connected Pi works in.
struct canon_place {
  std::string project_folder;
  bool trusted = false;
  std::string session_id;
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

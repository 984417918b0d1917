#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// What pi-resilient sends, as PROTOCOL.md defines it.
namespace resilient::bridge {

struct send_message {
  std::string text;
  std::string token;
  /// The last command on the goal that was carried out before; a later one makes this void.
  std::optional<std::int64_t> after;
};
struct append_entry {
  std::string custom_type;
  nlohmann::json data;
};
struct set_status {
  std::string text;
};
struct show_notice {
  std::string level; ///< `info`, `warning`, `error`
  std::string text;
};
/// Only what is given changes.
struct set_values {
  std::optional<bool> ask_turn;
  std::optional<std::string> gate;
  std::optional<std::string> system_append;
  std::optional<bool> touch;
  std::optional<nlohmann::json> needles;
  std::optional<nlohmann::json> tools; ///< words tools anew
};
struct steer {
  std::string custom_type;
  std::string text;
  bool with_next_prompt = false; ///< else before the next request of the run
};
struct release {};
struct abort_run {};
struct shut_down {};
struct resync {};
struct go_inert {
  std::string message;
};
struct refused {
  std::optional<std::int64_t> re;
  std::string message;
};

using directive = std::variant<send_message, append_entry, set_status, show_notice, set_values,
                               steer, release, abort_run, shut_down, resync, go_inert, refused>;

/// The object of a directive, with its number.
[[nodiscard]] nlohmann::json to_json(const directive& what, std::int64_t did);

/// A reply to request `re`; the caller adds its fields.
[[nodiscard]] nlohmann::json reply_to(std::int64_t re);

/// One line without its newline. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string encode(const nlohmann::json& wire);

} // namespace resilient::bridge

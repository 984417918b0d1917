#pragma once

#include "core/canon/options.hpp"
#include "core/canon/places.hpp"
#include "core/canon/searcher.hpp"
#include "core/support/time.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace resilient::canon {

/// An article that a call showed to the model or took from it.
struct touched_article {
  std::string key;      ///< address, qualified in a mount
  std::string text;     ///< what the model now has of it: capsule, line end, body
  bool written = false; ///< by a write, also by one that changed nothing
};

/// The answer to one call.
struct tool_answer {
  std::string text;
  bool is_error = false; ///< what was asked did not happen
  std::optional<touched_article> touched;
  bool wrong_use = false; ///< an error, because an argument is missing or of the wrong type

  [[nodiscard]] static tool_answer refusal(std::string why) {
    return {std::move(why), true, std::nullopt, false};
  }
  [[nodiscard]] static tool_answer misuse(std::string why) {
    return {std::move(why), true, std::nullopt, true};
  }
};

/// Who calls, and when.
struct tool_call {
  wall_time now;
  std::string harness; ///< goes into journal entries; empty for none
  std::string session; ///< likewise
  /// Nothing is known of what the caller saw before: every call comes from a process of its own.
  bool one_shot = false;
};

/// The tool `canon` with its five actions, for one session. Every host offers this one.
class tool {
public:
  /// `search` may be null; then the action says that it is not available.
  tool(places where, options chosen, std::unique_ptr<searcher> search);

  /// Carries out one call. `arguments` may be any JSON; what is wrong with it is said in the
  /// answer.
  [[nodiscard]] tool_answer call(const nlohmann::json& arguments, const tool_call& how);

  [[nodiscard]] const places& where() const noexcept { return where_; }
  [[nodiscard]] const options& chosen() const noexcept { return chosen_; }

private:
  [[nodiscard]] tool_answer read(const nlohmann::json& arguments, const tool_call& how);
  [[nodiscard]] tool_answer write(const nlohmann::json& arguments, const tool_call& how);
  [[nodiscard]] tool_answer journal(const nlohmann::json& arguments, const tool_call& how);
  [[nodiscard]] tool_answer map(const nlohmann::json& arguments);
  [[nodiscard]] tool_answer search(const nlohmann::json& arguments, const tool_call& how);

  places where_;
  options chosen_;
  std::unique_ptr<searcher> search_;
  /// The version of each article that this session last saw, by key.
  std::map<std::string, std::uint64_t> seen_;
};

/// The tool's name in every host.
inline constexpr const char* tool_name = "canon";

/// What the model is told about the tool. The advice on rules depends on whether anything reaches
/// the model by relevance.
[[nodiscard]] std::string tool_description(retrieval_kind retrieval);

/// The JSON Schema of the arguments.
[[nodiscard]] nlohmann::json tool_input_schema();

} // namespace resilient::canon

#pragma once

#include "core/canon/places.hpp"
#include "core/support/error.hpp"
#include "core/support/time.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace resilient::canon {

/// A string argument; nothing when it is absent or no string.
[[nodiscard]] std::optional<std::string> string_argument(const nlohmann::json& arguments,
                                                         const char* name);

/// A string argument that may be left out: nothing when it is absent, null, false, 0, or blank. Any
/// other type is a failure with a sentence.
[[nodiscard]] result<std::optional<std::string>>
optional_string_argument(const nlohmann::json& arguments, const char* name);

/// The names of the tool's arguments.
[[nodiscard]] const std::vector<std::string>& argument_names();

/// One sentence on the members of `arguments` that the tool does not know, with what was probably
/// meant; nothing when there are none. Those that begin with `_` are a host's own.
[[nodiscard]] std::optional<std::string> unknown_arguments(const nlohmann::json& arguments);

/// The asset that `path` names. The failure's message goes on after the name of the action: "needs
/// a path ...".
[[nodiscard]] result<located> asset_argument(const nlohmann::json& arguments, const places& where);

/// `2026-11-30T17:05:02.875Z`
[[nodiscard]] std::string instant_text(wall_time when);
/// `2026-11-30`, in UTC
[[nodiscard]] std::string day_text(wall_time when);

} // namespace resilient::canon

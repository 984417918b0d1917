#pragma once

#include "core/support/error.hpp"

#include <nlohmann/json.hpp>

#include <string_view>

namespace resilient::settings {

/// The value of a JSON text as JavaScript's `JSON.parse` sees it: the last of equal keys wins, a
/// number beyond the range of a double is infinite, a lone surrogate is U+FFFD. Fails with `data`
/// where JSON.parse would throw, and for more than 200 nested containers.
[[nodiscard]] result<nlohmann::json> read_json(std::string_view text, std::string_view shown);

/// `over` laid on `base` as Pi does it: objects merge recursively, everything else replaces.
[[nodiscard]] nlohmann::json merge(nlohmann::json base, const nlohmann::json& over);

} // namespace resilient::settings

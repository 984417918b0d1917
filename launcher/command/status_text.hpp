#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace resilient::launcher {

/// The answer of `status --json` as lines for a person. Fields that are missing or of another type
/// are left out.
[[nodiscard]] std::string status_text(const nlohmann::json& data);

} // namespace resilient::launcher

#pragma once

#include <functional>
#include <string_view>

namespace resilient::canon {

/// Whether the text holds a patch in the form that `apply_patch` takes.
[[nodiscard]] bool holds_patch(std::string_view text) noexcept;
/// Whether it is one, but for white space before it.
[[nodiscard]] bool begins_patch(std::string_view text) noexcept;

/// Shows the paths in the headers of a patch: `*** Update File: name` and its kin, and of a unified
/// diff `--- a/name`, `+++ b/name` (without `a/` and `b/`), `rename from name`, `rename to name`.
/// The patch may stand inside a string of a program's text, where `\n` ends a line.
void each_patch_path(std::string_view text, const std::function<void(std::string_view)>& show);

} // namespace resilient::canon

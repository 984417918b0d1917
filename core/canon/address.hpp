#pragma once

#include <string>
#include <string_view>

namespace resilient::canon {

/// The path below `directory`, without changing its last name: trimmed, `\` as `/`, the directory's
/// prefix removed, dots clamped at the top. `src/core/config.ts` stays as it is. `directory` may be
/// empty; then nothing is removed. A relative path that leaves the directory and comes back
/// (`../project/src`) is inside.
[[nodiscard]] std::string contained(std::string_view path, std::string_view directory = {});

/// Whether a path without dots is a folder without dots, or what is below it; by the text alone.
[[nodiscard]] bool lies_in(std::string_view path, std::string_view folder) noexcept;

/// Whether that clamping was needed: the path means something outside of `directory`.
[[nodiscard]] bool leads_out(std::string_view path, std::string_view directory);

/// The address of an asset: `contained`, with one extension dropped. A name must precede the dot,
/// so `.env` stays; what would leave `.` or `..` stays too.
[[nodiscard]] std::string normalize(std::string_view path, std::string_view directory = {});

/// The address above, or empty.
[[nodiscard]] std::string parent_address(const std::string& address);

/// The last segment.
[[nodiscard]] std::string last_segment(const std::string& address);

} // namespace resilient::canon

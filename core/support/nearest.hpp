#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace resilient {

/// The word that somebody meant who typed `typed`: the one with the fewest letters wrong, missing,
/// added or swapped with a neighbour. Nothing when none is near: more than a third of it would be
/// wrong.
[[nodiscard]] std::optional<std::string> nearest(std::string_view typed,
                                                 const std::vector<std::string>& words);

} // namespace resilient

#pragma once

#include "core/canon/store.hpp"

#include <string>

namespace resilient::canon {

/// A line for each pipe, socket, device or folder that stands where an article of this address, or
/// of one above it up to `governing`, would stand. Those are passed over when the governing article
/// is looked for, and whoever asks for it should know. Empty when there is none. `governing` is
/// empty where no article was found.
[[nodiscard]] std::string passed_over(const store& knowledge, const std::string& address,
                                      const std::string& governing);

} // namespace resilient::canon

#pragma once

#include "core/support/files.hpp"

#include <string>

namespace resilient::canon {

/// The folder whose store a session uses, when a host or a person says where they work: the nearest
/// folder that holds `.canon/articles`, from `start` upwards; `start` itself when there is none.
///
/// The search ends at the file system's root and at the home folder, neither of which is taken
/// unless it is where the search started, and just after a folder that holds `.git`: the store of a
/// surrounding project is another project's memory.
///
/// Both paths are real paths (absolute, no links, no trailing slash); `home` may be empty.
[[nodiscard]] std::string find_project(const files& disk, const std::string& start,
                                       const std::string& home);

} // namespace resilient::canon

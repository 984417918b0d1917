#pragma once

#include "core/support/error.hpp"
#include "core/support/files.hpp"

#include <cstddef>
#include <string>

namespace resilient::canon {

/// A longer settings file is refused. In bytes.
inline constexpr std::size_t longest_settings_file = std::size_t{1} << 20U;

/// Where the user's settings are: `own`, or, as long as there is no such file, what the older
/// release left in `older`. Empty names are of no file.
struct settings_files {
  std::string own;
  std::string older;
};

/// The one of both files that counts now; it need not exist.
[[nodiscard]] std::string settings_file_to_read(const files& disk, const settings_files& where);

/// Sets one option, as `set_option` does, in `own`. Programs that do so at the same time take
/// turns, so that none undoes what another one has set. An error of the kind `usage` is one of the
/// key or the value.
[[nodiscard]] result<void> save_option(files& disk, const settings_files& where,
                                       const std::string& key, const std::string& value);

} // namespace resilient::canon

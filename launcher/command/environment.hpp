#pragma once

#include <functional>
#include <optional>
#include <string>

namespace resilient::launcher {

/// Reads one variable of the environment; nothing when it is not set.
using environment_reader = std::function<std::optional<std::string>(const std::string&)>;

/// The environment of this process.
[[nodiscard]] std::optional<std::string> process_environment(const std::string& name);

/// The user's home, from `HOME` or the user database; empty when there is none.
[[nodiscard]] std::string home_folder(const environment_reader& environment);

/// The absolute path of the working folder; empty when it was removed.
[[nodiscard]] std::string working_folder();

/// The absolute path of this program, links resolved; empty when the system does not tell.
[[nodiscard]] std::string own_program();

/// The IANA name of this machine's time zone; empty when it is not known.
[[nodiscard]] std::string local_zone(const environment_reader& environment);

} // namespace resilient::launcher

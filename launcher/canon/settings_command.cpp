#include "core/support/files.hpp"
#include "launcher/canon/commands.hpp"

#include <fmt/format.h>

namespace resilient::canon {

std::string options_table(const options& values, std::string_view indent) {
  std::string lines;
  for (const std::string& key : option_keys()) {
    const std::string value = show_option(values, key).value_or("");
    lines += fmt::format("{}{:<10} {}\n", indent, key, value.empty() ? "none" : value);
  }
  return lines;
}

int run_settings_get(const common_flags& flags, const std::string& key) {
  const chosen_options chosen = choose_options(flags);
  if (chosen.problem) {
    print_error("canon: " + *chosen.problem);
  }
  if (!key.empty()) {
    const auto shown = show_option(chosen.values, key);
    if (!shown) {
      return report(shown.error());
    }
    print(*shown);
    return exit_done;
  }
  print(options_table(chosen.values, ""));
  return exit_done;
}

int run_settings_set(const std::string& key, const std::string& value) {
  if (key == "root" || key == "mounts") {
    return report(
        {error_kind::usage,
         fmt::format("{0} belongs to a project, not to a user: pass --{1}, or set "
                     "CANON_{2}.",
                     key, key == "root" ? "root" : "mount", key == "root" ? "ROOT" : "MOUNTS")});
  }
  const settings_files where = where_settings_are();
  posix_files disk;
  if (const auto saved = save_option(disk, where, key, value); !saved) {
    return report(saved.error());
  }
  print(fmt::format("{} is now {}, in {}.", key, value, where.own));
  return exit_done;
}

} // namespace resilient::canon

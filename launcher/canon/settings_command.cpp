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
  const std::string to = own_settings_path();
  if (to.empty()) {
    return report({error_kind::config, "There is no home folder: set HOME or XDG_CONFIG_HOME."});
  }
  const auto text = settings_text();
  if (!text) {
    return report(text.error());
  }
  const auto changed = set_option(*text, key, value);
  if (!changed) {
    // Text that could be read before is made unreadable only by what was typed.
    const bool was_fine = parse_options({}, *text, options_source::user_file).has_value();
    return report({was_fine ? error_kind::usage : changed.error().kind, changed.error().message});
  }
  posix_files disk;
  if (const auto made = disk.make_folders(parent_path(to)); !made) {
    return report(made.error());
  }
  if (const auto saved = disk.replace(to, *changed); !saved) {
    return report(saved.error());
  }
  print(fmt::format("{} is now {}, in {}.", key, value, to));
  return exit_done;
}

} // namespace resilient::canon

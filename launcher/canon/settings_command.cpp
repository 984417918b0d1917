#include "core/support/files.hpp"
#include "launcher/canon/commands.hpp"

#include <fmt/format.h>

namespace resilient::canon {

namespace {

constexpr std::size_t longest_settings_file = std::size_t{1} << 20U;

} // namespace

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
  std::string lines;
  for (const std::string& name : option_keys()) {
    lines += fmt::format("{:<10} {}\n", name, show_option(chosen.values, name).value_or(""));
  }
  print(lines);
  return exit_done;
}

int run_settings_set(const std::string& key, const std::string& value) {
  const std::string from = settings_path();
  const std::string to = own_settings_path();
  if (to.empty()) {
    return report({error_kind::config, "There is no home folder: set HOME or XDG_CONFIG_HOME."});
  }
  posix_files disk;
  result<std::string> text{""};
  if (disk.exists(from)) {
    text = disk.read(from, longest_settings_file);
  }
  if (!text) {
    return report(text.error());
  }
  const auto changed = set_option(*text, key, value);
  if (!changed) {
    return report(changed.error());
  }
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

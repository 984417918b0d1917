#include "core/canon/touch.hpp"

#include "core/canon/asset_finder.hpp"
#include "core/canon/edit_tools.hpp"
#include "core/canon/touch_list.hpp"
#include "core/support/text.hpp"

namespace resilient::canon {

std::vector<touched> touches_in(const nlohmann::json& tool_input, const touch_place& from) {
  asset_finder finder(from, most_probes);
  touch_list found(finder);
  each_path_argument(tool_input, [&](const std::string&, const std::string& path) {
    found.add_existing(path, finder.working_folder());
  });
  return std::move(found).take();
}

bool is_own_tool(std::string_view name) noexcept {
  if (name == "canon") {
    return true;
  }
  constexpr std::string_view prefix = "mcp__";
  constexpr std::string_view suffix = "__canon";
  if (!starts_with(name, prefix) || !ends_with(name, suffix)
      || name.size() <= prefix.size() + suffix.size()) {
    return false;
  }
  const std::string_view server =
      name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  return server == "canon" || ends_with(server, "_canon");
}

} // namespace resilient::canon

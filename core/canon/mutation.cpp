#include "core/canon/mutation.hpp"

#include "core/canon/asset_finder.hpp"
#include "core/canon/edit_tools.hpp"
#include "core/canon/touch_list.hpp"

namespace resilient::canon {

std::vector<touched> changes_in(std::string_view tool_name, const nlohmann::json& input,
                                const touch_place& from) {
  asset_finder finder(from, most_probes);
  touch_list found(finder);
  if (kind_of_tool(tool_name) == tool_kind::edit) {
    each_path_argument(input, [&](const std::string&, const std::string& path) {
      found.add_new(path, finder.working_folder());
    });
  }
  return std::move(found).take();
}

} // namespace resilient::canon

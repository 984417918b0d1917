#include "core/canon/mutation.hpp"
#include "core/canon/touch.hpp"
#include "core/support/files.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>

// Any bytes as a command, as a path and as a text: nothing crashes, and every path that is found
// lies in the project. The project is this program's working folder.
//
// Seeds: tests/fuzz/corpus/canon_touch.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace resilient::canon;
  static const places where = places::open(resilient::real_path(".").value_or("/"), "", {}).value();
  const touch_place from{&where, "", "/nowhere"};
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const nlohmann::json input{{"command", bytes}, {"path", bytes}, {"text", bytes}};
  for (const auto& found :
       {touches_in(input, from), changes_in("bash", input, from), changes_in("edit", input, from),
        changes_in("apply_patch", input, from), changes_in(bytes, input, from)}) {
    for (const touched& each : found) {
      if (each.path.compare(0, where.project().directory.size(), where.project().directory) != 0
          || ("/" + each.below + "/").find("/../") != std::string::npos) {
        std::abort();
      }
    }
  }
  return 0;
}

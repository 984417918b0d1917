#pragma once

#include <functional>
#include <string_view>

namespace resilient::canon {

/// Shows the paths that a short program in Python or JavaScript writes, as far as they stand in it
/// as strings: `open("a", "w")`, `Path("a").write_text(…)`, `fs.writeFileSync("a", …)`, and the
/// same by a variable that was given the string. Takes time linear in the text.
void each_written_path(std::string_view program,
                       const std::function<void(std::string_view path)>& show);

} // namespace resilient::canon

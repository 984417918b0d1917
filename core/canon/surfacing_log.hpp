#pragma once

#include "core/canon/tool.hpp"

#include <string_view>
#include <vector>

namespace resilient::canon {

/// What a session's log tells that the model was shown of an article, now or once.
struct logged_article {
  touched_article what;  ///< `text` is what the model got to see, as it stands in the log
  bool surfaced = false; ///< unasked; else through the tool
};

/// Everything that Pi's log of a session (JSON lines) holds of articles, oldest first, on whichever
/// branch of the session it stands and whether or not it was compacted since. Whether the model
/// still has it is for its next request to tell, see `needle`. Lines that are cut off or no JSON
/// are passed over; never fails.
[[nodiscard]] std::vector<logged_article> articles_in_log(std::string_view log);

} // namespace resilient::canon

#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <variant>
#include <vector>

namespace resilient::canary {

/// A message that the model sees as one of the user's and that a person sees in the transcript.
struct message_draft {
  std::string custom_type;
  std::string content;

  [[nodiscard]] bool operator==(const message_draft&) const = default;
};

/// A compaction that keeps nothing of the history before it. The extension adds the usage of the
/// summary that was made for the same boundary.
struct compaction_draft {
  std::string summary;    ///< never blank
  nlohmann::json details; ///< an object, for people who read the session file

  [[nodiscard]] bool operator==(const compaction_draft&) const = default;
};

/// A record that the model does not see: the state from which a next process goes on.
struct state_draft {
  std::string custom_type;
  nlohmann::json data;

  [[nodiscard]] bool operator==(const state_draft&) const = default;
};

using draft = std::variant<message_draft, compaction_draft, state_draft>;

/// What canary wants written at the boundary that is being answered. The entries belong together
/// and keep their order: the state comes last, so that it never claims what was not written.
struct proposal {
  std::vector<draft> entries;
  bool continue_run = false; ///< the agent goes on with the entries as its newest context
  bool holds_goal = false;   ///< a goal must not continue now, also when there are no entries

  [[nodiscard]] bool operator==(const proposal&) const = default;
};

} // namespace resilient::canary

#pragma once

#include "core/canon/hook_state.hpp"
#include "core/support/descriptor.hpp"
#include "core/support/error.hpp"
#include "core/support/time.hpp"

#include <chrono>
#include <string>

namespace resilient::canon {

/// The state of one session on the disk, held under a lock that ends with this object or with the
/// process. It is replaced whole, so that whoever dies at any moment leaves the old or the new one.
class hook_state_file {
public:
  /// Opens `<folder>/<name>`, creating what is missing, and waits up to `patience` for the lock;
  /// then `busy`.
  [[nodiscard]] static result<hook_state_file>
  open(const std::string& folder, const std::string& name, std::chrono::milliseconds patience);

  [[nodiscard]] const hook_state& state() const noexcept { return state_; }

  /// Saves the state. An empty state of a file that was empty leaves no file behind.
  [[nodiscard]] result<void> save(const hook_state& state);

private:
  hook_state_file(descriptor locked, std::string path, std::string bytes);

  descriptor locked_;
  std::string path_;
  std::string bytes_;
  hook_state state_;
};

/// The file's name for a session of a host in a project.
[[nodiscard]] std::string hook_state_name(const std::string& host, const std::string& session,
                                          const std::string& project);

/// Removes the state of sessions that nothing was heard of for 30 days.
void drop_old_hook_states(const std::string& folder, wall_time now);

} // namespace resilient::canon

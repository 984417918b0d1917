#pragma once

#include "actors/guarded_actor.hpp"
#include "core/process/lease.hpp"
#include "core/support/files.hpp"

#include <memory>
#include <optional>
#include <string>

namespace spdlog {
class logger;
}

namespace resilient {

struct recorder_options {
  std::string run_folder; ///< empty: nothing is recorded (a sidecar)
  std::string run_id;
  process::lease_surroundings surroundings;
  process::process_identity owner; ///< this process
  std::size_t event_file_bytes = 4U << 20U;
};

/// The only writer of a run's files and the holder of the session's lease.
class recorder final : public guarded_actor<recorder_actor> {
public:
  recorder(caf::actor_config& config, resilient::context context, recorder_options options,
           std::shared_ptr<files> disk);
  void on_exit() override;

protected:
  behavior_type make_behavior() override;
  void rebuild() override;

private:
  struct held_lease {
    std::string path;
    std::unique_ptr<file_lock> lock;
  };

  void replace(const char* name, std::string& last, const std::string& json);
  void write_event(const message::record_event& event);
  message::lease_answer claim(const std::string& session_file);
  message::lease_answer reserve(const std::string& session_file);
  /// Takes the lock and judges the earlier record; fills `taken` when it is granted.
  message::lease_answer take(const std::string& path, held_lease& taken);
  void write_record(held_lease& lease, bool released);
  /// Remembers a failure to write, and tells a person, now and then.
  void note(const std::string& problem);
  message::mended mend(const std::string& session_file);
  [[nodiscard]] static std::string lease_path(const std::string& session_file);

  recorder_options options_;
  std::shared_ptr<files> disk_;
  std::shared_ptr<spdlog::logger> events_;
  std::string last_runtime_;
  std::string last_supervisor_;
  held_lease lease_;
  held_lease reserved_;
  process::process_identity child_;
  std::string problem_;              ///< the last failure to write, for the status
  std::optional<boot_time> told_at_; ///< when a person was told of one
};

} // namespace resilient

#pragma once

#include "actors/guarded_actor.hpp"
#include "core/settings/settings_file.hpp"
#include "core/settings/settings_lock.hpp"
#include "core/support/files.hpp"

#include <memory>
#include <string>

namespace resilient {

/// Reads and saves Pi's settings. It may wait for Pi's lock, so it runs on a thread of its own.
class settings_service final : public guarded_actor<settings_actor> {
public:
  settings_service(caf::actor_config& config, resilient::context context,
                   std::shared_ptr<files> disk);

protected:
  behavior_type make_behavior() override;
  void rebuild() override;

private:
  message::settings_values read();
  message::keyword_values keyword();
  message::keyword_saved save(const std::string& keyword);
  [[nodiscard]] settings::lock_tools tools() const;

  std::shared_ptr<files> disk_;
  settings::settings_place place_;
};

} // namespace resilient

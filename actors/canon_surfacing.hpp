#pragma once

#include "actors/guarded_actor.hpp"
#include "core/canon/options.hpp"
#include "core/canon/tool.hpp"
#include "core/support/files.hpp"

#include <memory>
#include <optional>
#include <string>

namespace resilient {

struct canon_files {
  std::string settings;     ///< canon's own settings file; empty without a home folder
  std::string old_settings; ///< read while there is no other
  std::string cache;        ///< folder of what can be found anew; empty: no cache
};

/// Serves the project memory of the connected Pi. It reads and writes the store, so it runs on a
/// thread of its own.
class canon_surfacing final : public guarded_actor<canon_surfacing_actor> {
public:
  canon_surfacing(caf::actor_config& config, resilient::context context, canon_files where,
                  std::shared_ptr<files> disk);
  void on_exit() override;

protected:
  behavior_type make_behavior() override;
  void rebuild() override;

private:
  /// Goes on with the options in force once Pi's settings are known.
  template <class Answer, class Make>
  caf::result<Answer> with_options(Make make);
  /// Canon's own file, then Pi's user settings, then a trusted project's, each laid over the other.
  canon::options options_from(const message::settings_values& pi);
  result<canon::tool*> opened(const canon::options& options);
  message::canon_answer call(const canon::options& options, const message::canon_call& call);
  message::canon_settings_answer settings(const canon::options& options,
                                          const message::canon_settings& request);
  message::canon_answer status(const canon::options& options);
  [[nodiscard]] std::string settings_file() const;

  canon_files files_;
  std::shared_ptr<files> disk_;
  message::canon_place place_;
  std::unique_ptr<canon::tool> tool_;
  std::string problem_; ///< what is wrong with the settings
};

} // namespace resilient

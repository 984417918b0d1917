#pragma once

#include "messages/ports.hpp"

#include <functional>
#include <memory>
#include <typeinfo>

namespace resilient {

/// The outside world as every actor sees it.
struct context {
  std::shared_ptr<const clocks> time;
  std::shared_ptr<resilient::alarms> alarms;
  std::shared_ptr<resilient::bridge_port> bridge;
  std::shared_ptr<resilient::child_port> child;      ///< null in a sidecar
  std::shared_ptr<resilient::command_port> commands; ///< null where none can be run
  std::shared_ptr<resilient::sleep_port> sleep;      ///< null where nothing keeps a machine awake
  std::shared_ptr<resilient::line_program_port> retriever; ///< null where none can be run
  std::shared_ptr<resilient::entropy> entropy;
  /// Called before each message is handled. Fault-injection runs let it throw.
  std::function<void(const char* actor, const std::type_info& message)> before_message;
};

} // namespace resilient

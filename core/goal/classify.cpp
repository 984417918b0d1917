#include "core/goal/classify.hpp"

namespace resilient::goal {

verdict classify(const failure& seen) {
  verdict decided;
  if (seen.stop_reason == "aborted") {
    decided.kind = error_class::abort;
    decided.what = action::pause;
    decided.rule = "stop-reason.aborted";
    return decided;
  }
  decided.rule = "none";
  return decided;
}

} // namespace resilient::goal

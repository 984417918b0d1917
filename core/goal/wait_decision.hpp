#pragma once

#include "core/goal/classify.hpp"
#include "core/goal/provider_message.hpp"
#include "core/goal/response_headers.hpp"

#include <string>

namespace resilient::goal {

/// The headers that came with the failure, and those that a gateway copied into the body.
[[nodiscard]] header_reading read_all_headers(const failure& seen, const provider_message& message);

/// Completes the decision: which of the exposed times counts, and what is to be done.
///
/// \param doubtful the class was told by words that others use as well. A used-up plan that asks
///        for less than an hour was a throttle; passing trouble that asks for more was a used-up
///        plan.
[[nodiscard]] verdict decide_wait(const failure& seen, const provider_message& message,
                                  const header_reading& headers, error_class kind, std::string rule,
                                  bool doubtful);

} // namespace resilient::goal

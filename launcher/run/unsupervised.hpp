#pragma once

#include "launcher/run/run_plan.hpp"

namespace resilient::launcher {

/// Becomes Pi, with our environment and a guard against a wrapper that would start us again.
/// Returns only when that failed.
[[nodiscard]] error become(const unsupervised_plan& plan);

} // namespace resilient::launcher

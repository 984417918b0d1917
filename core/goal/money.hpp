#pragma once

#include <string>

namespace resilient::goal {

/// An amount for people: "12.30", "0.50", "0.00042". Two digits behind the point, and below 1 as
/// many as three significant ones need, so that a small sum is not lost. "0.00" for what is no
/// amount.
[[nodiscard]] std::string money_for_people(double amount);

/// The same number, for JSON: without the noise of binary addition.
[[nodiscard]] double rounded_money(double amount);

} // namespace resilient::goal

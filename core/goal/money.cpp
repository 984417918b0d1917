#include "core/goal/money.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace resilient::goal {

namespace {

constexpr int cents = 2;
/// What is less is no money.
constexpr int most_digits = 15;

} // namespace

std::string money_for_people(double amount) {
  if (!std::isfinite(amount) || !(amount > 0)) {
    return "0.00";
  }
  const int digits = amount >= 1 ? cents
                                 : cents
                                       - static_cast<int>(std::max<double>(
                                           std::floor(std::log10(amount)), cents - most_digits));
  std::string text = fmt::format("{:.{}f}", amount, digits);
  const std::size_t shortest = text.find('.') + 1 + cents;
  while (text.size() > shortest && text.back() == '0') {
    text.pop_back();
  }
  return text;
}

double rounded_money(double amount) {
  return std::strtod(money_for_people(amount).c_str(), nullptr);
}

} // namespace resilient::goal

#include "core/goal/money.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <limits>

using namespace resilient::goal;

TEST_CASE("money has cents, and as many digits more as a small sum needs") {
  struct row {
    double amount;
    const char* text;
    const char* json;
  };
  const row table[] = {
      {0.00041999999999999, "0.00042", "0.00042"},
      {0.1 + 0.2, "0.30", "0.3"},
      {0.5, "0.50", "0.5"},
      {0.1234567, "0.123", "0.123"},
      {0.99999, "1.00", "1.0"},
      {0.0000004, "0.0000004", "4e-07"},
      {1e-300, "0.00", "0.0"},
      {0, "0.00", "0.0"},
      {1.005, "1.00", "1.0"},
      {12.345678, "12.35", "12.35"},
      {1234567.899, "1234567.90", "1234567.9"},
      {1e12, "1000000000000.00", "1000000000000.0"},
      {-1, "0.00", "0.0"},
      {std::numeric_limits<double>::quiet_NaN(), "0.00", "0.0"},
      {std::numeric_limits<double>::infinity(), "0.00", "0.0"},
  };
  for (const row& each : table) {
    CAPTURE(each.text);
    CHECK(money_for_people(each.amount) == each.text);
    CHECK(nlohmann::json(rounded_money(each.amount)).dump() == each.json);
  }
}

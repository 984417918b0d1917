#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

/// Whether the machine is kept awake: while a goal is active, when that was asked for.
namespace resilient::process {

/// Take an inhibitor; its end is told as `number`.
struct keep_awake {
  std::uint64_t number = 0;
};
/// Let go of the one that is held.
struct let_sleep {};
/// One sentence for the person.
struct tell_unprotected {
  std::string line;
};
using sleep_effect = std::variant<keep_awake, let_sleep, tell_unprotected>;

/// An inhibitor that cannot be taken, or ends by itself, is told once and changes nothing else: the
/// run goes on, and the next time a goal becomes active another one is tried.
class sleep_inhibition {
public:
  explicit sleep_inhibition(bool wanted) : wanted_{wanted} {}

  [[nodiscard]] std::vector<sleep_effect> goal_is(bool active);
  /// Inhibitor `number` is gone, or never was; `why` is a phrase such as "systemd-inhibit is not
  /// installed".
  [[nodiscard]] std::vector<sleep_effect> inhibitor_ended(std::uint64_t number,
                                                          const std::string& why);

  /// For people: "off", "not needed", "kept awake", or why it is not.
  [[nodiscard]] std::string describe() const;

private:
  bool wanted_;
  bool active_ = false;
  bool held_ = false;
  bool told_ = false;
  std::string failure_;
  std::uint64_t number_ = 0;
};

} // namespace resilient::process

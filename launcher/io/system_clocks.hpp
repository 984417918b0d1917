#pragma once

#include "messages/ports.hpp"

namespace resilient::launcher {

/// The clocks of the machine.
class system_clocks final : public clocks {
public:
  [[nodiscard]] instant now() const override;
};

/// Randomness of the kernel.
class system_entropy final : public entropy {
public:
  [[nodiscard]] std::uint64_t number() override;
  [[nodiscard]] std::string hex(std::size_t bytes) override;
};

} // namespace resilient::launcher

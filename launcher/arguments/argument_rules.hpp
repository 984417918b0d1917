#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): theirs
class App;
class Error;
class Option;
} // namespace CLI

namespace resilient::launcher {

/// A whole number in decimal, nothing around it; nothing when it is none or does not fit.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text);
/// A finite number in decimal, such as 1.5 or 1e3, nothing around it; nothing when it is none.
[[nodiscard]] std::optional<double> real_number(std::string_view text);

/// What the options and arguments of a program take, and the sentence for each mistake. CLI11 only
/// splits the command line: what it would say names its own types.
class argument_rules {
public:
  using judge = std::function<bool(const std::string&)>;

  /// `allowed` completes "--option must be ": "a whole number from 1 to 9". Without a judge every
  /// text is taken. The option must outlive this.
  CLI::Option* add(CLI::Option* option, std::string allowed, judge accepts = {});
  CLI::Option* add_one_of(CLI::Option* option, std::vector<std::string> allowed);

  /// The first option whose value it does not take.
  [[nodiscard]] std::optional<std::string> refused_value() const;

  /// About a command line that CLI11 refused with `wrong`, without its words. `parsed` is the
  /// program or the command that was asked for.
  [[nodiscard]] std::string sentence_for(const CLI::App& parsed, const CLI::Error& wrong) const;

private:
  struct rule {
    const CLI::Option* option;
    std::string allowed;
    judge accepts;
  };

  [[nodiscard]] const rule* rule_of(const CLI::Option* option) const;
  /// Whether a value is the name of an option, so that the value itself was left out.
  [[nodiscard]] bool is_option_name(const std::string& value) const;

  std::vector<rule> rules_;
};

} // namespace resilient::launcher

#pragma once

#include "core/canon/asset_finder.hpp"

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace resilient::canon {

/// Touched paths in order of first sight, each once.
class touch_list {
public:
  explicit touch_list(asset_finder& finder) : finder_(finder) {}

  /// Adds an absolute path. False when it lies in no place.
  bool add(std::string_view asset, const std::string& path);

  /// Adds what is at `written`, taken from `folder`. False when nothing is.
  bool add_existing(std::string_view written, const std::string& folder);
  /// Adds what is there or could be made there, since its folder exists.
  bool add_new(std::string_view written, const std::string& folder);
  /// Adds what a pattern matches, which is not empty. `pattern` is relative to `folder` or
  /// absolute.
  bool add_matches(std::string_view written, std::string_view pattern, const std::string& folder);

  /// What is added from now on was declared, or merely mentioned.
  void set_declared(bool is_declared) noexcept { is_declared_ = is_declared; }

  [[nodiscard]] asset_finder& finder() noexcept { return finder_; }
  [[nodiscard]] std::vector<touched> take() && { return std::move(found_); }

private:
  asset_finder& finder_;
  std::vector<touched> found_;
  std::unordered_set<std::string> seen_;
  bool is_declared_ = true;
};

} // namespace resilient::canon

#pragma once

#include "core/canon/tool.hpp"
#include "tests/core/support/temporary_folder.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace resilient::canon::tests {

using resilient::tests::temporary_folder;

/// 2026-11-30T17:05:02.875Z
inline constexpr wall_time a_monday{std::chrono::milliseconds{1796058302875}};

/// A project in a fresh folder and a session that calls the tool in it.
struct canon_project {
  temporary_folder all;
  std::string directory = all.at("proj");
  wall_time now = a_monday;
  std::unique_ptr<tool> session;

  explicit canon_project(options chosen = {}, const std::vector<std::string>& mounts = {}) {
    all.put("proj/src/core/config.ts", "");
    open(std::move(chosen), mounts);
  }

  /// Starts a new session, which has seen nothing.
  void open(options chosen = {}, const std::vector<std::string>& mounts = {}) {
    session = std::make_unique<tool>(places::open(directory, "", mounts).value(), std::move(chosen),
                                     nullptr);
  }

  [[nodiscard]] tool_answer call(const nlohmann::json& arguments) const {
    return session->call(arguments, {now, "", ""});
  }
  [[nodiscard]] std::string text(const nlohmann::json& arguments) const {
    return call(arguments).text;
  }

  /// Files below the project.
  void put(const std::string& name, std::string_view contents) const {
    all.put("proj/" + name, contents);
  }
  [[nodiscard]] std::string get(const std::string& name) const { return all.get("proj/" + name); }
  [[nodiscard]] std::string article_file(const std::string& address) const {
    return get(".canon/articles/" + address + ".md");
  }
  void put_article(const std::string& address, std::string_view contents) const {
    put(".canon/articles/" + address + ".md", contents);
  }
};

/// Whether the text holds the part.
inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace resilient::canon::tests

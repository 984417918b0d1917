#include "core/canon/project.hpp"

namespace resilient::canon {

std::string find_project(const files& disk, const std::string& start, const std::string& home) {
  for (std::string place = start;; place = parent_path(place)) {
    if (place != start && (place == "/" || place == home)) {
      return start;
    }
    const auto articles = disk.status((place == "/" ? "" : place) + "/.canon/articles");
    if (articles && *articles && (*articles)->kind == file_kind::folder) {
      return place;
    }
    if (place == "/" || place == home || place.find('/') == std::string::npos
        || disk.exists(place + "/.git")) {
      return start;
    }
  }
}

} // namespace resilient::canon

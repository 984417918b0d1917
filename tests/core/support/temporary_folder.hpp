#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace resilient::tests {

/// A fresh folder that is gone after the test.
class temporary_folder {
public:
  temporary_folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pi-resilient-XXXXXX").string();
    // Real path: tests compare it with what the file system answers.
    path_ = std::filesystem::canonical(::mkdtemp(pattern.data())).string();
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::string at(const std::string& name) const { return path_ + "/" + name; }

  /// Writes a file and the folders above it.
  void put(const std::string& name, std::string_view contents) const {
    std::filesystem::create_directories(std::filesystem::path(at(name)).parent_path());
    std::ofstream(at(name), std::ios::binary) << contents;
  }

  /// The bytes of a file; "(none)" when it does not exist.
  [[nodiscard]] std::string get(const std::string& name) const {
    std::ifstream in(at(name), std::ios::binary);
    if (!in) {
      return "(none)";
    }
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

private:
  std::string path_;
};

} // namespace resilient::tests

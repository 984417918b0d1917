#pragma once

#include "core/canon/touch.hpp"
#include "tests/core/support/temporary_folder.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace resilient::canon::tests {

/// A small project beside a mount, a home folder and files that belong to neither.
struct touch_project {
  resilient::tests::temporary_folder all;
  std::string directory = all.at("proj");
  places where;

  touch_project() : where(make()) {}

  [[nodiscard]] touch_place from(const std::string& below = "") const {
    return {&where, below.empty() ? directory : directory + "/" + below, all.at("home")};
  }

  /// Short names: `src/a.ts` in the project, `lake:prices.csv` in the mount, `.` for the project.
  [[nodiscard]] std::string name_of(const touched& touch) const {
    const std::string below = touch.below.empty() ? "." : touch.below;
    return where.at(touch.place).qualified(below);
  }
  [[nodiscard]] std::vector<std::string> names_of(const std::vector<touched>& touches) const {
    std::vector<std::string> names;
    names.reserve(touches.size());
    for (const touched& touch : touches) {
      names.push_back(name_of(touch));
    }
    return names;
  }

private:
  places make() {
    for (const char* file : {"src/core/config.ts",
                             "src/core/other.ts",
                             "src/feed/pull.ts",
                             "src/feed/push.ts",
                             "src/[id]/page.tsx",
                             "src/(auth)/login.tsx",
                             "src/größe.ts",
                             "src/a+b.ts",
                             "src/index.ts",
                             "src/app.py",
                             "src/app.c",
                             "src/main.rs",
                             "docs/guide.md",
                             "docs/v1.2/notes.md",
                             "docs/my notes.md",
                             "docs/fix.diff",
                             "docs/a.tgz",
                             "dir with space/a.ts",
                             "README.md",
                             "package.json",
                             "Makefile",
                             "tests/config.test.ts",
                             "tests/test_app.py",
                             "scripts/build.sh",
                             ".env",
                             ".github/workflows/ci.yml",
                             "lib/x.ts",
                             "test/x.ts",
                             "build/x.js",
                             "配置/設定.md"}) {
      all.put("proj/" + std::string(file), "");
    }
    all.put("lake/prices.csv", "");
    all.put("lake/raw/feed.json", "");
    all.put("home/notes.md", "");
    all.put("outside.ts", "");
    all.put("other/src/core/config.ts", "");
    std::filesystem::create_directory_symlink(directory, all.at("link"));
    return places::open(directory, "", {all.at("lake")}).value();
  }
};

} // namespace resilient::canon::tests

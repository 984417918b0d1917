#include "core/canon/mutation.hpp"

#include "tests/core/canon/touch_project.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using namespace resilient::canon;
using namespace resilient::canon::tests;
using nlohmann::json;

namespace {

using names = std::vector<std::string>;

const touch_project& project() {
  static const touch_project shared;
  return shared;
}

names changes(const std::string& tool, const json& input) {
  return project().names_of(changes_in(tool, input, project().from()));
}

names run(const std::string& command) {
  return changes("Bash", {{"command", command}});
}

} // namespace

TEST_CASE("tools that edit files change what their path arguments name") {
  const json path{{"path", "src/core/config.ts"}, {"content", "see docs/guide.md"}};
  for (const std::string tool :
       {"edit", "write", "Edit", "Write", "MultiEdit", "str_replace_based_edit_tool",
        "create_or_update_file", "write_to_file", "search_replace", "edit_file", "writeFile",
        "replace_in_file", "delete_file", "mcp__filesystem__edit_file", "mcp__x__apply_patch"}) {
    CAPTURE(tool);
    CHECK(changes(tool, path) == names{"src/core/config.ts"});
  }
  for (const std::string tool :
       {"read", "Read", "Grep", "Glob", "TodoWrite", "todo_write", "credit", "mcp__bank__credit",
        "update_plan", "save_memory", "create_issue", "", "__", "mcp__", "read_file", "Task"}) {
    CAPTURE(tool);
    CHECK(changes(tool, path).empty());
  }
}

TEST_CASE("a mention in a text is no change") {
  CHECK(changes("Write", {{"file_path", "docs/new.md"}, {"content", "see src/core/config.ts"}})
        == names{"docs/new.md"});
  CHECK(changes("TodoWrite", {{"todos", json::array({{{"content", "rm src/core/config.ts"}}})}})
            .empty());
  CHECK(run("grep -n 'a; rm b' src/core/config.ts").empty());
  CHECK(run("echo 'a > src/core/config.ts'").empty());
  CHECK(run("git commit -m 'rm src/core/other.ts'").empty());
  CHECK(run("true # rm src/core/other.ts").empty());
  CHECK(run("cat <<EOF\nrm src/core/other.ts\nEOF").empty());
}

TEST_CASE("one tool that views and edits changes only when it edits") {
  const auto call = [](const std::string& how) {
    return changes("str_replace_based_edit_tool",
                   {{"command", how}, {"path", "src/core/config.ts"}});
  };
  CHECK(call("view").empty());
  CHECK(call("create") == names{"src/core/config.ts"});
  CHECK(call("str_replace") == names{"src/core/config.ts"});
}

TEST_CASE("a copy changes its target and a move both") {
  const json input{{"source", "src/core/other.ts"}, {"destination", "src/core/extra.ts"}};
  CHECK(changes("copy_file", input) == names{"src/core/extra.ts"});
  CHECK(changes("move_file", input) == names{"src/core/extra.ts", "src/core/other.ts"});
}

TEST_CASE("the headers of a patch say what it changes") {
  const std::string patch =
      "*** Begin Patch\n*** Update File: src/core/config.ts\n"
      "*** Move to: src/core/settings.ts\n@@\n-a\n+*** Delete File: README.md\n"
      "*** Add File: NEW.md\n+x\n*** Delete File: docs/guide.md\n"
      "*** End Patch\n";
  const names expected{"src/core/config.ts", "src/core/settings.ts", "NEW.md", "docs/guide.md"};
  CHECK(changes("apply_patch", {{"command", patch}}) == expected);
  CHECK(changes("apply_patch", {{"input", patch}}) == expected);
  CHECK(run("apply_patch <<'EOF'\n" + patch + "EOF") == expected);
  CHECK(changes("shell", {{"command", {"apply_patch", patch}}}) == expected);
  CHECK(changes("exec", {{"input", "tools.apply_patch(\"*** Begin Patch\\n*** Update File: "
                                   "README.md\\n@@\\n-a\\n+b\")"}})
        == names{"README.md"});
  CHECK(run("git apply <<'EOF'\n--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-a\n+b\nEOF")
        == names{"README.md"});
  CHECK(changes("Read", {{"path", patch}}).empty());
}

TEST_CASE("commands that write change what they name") {
  const names config{"src/core/config.ts"};
  for (const std::string text : {
           "> src/core/config.ts",
           "cat > src/core/config.ts <<EOF\nx\nEOF",
           "echo x | tee src/core/config.ts",
           "sed -E -i s/a/b/ src/core/config.ts",
           "sed s/a/b/ -i src/core/config.ts",
           "perl -i -pe s/a/b/ src/core/config.ts",
           "  rm src/core/config.ts",
           "/bin/rm src/core/config.ts",
           "(rm src/core/config.ts)",
           "sudo -u me rm src/core/config.ts",
           "env A=b rm src/core/config.ts",
           "prettier --write src/core/config.ts",
           "git checkout -- src/core/config.ts",
           "git restore src/core/config.ts",
           "git rm src/core/config.ts",
           "cd src/core && rm config.ts",
           "f=src/core/config.ts; rm \"$f\"",
           "f=(src/core/config.ts); rm \"${f[@]}\"",
           "echo src/core/config.ts | xargs rm",
           "dd if=/dev/null of=src/core/config.ts",
           "bash -c 'rm src/core/config.ts'",
           "python3 -c \"open('src/core/config.ts', 'w')\"",
       }) {
    CAPTURE(text);
    CHECK(run(text) == config);
  }
  CHECK(run("find src/feed -delete") == names{"src/feed"});
  CHECK(run("find src/feed -name x | xargs rm") == names{"src/feed"});
  CHECK(run("(mv src/core/other.ts docs)") == names{"src/core/other.ts", "docs/other.ts"});
}

TEST_CASE("commands that read change nothing") {
  for (const std::string text : {
           "sed -n 1p src/core/config.ts",
           "git diff src/core/config.ts",
           "git status",
           "git add .",
           "git stash list",
           "git checkout main",
           "git checkout -b docs/x",
           "git switch main",
           "git restore --staged src/core/config.ts",
           "git reset src/core/config.ts",
           "git apply --check docs/fix.diff",
           "git clean -n src",
           "prettier --check src",
           "cat src/core/config.ts > /dev/null 2>&1",
           "cat src/core/config.ts 2>/dev/null",
           "find src -name '*.ts'",
           "ls src | xargs cat",
           "diff README.md docs/guide.md",
           "python3 -c \"print(open('src/core/config.ts').read())\"",
           "tar tf docs/a.tgz",
           "npm test",
           "rm /tmp/x",
           "echo x > ../outside.ts",
       }) {
    CAPTURE(text);
    CHECK(run(text).empty());
  }
}

TEST_CASE("a command that changes files without naming them counts for what the call names") {
  CHECK(run("git stash pop").empty());
  CHECK(run("git stash pop && cat src/core/config.ts") == names{"src/core/config.ts"});
  CHECK(run("git merge x; head README.md") == names{"README.md"});
  CHECK(run("git merge --abort; head README.md").empty());
  CHECK(run("git apply docs/fix.diff").empty());
}

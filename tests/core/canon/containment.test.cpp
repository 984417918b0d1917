#include "tests/core/canon/canon_project.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>

using namespace resilient;
using namespace resilient::canon;
using namespace resilient::canon::tests;
using nlohmann::json;

namespace {

std::map<std::string, std::string> tree(const std::string& root) {
  std::map<std::string, std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    std::string& what = found[entry.path().lexically_relative(root).string()];
    if (entry.is_symlink()) {
      what = "-> " + std::filesystem::read_symlink(entry.path()).string();
    } else if (entry.is_regular_file()) {
      std::ifstream in(entry.path(), std::ios::binary);
      what.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
  }
  return found;
}

void link(const std::string& target, const std::string& at) {
  std::filesystem::create_directories(std::filesystem::path(at).parent_path());
  REQUIRE(::symlink(target.c_str(), at.c_str()) == 0);
}

void make_socket(const std::string& at) {
  REQUIRE(::mknod(at.c_str(), S_IFSOCK | 0600, 0) == 0);
}

json write(const std::string& path) {
  return {{"action", "write"}, {"path", path}, {"capsule", "New."}, {"body", "new"}};
}

} // namespace

TEST_CASE("no address escapes the articles") {
  const canon_project project;
  project.all.put("outside/victim.md", "victim");
  const auto before = tree(project.all.at("outside"));
  for (const std::string path :
       {"../outside/victim", "../../outside/victim.md", "/../outside/victim", "a/../../outside/x",
        "..\\..\\outside\\victim", "src/../../../outside/victim", "/etc/passwd", "~/x",
        "file:///etc/passwd", "%2e%2e/outside/victim"}) {
    CAPTURE(path);
    CHECK_FALSE(project.call(write(path)).text.empty());
    CHECK(tree(project.all.at("outside")) == before);
  }
  for (const auto& [name, content] : tree(project.all.path())) {
    CHECK((name.rfind("proj", 0) == 0 || name.rfind("outside", 0) == 0));
  }
}

TEST_CASE("no link leads a read or a write out of the store") {
  struct row {
    std::string target; ///< relative to the folder of the link
    std::string at;     ///< below .canon
    std::string path;
  };
  for (const row& each : std::vector<row>{
           {"../../../outside", "articles/link", "link/victim"},
           {"../../../outside", "articles/link", "link/new"},
           {"../../../outside", "articles/link", "link/deep/new"},
           {"../../../outside/victim.md", "articles/file.md", "file"},
           {"../../../outside/absent.md", "articles/file.md", "file"},
           {"../../outside", "articles", "victim"},
           {"../../outside", "articles", "new"},
           {"/", "articles/root", "root/tmp/new"},
           {"/proc/self/cwd", "articles/magic", "magic/new"},
       }) {
    CAPTURE(each.at);
    CAPTURE(each.path);
    const canon_project project;
    project.all.put("outside/victim.md", "---\ncapsule: secret of others\n---\nvictim\n");
    link(each.target, project.directory + "/.canon/" + each.at);
    const auto before = tree(project.all.at("outside"));
    const tool_answer written = project.call(write(each.path));
    CHECK(written.is_error);
    CHECK(holds(written.text, "not written"));
    CHECK(tree(project.all.at("outside")) == before);
    const tool_answer read = project.call({{"action", "read"}, {"path", each.path}});
    CHECK_FALSE(holds(read.text, "victim\n"));
    CHECK_FALSE(holds(read.text, "secret of others"));
    CHECK_FALSE(holds(project.text({{"action", "map"}}), "secret of others"));
  }
}

TEST_CASE("a linked journal or schema is not followed out of the store") {
  const canon_project project;
  project.all.put("outside/schema.json", "{\"article\":{\"capsule\":{\"required\":true}}}");
  link("../../outside/schema.json", project.directory + "/.canon/schema.json");
  link("../../outside", project.directory + "/.canon/journal");
  const auto before = tree(project.all.at("outside"));
  CHECK(project.call({{"action", "journal"}, {"body", "Event."}}).is_error);
  CHECK(tree(project.all.at("outside")) == before);
  CHECK(holds(project.text({{"action", "write"}, {"path", "a"}, {"body", "x"}}),
              "not being enforced"));
}

TEST_CASE("a link inside the store is read through and never replaced") {
  const canon_project project;
  project.put_article("real", "---\ncapsule: Real.\n---\ntext\n");
  link("real.md", project.directory + "/.canon/articles/alias.md");
  CHECK(holds(project.text({{"action", "read"}, {"path", "alias"}}), "capsule: Real."));
  CHECK(project.call(write("alias")).is_error);
  CHECK(std::filesystem::is_symlink(project.directory + "/.canon/articles/alias.md"));
  CHECK(holds(project.article_file("real"), "capsule: Real."));
}

TEST_CASE("a store that is a link is followed once") {
  const canon_project project;
  std::filesystem::create_directories(project.all.at("elsewhere"));
  link("../elsewhere", project.directory + "/.canon");
  CHECK_FALSE(project.call(write("a")).is_error);
  CHECK(holds(project.all.get("elsewhere/articles/a.md"), "capsule: New."));
}

TEST_CASE("whoever visits all articles learns which names hold none that can be read") {
  const canon_project project;
  project.put(".canon/articles/fine.md", "---\ncapsule: Fine.\n---\n");
  project.put("outside.md", "---\ncapsule: Outside.\n---\n");
  const std::string articles = project.directory + "/.canon/articles/";
  link("../../outside.md", articles + "escapes.md");
  link("nowhere.md", articles + "dangles.md");
  link("fine.md", articles + "again.md");
  REQUIRE(::mkfifo((articles + "pipe.md").c_str(), 0600) == 0);
  std::vector<std::string> seen;
  std::string complaints;
  store(project.directory, "")
      .visit([&](const article_file& file, const auto&) { seen.push_back(file.address); },
             [&](const error& problem) { complaints += problem.message + "\n"; });
  std::sort(seen.begin(), seen.end());
  CHECK(seen == std::vector<std::string>{"again", "fine"});
  for (const char* name : {"escapes.md", "dangles.md", "pipe.md"}) {
    CAPTURE(name);
    CHECK(holds(complaints, name));
  }
}

TEST_CASE("what is no regular file is no article") {
  const canon_project project;
  project.put(".canon/articles/notes.md/inner.md", "---\ncapsule: Inner.\n---\nx\n");
  REQUIRE(::mkfifo((project.directory + "/.canon/articles/pipe.md").c_str(), 0600) == 0);
  make_socket(project.directory + "/.canon/articles/socket.md");
  struct row {
    const char* path;
    const char* told;
  };
  const row rows[] = {
      {"notes.ts", "articles/notes.md is a folder, so it was passed over."},
      {"pipe", "articles/pipe.md is not a regular file but a pipe, socket or device, so it was"},
      {"pipe/deep/er.ts", "articles/pipe.md is not a regular file"},
      {"socket", "articles/socket.md is not a regular file"},
  };
  for (const row& each : rows) {
    CAPTURE(each.path);
    const std::string text = project.text({{"action", "read"}, {"path", each.path}});
    CHECK(holds(text, "No article governs"));
    CHECK(holds(text, each.told));
  }
  for (const std::string path : {"notes.ts", "pipe", "socket"}) {
    CAPTURE(path);
    CHECK(project.call(write(path)).is_error);
  }
  project.put(".canon/articles/area.md", "---\ncapsule: The area.\n---\n");
  REQUIRE(::mkdir((project.directory + "/.canon/articles/area").c_str(), 0700) == 0);
  REQUIRE(::mkfifo((project.directory + "/.canon/articles/area/pipe.md").c_str(), 0600) == 0);
  const std::string above = project.text({{"action", "read"}, {"path", "area/pipe/x"}});
  CHECK(holds(above, "area governs area/pipe/x"));
  CHECK(holds(above, "articles/area/pipe.md is not a regular file"));
  CHECK(holds(project.text({{"action", "map"}}), "notes.md/inner: Inner."));
  CHECK(holds(project.text({{"action", "write"}, {"path", "zz"}, {"body", "[[notes]]"}}),
              "Dead link: no article is at [[notes]]."));
}

TEST_CASE("a project that is opened through a link is the same project") {
  canon_project project;
  link("proj", project.all.at("linked"));
  const std::string real = project.directory;
  project.directory = project.all.at("linked");
  project.open();
  CHECK_FALSE(project.call(write(real + "/src/core/config.ts")).is_error);
  CHECK(holds(project.text({{"action", "read"}, {"path", "src/core/config.ts"}}), "capsule: New."));
  project.directory = real;
  project.open();
  CHECK(holds(project.text(
                  {{"action", "read"}, {"path", project.all.at("linked") + "/src/core/config.ts"}}),
              "capsule: New."));
}

TEST_CASE("two mounts of one name are refused, and so is a project that is not there") {
  const canon_project project;
  CHECK_FALSE(places::open(project.directory, "", {"/w/lake", "/v/lake"}).has_value());
  CHECK_FALSE(places::open(project.directory, "", {"."}).has_value());
  CHECK_FALSE(places::open("relative").has_value());
  CHECK(places::open(project.directory, "", {"/w/lake", "/v/lake 2"}).has_value());
  tool absent(places::open(project.all.at("absent")).value(), {}, nullptr);
  const tool_answer answer = absent.call(write("a"), {a_monday, "", ""});
  CHECK(answer.is_error);
  CHECK(holds(answer.text, "does not exist"));
  CHECK_FALSE(std::filesystem::exists(project.all.at("absent")));
}

TEST_CASE("the name of a device is pointed out and written all the same") {
  const canon_project project;
  CHECK(holds(project.text(write("drivers/aux.c")), "device on Windows"));
  CHECK(holds(project.text(write("com1")), "device on Windows"));
  CHECK_FALSE(holds(project.text(write("console")), "device"));
  CHECK(holds(project.article_file("drivers/aux"), "New."));
}

TEST_CASE("a disk that is full leaves the old article and says so") {
  const canon_project project;
  CHECK_FALSE(project.call({{"action", "write"}, {"path", "a"}, {"body", "old"}}).is_error);
  const auto before = tree(project.directory + "/.canon");
  const pid_t child = ::fork();
  if (child == 0) {
    // A limit on file sizes fails a write half way, as a full disk does.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const tool_answer article =
        project.call({{"action", "write"}, {"path", "a"}, {"body", std::string(10000, 'x')}});
    const tool_answer entry =
        project.call({{"action", "journal"}, {"body", std::string(10000, 'x')}});
    ::_exit(article.is_error && holds(article.text, "not written") && entry.is_error
                    && holds(entry.text, "not logged")
                ? 0
                : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  auto after = tree(project.directory + "/.canon");
  after.erase("journal");
  CHECK(after == before);
}

TEST_CASE("a path that leads out says which address it was taken for") {
  const temporary_folder lake;
  const canon_project project({}, {lake.path()});
  const std::string name = std::filesystem::path(lake.path()).filename().string();
  const std::string project_name = std::filesystem::path(project.directory).filename().string();
  struct row {
    std::string path;
    std::string taken_for; ///< empty: nothing is said
  };
  for (const row& one : std::vector<row>{
           {"src/core/config.ts", ""},
           {project.directory + "/src/core/config.ts", ""},
           {"../proj/src/core/config.ts", ""},
           {"a/../b", ""},
           {"/w/./b", "w/b"},
           {"../b", "b"},
           {"a/../../b", "b"},
           {"..\\b", "b"},
           {"/etc/passwd", "etc/passwd"},
           {project.directory + "/../b", "b"},
           {project.directory + "/../" + project_name + "/src/core/config.ts", ""},
           {project.directory + "/../../" + name + "/b", ""},
           {project.directory + "-other/b.ts", project.directory.substr(1) + "-other/b"},
           {name + ":b", ""},
           {name + ":/b", ""},
           {name + ":../../b", name + ":b"},
           {lake.at("b.csv"), ""},
           {lake.at("../b.csv"), name + ":b"},
       }) {
    CAPTURE(one.path);
    const std::string said = "it was taken for " + one.taken_for + ".";
    for (const json& call :
         {json{{"action", "write"}, {"path", one.path}, {"capsule", "C."}},
          json{{"action", "write"}, {"path", one.path}, {"capsule", "C."}}, // and changes nothing
          json{{"action", "read"}, {"path", one.path}},
          json{{"action", "read"}, {"path", one.path + "/below/it"}},
          json{{"action", "map"}, {"path", one.path}},
          json{{"action", "journal"}, {"body", "x"}, {"subject", {one.path}}}}) {
      CAPTURE(call);
      const std::string text = project.text(call);
      if (one.taken_for.empty()) {
        CHECK_FALSE(holds(text, "leads out"));
      } else if (call["action"] != "map" && !holds(call.value("path", ""), "/below")) {
        CHECK(holds(text, said));
      } else {
        CHECK(holds(text, "leads out"));
      }
    }
  }
}

#include "core/process/session_pin.hpp"

#include <doctest/doctest.h>

using namespace resilient;
using namespace resilient::process;

namespace {

const session_place place{"/home/u/my project:x", "/home/u", "/home/u/.pi/agent", ""};
const wall_time now{std::chrono::milliseconds{1796040000123}};
const std::string id = "0198c0de-0000-4000-8000-000000000001";

command_line choosing(session_choice choice, std::string value = {}) {
  command_line line;
  line.session = choice;
  line.session_value = std::move(value);
  return line;
}

} // namespace

TEST_CASE("a fresh session gets the name and the folder that Pi would give it") {
  CHECK(pinned_session(choosing(session_choice::fresh), place, now, id)
        == "/home/u/.pi/agent/sessions/--home-u-my project-x--/2026-11-30T12-00-00-123Z_" + id
               + ".jsonl");
}

TEST_CASE("other folders: the option first, then the environment or the settings") {
  command_line line = choosing(session_choice::fresh);
  session_place elsewhere = place;
  elsewhere.session_folder = "~/sessions";
  CHECK(pinned_session(line, elsewhere, now, id)
        == "/home/u/sessions/2026-11-30T12-00-00-123Z_" + id + ".jsonl");
  line.session_dir = "kept/../here";
  CHECK(pinned_session(line, elsewhere, now, id)
        == "/home/u/my project:x/here/2026-11-30T12-00-00-123Z_" + id + ".jsonl");
}

TEST_CASE("a named file is pinned, what only Pi can find is not") {
  CHECK(pinned_session(choosing(session_choice::file, "a/b.jsonl"), place, now, id)
        == "/home/u/my project:x/a/b.jsonl");
  CHECK(pinned_session(choosing(session_choice::file, "/x/./y.jsonl"), place, now, id)
        == "/x/y.jsonl");
  CHECK(pinned_session(choosing(session_choice::file, "~/s.jsonl"), place, now, id)
        == "/home/u/s.jsonl");
  for (const auto choice : {session_choice::id_start, session_choice::exact_id,
                            session_choice::latest, session_choice::pick, session_choice::fork}) {
    CHECK(pinned_session(choosing(choice, "abc"), place, now, id).empty());
  }
}

TEST_CASE("32 random digits make a version 4 identifier") {
  CHECK(uuid_from("00112233445566778899aabbccddeeff") == "00112233-4455-4677-8899-aabbccddeeff");
  CHECK(uuid_from("ffffffffffffffffffffffffffffffff").substr(14, 1) == "4");
}

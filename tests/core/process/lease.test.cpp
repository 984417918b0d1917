#include "core/process/lease.hpp"

#include <doctest/doctest.h>

using namespace resilient::process;

namespace {

const lease_record record{"here", "boot-1", "run-1", {100, 5}, {200, 6}, false, "/runs/run-1"};

lease_surroundings surroundings(std::optional<std::uint64_t> start_time_of_200) {
  return {"here", "boot-1", [=](int pid) { return pid == 200 ? start_time_of_200 : std::nullopt; }};
}

} // namespace

TEST_CASE("what an earlier holder's record means") {
  struct row {
    const char* what;
    std::string text;
    std::optional<std::uint64_t> alive;
    lease_finding::kind found;
  };
  lease_record released = record;
  released.released = true;
  lease_record foreign = record;
  foreign.host = "elsewhere";
  lease_record other_boot = record;
  other_boot.boot_id = "boot-0";
  lease_record childless = record;
  childless.child = {};
  const std::string whole = format_lease(record);
  const row rows[] = {
      {"fresh file", "", 6, lease_finding::kind::free},
      {"orderly end", format_lease(released), 6, lease_finding::kind::free},
      {"child alive", whole, 6, lease_finding::kind::leftover},
      {"child gone", whole, std::nullopt, lease_finding::kind::free},
      {"pid reused", whole, 7, lease_finding::kind::free},
      {"other boot", format_lease(other_boot), 6, lease_finding::kind::free},
      {"no child yet", format_lease(childless), 6, lease_finding::kind::free},
      {"other host", format_lease(foreign), 6, lease_finding::kind::refused},
      {"half written", whole.substr(0, whole.size() / 2), 6, lease_finding::kind::refused},
      {"not ours", "hello", 6, lease_finding::kind::refused},
      {"wrong types", "{\"host\":1}", 6, lease_finding::kind::refused},
      {"negative pid",
       "{\"host\":\"here\",\"boot_id\":\"boot-1\",\"run_id\":\"r\",\"owner\":{\"pid\":-1,"
       "\"start_time\":0},\"child\":{\"pid\":0,\"start_time\":0},\"released\":false}",
       6, lease_finding::kind::refused},
  };
  for (const row& row : rows) {
    CAPTURE(row.what);
    const lease_finding finding = judge_lease("/s.jsonl.lease", row.text, surroundings(row.alive));
    CHECK(finding.what == row.found);
    if (row.found == lease_finding::kind::refused) {
      CHECK(finding.message.find("/s.jsonl.lease") != std::string::npos);
      CHECK(finding.message.find("empty the file") != std::string::npos);
    }
    if (row.found == lease_finding::kind::leftover) {
      CHECK(finding.child == record.child);
    }
  }
}

TEST_CASE("a record reads back as it was written") {
  const auto read = parse_lease(format_lease(record));
  REQUIRE(read.has_value());
  CHECK(*read == record);
}

TEST_CASE("a held lease names path, pid, host and what to do, also when its record is unreadable") {
  const std::string told = describe_holder("/s.jsonl.lease", format_lease(record));
  for (const char* part :
       {"/s.jsonl.lease", "pid 100", "here", "run-1", "pi-resilient stop run-1,"}) {
    CHECK(told.find(part) != std::string::npos);
  }
  lease_record elsewhere = record;
  elsewhere.run_folder = "/a b";
  CHECK(describe_holder("/s.jsonl.lease", format_lease(elsewhere))
            .find("pi-resilient stop --run-dir '/a b',")
        != std::string::npos);
  lease_record sidecar = record;
  sidecar.run_folder.clear();
  CHECK(describe_holder("/s.jsonl.lease", format_lease(sidecar)).find("End that Pi,")
        != std::string::npos);
  CHECK(describe_holder("/s.jsonl.lease", "{").find("/s.jsonl.lease") != std::string::npos);
}

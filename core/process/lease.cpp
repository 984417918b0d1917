#include "core/process/lease.hpp"

#include "core/support/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace resilient::process {

namespace {

using nlohmann::json;

json to_json(const process_identity& who) {
  return {{"pid", who.pid}, {"start_time", who.start_time}};
}

std::optional<process_identity> identity_in(const json& data, const char* key) {
  const auto found = data.find(key);
  if (found == data.end() || !found->is_object()) {
    return std::nullopt;
  }
  const auto pid = found->find("pid");
  const auto start = found->find("start_time");
  if (pid == found->end() || !pid->is_number_unsigned() || start == found->end()
      || !start->is_number_unsigned() || pid->get<std::uint64_t>() > 0x7fffffff) {
    return std::nullopt;
  }
  return process_identity{pid->get<int>(), start->get<std::uint64_t>()};
}

std::optional<std::string> text_in(const json& data, const char* key) {
  const auto found = data.find(key);
  return found != data.end() && found->is_string() ? std::optional{found->get<std::string>()}
                                                   : std::nullopt;
}

/// A run is found by its id as long as its folder has that name.
std::string how_to_stop(const lease_record& record) {
  if (record.run_folder.empty()) {
    return "End that Pi";
  }
  const std::string name = record.run_folder.substr(record.run_folder.rfind('/') + 1);
  return name == record.run_id
             ? fmt::format("Stop it with pi-resilient stop {}", record.run_id)
             : fmt::format("Stop it with pi-resilient stop --run-dir '{}'", record.run_folder);
}

} // namespace

std::string format_lease(const lease_record& record) {
  const json data{{"version", 1},
                  {"host", record.host},
                  {"boot_id", record.boot_id},
                  {"run_id", record.run_id},
                  {"run_folder", record.run_folder},
                  {"owner", to_json(record.owner)},
                  {"child", to_json(record.child)},
                  {"released", record.released}};
  return json_line(data) + "\n";
}

result<std::optional<lease_record>> parse_lease(const std::string& text) {
  if (text.empty()) {
    return std::optional<lease_record>{};
  }
  const json data = parse_json(text);
  if (!data.is_object()) {
    return fail(error_kind::data, "it is not a lease record");
  }
  const auto host = text_in(data, "host");
  const auto boot_id = text_in(data, "boot_id");
  const auto run_id = text_in(data, "run_id");
  const auto owner = identity_in(data, "owner");
  const auto child = identity_in(data, "child");
  const auto released = data.find("released");
  if (!host || !boot_id || !run_id || !owner || !child || released == data.end()
      || !released->is_boolean()) {
    return fail(error_kind::data, "its record is incomplete");
  }
  return std::optional{lease_record{*host, *boot_id, *run_id, *owner, *child, released->get<bool>(),
                                    text_in(data, "run_folder").value_or("")}};
}

lease_finding judge_lease(const std::string& path, const std::string& text,
                          const lease_surroundings& here) {
  const auto record = parse_lease(text);
  if (!record) {
    return {lease_finding::kind::refused,
            {},
            fmt::format("{} cannot be read: {}. Nobody on this machine holds its lock. When no "
                        "other machine works on this session, empty the file and start again.",
                        path, record.error().message)};
  }
  if (!*record || (*record)->released) {
    return {};
  }
  const lease_record& last = **record;
  if (last.host != here.host) {
    return {lease_finding::kind::refused,
            {},
            fmt::format("{} belongs to pid {} on {}, which has not let go of it. When that program "
                        "is gone for good, empty the file and start again.",
                        path, last.owner.pid, last.host)};
  }
  if (last.boot_id != here.boot_id || last.child.pid == 0) {
    return {};
  }
  if (here.start_time(last.child.pid) == last.child.start_time) {
    return {lease_finding::kind::leftover, last.child, {}};
  }
  return {};
}

std::string describe_holder(const std::string& path, const std::string& text) {
  const auto record = parse_lease(text);
  if (record && *record) {
    return fmt::format("This session is in use: pid {} on {} (run {}) holds {}. {}, or choose "
                       "another session.",
                       (*record)->owner.pid, (*record)->host, (*record)->run_id, path,
                       how_to_stop(**record));
  }
  return fmt::format("This session is in use: somebody holds {}. End that program, or choose "
                     "another session.",
                     path);
}

} // namespace resilient::process

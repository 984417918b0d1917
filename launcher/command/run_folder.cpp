#include "launcher/command/run_folder.hpp"

#include "core/support/calendar.hpp"
#include "core/support/json_text.hpp"
#include "core/support/text.hpp"

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace resilient::launcher {

namespace {

constexpr std::size_t longest_record = 64U << 10U;

/// A sentence as a remark in parentheses.
std::string remark(std::string sentence) {
  if (!sentence.empty() && sentence.back() == '.') {
    sentence.pop_back();
  }
  return sentence;
}

result<void> check_private(const files& disk, const std::string& path) {
  const auto status = disk.status(path);
  if (!status || !*status) {
    return fail(error_kind::no_create, "The run folder {} vanished while it was made.", path);
  }
  if ((*status)->kind != file_kind::folder) {
    return fail(error_kind::no_create,
                "The run folder {} is no folder. Give another one with --run-dir.", path);
  }
  if ((*status)->owner != ::geteuid() || ((*status)->mode & 022U) != 0) {
    return fail(
        error_kind::no_permission,
        "The run folder {} can be written to by others. Make it yours alone (chmod 700), or "
        "give another one with --run-dir.",
        path);
  }
  return {};
}

result<void> make_folder(files& disk, const std::string& path) {
  if (const auto there = disk.status(path);
      there && *there && (*there)->kind != file_kind::folder) {
    return fail(error_kind::no_create,
                "The run folder {} cannot be made: a file is in its place. Give another one with "
                "--run-dir.",
                path);
  }
  if (const auto made = disk.make_folders(path, 0700); !made) {
    return fail(error_kind::no_create,
                "The run folder {} cannot be made ({}). Make its parent a writable folder, or give "
                "another one with --run-dir.",
                path, remark(made.error().message));
  }
  return {};
}

result<run_folder> lock_folder(files& disk, const std::string& path, const std::string& id) {
  if (const auto checked = check_private(disk, path); !checked) {
    return tl::unexpected{checked.error()};
  }
  auto lock = disk.lock(path + "/" + run_lock_name);
  if (lock) {
    return run_folder{id, path, std::move(*lock)};
  }
  if (lock.error().kind == error_kind::busy) {
    const auto holder = read_run_record(disk, path);
    return fail(error_kind::busy,
                "Another pi-resilient (process {}) uses the run folder {}. Stop it (pi-resilient "
                "stop --run-dir {}), or give another one with --run-dir.",
                holder ? std::to_string(holder->pid) : "unknown", path, path);
  }
  return fail(error_kind::no_create,
              "The run folder {} cannot be written to ({}). Make it writable, or give another one "
              "with --run-dir.",
              path, remark(lock.error().message));
}

} // namespace

std::string runs_folder(const std::string& agent_folder) {
  return agent_folder + "/resilient/runs";
}

std::string make_run_id(wall_time now, const std::string& random_hex) {
  std::string id;
  // "2026-11-30T19:14:03.250Z" without what separates.
  for (const char byte : to_iso(now).substr(0, 19)) {
    if (byte != '-' && byte != ':') {
      id += byte;
    }
  }
  return id + "Z-" + random_hex;
}

bool is_run_id(const std::string& name) {
  constexpr std::size_t time_length = 16; // 20261130T191403Z
  if (name.size() < time_length + 2 || name[8] != 'T' || name[15] != 'Z' || name[16] != '-') {
    return false;
  }
  return std::all_of(name.begin(), name.begin() + 8, is_ascii_digit)
         && std::all_of(name.begin() + time_length + 1, name.end(), [](char byte) {
              return is_ascii_digit(byte) || (byte >= 'a' && byte <= 'f');
            });
}

result<run_folder> make_run_folder(files& disk, const std::string& path, const std::string& id) {
  if (const auto made = make_folder(disk, path); !made) {
    return tl::unexpected{made.error()};
  }
  if (const auto entries = disk.list(path);
      entries && !entries->empty() && !disk.exists(path + "/" + run_lock_name)) {
    return fail(error_kind::no_create,
                "The run folder {} holds {} and is no run's. Give a new or an empty folder with "
                "--run-dir.",
                path, entries->front().name);
  }
  return lock_folder(disk, path, id);
}

result<void> restore_run_folder(files& disk, run_folder& folder) {
  return make_folder(disk, folder.path)
      .and_then([&] { return lock_folder(disk, folder.path, folder.id); })
      .map([&](run_folder made) { folder = std::move(made); });
}

result<void> write_run_record(run_folder& folder, int pid, const std::string& socket) {
  const nlohmann::json record{{"run_id", folder.id}, {"pid", pid}, {"socket", socket}};
  return folder.lock->write(json_line(record) + "\n");
}

std::optional<run_record> read_run_record(const files& disk, const std::string& path) {
  const auto text = disk.read(path + "/" + run_lock_name, longest_record);
  const auto record = text ? parse_json(*text) : nlohmann::json(nullptr);
  if (!record.is_object() || !record.value("run_id", nlohmann::json{}).is_string()
      || !record.value("pid", nlohmann::json{}).is_number_integer()
      || !record.value("socket", nlohmann::json{}).is_string()) {
    return std::nullopt;
  }
  return run_record{record["run_id"].get<std::string>(), record["pid"].get<int>(),
                    record["socket"].get<std::string>()};
}

std::vector<std::string> list_runs(const files& disk, const std::string& runs) {
  std::vector<std::string> found;
  if (const auto entries = disk.list(runs)) {
    for (const folder_entry& each : *entries) {
      if (each.kind == file_kind::folder && is_run_id(each.name)) {
        found.push_back(each.name);
      }
    }
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

void prune_runs(files& disk, const std::string& runs, std::size_t keep) {
  const auto all = list_runs(disk, runs);
  for (std::size_t at = keep; at < all.size(); ++at) {
    const std::string path = runs + "/" + all[at];
    // Whoever lives there holds the lock.
    const auto lock = disk.lock(path + "/" + run_lock_name);
    if (lock) {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  }
}

} // namespace resilient::launcher

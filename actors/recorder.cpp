#include "actors/recorder.hpp"

#include "core/support/calendar.hpp"
#include "messages/directives.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>

namespace resilient {

namespace {

constexpr std::size_t event_files = 4;
constexpr std::chrono::minutes between_complaints{10};
constexpr std::size_t scanned_session_bytes = 1U << 20U;

std::string quoted(const std::string& text) {
  return bridge::encode(text);
}

} // namespace

recorder::recorder(caf::actor_config& config, resilient::context context, recorder_options options,
                   std::shared_ptr<files> disk)
    : guarded_actor{config, std::move(context), "recorder"}, options_{std::move(options)},
      disk_{std::move(disk)} {}

void recorder::on_exit() {
  if (lease_.lock) {
    write_record(lease_, true);
  }
  lease_ = {};
  reserved_ = {};
  events_.reset();
  guarded_actor::on_exit();
}

recorder::behavior_type recorder::make_behavior() {
  return {
      handle<message::record_runtime>(
          [this](const auto& record) { replace("runtime.json", last_runtime_, record.json); }),
      handle<message::record_supervisor>([this](const auto& record) {
        replace("supervisor.json", last_supervisor_, record.json);
      }),
      handle<message::record_event>([this](const auto& event) { write_event(event); }),
      answer<message::lease_answer, message::claim_lease>(
          [this](const auto& request) { return claim(request.session_file); }),
      answer<message::lease_answer, message::reserve_lease>(
          [this](const auto& request) { return reserve(request.session_file); }),
      handle<message::update_lease>([this](const auto& update) {
        child_ = {update.child_pid, update.child_start_time};
        if (lease_.lock) {
          write_record(lease_, false);
        }
      }),
      handle<message::release_lease>([this](const auto&) {
        if (lease_.lock) {
          write_record(lease_, true);
        }
        lease_ = {};
        reserved_ = {};
      }),
      answer<message::mended, message::mend_session>(
          [this](const auto& request) { return mend(request.session_file); }),
      handle_introduction(),
      answer<message::status_part, message::describe>([this](const auto&) {
        return message::status_part{"recorder", bridge::encode({{"folder", options_.run_folder},
                                                                {"lease", lease_.path},
                                                                {"problem", problem_}})};
      }),
      handle_stop(),
  };
}

/// The lease stays: its lock is the truth. What was written last is forgotten, so that the next
/// record is written whole.
void recorder::rebuild() {
  last_runtime_.clear();
  last_supervisor_.clear();
  events_.reset();
}

void recorder::replace(const char* name, std::string& last, const std::string& json) {
  if (options_.run_folder.empty() || json == last) {
    return;
  }
  const auto written = disk_->replace(options_.run_folder + "/" + name, json + "\n", 0600);
  if (written) {
    last = json;
    problem_.clear();
  } else {
    note(written.error().message);
  }
}

void recorder::note(const std::string& problem) {
  problem_ = problem;
  const boot_time here = now().boot;
  if (peers() == nullptr || (told_at_ && here - *told_at_ < between_complaints)) {
    return;
  }
  told_at_ = here;
  cafx::tell(peers()->session,
             message::show_notice{
                 goal::notice_level::warning,
                 fmt::format("pi-resilient cannot write what a restart needs to know: {}. Mend "
                             "that; until then a restart goes on from what was written last.",
                             problem)});
}

void recorder::write_event(const message::record_event& event) {
  if (options_.run_folder.empty()) {
    return;
  }
  const std::string path = options_.run_folder + "/events.jsonl";
  if (events_ && !disk_->exists(path)) {
    events_.reset(); // somebody removed the file, and nobody would ever read what goes into it
  }
  if (!events_) {
    // Made here, so that nobody but the user can read it.
    if (const auto made = disk_->append(path, ""); !made) {
      note(made.error().message);
      return;
    }
    // The library reports a folder that cannot be written to by an exception only.
    try {
      // Each of its files is private, also those that a rotation makes.
      spdlog::file_event_handlers on_file;
      on_file.after_open = [](const spdlog::filename_t&, std::FILE* file) {
        ::fchmod(::fileno(file), S_IRUSR | S_IWUSR);
      };
      auto sink = std::make_shared<spdlog::sinks::rotating_file_sink_st>(
          path, options_.event_file_bytes, event_files - 1, false, on_file);
      events_ = std::make_shared<spdlog::logger>("events", std::move(sink));
      events_->set_pattern("%v");
      events_->flush_on(spdlog::level::info);
      // Its own handler would write into the terminal that Pi draws on.
      events_->set_error_handler([this](const std::string& problem) { note(problem); });
    } catch (const spdlog::spdlog_ex& failure) {
      note(failure.what());
      return;
    }
  }
  events_->info("{{\"at\":{},\"component\":{},\"id\":{},\"facts\":{}}}", quoted(to_iso(now().wall)),
                quoted(event.component), quoted(event.id),
                event.facts.empty() ? "{}" : event.facts);
}

message::lease_answer recorder::claim(const std::string& session_file) {
  const std::string path = lease_path(session_file);
  message::lease_answer answer{true, {}, {}, {}};
  // Somebody may have removed the file by hand, and then its lock keeps nobody out.
  if (lease_.path == path && lease_.lock->in_place()) {
    reserved_ = {};
    return answer;
  }
  held_lease taken;
  if (reserved_.path == path) {
    taken = std::exchange(reserved_, {});
  } else {
    answer = take(path, taken);
    if (!answer.granted) {
      return answer;
    }
  }
  if (lease_.lock) {
    write_record(lease_, true);
  }
  lease_ = std::move(taken);
  reserved_ = {};
  write_record(lease_, false);
  return answer;
}

message::lease_answer recorder::reserve(const std::string& session_file) {
  const std::string path = lease_path(session_file);
  if (path == lease_.path || path == reserved_.path) {
    return {true, {}, {}, {}};
  }
  held_lease taken;
  message::lease_answer answer = take(path, taken);
  if (answer.granted) {
    reserved_ = std::move(taken);
  }
  return answer;
}

message::lease_answer recorder::take(const std::string& path, held_lease& taken) {
  const auto folder = disk_->make_folders(parent_path(path));
  if (!folder) {
    return {false, folder.error().message, {}, {}};
  }
  auto lock = disk_->lock(path);
  if (!lock) {
    if (lock.error().kind == error_kind::busy) {
      const auto record = disk_->read(path, 1U << 16U);
      return {false, process::describe_holder(path, record ? *record : std::string{}), {}, {}};
    }
    return {false,
            fmt::format("The session cannot be locked, so another program could work on it at the "
                        "same time: {}",
                        lock.error().message),
            {},
            {}};
  }
  const auto record = (*lock)->read();
  if (!record) {
    return {false, record.error().message, {}, {}};
  }
  const process::lease_finding finding = process::judge_lease(path, *record, options_.surroundings);
  if (finding.what == process::lease_finding::kind::refused) {
    return {false, finding.message, {}, {}};
  }
  message::lease_answer answer{true, {}, {}, {}};
  if (finding.what == process::lease_finding::kind::leftover) {
    answer.leftover = finding.child;
  }
  if (const auto last = process::parse_lease(*record); last && *last && !(*last)->released) {
    answer.dead_run = (*last)->boot_id == options_.surroundings.boot_id ? (*last)->run_id : "";
  }
  taken = {path, std::move(*lock)};
  return answer;
}

void recorder::write_record(held_lease& lease, bool released) {
  const auto written = lease.lock->write(process::format_lease(
      {options_.surroundings.host, options_.surroundings.boot_id, options_.run_id, options_.owner,
       released ? process::process_identity{} : child_, released, options_.run_folder}));
  if (!written) {
    note(written.error().message);
  }
}

/// A Pi below 0.84 appends to a torn last line and loses the history by it.
message::mended recorder::mend(const std::string& session_file) {
  const auto status = disk_->status(session_file);
  if (!status) {
    return {false, status.error().message, false};
  }
  if (!*status) {
    auto made = disk_->make_folders(parent_path(session_file));
    if (made) {
      made = disk_->append(session_file, "");
    }
    return made ? message::mended{} : message::mended{false, made.error().message, false};
  }
  const auto end = disk_->read_end(session_file, 1);
  if (!end) {
    return {false, end.error().message, false};
  }
  if (!end->empty() && end->back() != '\n') {
    const auto ended = disk_->append(session_file, "\n");
    if (!ended) {
      return {false, ended.error().message, false};
    }
    log("session.mended", nlohmann::json{{"file", session_file}}.dump());
  }
  const auto begin = disk_->read_begin(session_file, scanned_session_bytes);
  const bool has_messages = !begin || begin->find("\"type\":\"message\"") != std::string::npos;
  return {true, {}, has_messages};
}

/// Two paths to one session file are one lease.
std::string recorder::lease_path(const std::string& session_file) {
  std::error_code failed;
  const auto canonical = std::filesystem::weakly_canonical(session_file, failed);
  return (failed ? session_file : canonical.string()) + ".lease";
}

} // namespace resilient

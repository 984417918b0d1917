#include "launcher/child/commands.hpp"

#include "core/support/calendar.hpp"
#include "core/support/descriptor.hpp"
#include "launcher/child/helper_output.hpp"
#include "launcher/child/helper_process.hpp"

#include <asio/buffer.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

namespace resilient::launcher {

namespace {

using namespace std::chrono_literals;

constexpr const char* shell = "/bin/sh";
constexpr std::chrono::milliseconds last_look = 10ms; // between looks at what shall end with us

/// Whether a child of ours has ended; it stays to be reaped.
bool has_ended(pid_t pid) {
  siginfo_t end{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &end, WEXITED | WNOHANG | WNOWAIT) != 0
         || end.si_pid == pid;
}

} // namespace

/// One command from its start to its end.
class command_runner::running_command : public std::enable_shared_from_this<running_command> {
public:
  running_command(io_loop& loop, command_request request, std::function<void(command_result)> done,
                  std::chrono::milliseconds grace)
      : request_{std::move(request)}, done_{std::move(done)}, grace_{grace}, input_{loop.context()},
        output_{loop, [this](std::string_view written) { keep(written); }}, timer_{loop.context()} {
  }

  void begin(pid_t pid, const descriptor& input, const descriptor& output) {
    pid_ = pid;
    ::fcntl(input.get(), F_SETFL, O_NONBLOCK);
    // A line fits into the pipe, so that it has arrived even when the program ends now.
    const ssize_t count = ::write(input.get(), request_.input.data(), request_.input.size());
    written_ = count > 0 ? static_cast<std::size_t>(count) : 0;
    std::error_code failed;
    if (written_ < request_.input.size() && (count >= 0 || errno == EAGAIN)) {
      input_.assign(another(input), failed);
      write();
    }
    output_.begin(output, shared_from_this());
    timer_.expires_after(request_.deadline);
    timer_.async_wait([self = shared_from_this()](std::error_code cancelled) {
      if (!cancelled) {
        self->run_out_of_time();
      }
    });
  }

  void end(const process::exit_status& status) {
    pid_ = 0;
    timer_.cancel();
    output_.take();
    close();
    answer(status == process::exit_status{process::exited{0}}, process::describe(status));
  }

  /// Our own end: nobody listens any more.
  void forget() {
    done_ = nullptr;
    timer_.cancel();
    close();
  }

  [[nodiscard]] bool ends_with_us() const { return request_.ends_with_us; }

  void signal(int number) const { signal_group(pid_, number); }

private:
  void write() {
    input_.async_write_some(
        asio::buffer(request_.input.data() + written_, request_.input.size() - written_),
        [self = shared_from_this()](std::error_code failed, std::size_t count) {
          self->written_ += count;
          if (failed || self->written_ >= self->request_.input.size()) {
            std::error_code ignored;
            self->input_.close(ignored);
          } else {
            self->write();
          }
        });
  }

  void keep(std::string_view written) {
    kept_.append(written);
    if (kept_.size() > request_.kept_output) {
      kept_.erase(0, kept_.size() - request_.kept_output);
    }
  }

  void run_out_of_time() {
    answer(false, fmt::format("no end within {}", to_words(request_.deadline)));
    signal(SIGTERM);
    timer_.expires_after(grace_);
    timer_.async_wait([self = shared_from_this()](std::error_code cancelled) {
      if (!cancelled) {
        self->signal(SIGKILL);
      }
    });
  }

  void answer(bool succeeded, std::string how) {
    if (auto done = std::exchange(done_, nullptr)) {
      done({succeeded, std::move(how), std::move(kept_)});
    }
    kept_.clear();
  }

  void close() {
    std::error_code ignored;
    input_.close(ignored);
    output_.close();
  }

  command_request request_;
  std::function<void(command_result)> done_;
  std::chrono::milliseconds grace_;
  asio::posix::stream_descriptor input_;
  helper_output output_;
  asio::steady_timer timer_;
  std::size_t written_ = 0;
  std::string kept_;
  pid_t pid_ = 0;
};

command_runner::command_runner(io_loop& loop, std::function<void(pid_t)> started,
                               std::chrono::milliseconds grace)
    : loop_{loop}, started_{std::move(started)}, grace_{grace} {}

/// A check may build for an hour for nobody; a message to a person is left to arrive.
command_runner::~command_runner() {
  std::vector<pid_t> ending;
  for (const auto& [pid, command] : running_) {
    command->forget();
    if (command->ends_with_us()) {
      command->signal(SIGTERM);
      ending.push_back(pid);
    }
  }
  for (auto waited = 0ms; !ending.empty() && waited < grace_; waited += last_look) {
    std::erase_if(ending, has_ended);
    std::this_thread::sleep_for(last_look);
  }
  for (const pid_t pid : ending) {
    running_[pid]->signal(SIGKILL);
  }
}

void command_runner::run(command_request request, std::function<void(command_result)> done) {
  loop_.post([this, request = std::move(request), done = std::move(done)]() mutable {
    start(std::move(request), std::move(done));
  });
}

void command_runner::start(command_request request, std::function<void(command_result)> done) {
  auto input = make_pipe();
  auto output = make_pipe();
  if (!input || !output) {
    done({false, (!input ? input : output).error().message, {}});
    return;
  }
  const auto pid = start_helper({{shell, "-c", request.command},
                                 request.folder,
                                 input->reading.get(),
                                 output->writing.get()});
  if (!pid) {
    done({false,
          fmt::format("it could not be started in {} ({})",
                      request.folder.empty() ? "this folder" : request.folder,
                      std::strerror(pid.error())),
          {}});
    return;
  }
  const auto command =
      std::make_shared<running_command>(loop_, std::move(request), std::move(done), grace_);
  running_[*pid] = command;
  started_(*pid);
  command->begin(*pid, input->writing, output->reading);
}

void command_runner::on_ended(pid_t pid, const process::exit_status& status) {
  const auto found = running_.find(pid);
  if (found != running_.end()) {
    const auto command = found->second;
    running_.erase(found);
    command->end(status);
  }
}

} // namespace resilient::launcher

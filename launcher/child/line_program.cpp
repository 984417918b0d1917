#include "launcher/child/line_program.hpp"

#include "launcher/child/helper_output.hpp"
#include "launcher/child/helper_process.hpp"

#include <asio/buffer.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <fcntl.h>
#include <fmt/format.h>

#include <csignal>
#include <cstring>
#include <utility>

namespace resilient::launcher {

namespace {

constexpr std::size_t longest_answer = std::size_t{4} << 20U;

} // namespace

/// One process from its start to its end.
class line_program::running_program : public std::enable_shared_from_this<running_program> {
public:
  running_program(io_loop& loop, std::vector<std::string> command, std::chrono::milliseconds grace)
      : command_{std::move(command)}, grace_{grace}, input_{loop.context()},
        output_{loop, [this](std::string_view written) { take_lines(written); }},
        deadline_{loop.context()}, patience_{loop.context()} {}

  void begin(pid_t pid, const descriptor& input, const descriptor& output) {
    pid_ = pid;
    std::error_code failed;
    input_.assign(another(input), failed);
    input_.non_blocking(true, failed);
    output_.begin(output, shared_from_this());
  }

  [[nodiscard]] const std::vector<std::string>& command() const { return command_; }
  [[nodiscard]] bool owes() const { return done_ != nullptr || owes_line_; }
  [[nodiscard]] std::chrono::steady_clock::duration asked_for() const {
    return std::chrono::steady_clock::now() - asked_at_;
  }

  void ask(const std::string& line, std::chrono::milliseconds deadline,
           std::function<void(line_answer)> done) {
    done_ = std::move(done);
    asked_at_ = std::chrono::steady_clock::now();
    unwritten_ += line + "\n";
    write();
    deadline_.expires_after(deadline);
    deadline_.async_wait([self = shared_from_this(), deadline](std::error_code cancelled) {
      if (!cancelled && self->done_) {
        self->owes_line_ = true;
        self->answer({false, fmt::format("no answer within {} ms", deadline.count())});
      }
    });
  }

  /// Asks it to end: by the end of its input, and by signals.
  void stop(const std::string& why) {
    answer({false, why});
    std::error_code ignored;
    input_.close(ignored);
    signal_group(pid_, SIGTERM);
    patience_.expires_after(grace_);
    patience_.async_wait([self = shared_from_this()](std::error_code cancelled) {
      if (!cancelled) {
        signal_group(self->pid_, SIGKILL);
      }
    });
  }

  void end(const process::exit_status& status) {
    output_.take();
    pid_ = 0;
    answer({false, "it ended, " + process::describe(status)});
    close();
  }

  /// Our own end: nobody listens any more.
  void forget() {
    done_ = nullptr;
    signal_group(pid_, SIGTERM);
    close();
  }

private:
  void write() {
    if (writing_ || !input_.is_open() || unwritten_.empty()) {
      return;
    }
    writing_ = true;
    input_.async_write_some(asio::buffer(unwritten_),
                            [self = shared_from_this()](std::error_code failed, std::size_t count) {
                              self->writing_ = false;
                              self->unwritten_.erase(0, count);
                              if (!failed) {
                                self->write();
                              }
                            });
  }

  void take_lines(std::string_view written) {
    received_.append(written);
    std::size_t from = 0;
    for (std::size_t end = received_.find('\n'); end != std::string::npos;
         end = received_.find('\n', from)) {
      take_line(received_.substr(from, end - from));
      from = end + 1;
    }
    received_.erase(0, from);
    if (received_.size() > longest_answer) {
      received_.clear();
      stop("its answer was too long");
    }
  }

  void take_line(std::string line) {
    // A line that nobody waits for is late, or was never asked for.
    if (done_) {
      answer({true, std::move(line)});
    }
    owes_line_ = false;
  }

  void answer(line_answer what) {
    deadline_.cancel();
    if (auto done = std::exchange(done_, nullptr)) {
      done(std::move(what));
    }
  }

  void close() {
    deadline_.cancel();
    patience_.cancel();
    std::error_code ignored;
    input_.close(ignored);
    output_.close();
  }

  std::vector<std::string> command_;
  std::chrono::milliseconds grace_;
  asio::posix::stream_descriptor input_;
  helper_output output_;
  asio::steady_timer deadline_;
  asio::steady_timer patience_;
  std::string received_;
  std::string unwritten_;
  bool writing_ = false;
  std::function<void(line_answer)> done_;
  bool owes_line_ = false; ///< the answer to a question that nobody waits for any more
  std::chrono::steady_clock::time_point asked_at_;
  pid_t pid_ = 0;
};

line_program::line_program(io_loop& loop, std::function<void(pid_t)> started)
    : line_program{loop, std::move(started), limits{}} {}

line_program::line_program(io_loop& loop, std::function<void(pid_t)> started, limits bounds)
    : loop_{loop}, started_{std::move(started)}, limits_{bounds} {}

line_program::~line_program() {
  for (const auto& [pid, each] : running_) {
    each->forget();
  }
}

void line_program::ask(line_question question, std::function<void(line_answer)> done) {
  loop_.post([this, question = std::move(question), done = std::move(done)]() mutable {
    put(question, std::move(done));
  });
}

void line_program::end() {
  loop_.post([this] {
    stop_current();
    starts_ = 0;
  });
}

void line_program::stop_current() {
  if (current_) {
    std::exchange(current_, nullptr)->stop("it was ended");
  }
}

void line_program::put(const line_question& question, std::function<void(line_answer)> done) {
  if (current_ && current_->command() != question.command) {
    stop_current();
    starts_ = 0;
  }
  if (current_ && current_->owes()) {
    if (current_->asked_for() < limits_.owed_for) {
      done({false, "it has not answered the question before"});
      return;
    }
    stop_current();
  }
  if (!current_) {
    if (const auto started = start(question); !started) {
      done({false, started.error().message});
      return;
    }
  }
  current_->ask(question.line, question.deadline, std::move(done));
}

result<void> line_program::start(const line_question& question) {
  if (starts_ >= limits_.starts) {
    return fail(error_kind::unavailable, "it was started {} times and is not started again",
                starts_);
  }
  auto input = make_pipe();
  auto output = make_pipe();
  if (!input || !output) {
    return tl::unexpected{(!input ? input : output).error()};
  }
  const descriptor nowhere{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  ++starts_;
  const auto pid = start_helper({question.command, question.folder, input->reading.get(),
                                 output->writing.get(), nowhere.get()});
  if (!pid) {
    return fail(error_kind::system, "{} could not be started in {} ({})", question.command.front(),
                question.folder.empty() ? "this folder" : question.folder,
                std::strerror(pid.error()));
  }
  current_ = std::make_shared<running_program>(loop_, question.command, limits_.grace);
  running_[*pid] = current_;
  started_(*pid);
  current_->begin(*pid, input->writing, output->reading);
  return {};
}

void line_program::on_ended(pid_t pid, const process::exit_status& status) {
  const auto found = running_.find(pid);
  if (found == running_.end()) {
    return;
  }
  const auto program = found->second;
  running_.erase(found);
  if (current_ == program) {
    current_ = nullptr;
  }
  program->end(status);
}

} // namespace resilient::launcher

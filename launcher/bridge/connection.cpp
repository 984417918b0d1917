#include "launcher/bridge/connection.hpp"

#include <asio/buffer.hpp>
#include <asio/write.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <utility>

namespace resilient::launcher {

namespace {

/// The text of a string field of a JSON object; empty when there is none.
std::string text_of(const nlohmann::json& object, const char* field) {
  if (!object.is_object()) {
    return {};
  }
  const auto found = object.find(field);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

} // namespace

connection::connection(io_loop& loop, connection_id id, int reading, int writing, int peer_pid,
                       const bridge_limits& limits, bool patient,
                       std::function<void(bridge_event)> tell,
                       std::function<void(connection_id)> gone)
    : id_{id}, peer_pid_{peer_pid}, limits_{limits}, patient_{patient}, tell_{std::move(tell)},
      gone_{std::move(gone)}, stream_{loop.context()}, deadline_{loop.context()},
      pause_{loop.context()}, lines_{limits.longest_line} {
  std::error_code failed;
  stream_.assign(reading, failed);
  if (writing != reading) {
    separate_ = std::make_unique<asio::posix::stream_descriptor>(loop.context());
    separate_->assign(writing, failed);
  }
}

void connection::start() {
  second_began_ = std::chrono::steady_clock::now();
  if (!patient_) {
    drop_after(limits_.hello_within, "it did not say hello in time");
  }
  read();
}

void connection::read() {
  if (ended_ || closing_) {
    return;
  }
  stream_.async_read_some(asio::buffer(buffer_), [self = shared_from_this()](std::error_code failed,
                                                                             std::size_t count) {
    if (failed) {
      self->drop(failed == asio::error::eof ? "the other side closed it" : failed.message());
      return;
    }
    self->lines_.add({self->buffer_.data(), count});
    self->bytes_this_second_ += count;
    self->take_lines();
  });
}

void connection::take_lines() {
  const auto now = std::chrono::steady_clock::now();
  if (now - second_began_ >= std::chrono::seconds{1}) {
    second_began_ = now;
    lines_this_second_ = 0;
    bytes_this_second_ = 0;
  }
  while (!ended_ && !closing_) {
    if (lines_this_second_ >= limits_.lines_a_second
        || bytes_this_second_ >= limits_.bytes_a_second) {
      pause_reading();
      return;
    }
    auto line = lines_.next();
    if (!line) {
      break;
    }
    ++lines_this_second_;
    take(std::move(*line));
  }
  if (lines_.is_too_long()) {
    drop("it sent a line that is too long");
    return;
  }
  read();
}

void connection::take(std::string line) {
  if (role_ == role::control) {
    // It has asked its one question.
    return;
  }
  if (!said_hello_) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (role_ == role::unknown && !patient_ && !text_of(object, "request").empty()) {
      role_ = role::control;
      drop_after(limits_.hello_within, "it was not answered in time");
      tell_(message::control_line{id_, std::move(line)});
      return;
    }
    if (text_of(object, "type") == "hello") {
      said_hello_ = true;
      deadline_.cancel();
    }
  }
  if (std::exchange(role_, role::extension) == role::unknown) {
    tell_(message::connection_opened{id_, peer_pid_});
  }
  tell_(message::line_received{id_, std::move(line)});
}

/// A peer that sends more than anybody can need waits until the next second.
void connection::pause_reading() {
  pause_.expires_at(second_began_ + std::chrono::seconds{1});
  pause_.async_wait([self = shared_from_this()](std::error_code failed) {
    if (!failed) {
      self->take_lines();
    }
  });
}

void connection::write(std::string line) {
  if (ended_ || closing_) {
    return;
  }
  line += '\n';
  queued_bytes_ += line.size();
  if (queued_bytes_ > limits_.longest_queue) {
    drop("it reads too slowly");
    return;
  }
  queue_.push_back(std::move(line));
  flush();
}

void connection::flush() {
  if (writing_ || ended_) {
    return;
  }
  if (queue_.empty()) {
    if (closing_) {
      drop("closed by us");
    }
    return;
  }
  writing_ = true;
  asio::async_write(out(), asio::buffer(queue_.front()),
                    [self = shared_from_this()](std::error_code failed, std::size_t) {
                      self->writing_ = false;
                      if (failed) {
                        self->drop(failed.message());
                        return;
                      }
                      self->queued_bytes_ -= self->queue_.front().size();
                      self->queue_.pop_front();
                      self->flush();
                    });
}

void connection::close() {
  if (!ended_ && !std::exchange(closing_, true)) {
    drop_after(limits_.flush_within, "it did not take what was left for it");
    flush();
  }
}

void connection::drop_after(std::chrono::milliseconds delay, const char* why) {
  deadline_.expires_after(delay);
  deadline_.async_wait([self = shared_from_this(), why](std::error_code failed) {
    if (!failed) {
      self->drop(why);
    }
  });
}

void connection::drop(const std::string& why) {
  if (std::exchange(ended_, true)) {
    return;
  }
  const auto self = shared_from_this();
  deadline_.cancel();
  pause_.cancel();
  std::error_code ignored;
  stream_.close(ignored);
  if (separate_) {
    separate_->close(ignored);
  }
  if (role_ == role::extension || (patient_ && role_ == role::unknown)) {
    tell_(message::connection_closed{id_, why});
  }
  gone_(id_);
}

} // namespace resilient::launcher

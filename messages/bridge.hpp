#pragma once

#include "messages/ports.hpp"

#include <string>

/// From the I/O thread to `session`: what connections do.
namespace resilient::message {

/// An extension connected; its user id has been checked. A sidecar has exactly one connection.
struct connection_opened {
  connection_id connection = 0;
  int peer_pid = 0; ///< 0 when the system does not tell
};

/// One line of at most `bridge::longest_line` bytes, without its line ending.
struct line_received {
  connection_id connection = 0;
  std::string line;
};

/// The connection is gone, for whatever reason; nothing more comes from it.
struct connection_closed {
  connection_id connection = 0;
  std::string why;
};

/// One request line of `pi-resilient status` or `stop` on the control socket, answered by
/// `bridge_port::write` on the same connection, which is then closed.
struct control_line {
  connection_id connection = 0;
  std::string line; ///< `{"request":"status"}` or `{"request":"stop"}`
};

} // namespace resilient::message

namespace resilient::bridge {

/// Bytes of a line, its newline included.
inline constexpr std::size_t longest_line = 1U << 20U;
/// Bytes that may wait to be written to one connection before it is dropped.
inline constexpr std::size_t longest_queue = 4U << 20U;

} // namespace resilient::bridge

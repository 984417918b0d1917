#pragma once

#include "core/canon/mcp.hpp"

namespace resilient::canon {

/// Serves MCP over two descriptors until the input ends, the output is closed, the parent dies, or
/// SIGTERM, SIGINT or SIGHUP arrives; a message that is being answered is answered first. The exit
/// code of the program.
[[nodiscard]] int serve_mcp(mcp_server& server, int input, int output);

/// Writes one line to stderr for whoever looks at the server's log, or drops it when nobody reads:
/// the protocol never waits for the log.
void log_line(const std::string& text);

} // namespace resilient::canon

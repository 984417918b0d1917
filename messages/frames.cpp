#include "messages/frames.hpp"

#include "core/support/json_fields.hpp"
#include "core/support/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace resilient::bridge {

namespace {

using nlohmann::json;

using fields = json_fields;

session_identity session_of(fields& frame) {
  const json data = frame.object("session");
  fields session{data};
  session_identity identity{session.text_or_empty("file"), session.text_or_empty("id"),
                            session.text_or_empty("leaf")};
  if (!session.problem().empty()) {
    frame.complain("session", "an object of texts");
  }
  return identity;
}

branch_entries entries_of(fields& frame) {
  branch_entries entries;
  const json data = frame.object_or_empty("entries");
  for (const auto& [type, entry] : data.items()) {
    entries.emplace(type, entry);
  }
  return entries;
}

usage usage_of(fields& frame) {
  const json data = frame.object_or_empty("usage");
  const auto number = [&](const char* key) {
    const auto found = data.find(key);
    return found != data.end() && found->is_number() ? found->get<double>() : 0.0;
  };
  const auto tokens = [&](const char* key) {
    return static_cast<std::int64_t>(std::clamp(number(key), 0.0, 1e15));
  };
  return {tokens("input"), tokens("output"), std::clamp(number("cost"), 0.0, 1e12)};
}

frame read_hello(fields& from) {
  hello read;
  read.id = from.number("id");
  read.extension_version = from.text("extension_version");
  read.generation = from.text_or_empty("generation");
  read.secret = from.text_or_empty("secret");
  read.pid = from.count_or_zero("pid");
  read.pi_version = from.text_or_empty("pi_version");
  read.mode = from.text("mode");
  read.has_ui = from.flag_or("has_ui", false);
  read.cwd = from.text("cwd");
  read.agent_folder = from.text_or_empty("agent_folder");
  read.trusted = from.flag_or("trusted", false);
  read.reason = from.text("reason");
  read.previous_session_file = from.text_or_empty("previous_session_file");
  read.session = session_of(from);
  read.capabilities = from.texts_or_empty("capabilities");
  read.entries = entries_of(from);
  read.idle = from.flag_or("idle", true);
  read.pending = from.flag_or("pending", false);
  read.others = from.texts_or_empty("others");
  if (read.mode != "tui" && read.mode != "rpc" && read.mode != "print" && read.mode != "json") {
    from.complain("mode", "tui, rpc, print or json");
  }
  return read;
}

frame read_boundary(fields& from) {
  boundary read;
  read.id = from.number("id");
  const std::string at = from.text("at");
  if (at != "settled" && at != "agent_end") {
    from.complain("at", "settled or agent_end");
  }
  read.settled = at == "settled";
  read.stop = from.text("stop");
  read.error = from.text_or_empty("error");
  read.aborted = from.flag_or("aborted", false);
  read.escape = from.flag_or("escape", false);
  read.idle = from.flag_or("idle", true);
  read.pending = from.flag_or("pending", false);
  read.tool_calls = from.count_or_zero("tool_calls");
  read.turns = from.count_or_zero("turns");
  read.usage = usage_of(from);
  read.provider = from.text_or_empty("provider");
  return read;
}

frame read_turn(fields& from) {
  turn read;
  read.id = from.number("id");
  read.stop = from.text("stop");
  read.error = from.text_or_empty("error");
  read.text = from.text_or_empty("text");
  read.text_truncated = from.flag_or("text_truncated", false);
  read.has_tool_calls = from.flag("has_tool_calls");
  read.pending = from.flag_or("pending", false);
  read.continuing = from.flag_or("continuing", false);
  return read;
}

frame read_provider_response(fields& from) {
  provider_response read;
  read.status = from.count_or_zero("status");
  const json headers = from.object_or_empty("headers");
  for (const auto& [name, value] : headers.items()) {
    if (value.is_string()) {
      read.headers.emplace_back(name, value.get<std::string>());
    }
  }
  return read;
}

struct known_type {
  const char* name;
  frame (*read)(fields& from);
};

const known_type known_types[] = {
    {"hello", read_hello},
    {"boundary", read_boundary},
    {"turn", read_turn},
    {"before_settle",
     [](fields& from) -> frame {
       return before_settle{from.number("id"), from.text("outcome"),
                            from.flag_or("pending", false)};
     }},
    {"command",
     [](fields& from) -> frame {
       return command{from.number("id"), from.text("name"), from.text_or_empty("args"),
                      from.flag_or("idle", true)};
     }},
    {"tool",
     [](fields& from) -> frame {
       return tool{from.number("id"), from.text("tool"), from.text_or_empty("call_id"),
                   from.object("params")};
     }},
    {"switch",
     [](fields& from) -> frame {
       return session_switch{from.number("id"), from.text("reason"),
                             from.text_or_empty("target_file")};
     }},
    {"canon",
     [](fields& from) -> frame {
       return canon_request{from.number("id"), from.object_or_empty("body")};
     }},
    {"heartbeat",
     [](fields& from) -> frame {
       return heartbeat{from.flag_or("idle", false), from.flag_or("pending", false)};
     }},
    {"agent_start", [](fields&) -> frame { return agent_start{}; }},
    {"turn_end",
     [](fields& from) -> frame {
       return turn_end{from.text("stop"), from.text_or_empty("error"),
                       from.count_or_zero("tool_calls")};
     }},
    {"input",
     [](fields& from) -> frame {
       return input{from.text("source"), from.flag_or("streaming", false),
                    from.text_or_empty("text")};
     }},
    {"escape", [](fields&) -> frame { return escape{}; }},
    {"provider_response", read_provider_response},
    {"touch",
     [](fields& from) -> frame {
       return touch{from.text("tool"), from.text_or_empty("call_id"), from.object("input")};
     }},
    {"tool_end",
     [](fields& from) -> frame {
       return tool_end{from.text("tool"), from.text_or_empty("call_id"),
                       from.flag_or("is_error", false)};
     }},
    {"context", [](fields& from) -> frame { return context{from.texts_or_empty("gone")}; }},
    {"branch",
     [](fields& from) -> frame {
       return branch{session_of(from), entries_of(from)};
     }},
    {"compact",
     [](fields& from) -> frame {
       return compact{from.text_or_empty("reason"), from.flag_or("failed", false)};
     }},
    {"summary",
     [](fields& from) -> frame {
       return summary{from.number("re"), from.text_or_empty("stop"), from.text_or_empty("text"),
                      from.text_or_empty("error")};
     }},
    {"directive_result",
     [](fields& from) -> frame {
       directive_result read;
       read.token = from.text_or_empty("token");
       read.did = read.token.empty() ? from.number("did") : from.count_or_zero("did");
       read.ok = from.flag("ok");
       read.error = from.text_or_empty("error");
       return read;
     }},
    {"goodbye",
     [](fields& from) -> frame {
       return goodbye{from.text("reason"), from.text_or_empty("target_file")};
     }},
};

} // namespace

bool hello::can(std::string_view capability) const {
  return std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
}

tl::expected<frame, malformed> decode(std::string_view line) {
  const json data = parse_json(line);
  if (!data.is_object()) {
    return tl::unexpected{malformed{nests_too_deep(line) ? "the line nests too deep"
                                                         : "the line is not a JSON object",
                                    true,
                                    {},
                                    {}}};
  }
  malformed bad;
  if (const auto id = data.find("id"); id != data.end() && id->is_number_integer()) {
    bad.id = id->get<std::int64_t>();
  }
  const auto version = data.find("v");
  if (version == data.end() || !version->is_number_integer()) {
    bad.message = "field \"v\" (the protocol version) is missing";
    return tl::unexpected{bad};
  }
  if (version->get<std::int64_t>() != protocol_version) {
    bad.version = version->get<std::int64_t>();
    bad.message = fmt::format("this pi-resilient speaks protocol version {}, the extension speaks "
                              "{}: update {}",
                              protocol_version, *bad.version,
                              *bad.version > protocol_version ? "pi-resilient" : "the extension");
    return tl::unexpected{bad};
  }
  fields from{data};
  const std::string type = from.text("type");
  for (const known_type& known : known_types) {
    if (type == known.name) {
      frame read = known.read(from);
      if (from.problem().empty()) {
        return read;
      }
      bad.message = fmt::format("{}: {}", type, from.problem());
      return tl::unexpected{bad};
    }
  }
  bad.message = from.problem().empty() ? fmt::format("unknown type \"{}\"", type) : from.problem();
  return tl::unexpected{bad};
}

} // namespace resilient::bridge

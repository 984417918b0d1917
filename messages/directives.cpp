#include "messages/directives.hpp"

#include "core/support/json_text.hpp"
#include "messages/frames.hpp"

namespace resilient::bridge {

namespace {

using nlohmann::json;

json typed(const char* type) {
  return {{"v", protocol_version}, {"type", type}};
}

json body(const send_message& what) {
  json wire = typed("send");
  wire["text"] = what.text;
  wire["token"] = what.token;
  if (what.after) {
    wire["after"] = *what.after;
  }
  return wire;
}

json body(const append_entry& what) {
  json wire = typed("append");
  wire["custom_type"] = what.custom_type;
  wire["data"] = what.data;
  return wire;
}

json body(const set_status& what) {
  json wire = typed("status");
  wire["text"] = what.text;
  return wire;
}

json body(const show_notice& what) {
  json wire = typed("notify");
  wire["level"] = what.level;
  wire["text"] = what.text;
  return wire;
}

json body(const set_values& what) {
  json wire = typed("set");
  const auto add = [&](const char* key, const auto& value) {
    if (value) {
      wire[key] = *value;
    }
  };
  add("ask_turn", what.ask_turn);
  add("gate", what.gate);
  add("system_append", what.system_append);
  add("touch", what.touch);
  add("needles", what.needles);
  add("tools", what.tools);
  return wire;
}

json body(const steer& what) {
  json wire = typed("steer");
  wire["custom_type"] = what.custom_type;
  wire["text"] = what.text;
  if (what.with_next_prompt) {
    wire["when"] = "next_prompt";
  }
  return wire;
}

json body(const release&) {
  return typed("release");
}

json body(const abort_run&) {
  return typed("abort");
}

json body(const shut_down&) {
  return typed("shutdown");
}

json body(const resync&) {
  return typed("resync");
}

json body(const go_inert& what) {
  json wire = typed("inert");
  wire["message"] = what.message;
  return wire;
}

json body(const refused& what) {
  json wire = typed("refused");
  if (what.re) {
    wire["re"] = *what.re;
  }
  wire["message"] = what.message;
  return wire;
}

} // namespace

json to_json(const directive& what, std::int64_t did) {
  json wire = std::visit([](const auto& each) { return body(each); }, what);
  wire["did"] = did;
  return wire;
}

json reply_to(std::int64_t re) {
  json wire = typed("reply");
  wire["re"] = re;
  return wire;
}

std::string encode(const json& wire) {
  return json_line(wire);
}

} // namespace resilient::bridge

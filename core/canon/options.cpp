#include "core/canon/options.hpp"

#include "core/support/json_text.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace resilient::canon {

namespace {

using nlohmann::json;

/// Lays keys over options and gathers what is wrong with them.
class option_reader {
public:
  option_reader(options& target, options_source source) : target_(target), source_(source) {}

  void read(const std::string& key, const json& value) {
    if (key == "surface") {
      read_switch(key, value, target_.surface);
    } else if (key == "resurface") {
      read_switch(key, value, target_.resurface);
    } else if (key == "retrieval") {
      read_retrieval(value);
    } else if (key == "standout") {
      read_standout(value);
    } else if (key == "root" && source_ != options_source::user_file) {
      read_root(value);
    } else if (key == "mounts" && source_ != options_source::user_file) {
      read_mounts(value);
    } else if (source_ == options_source::user_file) {
      complain("There is no {} field in this file (allowed: surface, resurface, retrieval, "
               "standout).",
               key);
    } else {
      complain("There is no canon option \"{}\" (allowed: {}).", key,
               fmt::format("{}", fmt::join(option_keys(), ", ")));
    }
  }

  [[nodiscard]] const std::string& problems() const noexcept { return problems_; }

private:
  template <class... Args>
  void complain(fmt::format_string<Args...> format, Args&&... args) {
    problems_ += problems_.empty() ? "" : " ";
    problems_ += fmt::format(format, std::forward<Args>(args)...);
  }

  static std::string shown(const json& value) { return json_line(value); }

  void read_switch(const std::string& key, const json& value, bool& target) {
    if (value.is_boolean()) {
      target = value.get<bool>();
    } else if (value == "on" || value == "off") {
      target = value == "on";
    } else {
      complain("The option {} must be true, false, \"on\" or \"off\", not {}.", key, shown(value));
    }
  }

  void read_retrieval(const json& value) {
    const std::string name(value.is_string() ? trim(value.get_ref<const std::string&>())
                                             : std::string_view());
    if (name == "none" || name == "lexical") {
      target_.retrieval = name == "none" ? retrieval_kind::none : retrieval_kind::lexical;
      target_.retriever.reset();
    } else if (!value.is_object()) {
      complain("The option retrieval must be \"none\", \"lexical\" or an object with name and "
               "command, not {}.",
               shown(value));
    } else if (source_ == options_source::trusted_project) {
      complain("The option retrieval names a program to start; only the user's own settings may do "
               "that, not a project's.");
    } else {
      read_retriever(value);
    }
  }

  void read_retriever(const json& value) {
    custom_retriever read;
    const auto name = value.find("name");
    const auto command = value.find("command");
    if (name != value.end() && name->is_string()) {
      read.name = trim(name->get_ref<const std::string&>());
    }
    bool strings = command != value.end() && command->is_array();
    if (strings) {
      for (const json& part : *command) {
        strings = strings && part.is_string();
        read.command.push_back(part.is_string() ? part.get<std::string>() : std::string());
      }
    }
    if (read.name.empty() || !strings || read.command.empty() || read.command.front().empty()
        || value.size() != 2) {
      complain("The option retrieval, as an object, must hold a name that is not blank and a "
               "command that is a list of strings, and nothing else.");
      return;
    }
    target_.retrieval = retrieval_kind::custom;
    target_.retriever = std::move(read);
  }

  void read_standout(const json& value) {
    double number = 0;
    if (value.is_number()) {
      number = value.get<double>();
    } else if (value.is_string()) {
      const std::string text(trim(value.get_ref<const std::string&>()));
      char* end = nullptr;
      number = std::strtod(text.c_str(), &end);
      if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string::npos
          || *end != 0) {
        number = 0;
      }
    }
    if (std::isfinite(number) && number >= 1) {
      target_.standout = number;
    } else {
      complain("The option standout must be a number from 1 on, not {}.", shown(value));
    }
  }

  void read_root(const json& value) {
    if (value.is_string() && value.get_ref<const std::string&>().find('\0') == std::string::npos) {
      target_.root = value.get<std::string>();
    } else {
      complain("The option root must be the path of a folder, not {}.", shown(value));
    }
  }

  void read_mounts(const json& value) {
    std::vector<std::string> folders;
    bool paths = value.is_array();
    if (paths) {
      for (const json& part : value) {
        const std::string folder = part.is_string() ? part.get<std::string>() : std::string();
        paths = paths && !trim(folder).empty() && folder.find('\0') == std::string::npos;
        folders.push_back(folder);
      }
    }
    if (paths) {
      target_.mounts = std::move(folders);
    } else {
      complain("The option mounts must be a list of folders, not {}.", shown(value));
    }
  }

  options& target_;
  options_source source_;
  std::string problems_;
};

std::string_view without_mark(std::string_view text) {
  return starts_with(text, "\xEF\xBB\xBF") ? text.substr(3) : text;
}

} // namespace

const std::vector<std::string>& option_keys() {
  static const std::vector<std::string> keys = {"root",      "surface",  "resurface",
                                                "retrieval", "standout", "mounts"};
  return keys;
}

result<options> merge_options(const options& base, const json& value, options_source source) {
  if (!value.is_object()) {
    return fail(error_kind::config, "The canon options are not a JSON object.");
  }
  options merged = base;
  option_reader reader(merged, source);
  for (const auto& [key, each] : value.items()) {
    reader.read(key, each);
  }
  if (!reader.problems().empty()) {
    return fail(error_kind::config, "{}", reader.problems());
  }
  return merged;
}

result<options> parse_options(const options& base, std::string_view text, options_source source) {
  text = without_mark(text);
  if (trim(text).empty()) {
    return base;
  }
  const json parsed = parse_json(text);
  if (parsed.is_discarded()) {
    return fail(error_kind::config, "{}",
                nests_too_deep(text) ? "The settings nest too deep."
                                     : "The settings are not JSON.");
  }
  return merge_options(base, parsed, source);
}

bool turns_surfacing_off(const json& value) {
  const auto surface = value.is_object() ? value.find("surface") : value.end();
  return value.is_object() && surface != value.end() && (*surface == false || *surface == "off");
}

bool settings_file_turns_surfacing_off(std::string_view text) {
  return turns_surfacing_off(parse_json(without_mark(text)));
}

result<std::string> set_option(std::string_view text, const std::string& key,
                               const std::string& value) {
  text = without_mark(text);
  using ordered = nlohmann::ordered_json;
  if (nests_too_deep(text)) {
    return fail(error_kind::config, "The settings nest too deep; mend or remove the file.");
  }
  ordered settings = trim(text).empty() ? ordered::object() : ordered::parse(text, nullptr, false);
  if (!settings.is_object()) {
    return fail(error_kind::config, "The settings are not a JSON object; mend or remove the file.");
  }
  if (key == "surface" || key == "resurface") {
    if (value == "on" || value == "true") {
      settings[key] = true;
    } else if (value == "off" || value == "false") {
      settings[key] = false;
    } else {
      settings[key] = value; // and is refused below, with the reason
    }
  } else if (key == "standout") {
    const auto judged = merge_options({}, json{{key, value}}, options_source::user_file);
    if (!judged) {
      return tl::unexpected(judged.error());
    }
    settings[key] = judged->standout;
    if (std::floor(judged->standout) == judged->standout && judged->standout < 1e15) {
      settings[key] = static_cast<std::int64_t>(judged->standout);
    }
  } else {
    settings[key] = std::string(trim(value));
  }
  const std::string saved = json_page(settings) + "\n";
  const auto judged = parse_options({}, saved, options_source::user_file);
  return judged ? result<std::string>(saved) : tl::unexpected(judged.error());
}

result<std::string> show_option(const options& values, const std::string& key) {
  if (key == "root") {
    return values.root.empty() ? ".canon" : values.root;
  }
  if (key == "surface" || key == "resurface") {
    return std::string((key == "surface" ? values.surface : values.resurface) ? "on" : "off");
  }
  if (key == "retrieval") {
    return values.retrieval == retrieval_kind::none      ? "none"
           : values.retrieval == retrieval_kind::lexical ? "lexical"
           : values.retriever                            ? values.retriever->name
                                                         : "custom";
  }
  if (key == "standout") {
    return fmt::format("{}", values.standout);
  }
  if (key == "mounts") {
    return fmt::format("{}", fmt::join(values.mounts, ", "));
  }
  return fail(error_kind::usage, "There is no canon option \"{}\" (allowed: {}).", key,
              fmt::join(option_keys(), ", "));
}

} // namespace resilient::canon

#include "core/canon/edit_tools.hpp"

#include "core/canon/word_list.hpp"
#include "core/support/text.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace resilient::canon {

namespace {

/// Lower case, letters and digits only.
std::string compact(std::string_view name) {
  std::string kept;
  for (const char byte : ascii_lower(name)) {
    if (is_ascii_lower(byte) || is_ascii_digit(byte)) {
      kept += byte;
    }
  }
  return kept;
}

/// The words of `write_file`, `WriteFile` and `write-file`, in lower case.
std::vector<std::string> name_words(std::string_view name) {
  std::vector<std::string> words;
  bool is_inside = false;
  char before = '\0';
  for (const char byte : name) {
    const bool counts = is_ascii_letter(byte) || is_ascii_digit(byte);
    if (counts && (!is_inside || (is_ascii_upper(byte) && is_ascii_lower(before)))) {
      words.emplace_back();
    }
    if (counts) {
      words.back() += ascii_lower(std::string_view(&byte, 1));
    }
    is_inside = counts;
    before = byte;
  }
  return words;
}

constexpr std::string_view whole_names =
    "edit write multiedit notebookedit replace patch strreplaceeditor "
    "strreplacebasededittool strreplace rewrite searchreplace searchandreplace "
    "texteditor";
constexpr std::string_view verbs =
    "write edit create delete remove move rename insert append patch update modify "
    "replace overwrite save touch apply format multi";
constexpr std::string_view nouns =
    "file files text content directory folder lines line symbol body block diff edit "
    "edits regex cell notebook";
constexpr std::array<std::string_view, 15> shells{
    "bash",        "shell",          "exec",          "terminal",       "powershell",
    "cmd",         "console",        "runcommand",    "shellcommand",   "runshell",
    "execcommand", "executecommand", "runinterminal", "runterminalcmd", "startprocess",
};
constexpr std::string_view path_names =
    "path filepath file filename paths files filepaths notebookpath targetfile "
    "targetpath relativepath absolutepath abspath fullpath pathinproject source "
    "destination sourcepath destinationpath src dst dest from to oldpath newpath uri "
    "fileuri target directory directorypath relativeworkspacepath outputpath folder";

} // namespace

tool_kind kind_of_tool(std::string_view name, std::string_view command) {
  if (starts_with(name, "mcp__")) {
    const std::size_t last = name.rfind("__");
    name.remove_prefix(last + 2);
  }
  const std::string whole = compact(name);
  if (ends_with(whole, "applypatch")) {
    return tool_kind::patch;
  }
  if (lists(whole_names, whole)) {
    return command == "view" ? tool_kind::other : tool_kind::edit;
  }
  for (const std::string_view shell : shells) {
    if (ends_with(whole, shell)) {
      return tool_kind::shell;
    }
  }
  const std::vector<std::string> words = name_words(name);
  const auto is_noun = [](const std::string& word) { return lists(nouns, word); };
  if (words.size() >= 2 && std::any_of(words.begin() + 1, words.end(), is_noun)) {
    if (words.front() == "copy") {
      return tool_kind::copy;
    }
    if (lists(verbs, words.front())) {
      return tool_kind::edit;
    }
  }
  return tool_kind::other;
}

bool is_path_argument(std::string_view name) {
  return lists(path_names, compact(name));
}

bool is_target_argument(std::string_view name) {
  constexpr std::string_view names =
      "destination destinationpath dest dst to newpath target targetpath";
  return lists(names, compact(name));
}

bool is_folder_argument(std::string_view name) {
  constexpr std::string_view names = "cwd workdir workingdirectory workingdir workingfolder";
  return lists(names, compact(name));
}

bool is_command_argument(std::string_view name) {
  constexpr std::string_view names = "command cmd script commands shellcommand commandline";
  return lists(names, compact(name));
}

} // namespace resilient::canon

#include "core/canon/shell_findings.hpp"

#include "core/canon/address.hpp"
#include "core/canon/patch_paths.hpp"
#include "core/canon/program_writes.hpp"
#include "core/support/text.hpp"

#include <utility>

namespace resilient::canon {

void shell_findings::add(const expanded_word& word, std::size_t offset, operand_role role,
                         const std::string& folder, bool must_exist) {
  if (offset >= word.text.size() || word.text == "-") {
    return;
  }
  shell_path path;
  path.text = word.text.substr(offset);
  path.folder = folder;
  path.role = word.is_unknown ? operand_role::mention : role;
  path.must_exist = must_exist;
  if (offset == 0 && !word.is_unknown) {
    path.pattern = word.pattern;
  }
  reading_.paths.push_back(std::move(path));
}

void shell_findings::copy_into_last(const command_reading& read,
                                    const std::vector<expanded_word>& words,
                                    const std::string& folder,
                                    const std::function<bool(const std::string&)>& is_folder) {
  if (!read.copies_into_last || read.operands.empty()
      || read.operands.back().role != operand_role::change) {
    return;
  }
  const expanded_word& last = words[read.operands.back().word];
  const std::string target = starts_with(last.text, "/") ? last.text : folder + "/" + last.text;
  if (last.is_unknown || last.text.empty() || last.text == "-"
      || (folder.empty() && target != last.text) || !is_folder("/" + contained(target))) {
    return;
  }
  // What is changed is a file in the folder.
  const shell_path into = std::exchange(reading_.paths.back(), {});
  reading_.paths.pop_back();
  for (std::size_t index = 0; index + 1 < read.operands.size(); ++index) {
    const operand& each = read.operands[index];
    const expanded_word& source = words[each.word];
    if (each.role != operand_role::path && each.role != operand_role::change) {
      continue;
    }
    std::string name = source.text;
    while (name.size() > 1 && name.back() == '/') {
      name.pop_back();
    }
    const std::string_view base = std::string_view(name).substr(name.rfind('/') + 1);
    if (source.is_unknown || base.empty() || base == "." || base == ".."
        || !source.pattern.empty()) {
      reading_.paths.push_back(into);
      continue;
    }
    shell_path copy = into;
    copy.pattern.clear();
    copy.text += ends_with(copy.text, "/") ? "" : "/";
    copy.text += base;
    reading_.paths.push_back(std::move(copy));
  }
}

void shell_findings::add_patch(std::string_view text, const std::string& folder) {
  each_patch_path(text, [&](std::string_view name) {
    add(expanded_word::literal(std::string(name)), 0, operand_role::change, folder);
  });
}

void shell_findings::add_program(std::string_view text, const std::string& folder) {
  each_written_path(text, [&](std::string_view name) {
    add(expanded_word::literal(std::string(name)), 0, operand_role::change, folder);
  });
}

void shell_findings::change_unnamed(std::size_t begin) {
  reading_.changes_unnamed = true;
  for (std::size_t at = begin; at < count(); ++at) {
    reading_.paths[at].is_input = reading_.paths[at].role != operand_role::change;
  }
}

void shell_findings::change_piped(std::size_t pipeline) {
  for (; !printed_.empty() && printed_.back().pipeline == pipeline; printed_.pop_back()) {
    for (std::size_t at = printed_.back().begin; at < printed_.back().end; ++at) {
      shell_path& path = reading_.paths[at];
      if (path.role != operand_role::mention || printed_.back().are_operands) {
        path.role = operand_role::change;
        path.must_exist = true;
      }
    }
  }
}

} // namespace resilient::canon

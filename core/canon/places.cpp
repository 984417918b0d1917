#include "core/canon/places.hpp"

#include "core/canon/address.hpp"
#include "core/support/files.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resilient::canon {

namespace {

/// Absolute, without dots, double or final slashes.
std::string cleaned(const std::string& path, const std::string& relative_to) {
  std::string absolute("/");
  absolute += contained(starts_with(path, "/") ? path : relative_to + "/" + path);
  return absolute;
}

place make_place(std::string name, const std::string& directory, const std::string& root) {
  return {std::move(name), directory, real_path(directory).value_or(directory),
          store(directory, root)};
}

/// The real path of something that need not exist, by the nearest folder that does.
std::string real_path_of_future(const std::string& path) {
  std::string existing = path;
  while (!existing.empty() && existing != "/") {
    if (const auto real = real_path(existing)) {
      return *real + path.substr(existing.size());
    }
    existing = parent_path(existing);
  }
  return path;
}

} // namespace

std::string place::qualified(const std::string& address) const {
  return name.empty() ? address : name + ":" + address;
}

result<places> places::open(const std::string& project, const std::string& root,
                            const std::vector<std::string>& mounts) {
  if (!starts_with(project, "/")) {
    return fail(error_kind::usage, "The project folder \"{}\" is not an absolute path.", project);
  }
  const std::string directory = cleaned(project, "/");
  places opened;
  opened.all_.push_back(
      make_place("", directory, root.empty() ? std::string() : cleaned(root, directory)));
  for (const std::string& mount : mounts) {
    if (auto checked = check_path(mount); !checked) {
      return tl::unexpected(checked.error());
    }
    const std::string mounted = cleaned(mount, directory);
    const std::string name = last_name(mounted);
    if (name.empty() || mounted == directory) {
      return fail(error_kind::config, "The mount {} is not a folder of another project.", mount);
    }
    for (const place& other : opened.all_) {
      if (other.name == name) {
        return fail(
            error_kind::config,
            "The mounts {} and {} have one name, \"{}\". Rename a folder, or leave one out.",
            other.directory, mounted, name);
      }
    }
    opened.all_.push_back(make_place(name, mounted, ""));
  }
  return opened;
}

places::routed places::route(std::string_view argument) const {
  for (std::size_t index = 1; index < all_.size(); ++index) {
    const std::string prefix = all_[index].name + ":";
    const std::string_view trimmed = trim(argument);
    if (starts_with(trimmed, prefix)) {
      std::string rest(trimmed.substr(prefix.size()));
      const std::string from_its_top = "./" + rest; // `lake:/prices` is inside
      return {index, std::move(rest), leads_out(from_its_top, all_[index].directory)};
    }
  }
  std::string slashed(trim(argument));
  std::replace(slashed.begin(), slashed.end(), '\\', '/');
  if (!starts_with(slashed, "/")) {
    return {0, std::string(argument), leads_out(slashed, all_.front().directory)};
  }
  // The host may know the folder by its real path and the caller by a link, or the other way.
  const std::string without_dots = "/" + contained(slashed);
  for (const std::string& path : {without_dots, slashed, real_path_of_future(slashed)}) {
    if (const auto found = holding(path)) {
      return {found->place, all_[found->place].directory + "/" + found->address, found->leads_out};
    }
  }
  return {0, slashed, true};
}

std::optional<located> places::holding(std::string_view path) const {
  for (const auto directory : {&place::directory, &place::real_directory}) {
    const place* innermost = nullptr;
    for (const place& each : all_) {
      if (lies_in(path, each.*directory)
          && (innermost == nullptr || (each.*directory).size() > (innermost->*directory).size())) {
        innermost = &each;
      }
    }
    if (innermost != nullptr) {
      const std::string_view below = path.substr((innermost->*directory).size());
      return located{static_cast<std::size_t>(innermost - all_.data()), contained(below),
                     leads_out(below, "")};
    }
  }
  return std::nullopt;
}

located places::locate(std::string_view argument) const {
  const routed found = route(argument);
  const place& where = all_[found.place];
  const std::string whole = contained(found.rest, where.directory);
  if (whole.empty() || whole == "...") {
    return {found.place, "", found.leads_out};
  }
  if (whole.find('\0') != std::string::npos) {
    return {found.place, whole, found.leads_out};
  }
  const auto asset = posix_files().status(where.directory + "/" + whole);
  const bool is_there = asset && asset->has_value();
  if (is_there ? (*asset)->kind == file_kind::folder : where.knowledge.has(whole)) {
    return {found.place, whole, found.leads_out};
  }
  return {found.place, normalize(found.rest, where.directory), found.leads_out};
}

located places::locate_contained(std::string_view argument) const {
  const routed found = route(argument);
  return {found.place, contained(found.rest, all_[found.place].directory), found.leads_out};
}

namespace {

/// The name before the first colon, when it is of the form that a mount's name has and longer than
/// the letter of a drive.
std::string_view mount_name(std::string_view argument) {
  const std::string_view name = argument.substr(0, argument.find(':'));
  const bool is_name = name.size() > 1 && name.size() < argument.size()
                       && std::all_of(name.begin(), name.end(), [](char byte) {
                            return is_ascii_letter(byte) || is_ascii_digit(byte) || byte == '_'
                                   || byte == '.' || byte == '-';
                          });
  return is_name ? name : std::string_view();
}

} // namespace

std::optional<std::string> place_advice(const places& where, std::string_view argument,
                                        const located& target) {
  argument = trim(argument);
  const place& in = where.at(target.place);
  if (target.leads_out) {
    return fmt::format("\"{}\" leads out of the {}; it was taken for {}.", argument,
                       in.name.empty() ? "project" : "mount " + in.name,
                       target.address.empty() ? "its top" : in.qualified(target.address));
  }
  const std::string_view name = mount_name(argument);
  if (target.place != 0 || name.empty() || in.knowledge.has(target.address)
      || governs_asset(in.directory, target.address)) {
    return std::nullopt;
  }
  std::vector<std::string> mounts;
  for (const place& each : where.all()) {
    if (!each.name.empty()) {
      mounts.push_back(each.name + ":");
    }
  }
  return fmt::format("No folder is mounted as {}: ({}), so this is an address of the project.",
                     name,
                     mounts.empty() ? "none is mounted"
                                    : fmt::format("the mounts are {}", fmt::join(mounts, ", ")));
}

bool governs_asset(const std::string& directory, const std::string& address) {
  const posix_files disk;
  if (disk.exists(directory + "/" + address)) {
    return true;
  }
  const std::string parent = parent_address(address);
  const auto entries = disk.list(parent.empty() ? directory : directory + "/" + parent);
  const std::string stem = last_segment(address) + ".";
  return entries && std::any_of(entries->begin(), entries->end(), [&](const folder_entry& entry) {
           return starts_with(entry.name, stem)
                  && entry.name.find('.', stem.size()) == std::string::npos;
         });
}

} // namespace resilient::canon

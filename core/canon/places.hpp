#pragma once

#include "core/canon/store.hpp"
#include "core/support/error.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// A store with the name by which addresses in it are told from the project's own.
struct place {
  std::string name; ///< empty for the project
  std::string directory;
  std::string real_directory; ///< the same, links resolved
  store knowledge;

  /// The address as it is shown and accepted: `name:address` in a mount.
  [[nodiscard]] std::string qualified(const std::string& address) const;
};

/// An argument that was traced to a place and an address in it.
struct located {
  std::size_t place = 0;
  std::string address; ///< empty when the argument names no asset
  /// The argument means something outside of the project or mount; `address` is what is left of it.
  bool leads_out = false;
};

/// The project and its mounts.
class places {
public:
  /// `project` and the mounts are folders; a relative mount is taken from the project. `root` is
  /// the project's store, `<project>/.canon` when empty. Fails when two mounts have one name, or
  /// one is the project itself.
  [[nodiscard]] static result<places> open(const std::string& project, const std::string& root = "",
                                           const std::vector<std::string>& mounts = {});

  [[nodiscard]] const std::vector<place>& all() const noexcept { return all_; }
  [[nodiscard]] const place& at(std::size_t index) const { return all_[index]; }
  [[nodiscard]] place& at(std::size_t index) { return all_[index]; }
  [[nodiscard]] const place& project() const { return all_.front(); }
  [[nodiscard]] place& project() { return all_.front(); }

  /// Which place a path, an address or `mount:address` means, and which address there. A second
  /// extension is not dropped from what already is an address.
  [[nodiscard]] located locate(std::string_view argument) const;

  /// The same without dropping an extension: the prefix that `map` filters by.
  [[nodiscard]] located locate_contained(std::string_view argument) const;

  /// The innermost place whose folder, as it was named or by its real path, holds an absolute path
  /// (or is it), and what is below it there, extension and all. Nothing when no place does. By the
  /// text alone: the path has no dots, and links in it are not followed.
  [[nodiscard]] std::optional<located> holding(std::string_view path) const;

private:
  struct routed {
    std::size_t place = 0;
    std::string rest;
    bool leads_out = false;
  };
  [[nodiscard]] routed route(std::string_view argument) const;

  std::vector<place> all_;
};

/// One sentence when an argument was taken for an address that it does not mean, or probably not:
/// what leads out, and what names a mount that is not there and nothing that is. Else nothing.
[[nodiscard]] std::optional<std::string>
place_advice(const places& where, std::string_view argument, const located& target);

/// Whether an asset (a file or a folder of that name, with any one extension) is at the address.
[[nodiscard]] bool governs_asset(const std::string& directory, const std::string& address);

} // namespace resilient::canon

#pragma once

#include "core/support/descriptor.hpp"
#include "core/support/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace resilient {

/// A regular file that is read in pieces, at any position, while it may be replaced by another one
/// of the same name.
class positioned_file {
public:
  /// `no_input` when there is none, `data` when it is no regular file.
  [[nodiscard]] static result<positioned_file> open(const std::string& path);

  /// The bytes from `offset` on, `length` of them or fewer at the end of the file.
  [[nodiscard]] result<std::string> read(std::uint64_t offset, std::size_t length) const;

private:
  positioned_file(descriptor opened, std::string path)
      : opened_(std::move(opened)), path_(std::move(path)) {}

  descriptor opened_;
  std::string path_;
};

} // namespace resilient

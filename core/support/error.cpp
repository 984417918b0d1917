#include "core/support/error.hpp"

#include <cerrno>
#include <system_error>

namespace resilient {

namespace {

error_kind kind_of(int error_number) noexcept {
  switch (error_number) {
  case ENOENT:
  case ENOTDIR:
    return error_kind::no_input;
  case EACCES:
  case EPERM:
  case EROFS:
    return error_kind::no_permission;
  case EAGAIN:
  case EBUSY:
    return error_kind::busy;
  default:
    return error_kind::io;
  }
}

} // namespace

tl::unexpected<error> fail_errno(int error_number, const std::string& what,
                                 const std::string& path) {
  return fail(kind_of(error_number), "{} {}: {}", what, path,
              std::generic_category().message(error_number));
}

const char* to_string(error_kind kind) noexcept {
  switch (kind) {
  case error_kind::usage:
    return "usage";
  case error_kind::data:
    return "data";
  case error_kind::no_input:
    return "no_input";
  case error_kind::unavailable:
    return "unavailable";
  case error_kind::software:
    return "software";
  case error_kind::system:
    return "system";
  case error_kind::no_create:
    return "no_create";
  case error_kind::io:
    return "io";
  case error_kind::busy:
    return "busy";
  case error_kind::no_permission:
    return "no_permission";
  case error_kind::config:
    return "config";
  }
  return "unknown";
}

} // namespace resilient

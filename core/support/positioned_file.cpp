#include "core/support/positioned_file.hpp"

#include "core/support/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace resilient {

result<positioned_file> positioned_file::open(const std::string& path) {
  if (auto checked = check_path(path); !checked) {
    return tl::unexpected(checked.error());
  }
  descriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!opened) {
    return fail_errno(errno, "cannot open", path);
  }
  struct stat raw {};
  if (::fstat(opened.get(), &raw) != 0) {
    return fail_errno(errno, "cannot examine", path);
  }
  if (!S_ISREG(raw.st_mode)) {
    return fail(error_kind::data, "{} is not a regular file.", path);
  }
  return positioned_file(std::move(opened), path);
}

result<std::string> positioned_file::read(std::uint64_t offset, std::size_t length) const {
  std::string bytes(length, '\0');
  std::size_t filled = 0;
  while (filled < length) {
    const ssize_t count = ::pread(opened_.get(), bytes.data() + filled, length - filled,
                                  static_cast<off_t>(offset + filled));
    if (count < 0) {
      if (errno == EINTR) {
        continue;
      }
      return fail_errno(errno, "cannot read", path_);
    }
    if (count == 0) {
      break;
    }
    filled += static_cast<std::size_t>(count);
  }
  bytes.resize(filled);
  return bytes;
}

} // namespace resilient

#include "launcher/terminal/saved_terminal.hpp"

#include "launcher/terminal/background.hpp"

#include <unistd.h>

namespace resilient::launcher {

saved_terminal::saved_terminal(int input, output& screen) : input_{input}, screen_{screen} {
  termios modes{};
  if (::isatty(input) == 1 && ::tcgetattr(input, &modes) == 0) {
    modes_ = modes;
  }
}

void saved_terminal::restore() {
  const no_background_stop guard;
  restore_line_modes();
  if (screen_.is_terminal()) {
    screen_.write(leave_all_modes);
  }
  if (modes_) {
    ::tcflush(input_, TCIFLUSH);
  }
}

void saved_terminal::restore_line_modes() {
  if (modes_) {
    const no_background_stop guard;
    ::tcsetattr(input_, TCSADRAIN, &*modes_);
  }
}

} // namespace resilient::launcher

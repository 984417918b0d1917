// The least that a supervisor can do: fork, exec, wait, again. No brake, no heartbeat, no record.

#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** words) {
  if (count < 2) {
    return 64;
  }
  for (;;) {
    const pid_t child = fork();
    if (child == 0) {
      execv(words[1], words + 1);
      _exit(127);
    }
    if (child < 0 || waitpid(child, NULL, 0) < 0) {
      return 71;
    }
  }
}

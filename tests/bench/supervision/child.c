// The child that every supervisor of the benchmark keeps: it writes its pid and the moment of its
// start (CLOCK_MONOTONIC, nanoseconds) to the file BENCH_STARTS, and then lives. With our variables
// it says hello and beats every five seconds, without them it only waits.
//
//   BENCH_NOTIFY=FD    writes a newline there once it is up (s6)
//   BENCH_LIFE_MS=N    kills itself N ms after the answer to its hello

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void stamp(long long began) {
  const char* path = getenv("BENCH_STARTS");
  const int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0) {
    return;
  }
  char line[64];
  const int length = snprintf(line, sizeof line, "%d %lld\n", (int)getpid(), began);
  if (write(file, line, (size_t)length) != length) {
    _exit(1);
  }
  close(file);
}

static int join_launcher(const char* path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    return -1;
  }
  strcpy(address.sun_path, path);
  const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(connection, (const struct sockaddr*)&address, sizeof address) != 0) {
    return -1;
  }
  char hello[1024];
  const int length = snprintf(
      hello, sizeof hello,
      "{\"v\":1,\"type\":\"hello\",\"id\":1,\"extension_version\":\"0.1.0\",\"generation\":\"%s\","
      "\"secret\":\"%s\",\"pid\":%d,\"pi_version\":\"1.6.0\",\"mode\":\"rpc\",\"has_ui\":false,"
      "\"cwd\":\"/\",\"agent_folder\":\"/\",\"trusted\":true,\"reason\":\"startup\",\"session\":"
      "{\"id\":\"bench\"},\"capabilities\":[],\"entries\":{},\"idle\":true,\"pending\":false}\n",
      getenv("PI_RESILIENT_GENERATION"), getenv("PI_RESILIENT_SECRET"), (int)getpid());
  return write(connection, hello, (size_t)length) == length ? connection : -1;
}

static void beat(int connection) {
  char answer[4096];
  const char* life = getenv("BENCH_LIFE_MS");
  if (read(connection, answer, sizeof answer) > 0 && life) {
    usleep((useconds_t)atoi(life) * 1000);
    kill(getpid(), SIGKILL);
  }
  static const char line[] =
      "{\"v\":1,\"type\":\"heartbeat\",\"idle\":true,\"pending\":false}\n";
  long long next = now_ns();
  for (;;) {
    if (write(connection, line, sizeof line - 1) < 0) {
      _exit(0);
    }
    next += 5000000000LL;
    for (long long left = next - now_ns(); left > 0; left = next - now_ns()) {
      struct pollfd from = {.fd = connection, .events = POLLIN};
      if (poll(&from, 1, (int)(left / 1000000) + 1) > 0
          && read(connection, answer, sizeof answer) <= 0) {
        _exit(0);
      }
    }
  }
}

int main(void) {
  const long long began = now_ns();
  stamp(began);
  const char* notify = getenv("BENCH_NOTIFY");
  if (notify && write(atoi(notify), "\n", 1) != 1) {
    return 1;
  }
  const char* socket_path = getenv("PI_RESILIENT_SOCKET");
  if (socket_path) {
    const int connection = join_launcher(socket_path);
    if (connection < 0) {
      return 1;
    }
    beat(connection);
  }
  for (;;) {
    pause();
  }
}

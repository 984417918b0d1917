#include "launcher/io/system_alarms.hpp"

#include "launcher/io/system_clocks.hpp"
#include "tests/launcher/run_until.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

using namespace resilient;
using namespace std::chrono_literals;

TEST_CASE("alarms of both clocks ring once, in the order of their times, never early") {
  launcher::io_loop loop;
  launcher::system_alarms alarms{loop};
  const launcher::system_clocks clocks;
  const instant begin = clocks.now();
  std::vector<std::string> rung;
  bool early = false;
  [[maybe_unused]] auto third =
      alarms.arm(begin.boot + 120ms, [&] { rung.emplace_back("boot 120"); });
  [[maybe_unused]] auto first = alarms.arm(begin.boot + 30ms, [&] {
    early = early || clocks.now().boot < begin.boot + 30ms;
    rung.emplace_back("boot 30");
  });
  [[maybe_unused]] auto second = alarms.arm(begin.wall + 75ms, [&] {
    early = early || clocks.now().wall < begin.wall + 75ms;
    rung.emplace_back("wall 75");
  });
  REQUIRE(tests::run_until(loop, [&] { return rung.size() == 3; }));
  tests::run_for(loop, 60ms);
  CHECK(rung == std::vector<std::string>{"boot 30", "wall 75", "boot 120"});
  CHECK_FALSE(early);
}

TEST_CASE("an alarm in the past rings at once, a cancelled one never, one in the far future harms "
          "nobody") {
  launcher::io_loop loop;
  launcher::system_alarms alarms{loop};
  const instant begin = launcher::system_clocks{}.now();
  int past = 0;
  int cancelled = 0;
  int future = 0;
  [[maybe_unused]] auto one = alarms.arm(boot_time{}, [&] { ++past; });
  [[maybe_unused]] auto two = alarms.arm(wall_time{}, [&] { ++past; });
  [[maybe_unused]] auto far = alarms.arm(wall_time::max(), [&] { ++future; });
  alarms.cancel(alarms.arm(begin.boot + 20ms, [&] { ++cancelled; }));
  REQUIRE(tests::run_until(loop, [&] { return past == 2; }));
  tests::run_for(loop, 60ms);
  CHECK(cancelled == 0);
  CHECK(future == 0);
}

TEST_CASE("an alarm may arm the next one, and any thread may arm") {
  launcher::io_loop loop;
  launcher::system_alarms alarms{loop};
  const launcher::system_clocks clocks;
  int rung = 0;
  std::thread{[&] {
    [[maybe_unused]] auto outer = alarms.arm(clocks.now().boot + 5ms, [&] {
      ++rung;
      [[maybe_unused]] auto inner = alarms.arm(clocks.now().boot + 5ms, [&] { ++rung; });
    });
  }}.join();
  CHECK(tests::run_until(loop, [&] { return rung == 2; }));
}

TEST_CASE("random hex has the asked length and differs") {
  launcher::system_entropy entropy;
  const std::string one = entropy.hex(300);
  CHECK(one.size() == 600);
  CHECK(one.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(one != entropy.hex(300));
  CHECK(entropy.number() != entropy.number());
}

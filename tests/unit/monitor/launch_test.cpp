#include "broker/monitor/launch.h"

#include <capnp/message.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/filter.h>

#include <functional>

#include "protocol/wire.h"

namespace rb::mon {
namespace {

using Edit = std::function<void(monitor::Launch::Builder)>;

void good(monitor::Launch::Builder launch) {
  const Bytes key(32, 1);
  const Bytes filter(sizeof(sock_filter) * 2, 0);
  launch.setKey(wire::data(key));
  launch.setFilter(wire::data(filter));
  launch.setProfile("workspace");
  launch.setScript(monitor::ScriptAs::MEMORY);
  launch.initArgv(1).set(0, wire::data(as_bytes("/bin/bash")));
  launch.setCwd("/work");
  launch.setWorkPath("/work");
  auto kinds = launch.initDescriptors(4);
  kinds.set(0, monitor::Descriptor::SCRIPT);
  kinds.set(1, monitor::Descriptor::OUTPUT);
  kinds.set(2, monitor::Descriptor::INDEX);
  kinds.set(3, monitor::Descriptor::FOLDER);
}

std::string parsed(const Edit& edit, std::size_t fds = 4) {
  capnp::MallocMessageBuilder message;
  auto launch = message.initRoot<monitor::Launch>();
  good(launch);
  edit(launch);
  std::vector<Fd> given;
  for (std::size_t i = 0; i < fds; ++i) {
    given.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  const Result<Launch> result = parse_launch(launch.asReader(), std::move(given));
  return result ? "ok" : result.failure().what;
}

}  // namespace

TEST_CASE("launch: a whole one is taken") {
  CHECK(parsed([](auto) {}) == "ok");
}

TEST_CASE("launch: each broken rule is named, and nothing is repaired") {
  const auto refused = [](const Edit& edit, std::size_t fds = 4) {
    return parsed(edit, fds) != "ok";
  };
  const Bytes short_key(31, 1);
  CHECK(refused([&](auto l) { l.setKey(wire::data(short_key)); }));
  CHECK(refused([](auto l) { l.setProfile("workspace2"); }));
  CHECK(refused([](auto l) { l.setFilter({}); }));
  const Bytes odd(9, 0);
  CHECK(refused([&](auto l) { l.setFilter(wire::data(odd)); }));
  CHECK(refused([](auto l) { l.initArgv(0); }));
  CHECK(refused([](auto l) { l.initArgv(1).set(0, wire::data(as_bytes("bash"))); }));
  CHECK(refused([](auto l) { l.getArgv().set(0, wire::data(as_bytes({"/bin\0x", 6}))); }));
  CHECK(refused([](auto l) { l.initEnvironment(1).set(0, wire::data(as_bytes("NAME"))); }));
  CHECK(refused([](auto l) { l.initEnvironment(1).set(0, wire::data(as_bytes("=x"))); }));
  CHECK(refused([](auto l) { l.initEnvironment(1).set(0, wire::data(as_bytes({"A=b\0c", 5}))); }));
  CHECK(refused([](auto l) { l.setCwd("work"); }));
  CHECK(refused([](auto l) { l.setCwd("/work/../etc"); }));
  CHECK(refused([](auto l) { l.setWorkPath("/work/"); }));
  CHECK(refused([](auto l) { l.setTreePath("/proc/../x"); }));
  CHECK(refused([](auto l) { l.initHidden(1).set(0, "state"); }));
  CHECK(refused([](auto l) { l.initToolFolders(1).set(0, "../.ssh"); }));
  CHECK(refused([](auto l) { l.setScript(monitor::ScriptAs::UNSET); }));
  CHECK(refused([](auto l) {
    l.setScript(monitor::ScriptAs::FILE);
    l.setScriptName("../x");
  }));
  CHECK(refused([](auto) {}, 3));
  CHECK(refused([](auto) {}, 5));
  CHECK(refused([](auto l) { l.getDescriptors().set(3, monitor::Descriptor::SCRIPT); }));
  CHECK(refused([](auto l) { l.getDescriptors().set(3, monitor::Descriptor::WORK); }));
  CHECK(refused([](auto l) { l.getDescriptors().set(3, monitor::Descriptor::UNSET); }));
}

TEST_CASE("launch: host needs no filter") {
  CHECK(parsed([](auto l) {
          l.setProfile("host");
          l.setFilter({});
        }) == "ok");
}

}  // namespace rb::mon

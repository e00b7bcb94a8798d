#include "daemon/front/vet.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::fnt {
namespace {

using front::Operation;
using front::Reason;
using front::Role;
using Fill = std::function<void(Operation::Builder)>;

Bytes operation(const Fill& fill) {
  return wire::build<Operation>([&](Operation::Builder root) {
    const Bytes id(16, 7);
    root.setClientId(wire::data(id));
    root.setRequestId(wire::data(id));
    fill(root);
  });
}

Verdict vet(const Bytes& content, Role role = Role::OPERATOR, std::size_t fds = 0,
            std::size_t mac = 32) {
  Verdict verdict;
  const Bytes message = wire::build<front::Request>([&](auto root) {
    root.setSerial(1);
    auto act = root.initAct();
    act.setContent(wire::data(content));
    const Bytes bytes(mac, 1);
    act.setMac(wire::data(bytes));
  });
  const Status read = wire::read<front::Request>(message, 16, [&](front::Request::Reader from) {
    verdict = vet_request(from, role, fds);
    return done();
  });
  CHECK(read.ok());
  return verdict;
}

bool forwards(const Verdict& verdict) {
  return verdict.kind == Verdict::Kind::Forward;
}
bool refuses(const Verdict& verdict, Reason reason) {
  return verdict.kind == Verdict::Kind::Refuse && verdict.reason == reason && !verdict.text.empty();
}
bool ends(const Verdict& verdict) {
  return verdict.kind == Verdict::Kind::End;
}

Fill start(const std::function<void(front::Start::Builder)>& change = {}) {
  return [change](Operation::Builder root) {
    auto from = root.initStart();
    from.setRunbook("rb");
    from.setBlock("b");
    const Bytes digest(32, 1);
    from.setDigest(wire::data(digest));
    if (change) {
      change(from);
    }
  };
}

TEST_CASE("vet: every operation passes in its plain form, with its own number of descriptors") {
  struct Case {
    Fill fill;
    std::size_t fds;
  };
  const std::vector<Case> cases = {
      {[](auto root) {
         auto from = root.initStartSession();
         from.setWho("a");
         from.setWhy("b");
       },
       0},
      {[](auto root) { root.setEndSession(); }, 0},
      {[](auto root) { root.setNote("n"); }, 0},
      {[](auto root) { root.initOpen(); }, 1},
      {[](auto root) { root.initCloseRun().setRunbook("rb"); }, 0},
      {start(), 0},
      {start([](auto from) { from.setWorkGiven(true); }), 1},
      {[](auto root) { root.initStop().setExecution("e1"); }, 0},
      {[](auto root) { root.initEnvironment(); }, 0},
      {[](auto root) { root.initReplaceEnvironment(); }, 0},
  };
  for (const Case& each : cases) {
    const Bytes content = operation(each.fill);
    CHECK(forwards(vet(content, Role::OPERATOR, each.fds)));
    CHECK(ends(vet(content, Role::OPERATOR, each.fds + 1)));
    if (each.fds == 1) {
      CHECK(refuses(vet(content, Role::OPERATOR, 0), Reason::MALFORMED));
    }
    CHECK(refuses(vet(content, Role::OPERATOR, each.fds, 31), Reason::MALFORMED));
    CHECK(refuses(vet(content, Role::OPERATOR, each.fds, 0), Reason::MALFORMED));
  }
  CHECK(ends(vet(operation([](auto root) { root.setUnset(); }))));
}

TEST_CASE("vet: agents may never have environments or verbatim insertion") {
  CHECK(refuses(vet(operation([](auto root) { root.initEnvironment(); }), Role::AGENT),
                Reason::NOT_PERMITTED));
  CHECK(refuses(vet(operation([](auto root) { root.initReplaceEnvironment(); }), Role::AGENT),
                Reason::NOT_PERMITTED));
  const Bytes verbatim = operation(start([](auto from) { from.setVerbatim(true); }));
  CHECK(refuses(vet(verbatim, Role::AGENT), Reason::NOT_PERMITTED));
  CHECK(forwards(vet(verbatim, Role::OPERATOR)));
}

TEST_CASE("vet: agents may never add to a sandbox, and nobody without bound") {
  const auto with = [](unsigned count) {
    return operation(start([&](auto from) {
      auto names = from.initWith(count);
      for (unsigned i = 0; i < count; ++i) {
        names.set(i, "aws");
      }
    }));
  };
  CHECK(refuses(vet(with(1), Role::AGENT), Reason::NOT_PERMITTED));
  CHECK(forwards(vet(with(1), Role::OPERATOR)));
  const auto places = [](unsigned read, unsigned write, unsigned sockets, bool work = false) {
    return operation(start([&](auto from) {
      from.initRead(read);
      from.initWrite(write);
      from.initSockets(sockets);
      from.setWorkGiven(work);
    }));
  };
  for (const Bytes& wider : {places(1, 0, 0), places(0, 1, 0), places(0, 0, 1)}) {
    CHECK(refuses(vet(wider, Role::AGENT, 1), Reason::NOT_PERMITTED));
    CHECK(forwards(vet(wider, Role::OPERATOR, 1)));
    CHECK(refuses(vet(wider, Role::OPERATOR, 0), Reason::MALFORMED));
    CHECK(ends(vet(wider, Role::OPERATOR, 2)));
  }
  CHECK(forwards(vet(places(1, 2, 1, true), Role::OPERATOR, 5)));
  CHECK(refuses(vet(places(1, 2, 1, true), Role::OPERATOR, 4), Reason::MALFORMED));
  const unsigned most = limits::kGrants;
  CHECK(refuses(vet(places(most, 1, 0), Role::OPERATOR, most + 1), Reason::LIMIT));
  CHECK(forwards(vet(with(limits::kGrants), Role::OPERATOR)));
  CHECK_FALSE(forwards(vet(with(limits::kGrants + 1), Role::OPERATOR)));
  CHECK(forwards(vet(operation(start()), Role::AGENT)));
}

TEST_CASE("vet: inputs have their limits, one by one and together") {
  const auto with_inputs = [](unsigned count, std::size_t size, const std::string& name) {
    return operation(start([&](auto from) {
      auto inputs = from.initInputs(count);
      const Bytes value(size, 'v');
      for (auto input : inputs) {
        input.setName(wire::text(name));
        input.setValue(wire::data(value));
      }
    }));
  };
  CHECK(forwards(vet(with_inputs(1, limits::kInputBytes, "N"))));
  CHECK(refuses(vet(with_inputs(1, limits::kInputBytes + 1, "N")), Reason::LIMIT));
  CHECK(refuses(vet(with_inputs(9, limits::kInputBytes, "N")), Reason::LIMIT));
  CHECK(forwards(vet(with_inputs(1024, 1, "N"))));
  CHECK(refuses(vet(with_inputs(1025, 1, "N")), Reason::LIMIT));
  CHECK(refuses(vet(with_inputs(1, 1, "")), Reason::MALFORMED));
  CHECK(refuses(vet(with_inputs(1, 1, std::string(257, 'n'))), Reason::LIMIT));
  CHECK(refuses(vet(with_inputs(1, 1, "\xC0\x80")), Reason::MALFORMED));
}

TEST_CASE("vet: no refusal repeats what the client sent") {
  const std::string canary = "S3CRET";
  for (const Bytes& content :
       {operation([&](auto root) { root.setNote(wire::text(canary + "\xff")); }),
        operation([&](auto root) { root.initStop().setExecution(std::string(300, 'S')); }),
        operation(start([&](auto from) {
          auto inputs = from.initInputs(1);
          inputs[0].setName(wire::text(canary + "\xff"));
        }))}) {
    const Verdict verdict = vet(content);
    CHECK(verdict.kind == Verdict::Kind::Refuse);
    CHECK(verdict.text.find("S3C") == std::string::npos);
    CHECK(verdict.text.find("SSS") == std::string::npos);
    CHECK(verdict.text.find("300") == std::string::npos);
  }
}

TEST_CASE("vet: an operation that is cut, padded or nonsense ends the connection") {
  Bytes whole = operation(start());
  Bytes cut(whole.begin(), whole.end() - 8);
  CHECK(ends(vet(cut)));
  Bytes padded = whole;
  padded.resize(padded.size() + 8);
  CHECK(ends(vet(padded)));
  CHECK(ends(vet({})));
  CHECK(ends(vet(Bytes(64, 0xFF))));
}

TEST_CASE("vet: a hello of this version with a plain name passes, others say why not") {
  const auto hello = [](std::uint32_t version, const std::string& name) {
    Verdict verdict;
    const Bytes message = wire::build<front::Hello>([&](auto root) {
      root.setVersion(version);
      root.setName(wire::text(name));
    });
    const Status read = wire::read<front::Hello>(message, 16, [&](front::Hello::Reader from) {
      verdict = vet_hello(from);
      return done();
    });
    CHECK(read.ok());
    return verdict;
  };
  CHECK(forwards(hello(limits::kProtocolVersion, "runbookctl")));
  CHECK(forwards(hello(limits::kProtocolVersion, "\u00fcber")));
  CHECK(hello(limits::kProtocolVersion + 1, "x").reason == Reason::UNAVAILABLE);
  CHECK(hello(0, "x").reason == Reason::UNAVAILABLE);
  for (const std::string& name : {std::string(), std::string(65, 'x'), std::string("a\x1b[2J"),
                                  std::string("a\nb"), std::string("\xff"), std::string("a\x7f")}) {
    CHECK(ends(hello(limits::kProtocolVersion, name)));
  }
}

}  // namespace
}  // namespace rb::fnt

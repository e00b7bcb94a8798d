#include "broker/environment.h"

#include <doctest/doctest.h>

#include "protocol/front.capnp.h"
#include "protocol/wire.h"

namespace rb::brk {
namespace {

Result<Environment> from(const std::vector<std::string>& variables, const std::string& cwd = "/") {
  return Environment::from_wire(wire::build<front::Environment>([&](auto root) {
    auto list = root.initVariables(static_cast<unsigned>(variables.size()));
    for (unsigned i = 0; i < list.size(); ++i) {
      list.set(i, wire::data(as_bytes(variables[i])));
    }
    root.setCwd(wire::text(cwd));
    root.setUmask(022);
  }));
}

}  // namespace

TEST_CASE("environment: names that load code are left out and named") {
  const auto environment =
      from({"PATH=/bin", "LD_PRELOAD=/x.so", "BASH_ENV=/x", "BASH_FUNC_ls%%=() { evil; }",
            "GIT_SSH_COMMAND=x", "PYTHONSTARTUP=x", "NODE_OPTIONS=-r x", "GIT_AUTHOR_NAME=anna"});
  REQUIRE(environment.ok());
  CHECK(environment->variables() == std::vector<std::string>{"PATH=/bin", "GIT_AUTHOR_NAME=anna"});
  CHECK(environment->refused().size() == 6);
  CHECK(environment->value("PATH") == "/bin");
  CHECK(environment->value("LD_PRELOAD").empty());
}

TEST_CASE("environment: the first of two values of one name counts") {
  CHECK(from({"A=1", "A=2"})->variables() == std::vector<std::string>{"A=1"});
}

TEST_CASE("environment: what can't be a variable, or no folder, is refused as a whole") {
  CHECK_FALSE(from({"novalue"}).ok());
  CHECK_FALSE(from({"=x"}).ok());
  CHECK_FALSE(from({std::string("A=\0", 3)}).ok());
  CHECK_FALSE(from({"A=" + std::string(200'000, 'x')}).ok());
  CHECK_FALSE(from({"A=1"}, "relative").ok());
  CHECK_FALSE(Environment::from_wire(as_bytes("garbage!")).ok());
}

}  // namespace rb::brk

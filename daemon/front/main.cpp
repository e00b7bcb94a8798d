// runbookd — the front of one role. The broker starts it with its link on descriptor 3.
#include <fcntl.h>

#include <optional>
#include <string>
#include <string_view>

#include "common/confine.h"
#include "common/log.h"
#include "common/loop.h"
#include "daemon/front/front.h"
#include "protocol/wire.h"

namespace {

constexpr int kWrongCommandLine = 125;

std::optional<rb::front::Role> role_of(int argc, char** argv) {
  if (argc != 3 || std::string_view(argv[1]) != "--role") {
    return std::nullopt;
  }
  const std::string_view name = argv[2];
  if (name == "operator") {
    return rb::front::Role::OPERATOR;
  }
  return name == "agent" ? std::optional(rb::front::Role::AGENT) : std::nullopt;
}

int unconfined(const rb::Error& why) {
  rb::log::error("can't confine itself, so it doesn't serve: " + why.text());
  return rb::confine::kCannotConfine;
}

}  // namespace

int main(int argc, char** argv) {
  using rb::confine::Role;
  const std::optional<rb::front::Role> role = role_of(argc, argv);
  rb::log::start(role == rb::front::Role::AGENT ? "runbookd agent" : "runbookd operator");
  if (!role) {
    rb::log::error("usage: runbookd --role operator|agent (the broker starts it)");
    return kWrongCommandLine;
  }
  if (const rb::Status inside = rb::confine::into_namespaces(Role::Front); !inside) {
    return unconfined(inside.failure());
  }
  (void)::fcntl(rb::confine::kLinkDescriptor, F_SETFL, O_RDWR | O_NONBLOCK);
  rb::wire::warm_up();
  rb::Loop loop;
  rb::fnt::Front front(loop, rb::Fd(rb::confine::kLinkDescriptor), *role);
  if (const rb::Status narrowed = rb::confine::narrow(Role::Front); !narrowed) {
    return unconfined(narrowed.failure());
  }
  front.start();
  loop.run();
  return front.exit_status();
}

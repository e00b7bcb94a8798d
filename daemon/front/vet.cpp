#include "daemon/front/vet.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::fnt {
namespace {

using front::Operation;
using front::Query;
using front::Reason;
using front::Role;

constexpr std::size_t kNameBytes = 256;       // ids, names of runbooks, blocks, profiles
constexpr std::size_t kSentenceBytes = 4096;  // who, why, paths
constexpr std::size_t kNoteBytes = std::size_t{64} * 1024;
constexpr std::size_t kInputs = 1024;
constexpr std::size_t kSealedOverhead = std::size_t{64} * 1024;  // what sealing and encoding add
constexpr std::size_t kIdBytes = 16;
constexpr std::size_t kDigestBytes = 32;
constexpr std::size_t kMacBytes = 32;

Verdict malformed(std::string what) {
  return {Verdict::Kind::Refuse, Reason::MALFORMED, "the request is malformed: " + std::move(what)};
}
Verdict too_large(std::string what) {
  return {Verdict::Kind::Refuse, Reason::LIMIT, std::move(what) + " is over its limit"};
}
Verdict broken() {
  return {Verdict::Kind::End, Reason::MALFORMED, "the connection broke the protocol"};
}

// Text is one line of UTF-8 without NUL; the first that isn't is named.
Verdict check_text(capnp::Text::Reader text, std::size_t most, std::string_view name) {
  if (text.size() > most) {
    return too_large(std::string(name));
  }
  const std::string_view view(text.cStr(), text.size());
  if (view.find('\0') != std::string_view::npos || !is_utf8(view)) {
    return malformed(std::string(name) + " isn't text");
  }
  return {};
}

std::string most_grants() {
  return "the list of grants (at most " + std::to_string(limits::kGrants) + ")";
}

// Goes through checks until one objects.
class Checks {
 public:
  Checks& text(capnp::Text::Reader value, std::size_t most, std::string_view name) {
    return add(passed() ? check_text(value, most, name) : verdict_);
  }
  Checks& texts(capnp::List<capnp::Text>::Reader values, std::size_t most, std::string_view name) {
    at_most(values.size(), limits::kGrants, most_grants());
    for (const auto value : values) {
      if (!passed()) {
        break;
      }
      text(value, most, name).filled(value, name);
    }
    return *this;
  }
  Checks& filled(capnp::Text::Reader value, std::string_view name) {
    return value.size() == 0 && passed() ? add(malformed(std::string(name) + " is empty")) : *this;
  }
  Checks& exactly(capnp::Data::Reader value, std::size_t size, std::string_view name) {
    return value.size() != size && passed()
               ? add(malformed(std::string(name) + " has a wrong length"))
               : *this;
  }
  Checks& at_most(std::size_t value, std::size_t most, std::string_view name) {
    return value > most && passed() ? add(too_large(std::string(name))) : *this;
  }
  Checks& refuse_if(bool wrong, Reason reason, std::string_view text) {
    return wrong && passed() ? add({Verdict::Kind::Refuse, reason, std::string(text)}) : *this;
  }
  [[nodiscard]] bool passed() const { return verdict_.kind == Verdict::Kind::Forward; }
  [[nodiscard]] Verdict verdict() const { return verdict_; }

 private:
  Checks& add(Verdict verdict) {
    verdict_ = std::move(verdict);
    return *this;
  }
  Verdict verdict_;
};

using Check = Verdict (*)(Operation::Reader);

Verdict check_nothing(Operation::Reader) {
  return {};
}
Verdict check_start_session(Operation::Reader operation) {
  const auto from = operation.getStartSession();
  return Checks()
      .text(from.getWho(), kSentenceBytes, "the name")
      .filled(from.getWho(), "the name")
      .text(from.getWhy(), kSentenceBytes, "the reason")
      .filled(from.getWhy(), "the reason")
      .at_most(from.getEnvironment().getBox().size(), limits::kEnvironmentBytes + kSealedOverhead,
               "the environment")
      .verdict();
}
Verdict check_note(Operation::Reader operation) {
  return Checks()
      .text(operation.getNote(), kNoteBytes, "the note")
      .filled(operation.getNote(), "the note")
      .verdict();
}
Verdict check_open(Operation::Reader operation) {
  const auto from = operation.getOpen();
  return Checks()
      .text(from.getName(), kSentenceBytes, "the file's name")
      .text(from.getShownPath(), kSentenceBytes, "the path")
      .text(from.getFolderPath(), kSentenceBytes, "the folder's path")
      .verdict();
}
Verdict check_close_run(Operation::Reader operation) {
  const auto runbook = operation.getCloseRun().getRunbook();
  return Checks()
      .text(runbook, kNameBytes, "the runbook's name")
      .filled(runbook, "the runbook's name")
      .verdict();
}
Verdict check_inputs(capnp::List<front::Input>::Reader inputs) {
  Checks checks;
  checks.at_most(inputs.size(), kInputs, "the number of inputs");
  std::size_t total = 0;
  for (const auto input : inputs) {
    total += input.getValue().size();
    checks.text(input.getName(), kNameBytes, "an input's name")
        .filled(input.getName(), "an input's name")
        .text(input.getInputsId(), kNameBytes, "an inputs block's name")
        .at_most(input.getValue().size(), limits::kInputBytes, "an input")
        .at_most(total, limits::kInputsBytes, "what the inputs hold together");
    if (!checks.passed()) {
      break;
    }
  }
  return checks.verdict();
}
std::size_t places_of(front::Start::Reader start) {
  return std::size_t{start.getRead().size()} + start.getWrite().size() + start.getSockets().size();
}
Verdict check_start(Operation::Reader operation) {
  const auto from = operation.getStart();
  const Verdict verdict =
      Checks()
          .text(from.getRunbook(), kNameBytes, "the runbook's name")
          .text(from.getBlock(), kNameBytes, "the block's name")
          .text(from.getProfile(), kNameBytes, "the profile's name")
          .text(from.getWorkPath(), kSentenceBytes, "the work folder's path")
          .texts(from.getWith(), kNameBytes, "a credential set's name")
          .at_most(places_of(from), limits::kGrants, most_grants())
          .exactly(from.getDigest(), kDigestBytes, "the digest")
          .at_most(from.getSecrets().size(), limits::kInputsBytes + kSealedOverhead,
                   "what the inputs hold together")
          .verdict();
  return verdict.kind == Verdict::Kind::Forward ? check_inputs(from.getInputs()) : verdict;
}
Verdict check_stop(Operation::Reader operation) {
  const auto execution = operation.getStop().getExecution();
  return Checks()
      .text(execution, kNameBytes, "the execution's name")
      .filled(execution, "the execution's name")
      .verdict();
}
Verdict check_box(std::size_t size) {
  return Checks()
      .at_most(size, limits::kEnvironmentBytes + kSealedOverhead, "the environment")
      .verdict();
}
Verdict check_environment(Operation::Reader operation) {
  return check_box(operation.getEnvironment().getBox().size());
}
Verdict check_replacement(Operation::Reader operation) {
  return check_box(operation.getReplaceEnvironment().getBox().size());
}

enum class Who : std::uint8_t { Both, Operators };
enum class Descriptor : std::uint8_t { None, Folder, Places };

struct OperationRow {
  Operation::Which kind;
  Who who;  // agents never have a session's environment in hand
  Descriptor descriptor;
  Check check;
};

constexpr std::array kOperations = {
    OperationRow{Operation::START_SESSION, Who::Both, Descriptor::None, check_start_session},
    OperationRow{Operation::END_SESSION, Who::Both, Descriptor::None, check_nothing},
    OperationRow{Operation::NOTE, Who::Both, Descriptor::None, check_note},
    OperationRow{Operation::OPEN, Who::Both, Descriptor::Folder, check_open},
    OperationRow{Operation::CLOSE_RUN, Who::Both, Descriptor::None, check_close_run},
    OperationRow{Operation::START, Who::Both, Descriptor::Places, check_start},
    OperationRow{Operation::STOP, Who::Both, Descriptor::None, check_stop},
    OperationRow{Operation::ENVIRONMENT, Who::Operators, Descriptor::None, check_environment},
    OperationRow{Operation::REPLACE_ENVIRONMENT, Who::Operators, Descriptor::None,
                 check_replacement},
};

std::size_t descriptors_of(const OperationRow& row, Operation::Reader operation) {
  switch (row.descriptor) {
    case Descriptor::None:
      return 0;
    case Descriptor::Folder:
      return 1;
    case Descriptor::Places:
      return (operation.getStart().getWorkGiven() ? 1 : 0) + places_of(operation.getStart());
  }
  return 0;
}

// What an agent may never ask for.
bool asks_for_more(front::Start::Reader start) {
  return start.getVerbatim() || start.getWith().size() > 0 || places_of(start) > 0;
}

Verdict vet_operation(Operation::Reader operation, Role role, std::size_t descriptors) {
  const auto* row = std::find_if(kOperations.begin(), kOperations.end(),
                                 [&](const auto& each) { return each.kind == operation.which(); });
  if (row == kOperations.end() || descriptors > descriptors_of(*row, operation)) {
    return broken();
  }
  const bool agent = role == Role::AGENT;
  const bool wider = operation.isStart() && asks_for_more(operation.getStart());
  const Checks common =
      Checks()
          .refuse_if(descriptors < descriptors_of(*row, operation), Reason::MALFORMED,
                     "the request is malformed: its descriptor is missing")
          .refuse_if(agent && (row->who == Who::Operators || wider), Reason::NOT_PERMITTED,
                     "only operators may ask for this")
          .exactly(operation.getClientId(), kIdBytes, "the client's id")
          .exactly(operation.getRequestId(), kIdBytes, "the request's id")
          .text(operation.getSession(), kNameBytes, "the session's name");
  return common.passed() ? row->check(operation) : common.verdict();
}

Verdict vet_signed(front::Signed::Reader act, Role role, std::size_t descriptors) {
  const Checks form = Checks().exactly(act.getMac(), kMacBytes, "its authentication");
  if (!form.passed()) {
    return form.verdict();
  }
  const auto content = act.getContent();
  Verdict verdict;
  const Status read = wire::read<Operation>(ByteView(content.begin(), content.size()),
                                            limits::kTrustedNesting, [&](Operation::Reader from) {
                                              verdict = vet_operation(from, role, descriptors);
                                              return done();
                                            });
  return read ? verdict : broken();
}

Verdict vet_query(Query::Reader query, std::size_t descriptors) {
  if (descriptors != 0) {
    return broken();
  }
  Checks checks;
  checks.text(query.getSession(), kNameBytes, "the session's name");
  switch (query.which()) {
    case Query::STATUS:
    case Query::SESSIONS:
    case Query::EXECUTIONS:
    case Query::RUNBOOKS:
      return checks.verdict();
    case Query::RUNBOOK:
      return checks.text(query.getRunbook(), kNameBytes, "the runbook's name").verdict();
    case Query::OUTPUT:
      return checks.text(query.getOutput(), kNameBytes, "the execution's name").verdict();
    case Query::OUTPUT_BYTES:
      return checks.text(query.getOutputBytes().getExecution(), kNameBytes, "the execution's name")
          .verdict();
    case Query::UNSET:
      break;
  }
  return broken();
}

}  // namespace

Verdict vet_request(front::Request::Reader request, Role role, std::size_t descriptors) {
  if (request.getSerial() == 0) {  // which is for what no request asked
    return broken();
  }
  switch (request.which()) {
    case front::Request::ACT:
      return vet_signed(request.getAct(), role, descriptors);
    case front::Request::ASK:
      return vet_query(request.getAsk(), descriptors);
    case front::Request::UNSET:
      break;
  }
  return broken();
}

Verdict vet_hello(front::Hello::Reader hello) {
  if (hello.getVersion() != limits::kProtocolVersion) {
    return {Verdict::Kind::End, Reason::UNAVAILABLE,
            "this daemon speaks protocol version " + std::to_string(limits::kProtocolVersion) +
                " only: use the runbookctl that was installed with it, or restart the daemon"};
  }
  const auto name = hello.getName();
  const std::string_view text(name.cStr(), name.size());
  const bool control = std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
  if (text.empty() || text.size() > 64 || control || !is_utf8(text)) {
    return {Verdict::Kind::End, Reason::MALFORMED, "a client's name is 1 to 64 bytes of text"};
  }
  return {};
}

Verdict vet_subscribe(front::Subscribe::Reader wanted) {
  return Checks().text(wanted.getSession(), kNameBytes, "the session's name").verdict();
}

}  // namespace rb::fnt

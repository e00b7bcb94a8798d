#include "daemon/reader/modes.h"

#include <string>
#include <utility>

#include "common/io.h"
#include "daemon/reader/load.h"
#include "daemon/reader/read.h"
#include "daemon/reader/sealed_tree.h"
#include "daemon/reader/to_wire.h"
#include "protocol/limits.h"
#include "protocol/reader.capnp.h"
#include "protocol/wire.h"

namespace rb::rdr {
namespace {

Reply failed(const std::string& code, const std::string& text) {
  return {failed_to_wire(code, text), {}};
}

// A message that the link can't carry is a failure that says so.
Reply reply_with(Bytes message, Fd fd) {
  if (message.size() > limits::kSpilledBytes) {
    return failed("too-large", "the runbook's blocks are more than a message can hold");
  }
  Reply out{std::move(message), {}};
  if (fd) {
    out.fds.push_back(std::move(fd));
  }
  return out;
}

Reply answer_read(const SealedTree& folder, const std::string& shown_path) {
  std::variant<Answer, ReadFailure> read = read_runbook(folder);
  if (const auto* failure = std::get_if<ReadFailure>(&read)) {
    return failed(failure->code, failure->text);
  }
  const Answer& answer = std::get<Answer>(read);
  Fd document;
  if (answer.vetted) {
    Result<Fd> sealed = sealed_memory("document", answer.document);
    if (!sealed) {
      return failed("unreadable", sealed.failure().text());
    }
    document = std::move(*sealed);
  }
  return reply_with(answer_to_wire(answer, shown_path), std::move(document));
}

}  // namespace

Reply serve_load(const Packet& request) {
  std::string name;
  std::vector<std::string> only;
  const Status parsed = wire::read<reader::ToReader>(
      request.bytes, limits::kTrustedNesting, [&](reader::ToReader::Reader message) -> Status {
        if (!message.isLoad() || request.fds.size() != 1) {
          return error(rb::Code::Invalid, "not a request to load one folder");
        }
        name = wire::text(message.getLoad().getName());
        for (const auto one : message.getLoad().getOnly()) {
          only.push_back(wire::text(one));
        }
        return done();
      });
  if (!parsed) {
    return failed("malformed", parsed.failure().text());
  }
  std::variant<Loaded, LoadFailure> loaded =
      load_folder(request.fds.front().get(), name, only, default_load_limits());
  if (const auto* failure = std::get_if<LoadFailure>(&loaded)) {
    return failed(failure->code, failure->text);
  }
  Loaded& folder = std::get<Loaded>(loaded);
  Bytes message = loaded_to_wire(folder);
  return reply_with(std::move(message), std::move(folder.content));
}

Reply serve_read(const Packet& request) {
  Reply reply;
  const Status parsed = wire::read<reader::ToReader>(
      request.bytes, limits::kTrustedNesting, [&](reader::ToReader::Reader message) -> Status {
        if (!message.isRead() || request.fds.size() != 1) {
          return error(rb::Code::Invalid, "not a request to read one runbook");
        }
        const auto read = message.getRead();
        const Result<SealedTree> folder =
            SealedTree::from_wire(read.getTree(), request.fds.front().get());
        if (!folder) {
          return folder.failure();
        }
        reply = answer_read(*folder, wire::text(read.getShownPath()));
        return done();
      });
  return parsed ? std::move(reply) : failed("malformed", parsed.failure().text());
}

}  // namespace rb::rdr

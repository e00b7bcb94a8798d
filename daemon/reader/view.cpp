#include "daemon/reader/view.h"

#include <set>

#include "common/confine.h"
#include "common/packet.h"
#include "daemon/reader/view_json.h"
#include "daemon/reader/view_log.h"
#include "daemon/reader/view_markdown.h"
#include "protocol/reader.capnp.h"
#include "protocol/wire.h"

namespace rb::rdr {
namespace {

constexpr std::size_t kMostDescriptors = 4096;  // of one request

std::vector<int> numbers_of(const std::vector<Fd>& files) {
  std::vector<int> out;
  out.reserve(files.size());
  for (const Fd& file : files) {
    out.push_back(file.get());
  }
  return out;
}

bool is_run_view(ViewKind kind) {
  return kind == ViewKind::RunJson || kind == ViewKind::RunMarkdown;
}

Status make_view(const WantedView& wanted, const std::vector<int>& segments, const Summary& summary,
                 const Outputs& outputs) {
  Sink sink(wanted.file.get());
  switch (wanted.kind) {
    case ViewKind::SessionJson:
      return write_session_json(segments, summary, sink);
    case ViewKind::SessionLog:
      return write_session_log(segments, sink);
    case ViewKind::RunJson:
      return write_run_json(segments, summary, wanted.run, outputs, sink);
    case ViewKind::RunMarkdown:
      return write_run_markdown(segments, summary, wanted.run, outputs, sink);
  }
  return error(Code::Invalid, "no such view");
}

// A request as announced, its descriptors not yet in their places.
struct Announced {
  std::size_t segments = 0;
  std::vector<WantedView> wanted;
  std::vector<ShownOutput> outputs;
  [[nodiscard]] std::size_t descriptors() const {
    return segments + wanted.size() + outputs.size();
  }
};

Status from_wire(reader::View::Reader view, Announced& out) {
  out.segments = view.getSegments();
  if (out.segments == 0 ||
      out.segments + view.getWanted().size() + view.getOutputs().size() > kMostDescriptors) {
    return error(Code::Invalid, "no journal segment, or too many descriptors");
  }
  for (const auto wanted : view.getWanted()) {
    const auto kind = static_cast<std::uint16_t>(wanted.getKind());
    if (kind < static_cast<std::uint16_t>(ViewKind::SessionJson) ||
        kind > static_cast<std::uint16_t>(ViewKind::RunMarkdown)) {
      return error(Code::Invalid, "no such view");
    }
    out.wanted.push_back({static_cast<ViewKind>(kind), wanted.getRun(), Fd()});
  }
  for (const auto execution : view.getOutputs()) {
    out.outputs.push_back({wire::text(execution), Fd()});
  }
  return done();
}

Status is_more(const Packet& packet) {
  return wire::read<reader::ToReader>(
      packet.bytes, limits::kTrustedNesting, [](reader::ToReader::Reader message) -> Status {
        return message.isMore() ? done() : Status(error(Code::Invalid, "not the rest of a view"));
      });
}

// The packet that holds the request; what it announces goes to `out`.
Result<Packet> receive_first(int link, Announced& out) {
  Result<Packet> packet = receive_packet(link);
  if (!packet) {
    return packet;
  }
  const Status understood = wire::read<reader::ToReader>(
      packet->bytes, limits::kTrustedNesting, [&](reader::ToReader::Reader message) -> Status {
        return message.isView() ? from_wire(message.getView(), out)
                                : Status(error(Code::Invalid, "not a view"));
      });
  return understood ? std::move(packet) : Result<Packet>(understood.failure());
}

// Packets until there are `wanted` descriptors, neither fewer nor more.
Status receive_rest(int link, std::size_t wanted, std::vector<Fd>& fds) {
  while (fds.size() < wanted) {
    Result<Packet> more = receive_packet(link);
    if (!more) {
      return more.failure();
    }
    if (Status rest = is_more(*more); !rest) {
      return rest;
    }
    if (more->fds.empty()) {
      return error(Code::Invalid, "a view's rest without descriptors");
    }
    std::move(more->fds.begin(), more->fds.end(), std::back_inserter(fds));
  }
  return fds.size() == wanted
             ? done()
             : Status(error(Code::Invalid, "more descriptors than the view announced"));
}

ViewRequest put_together(Announced announced, std::vector<Fd> fds) {
  ViewRequest request;
  auto next = fds.begin();
  for (std::size_t i = 0; i < announced.segments; ++i) {
    request.segments.push_back(std::move(*next++));
  }
  for (WantedView& wanted : announced.wanted) {
    wanted.file = std::move(*next++);
  }
  for (ShownOutput& output : announced.outputs) {
    output.file = std::move(*next++);
  }
  request.wanted = std::move(announced.wanted);
  request.outputs = std::move(announced.outputs);
  return request;
}

Result<ViewRequest> receive(int link) {
  Announced announced;
  Result<Packet> first = receive_first(link, announced);
  if (!first) {
    return first.failure();
  }
  std::vector<Fd> fds = std::move(first->fds);
  if (Status rest = receive_rest(link, announced.descriptors(), fds); !rest) {
    return rest.failure();
  }
  return put_together(std::move(announced), std::move(fds));
}

Status answer(int link, const Status& made) {
  return send_packet(link,
                     wire::build<reader::FromReader>([&](reader::FromReader::Builder message) {
                       if (made) {
                         message.setViewed();
                         return;
                       }
                       auto failed = message.initFailed();
                       failed.setCode("malformed");
                       failed.setText(made.failure().text());
                     }),
                     {});
}

}  // namespace

Status make_views(const ViewRequest& request) {
  const std::vector<int> segments = numbers_of(request.segments);
  std::set<std::uint64_t> runs;
  for (const WantedView& wanted : request.wanted) {
    if (is_run_view(wanted.kind)) {
      runs.insert(wanted.run);
    }
  }
  Outputs outputs;
  for (const ShownOutput& output : request.outputs) {
    outputs[output.execution] = output.file.get();
  }
  const Result<Summary> summary = summarize(segments, runs);
  if (!summary) {
    return summary.failure();
  }
  for (const WantedView& wanted : request.wanted) {
    if (Status made = make_view(wanted, segments, *summary, outputs); !made) {
      return made;
    }
  }
  return done();
}

Status serve_view(int link) {
  const Result<ViewRequest> request = receive(link);
  if (!request) {
    return answer(link, request.failure());
  }
  if (Status narrowed = confine::narrow_again(confine::Role::View); !narrowed) {
    return narrowed;
  }
  return answer(link, make_views(*request));
}

}  // namespace rb::rdr

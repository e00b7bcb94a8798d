#include "broker/views.h"

#include <unistd.h>

#include "broker/broker.h"
#include "common/folder.h"
#include "common/log.h"
#include "protocol/limits.h"
#include "protocol/reader.capnp.h"
#include "protocol/wire.h"

namespace rb::brk {
namespace {

constexpr Nanos kQuiet = std::chrono::seconds(2);
constexpr std::size_t kMostOutputs = 200;  // of a run, shown in its run.md

std::string temporary_name(const std::string& name) {
  return "." + name + ".tmp";
}

}  // namespace

Views::Views(Broker& broker)
    : broker_(broker), later_(broker.loop, [this] {
        for (auto& [id, work] : std::exchange(dirty_, {})) {
          due_.push_back(std::move(work));
        }
        next();
      }) {}

void Views::touch(const SessionPtr& session, std::uint32_t run) {
  Work& work = dirty_[session->id];
  work.session = session;
  if (run != 0) {
    work.runs.insert(run);
  }
  if (!later_.armed()) {
    later_.arm(kQuiet);
  }
}

void Views::make(const SessionPtr& session, std::uint32_t run, std::function<void()> then) {
  touch(session, run);
  Work work = std::move(dirty_[session->id]);
  dirty_.erase(session->id);
  work.then.push_back(std::move(then));
  due_.push_back(std::move(work));
  next();
}

void Views::next() {
  if (busy_ || due_.empty()) {
    return;
  }
  busy_ = true;
  Work work = std::move(due_.front());
  due_.pop_front();
  start(std::move(work));
}

Result<Fd> Views::temporary(const Session& session, const Output& output) {
  const std::string path = output.folder + "/" + temporary_name(output.name);
  (void)::unlinkat(session.folder.get(), path.c_str(), 0);
  return open_beneath(session.folder.get(), path, O_RDWR | O_CREAT | O_EXCL, Links::Refuse, 0600);
}

void Views::give_outputs(const Session& session, std::uint32_t run, std::vector<std::string>& names,
                         std::vector<Fd>& fds) const {
  for (const auto& [id, execution] : session.executions) {
    if (execution->run != run || names.size() >= kMostOutputs) {
      continue;
    }
    std::vector<Fd> file = output_file(broker_, *execution);
    if (!file.empty()) {
      names.push_back(id);
      fds.push_back(std::move(file.front()));
    }
    for (const char* left : {"/outputs", "/generated.jsonl"}) {
      if (!execution->ending || execution->ending->left == Left{}) {
        continue;
      }
      if (Result<Fd> kept =
              broker_.places.open_out("sessions/" + session.id + "/executions/" + id + left)) {
        names.push_back(id + left);
        fds.push_back(std::move(*kept));
      }
    }
  }
}

namespace {

// What a view reader is asked for, in the order of its descriptors: the session's two views, then
// two for each run.
Bytes view_request(std::size_t segments, const std::set<std::uint32_t>& runs,
                   const std::vector<std::string>& shown) {
  return wire::build<reader::ToReader>([&](auto root) {
    auto view = root.initView();
    view.setSegments(static_cast<std::uint32_t>(segments));
    auto wanted = view.initWanted(static_cast<unsigned>(2 + 2 * runs.size()));
    wanted[0].setKind(reader::ViewKind::SESSION_JSON);
    wanted[1].setKind(reader::ViewKind::SESSION_LOG);
    unsigned at = 2;
    for (const std::uint32_t run : runs) {
      wanted[at].setKind(reader::ViewKind::RUN_JSON);
      wanted[at++].setRun(run);
      wanted[at].setKind(reader::ViewKind::RUN_MARKDOWN);
      wanted[at++].setRun(run);
    }
    auto names = view.initOutputs(static_cast<unsigned>(shown.size()));
    for (unsigned i = 0; i < names.size(); ++i) {
      names.set(i, wire::text(shown[i]));
    }
  });
}

}  // namespace

void Views::start(Work work) {
  const SessionPtr session = work.session;
  std::vector<Output> outputs{{".", "session.json"}, {".", "session.log"}};
  std::vector<Fd> fds;
  std::vector<std::string> shown;
  Status opened = session->journal ? done() : Status(error(Code::NotFound, "no journal"));
  const auto give = [&](Result<Fd> fd) {
    if (fd) {
      fds.push_back(std::move(*fd));
    } else if (opened) {
      opened = fd.failure();
    }
  };
  const std::size_t segments = session->journal ? session->journal->segments().size() : 0;
  for (std::size_t i = 0; i < segments; ++i) {
    give(broker_.places.open_out("sessions/" + session->id + "/" +
                                 Journal::file_name(session->journal->segments()[i].number)));
  }
  for (const std::uint32_t run : work.runs) {
    const std::string folder = "runs/" + session->runs[run - 1].folder();
    outputs.push_back({folder, "run.json"});
    outputs.push_back({folder, "run.md"});
  }
  for (const Output& output : outputs) {
    give(temporary(*session, output));
  }
  for (const std::uint32_t run : work.runs) {
    give_outputs(*session, run, shown, fds);
  }
  const auto finish = [this, then = std::move(work.then)] {
    for (const auto& one : then) {
      one();
    }
    busy_ = false;
    next();
  };
  if (!opened) {
    log::warn("views of " + session->id + ": " + opened.failure().text());
    finish();
    return;
  }
  const Bytes request = view_request(segments, work.runs, shown);
  Reading::ask(broker_, "view", request, std::move(fds), limits::kViewingWithin,
               [session, outputs, finish](Result<Packet> answer) {
                 keep(*session, outputs, answer);
                 finish();
               });
}

void Views::keep(const Session& session, const std::vector<Output>& outputs,
                 const Result<Packet>& answer) {
  const Status made =
      answer
          ? wire::read<reader::FromReader>(
                answer->bytes, limits::kTrustedNesting,
                [](reader::FromReader::Reader from) -> Status {
                  return from.isViewed()
                             ? done()
                             : Status(error(Code::Invalid, wire::text(from.getFailed().getText())));
                })
          : Status(answer.failure());
  if (!made) {
    log::warn("views of " + session.id + ": " + to_valid_utf8(made.failure().text()));
  }
  for (const Output& output : outputs) {
    const std::string from = output.folder + "/" + temporary_name(output.name);
    const std::string to = output.folder + "/" + output.name;
    if (made) {
      (void)::renameat(session.folder.get(), from.c_str(), session.folder.get(), to.c_str());
    } else {
      (void)::unlinkat(session.folder.get(), from.c_str(), 0);
    }
  }
}

}  // namespace rb::brk

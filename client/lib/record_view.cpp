#include "client/lib/record_view.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "client/lib/record_store.h"
#include "common/io.h"
#include "common/packet.h"
#include "protocol/limits.h"
#include "protocol/reader.capnp.h"
#include "protocol/wire.h"

namespace rb::client {
namespace {

constexpr int kLink = 3;            // where a reader finds its link
constexpr int kCannotConfine = 77;  // its exit status where the machine refuses a layer
constexpr std::size_t kMostOutputs = 250;
constexpr std::size_t kViewBytes = std::size_t{256} << 20;
constexpr int kWithinMs = 60'000;

// A running reader; ended and reaped with this object.
class Reader {
 public:
  Reader(pid_t child, Fd link) : child_(child), link_(std::move(link)) {}
  Reader(Reader&& other) noexcept
      : child_(std::exchange(other.child_, -1)), link_(std::move(other.link_)) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  Reader& operator=(Reader&&) = delete;
  ~Reader() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      (void)wait();
    }
  }
  [[nodiscard]] int link() const { return link_.get(); }
  // Its wait status.
  int wait() {
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    child_ = -1;
    return status;
  }

 private:
  pid_t child_;
  Fd link_;
};

Result<Reader> start_reader(const std::string& programs) {
  Result<std::pair<Fd, Fd>> pair = packet_pair(false);
  if (!pair) {
    return pair.failure();
  }
  // Above its own place, so that the copy made in the child loses close-on-exec.
  const Result<Fd> theirs = pair->second.duplicate(kLink + 1);
  if (!theirs) {
    return theirs.failure();
  }
  const std::string path = programs + "/runbook-reader";
  std::string name = "runbook-reader";
  std::string mode = "view";
  std::array<char*, 3> words = {name.data(), mode.data(), nullptr};
  posix_spawn_file_actions_t actions{};
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
  ::posix_spawn_file_actions_adddup2(&actions, 0, 1);
  ::posix_spawn_file_actions_adddup2(&actions, theirs->get(), kLink);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, kLink + 1);
  std::array<char*, 1> environment = {nullptr};
  pid_t child = -1;
  const int failed =
      ::posix_spawn(&child, path.c_str(), &actions, nullptr, words.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    return Error{Code::System, "start " + path, failed};
  }
  return Reader(child, std::move(pair->first));
}

// What is asked for: the message and its descriptors.
struct Asked {
  Bytes message;
  std::vector<Fd> fds;
  Fd drawn;  // second owner of the memory file that the view is written to
};

// What the view shows of each execution beside the journal; what isn't there isn't shown.
Status add_outputs(int session, const RecordedRun& run, RunView view,
                   std::vector<std::string>& names, std::vector<Fd>& fds) {
  const auto add = [&](const std::string& name, const std::string& path) {
    if (Result<Fd> file = open_file(session, "executions/" + path)) {
      names.push_back(name);
      fds.push_back(std::move(*file));
    }
  };
  const std::size_t skip =
      run.executions.size() > kMostOutputs ? run.executions.size() - kMostOutputs : 0;
  for (std::size_t i = skip; i < run.executions.size(); ++i) {
    const std::string& execution = run.executions[i];
    if (!is_execution_id(execution)) {
      return error(Code::Invalid, "an execution without a proper id");
    }
    if (view == RunView::Page) {
      add(execution, execution + "/output");
    }
    for (const char* left : {"/outputs", "/generated.jsonl"}) {
      add(execution + left, execution + left);
    }
  }
  return done();
}

Result<Asked> ask_for(int state, const RecordedSession& session, const RecordedRun& run,
                      RunView view) {
  const Result<Fd> folder = open_session(state, session.id);
  Result<Segments> segments =
      folder ? open_segments(folder->get()) : Result<Segments>(folder.failure());
  if (!segments) {
    return within(session.id, segments.failure());
  }
  Asked asked;
  const std::size_t count = segments->files.size();
  asked.fds = std::move(segments->files);
  asked.drawn = Fd(::memfd_create("view", MFD_CLOEXEC));
  Result<Fd> theirs = asked.drawn.duplicate();
  if (!theirs) {
    return theirs.failure();
  }
  asked.fds.push_back(std::move(*theirs));
  std::vector<std::string> outputs;
  if (Status added = add_outputs(folder->get(), run, view, outputs, asked.fds); !added) {
    return added.failure();
  }
  asked.message = wire::build<reader::ToReader>([&](reader::ToReader::Builder message) {
    auto request = message.initView();
    request.setSegments(static_cast<std::uint32_t>(count));
    auto wanted = request.initWanted(1);
    wanted[0].setKind(view == RunView::Page ? reader::ViewKind::RUN_MARKDOWN
                                            : reader::ViewKind::RUN_JSON);
    wanted[0].setRun(static_cast<std::uint32_t>(run.number));
    auto names = request.initOutputs(static_cast<unsigned>(outputs.size()));
    for (unsigned i = 0; i < names.size(); ++i) {
      names.set(i, wire::text(outputs[i]));
    }
  });
  return asked;
}

// The message with as many descriptors as a packet takes, then the rest.
Status send(int link, const Asked& asked) {
  const Bytes more =
      wire::build<reader::ToReader>([](reader::ToReader::Builder message) { message.setMore(); });
  for (std::size_t at = 0; at < asked.fds.size();) {
    // A message too large for a packet takes one of its descriptors.
    const std::size_t room =
        limits::kDescriptorsPerPacket - (asked.message.size() > limits::kPacketBytes / 2 ? 1 : 0);
    const std::size_t end = std::min(asked.fds.size(), at + room);
    std::vector<int> numbers;
    for (std::size_t i = at; i < end; ++i) {
      numbers.push_back(asked.fds[i].get());
    }
    if (Status sent = send_packet(link, at == 0 ? asked.message : more, numbers); !sent) {
      return sent;
    }
    at = end;
  }
  return done();
}

Status understand(const Packet& packet) {
  return wire::read<reader::FromReader>(
      packet.bytes, limits::kTrustedNesting, [](reader::FromReader::Reader message) -> Status {
        if (message.isViewed()) {
          return done();
        }
        return message.isFailed() ? error(Code::Invalid, wire::text(message.getFailed().getText()))
                                  : error(Code::Invalid, "the reader answered something else");
      });
}

// Waits at most kWithinMs for the one answer.
Result<Packet> receive_answer(int link) {
  pollfd wait{link, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&wait, 1, kWithinMs);
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) {
    return error(Code::Closed, "the reader gave no answer in time");
  }
  return receive_packet(link);
}

}  // namespace

Result<std::string> draw_run(int state, const std::string& programs, const RecordedSession& session,
                             const RecordedRun& run, RunView view) {
  const Result<Asked> asked = ask_for(state, session, run, view);
  if (!asked) {
    return asked.failure();
  }
  Result<Reader> reader = start_reader(programs);
  if (!reader) {
    return reader.failure();
  }
  const Status sent = send(reader->link(), *asked);
  const Result<Packet> answer =
      sent ? receive_answer(reader->link()) : Result<Packet>(sent.failure());
  if (!answer) {
    const int status = reader->wait();
    return WIFEXITED(status) && WEXITSTATUS(status) == kCannotConfine
               ? error(Code::Unsupported, "this machine can't confine a reader")
               : within("draw the view", answer.failure());
  }
  if (Status made = understand(*answer); !made) {
    return made.failure();
  }
  if (::lseek(asked->drawn.get(), 0, SEEK_SET) < 0) {
    return errno_error("lseek");
  }
  const Result<Bytes> drawn = read_all(asked->drawn.get(), kViewBytes);
  return drawn ? Result<std::string>(std::string(as_text(*drawn)))
               : Result<std::string>(drawn.failure());
}

}  // namespace rb::client

#include "client/ctl/check_job.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include "client/lib/escape.h"
#include "common/digest.h"
#include "common/io.h"
#include "protocol/digests.h"
#include "protocol/limits.h"
#include "protocol/reader.capnp.h"
#include "protocol/wire.h"

namespace rb::ctl {
namespace {

using rb::reader::FromReader;
using rb::reader::ToReader;

constexpr int kLink = 3;

// A reader, its link on descriptor 3 and our standard error as its log.
Result<pid_t> spawn_reader(const std::string& programs, const char* mode, const Fd& link) {
  const std::string path = programs + "/runbook-reader";
  std::string name = "runbook-reader";
  std::string word = mode;
  std::array<char*, 3> argv = {name.data(), word.data(), nullptr};
  std::string quiet = "RUNBOOKD_LOG_LEVEL=error";
  std::array<char*, 2> environment = {quiet.data(), nullptr};
  posix_spawn_file_actions_t actions{};
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
  ::posix_spawn_file_actions_adddup2(&actions, 0, 1);
  ::posix_spawn_file_actions_adddup2(&actions, link.get(), kLink);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, kLink + 1);
  pid_t pid = -1;
  const int failed =
      ::posix_spawn(&pid, path.c_str(), &actions, nullptr, argv.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    return Error{Code::System, "start " + path, failed};
  }
  return pid;
}

bool is_markdown(const std::string& name) {
  return name.size() > 3 && name.compare(name.size() - 3, 3, ".md") == 0;
}

bool runs_in_principle(const std::string& format, const std::string& kind) {
  return format == "mdx" ? kind == "inline" || kind == "file"
                         : kind == "run" || kind == "destructive" || kind == "background";
}

}  // namespace

bool Checked::any(client::Severity severity) const {
  return std::any_of(problems.begin(), problems.end(),
                     [&](const client::Problem& one) { return one.severity == severity; });
}

CheckJob::CheckJob(Loop& loop, std::string programs, Candidate candidate, Then then)
    : loop_(loop),
      programs_(std::move(programs)),
      candidate_(std::move(candidate)),
      then_(std::move(then)),
      deadline_(loop, [this] { fail("it takes too long to read"); }) {
  result_.path = candidate_.path;
  load();
}

CheckJob::~CheckJob() {
  end_child();
}

void CheckJob::end_child() {
  link_.reset();
  if (child_ > 0) {
    (void)::kill(child_, SIGKILL);
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    child_ = -1;
  }
}

void CheckJob::load() {
  Fd folder(::open(candidate_.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) {
    fail(errno_error("open " + candidate_.folder).text());
    return;
  }
  Bytes request = wire::build<ToReader>([&](auto root) {
    auto load = root.initLoad();
    load.setName(wire::text(candidate_.name));
    if (is_markdown(candidate_.name)) {  // Markdown names no other file: don't read the folder
      load.initOnly(1).set(0, wire::text(candidate_.name));
    }
  });
  ask("load", std::move(request), std::move(folder), limits::kReadingWithin);
}

void CheckJob::ask(const char* mode, Bytes request, Fd descriptor, Nanos within) {
  Result<std::pair<Fd, Fd>> pair = packet_pair(true);
  if (!pair) {
    fail(pair.failure().text());
    return;
  }
  const int flags = ::fcntl(pair->second.get(), F_GETFL);
  (void)::fcntl(pair->second.get(), F_SETFL, flags & ~O_NONBLOCK);  // as the broker gives it
  const Result<pid_t> child = spawn_reader(programs_, mode, pair->second);
  if (!child) {
    fail(child.failure().text());
    return;
  }
  child_ = *child;
  link_ = std::make_unique<PacketLink>(
      loop_, std::move(pair->first), [this](Packet packet) { on_answer(std::move(packet)); },
      [this](const Error&) {
        if (!answered_) {
          fail("the reader ended without an answer");
        }
      });
  answered_ = false;
  deadline_.arm(within);
  std::vector<Fd> fds;
  fds.push_back(std::move(descriptor));
  link_->send(std::move(request), std::move(fds));
}

void CheckJob::on_answer(Packet packet) {
  if (std::exchange(answered_, true)) {
    return;  // one answer is all a reader has
  }
  deadline_.disarm();
  // The link is on the stack: what follows comes from the loop.
  loop_.post([this, shared = std::make_shared<Packet>(std::move(packet)),
              alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired()) {
      return;
    }
    end_child();
    const Status handled = reading_ ? on_read(*shared) : on_loaded(*shared);
    if (!handled) {
      fail(handled.failure().text());
    }
  });
}

void CheckJob::refuse_load(rb::reader::Failed::Reader failed) {
  client::Problem problem;
  problem.code = wire::text(failed.getCode());
  problem.text = wire::text(failed.getText());
  problem.line = 1;
  problem.column = 1;
  result_.format = is_markdown(candidate_.name) ? "markdown" : "mdx";
  result_.problems.push_back(std::move(problem));
  conclude();
}

Status CheckJob::on_loaded(Packet& packet) {
  Bytes request;
  bool refused = false;
  const Status read = wire::read<FromReader>(
      packet.bytes, limits::kTrustedNesting, [&](FromReader::Reader from) -> Status {
        if (from.isFailed()) {
          refused = true;
          refuse_load(from.getFailed());
          return done();
        }
        if (!from.isLoaded() || packet.fds.size() != 1) {
          return error(Code::Invalid, "the loader answered something else");
        }
        for (const auto entry : from.getLoaded().getEntries()) {
          files_.push_back({wire::text(entry.getPath()), entry.getOffset(), entry.getLength()});
        }
        request = wire::build<ToReader>([&](auto root) {
          auto wanted = root.initRead();
          wanted.setTree(from.getLoaded());
          wanted.setShownPath(wire::text(candidate_.path));
        });
        return done();
      });
  if (!read || refused) {
    return read;
  }
  content_ = std::move(packet.fds[0]);
  Result<Fd> copy = content_.duplicate();
  if (!copy) {
    return copy.failure();
  }
  reading_ = true;
  ask("read", std::move(request), std::move(*copy), limits::kReadingWithin);
  return done();
}

Bytes CheckJob::script_of(rb::reader::Block::Reader block) const {
  if (block.getPath().size() == 0) {
    return wire::bytes(block.getScript());
  }
  const std::string path = wire::text(block.getPath());
  const auto file =
      std::find_if(files_.begin(), files_.end(), [&](const File& one) { return one.path == path; });
  if (file == files_.end() || file->length > limits::kTreeBytes) {
    return {};
  }
  Result<Bytes> bytes = read_at(content_.get(), file->offset, file->length);
  return bytes ? std::move(*bytes) : Bytes();
}

CheckedBlock CheckJob::block_from(rb::reader::Block::Reader from) const {
  CheckedBlock out;
  out.id = wire::text(from.getId());
  out.type = wire::text(from.getType());
  out.line = from.getLine();
  out.kind = wire::text(from.getKind());
  out.language = wire::text(from.getLanguage());
  for (const auto flag : from.getFlags()) {
    out.flags.push_back(wire::text(flag));
  }
  out.executable = runs_in_principle(result_.format, out.kind);
  if (out.executable || result_.format == "markdown") {
    const Bytes script = script_of(from);
    out.script_sha256 = sha256(script).hex();
    if (from.getRunnable()) {
      out.digest = executable_digest(from, script).hex();
    }
  }
  return out;
}

Status CheckJob::on_read(const Packet& packet) {
  const Status read = wire::read<FromReader>(
      packet.bytes, limits::kTrustedNesting, [&](FromReader::Reader from) -> Status {
        if (from.isFailed()) {
          refuse_load(from.getFailed());
          return done();
        }
        if (!from.isRead()) {
          return error(Code::Invalid, "the reader answered something else");
        }
        const auto outcome = from.getRead();
        result_.vetted = outcome.getVetted();
        result_.format = wire::text(outcome.getFormat());
        for (const auto problem : outcome.getProblems()) {
          result_.problems.push_back(client::problem_from_wire(problem));
        }
        for (const auto block : outcome.getBlocks()) {
          result_.blocks.push_back(block_from(block));
        }
        return done();
      });
  if (read && then_) {
    conclude();
  }
  return read;
}

void CheckJob::fail(const std::string& why) {
  result_.failure = client::label(why);
  conclude();
}

void CheckJob::conclude() {
  if (!then_) {
    return;
  }
  deadline_.disarm();
  const Then then = std::exchange(then_, nullptr);
  // Whoever holds this object may drop it now: it is left alone after the call.
  loop_.post(
      [then, result = std::make_shared<Checked>(std::move(result_))] { then(std::move(*result)); });
}

}  // namespace rb::ctl

#include "broker/opening.h"

#include <algorithm>

#include "broker/broker.h"
#include "broker/trees.h"
#include "broker/withheld.h"
#include "common/folder.h"
#include "common/io.h"
#include "common/log.h"
#include "common/mapping.h"
#include "protocol/folder_id.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::brk {
namespace {

using front::Reason;
using reader::FromReader;
using reader::ToReader;

constexpr std::size_t kAtOnce = 4;

// The loader's content: sealed, so that its pages are nobody's to change.
Result<Mapping> content_of(const Packet& loaded) {
  const Result<std::uint64_t> length = sealed_length(loaded.fds.front().get(), limits::kTreeBytes);
  return length ? Mapping::of(loaded.fds.front().get()) : Result<Mapping>(length.failure());
}

// What a reader says about a failure, fit for a person.
std::string sentence(capnp::Text::Reader from) {
  return to_valid_utf8(wire::text(from)).substr(0, 500);
}

std::string name_of_runbook(const std::string& main, const std::string& folder_path) {
  if (main == "runbook.mdx" || main == "runbook.md") {
    return file_safe(folder_path.substr(folder_path.rfind('/') + 1));
  }
  const std::string file = main.substr(main.rfind('/') + 1);
  return file_safe(file.substr(0, file.rfind('.')));
}

// The same file opened before keeps its name; another one of that name gets a number.
std::string unique_name(const Session& session, const std::string& main,
                        const std::string& folder_path) {
  for (const auto& [name, runbook] : session.runbooks) {
    if (runbook.main == main && runbook.folder_path == folder_path) {
      return name;
    }
  }
  const std::string base = name_of_runbook(main, folder_path);
  std::string name = base;
  for (unsigned i = 2; session.runbooks.contains(name); ++i) {
    name = base + "-" + std::to_string(i);
  }
  return name;
}

}  // namespace

void handle_open(Broker& broker, const CallPtr& call, Operation operation) {
  const auto from = operation.getOpen();
  Opener::Asked asked{wire::text(from.getName()), wire::text(from.getShownPath()), "", {}};
  if (call->fds.size() != 1) {
    refuse(broker, call, Reason::MALFORMED, "open needs the folder's descriptor");
    return;
  }
  if (!call->session->environment) {  // which says where home is
    refuse(broker, call, Reason::NO_ENVIRONMENT, "the session's environment is needed again");
    return;
  }
  asked.folder = std::move(call->fds.front());
  call->fds.clear();
  if (!is_folder(from.getFolder(), asked.folder.get())) {
    refuse(broker, call, Reason::MALFORMED, "the descriptor isn't the folder that was meant");
    return;
  }
  // The path that people see and scripts find it under is the kernel's, not the message's.
  asked.folder_path = place_of(asked.folder.get());
  if (!asked.folder_path.starts_with('/')) {
    refuse(broker, call, Reason::MALFORMED, "the descriptor isn't a folder");
    return;
  }
  broker.opener.open(call, std::move(asked));
}

void Opener::open(const CallPtr& call, Asked asked) {
  const OpeningPtr opening = std::make_shared<Opening>();
  opening->session = call->session;
  opening->call = call;
  opening->asked = std::move(asked);
  if (is_withheld(broker_, *call->session->environment, opening->asked.folder)) {
    opening->only = {""};  // what lies beside a runbook in home isn't for its scripts
  }
  waiting_.push_back(opening);
  next();
}

void Opener::restore(const SessionPtr& session, const Record& opened) {
  const std::optional<Digest> digest = digest_from_hex(opened.texts[5]);
  Result<Fd> folder =
      digest ? open_beneath(broker_.places.trees(), digest->hex(), O_RDONLY | O_DIRECTORY)
             : Result<Fd>(error(Code::Invalid, "no digest"));
  if (!folder || file_safe(opened.texts[1]) != opened.texts[1]) {
    say_lost(*session, file_safe(opened.texts[1]), "its sealed copy isn't there");
    return;
  }
  const OpeningPtr opening = std::make_shared<Opening>();
  opening->session = session;
  opening->name = opened.texts[1];
  opening->wanted = digest;
  opening->wanted_bound = opened.numbers[0] != 0;
  opening->asked = {opened.texts[2], opened.texts[3], opened.texts[4], std::move(*folder)};
  waiting_.push_back(opening);
  ++restoring_;
  next();
}

void Opener::next() {
  while (active_ < kAtOnce && !waiting_.empty()) {
    const OpeningPtr opening = waiting_.front();
    waiting_.pop_front();
    ++active_;
    load(opening);
  }
}

void Opener::load(const OpeningPtr& opening) {
  const Bytes request = wire::build<ToReader>([&](auto root) {
    auto load = root.initLoad();
    load.setName(wire::text(opening->asked.name));
    auto only = load.initOnly(static_cast<unsigned>(opening->only.size()));
    for (unsigned i = 0; i < only.size(); ++i) {
      only.set(i, wire::text(opening->only[i]));
    }
  });
  std::vector<Fd> fds;
  if (Result<Fd> folder = opening->asked.folder.duplicate()) {
    fds.push_back(std::move(*folder));
  }
  Reading::ask(broker_, "load", request, std::move(fds), limits::kReadingWithin,
               [this, opening](Result<Packet> answer) { on_loaded(opening, std::move(answer)); });
}

void Opener::on_loaded(const OpeningPtr& opening, Result<Packet> answer) {
  if (!answer) {
    fail(opening, Reason::UNAVAILABLE, "the folder can't be read: " + answer.failure().text());
    return;
  }
  opening->loaded = std::move(*answer);
  const Status checked = wire::read<FromReader>(
      opening->loaded.bytes, limits::kTrustedNesting, [&](FromReader::Reader from) -> Status {
        if (from.isFailed()) {
          return error(Code::NotFound, sentence(from.getFailed().getText()));
        }
        if (!from.isLoaded() || opening->loaded.fds.size() != 1) {
          return error(Code::Invalid, "the loader broke its contract");
        }
        const Result<Mapping> content = content_of(opening->loaded);
        if (!content) {
          return content.failure();
        }
        Result<Tree> tree = check_tree(from.getLoaded(), content->bytes());
        if (!tree) {
          return tree.failure();
        }
        opening->tree = std::move(*tree);
        if (!opening->wanted) {
          return done();
        }
        opening->tree.bound = opening->wanted_bound;  // of a copy the loader sees all there is
        opening->tree.digest = tree_digest(opening->tree, content->bytes());
        return *opening->wanted == opening->tree.digest
                   ? done()
                   : Status(error(Code::Invalid, "the sealed copy was changed"));
      });
  if (!checked) {
    fail(opening, Reason::UNAVAILABLE, checked.failure().text());
    return;
  }
  read(opening);
}

void Opener::read(const OpeningPtr& opening) {
  Bytes request;
  const Status built = wire::read<FromReader>(
      opening->loaded.bytes, limits::kTrustedNesting, [&](FromReader::Reader from) {
        request = wire::build<ToReader>([&](auto root) {
          auto read = root.initRead();
          read.setTree(from.getLoaded());
          read.setShownPath(wire::text(opening->asked.shown_path));
        });
        return done();
      });
  std::vector<Fd> fds;
  if (Result<Fd> content = opening->loaded.fds.front().duplicate()) {
    fds.push_back(std::move(*content));
  }
  if (!built || fds.empty()) {
    fail(opening, Reason::UNAVAILABLE, "the runbook can't be handed to a reader");
    return;
  }
  Reading::ask(broker_, "read", request, std::move(fds), limits::kReadingWithin,
               [this, opening](Result<Packet> answer) { on_read(opening, std::move(answer)); });
}

void Opener::on_read(const OpeningPtr& opening, Result<Packet> answer) {
  if (!answer) {
    fail(opening, Reason::UNAVAILABLE, "the runbook can't be read: " + answer.failure().text());
    return;
  }
  std::vector<std::string> paths;
  const Status looked = wire::read<FromReader>(
      answer->bytes, limits::kTrustedNesting, [&](FromReader::Reader from) -> Status {
        if (from.isFailed()) {
          return error(Code::NotFound, sentence(from.getFailed().getText()));
        }
        for (const auto block : from.getRead().getBlocks()) {
          if (block.getPath().size() > 0) {
            paths.push_back(wire::text(block.getPath()));
          }
        }
        return done();
      });
  if (!looked) {
    fail(opening, Reason::UNAVAILABLE, "the runbook can't be read: " + looked.failure().text());
    return;
  }
  if (!opening->tree.bound && !opening->again && !paths.empty()) {
    opening->only = std::move(paths);
    opening->again = true;
    load(opening);  // once more, with the files that blocks name
    return;
  }
  conclude(opening, std::move(*answer));
}

void Opener::conclude(const OpeningPtr& opening, Packet answer) {
  Session& session = *opening->session;
  Receipt receipt{Receipt::Kind::Opened, session.id, "", 0, {}};
  std::string name;
  const Status sealed = wire::read<FromReader>(
      answer.bytes, limits::kTrustedNesting, [&](FromReader::Reader from) -> Status {
        // Kept for a day, in case the request is repeated: without the blocks and their scripts.
        receipt.reading =
            std::make_shared<const Bytes>(wire::build<reader::Outcome>([&from](auto root) {
              if (from.isRead()) {
                root.setProblems(from.getRead().getProblems());
              }
            }));
        if (!from.isRead() || !from.getRead().getVetted()) {
          return from.isRead() ? done() : Status(error(Code::Invalid, "not an outcome"));
        }
        const Result<Mapping> content = content_of(opening->loaded);
        if (!content) {
          return content.failure();
        }
        Result<Registry> registry = seal_registry(from.getRead(), opening->tree, content->bytes());
        if (!registry) {
          return registry.failure();
        }
        return keep(opening, std::move(*registry), content->bytes(), answer, name);
      });
  if (!sealed) {
    fail(opening, Reason::UNAVAILABLE, sealed.failure().text());
    return;
  }
  receipt.subject = name;
  const auto found = session.runbooks.find(name);
  record(opening, found == session.runbooks.end() ? nullptr : &found->second, receipt);
}

Status Opener::keep(const OpeningPtr& opening, Registry registry, ByteView content, Packet& answer,
                    std::string& name) {
  if (answer.fds.size() != 1 || !sealed_length(answer.fds.front().get(), limits::kSpilledBytes)) {
    return error(Code::Invalid, "the reader broke its contract: no sealed document");
  }
  Result<SealedTree> sealed = seal_tree(broker_.places.trees(), opening->tree, content);
  if (!sealed) {
    return within("the sealed copy", sealed.failure());
  }
  Session& session = *opening->session;
  name = opening->call ? unique_name(session, opening->tree.main, opening->asked.folder_path)
                       : opening->name;
  Runbook runbook{name,
                  to_valid_utf8(opening->asked.shown_path),
                  opening->asked.folder_path,
                  opening->tree.main,
                  opening->tree.digest,
                  opening->tree.bound,
                  sealed->is_new,
                  std::make_shared<const Registry>(std::move(registry)),
                  std::move(answer.fds.front()),
                  std::move(sealed->folder)};
  session.runbooks.insert_or_assign(name, std::move(runbook));
  return done();
}

void Opener::record(const OpeningPtr& opening, const Runbook* runbook, const Receipt& receipt) {
  leave(*opening);
  const CallPtr call = opening->call;
  const SessionPtr session = opening->session;
  if (!call) {
    return;
  }
  if (!session->open()) {  // it ended while the runbook was being read
    refuse(broker_, call, Reason::WRONG_STATE, "the session is over");
    return;
  }
  JsonWriter line =
      session->journal->begin(runbook != nullptr ? "opened" : "open-refused", &call->actor);
  line.field("request", call->request_hex);
  line.field("shown_path", opening->asked.shown_path).field("folder", opening->asked.folder_path);
  line.field("main", opening->tree.main).field("tree_digest", opening->tree.digest.hex());
  line.field("bound", opening->tree.bound);
  if (runbook != nullptr) {
    line.field("runbook", runbook->name).field("title", runbook->registry->title);
    line.field("format", runbook->registry->format).field("new", runbook->is_new);
    line.key("blocks").begin_array();
    for (const Executable& block : runbook->registry->blocks) {
      line.begin_object().field("id", block.id).field("type", block.type).field("line", block.line);
      line.field("runnable", block.runnable);
      line.field("digest", block.runnable ? block.digest.hex() : "").end_object();
    }
    line.end_array();
    (void)broker_.ledger.append(opened_record(*session, *runbook));
  }
  call->noted = true;  // opening again is no harm, and the problems found aren't kept
  record_and_finish(broker_, call, std::move(line), receipt);
}

void Opener::fail(const OpeningPtr& opening, Reason reason, const std::string& text) {
  leave(*opening);
  if (opening->call) {
    refuse(broker_, opening->call, reason, text);
  } else {
    say_lost(*opening->session, opening->name, text);
  }
}

void Opener::say_lost(Session& session, const std::string& runbook, const std::string& why) {
  log::warn("runbook " + runbook + " can't be taken up again: " + why);
  if (session.journal) {
    JsonWriter line = session.journal->begin("lost-runbook");
    line.field("runbook", runbook).field("text", why);
    (void)session.journal->append(std::move(line));
    session.journal->commit({});
  }
}

void Opener::leave(const Opening& opening) {
  --active_;
  if (!opening.call && --restoring_ == 0) {
    broker_.loop.post([this] { broker_.serve_when_ready(); });
  }
  next();
}

}  // namespace rb::brk

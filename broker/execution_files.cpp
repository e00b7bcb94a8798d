#include "broker/execution_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "broker/sessions.h"
#include "common/folder.h"

namespace rb::brk {
namespace {

Result<ExecutionFiles> make_files(Session& session) {
  const std::string id = "e" + std::to_string(session.next_execution++);
  Result<Fd> folder = make_folder(session.executions_folder.get(), id);
  if (!folder) {
    return folder.failure();
  }
  const auto file = [&folder](const char* name, int more) {
    return open_beneath(folder->get(), name, O_WRONLY | O_CREAT | O_EXCL | more, Links::Refuse,
                        0600);
  };
  Result<Fd> script = file("script", 0);
  // The monitor's, which fills it with zeros and syncs it while it builds.
  Result<Fd> outcome = file("outcome.bin", 0);
  Result<Fd> output = file("output", O_APPEND);
  Result<Fd> index = file("output.idx", O_APPEND);
  Result<Fd> generated = make_folder(folder->get(), "generated");
  for (const Result<Fd>* one : {&script, &outcome, &output, &index, &generated}) {
    if (!*one) {
      return one->failure();
    }
  }
  return ExecutionFiles{id,
                        std::move(*folder),
                        std::move(*script),
                        std::move(*output),
                        std::move(*index),
                        std::move(*generated)};
}

}  // namespace

void prepare_files(Session& session) {
  if (!session.ready && session.open() && !session.ending) {
    if (Result<ExecutionFiles> made = make_files(session)) {
      session.ready = std::move(*made);
    }
  }
}

Result<ExecutionFiles> take_files(Session& session) {
  auto ready = std::exchange(session.ready, std::nullopt);
  return ready ? std::move(*ready) : make_files(session);
}

void discard_files(Session& session) {
  if (!session.ready) {
    return;
  }
  const int folder = session.ready->folder.get();
  for (const char* name : {"script", "outcome.bin", "output", "output.idx"}) {
    (void)::unlinkat(folder, name, 0);
  }
  (void)::unlinkat(folder, "generated", AT_REMOVEDIR);
  (void)::unlinkat(session.executions_folder.get(), session.ready->id.c_str(), AT_REMOVEDIR);
  session.ready.reset();
}

}  // namespace rb::brk

#include "broker/execution_files.h"

#include <fcntl.h>
#include <unistd.h>

#include "broker/sessions.h"
#include "common/folder.h"

namespace rb::brk {
namespace {

Result<ExecutionFiles> make_files(Session& session) {
  ExecutionFiles out;
  out.id = "e" + std::to_string(session.next_execution++);
  constexpr int kFlags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL;
  Result<Fd> folder = make_folder(session.executions_folder.get(), out.id);
  if (!folder) {
    return folder.failure();
  }
  Result<Fd> script =
      open_beneath(folder->get(), "script", O_WRONLY | O_CREAT | O_EXCL, Links::Refuse, 0600);
  // The monitor's, which fills it with zeros and syncs it while it builds.
  Result<Fd> outcome =
      open_beneath(folder->get(), "outcome.bin", O_WRONLY | O_CREAT | O_EXCL, Links::Refuse, 0600);
  Result<Fd> output = open_beneath(folder->get(), "output", kFlags, Links::Refuse, 0600);
  Result<Fd> index = open_beneath(folder->get(), "output.idx", kFlags, Links::Refuse, 0600);
  Result<Fd> generated = make_folder(folder->get(), "generated");
  for (const Result<Fd>* one : {&script, &outcome, &output, &index, &generated}) {
    if (!*one) {
      return one->failure();
    }
  }
  out.folder = std::move(*folder);
  out.script = std::move(*script);
  out.output = std::move(*output);
  out.index = std::move(*index);
  out.generated = std::move(*generated);
  return out;
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
  if (!session.ready) {
    return make_files(session);
  }
  ExecutionFiles out = std::move(*session.ready);
  session.ready.reset();
  return out;
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

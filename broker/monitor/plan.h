// plan.h — what a sandbox is made of, as a list of steps.   [TRUSTED: monitor]
// Pure: decided from a Launch and from how this machine's root looks; build.h does the steps. The
// base is the same for every execution and is built before its Launch is known.
// Errors: Refused for a work folder that is or holds what must stay hidden; the text says which.
// Source: DESIGN §7; docs/ARCHITECTURE.md §Execution.
#pragma once

#include <string>
#include <vector>

#include "broker/monitor/launch.h"
#include "common/result.h"

namespace rb::mon {

enum class Do {
  MakePrivate,      // no mount event leaves from here on; what the machine unmounts isn't kept
  NewRoot,          // an empty file system, which becomes the current folder
  Folder,           // `to`
  Link,             // `to` → `from`
  Bind,             // `base`/`from` at `to`; `from` crosses no link
  BindDescriptor,   // what `fd` is, found again at its own path, at `to`
  Pin,              // folders on the way to `to` in what scripts may change: none can be renamed
  Protect,          // names below `to` that tools execute by themselves: read-only where they are
  NewFileSystem,    // of type `from` with `options` at `to`
  CopyFile,         // the content of `fd` as a read-only file at `to`
  LockNamespaces,   // no user namespace below this one
  OwnNetwork,       // a network namespace with nothing but lo
  Freeze,           // the mount at `to` read-only
  EnterRoot,        // the new root becomes the only one
  EnterFolder,      // `from`, from then on an absolute path inside
  CheckInterpreter  // `from` exists and may be executed
};

struct Step {
  Do what = Do::MakePrivate;
  std::string name;  // for people: "mount /usr"
  std::string to;    // relative to the new root
  std::string from;
  std::string base = "/";
  std::string options;
  int fd = -1;
  bool writable = false;
  bool devices = false;   // device files work
  bool optional = false;  // left out where the source isn't there
};

// How this machine's root looks: what the base needs to know.
struct RootView {
  struct Entry {
    std::string name;  // "usr"
    std::string link;  // target, when it is a link
  };
  struct Named {
    std::string place;   // where a link in /etc points: "/run/systemd/resolve/stub-resolv.conf"
    std::string source;  // the real path of what is there
  };
  std::vector<Entry> folders;
  std::vector<Named> named;  // replaced while a sandbox waits: looked at again for each launch
  bool root = false;  // uid 0: files of /proc that only root may write need a mount of their own
};
// Reads it; needs no rights.
[[nodiscard]] RootView look_at_root();
[[nodiscard]] std::vector<RootView::Named> look_at_named_files();

[[nodiscard]] std::vector<Step> plan_base(const RootView& view);
[[nodiscard]] Result<std::vector<Step>> plan_launch(const Launch& launch, const RootView& view);

// Where the script lies for its interpreter; "" for a memory file. Unsandboxed: in the execution's
// own folder, so that it is what was approved, whatever became of the runbook's folder.
[[nodiscard]] std::string script_place(const Launch& launch);

}  // namespace rb::mon

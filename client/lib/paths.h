// paths.h — where the daemon's sockets, its state and its programs lie.   [frontends]
// Errors: none but those of ensure_folder; a path is computed, not probed.
// Source: DESIGN §2, §4, §8; docs/ARCHITECTURE.md §Files.
#pragma once

#include <string>

#include "common/result.h"

namespace rb::client {

// $XDG_RUNTIME_DIR/runbookd, else /tmp/runbookd-UID. No slash at the end.
[[nodiscard]] std::string runtime_folder();
[[nodiscard]] std::string operator_socket();
// $HOME, else what the system says of this user, else "/".
[[nodiscard]] std::string home();
// $XDG_STATE_HOME/runbookd, else ~/.local/state/runbookd.
[[nodiscard]] std::string state_folder();
// The folder with runbook-broker and its siblings: our own where they lie beside us, else the
// compiled-in one. No environment variable chooses it.
[[nodiscard]] std::string program_folder();

// True when `folder` is a folder (not a link) of ours that nobody else can enter.
[[nodiscard]] Status check_private(const std::string& folder);
// Makes a folder and its parents, 0700; an existing one is left as it is.
[[nodiscard]] Status ensure_folder(const std::string& folder);

// An absolute path with links resolved; the path itself where that fails.
[[nodiscard]] std::string resolved(const std::string& path);
// The first link on the way to `path` that isn't root's, as far as it is written there; "" for
// none.
[[nodiscard]] std::string link_on_the_way(const std::string& path);
// "~/..." where it lies below home: for people.
[[nodiscard]] std::string tilde(const std::string& path);

}  // namespace rb::client

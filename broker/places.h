// places.h — the state folder and the runtime folder: made, checked, locked.   [TRUSTED: broker]
// Out:    descriptors; every later open goes beneath one of them (common/folder.h).
// Errors: a folder that isn't ours, isn't 0700 or is a link is refused by name, never repaired; a
//         second daemon gets "already running, pid N".
// Source: DESIGN §4, §8; threats 33 to 36; attack A12 for open_out().
#pragma once

#include <string>

#include "common/fd.h"
#include "common/result.h"

namespace rb::brk {

class Places {
 public:
  [[nodiscard]] static Result<Places> prepare();

  [[nodiscard]] int runtime() const { return runtime_.get(); }
  [[nodiscard]] int monitors() const { return monitors_.get(); }
  [[nodiscard]] int state() const { return state_.get(); }
  [[nodiscard]] int trees() const { return trees_.get(); }
  [[nodiscard]] int sessions() const { return sessions_.get(); }
  [[nodiscard]] const std::string& runtime_path() const { return runtime_path_; }
  [[nodiscard]] const std::string& state_path() const { return state_path_; }

  // Opens a regular file of the state folder for somebody else: through the read-only clone of its
  // mount, so that the descriptor can't be turned into a writable one by whoever has it. There is
  // no other way for a descriptor of the state folder to leave; without a clone: Unsupported.
  [[nodiscard]] Result<Fd> open_out(const std::string& path) const;
  // Bytes free for us where the state folder lies.
  [[nodiscard]] std::uint64_t free_bytes() const;
  // A listening socket there (0600), in place of whatever an earlier daemon of ours left.
  // `type`: SOCK_STREAM for clients, SOCK_SEQPACKET for later brokers.
  [[nodiscard]] static Result<Fd> listen_at(int folder, const std::string& name, int type);

 private:
  std::string runtime_path_;
  std::string state_path_;
  Fd runtime_;
  Fd monitors_;
  Fd state_;
  Fd lock_;
  Fd trees_;
  Fd sessions_;
  Fd clone_;
  std::string no_clone_;
};

// Where a link leads, or where an open file lies, as the kernel says; "" when it doesn't.
[[nodiscard]] std::string link_target(const std::string& path);
[[nodiscard]] std::string place_of(int fd);

}  // namespace rb::brk

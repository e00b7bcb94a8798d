// profile.h — what one execution may reach, as a value.   [TRUSTED: broker, monitor; client shows]
// Every member starts at its narrowest. What widens it is an enumerator that begins with `Allow`,
// so that one search for `::Allow` lists every weakening there is.
// Source: DESIGN §7; docs/SECURITY.md §Claims.
#pragma once

#include <cstdint>
#include <string>

namespace rb::policy {

enum class Isolation { Sandbox, AllowHost };    // AllowHost: no namespaces, no filter, sudo works
enum class Network { None, AllowHostNetwork };  // what this machine reaches, loopback included
enum class WorkFolder { Hidden, ReadOnly, AllowWrite };  // also $GENERATED_FILES
enum class Home { ReadOnly, AllowPrivateWrite };  // empty either way; writes vanish at the end
// Of the session's environment. Fewest: who and where alone, and of its settings nothing: no tool
// folder of home is shown, the umask is 077, the locale C.UTF-8.
enum class Variables { Fewest, AllowListed, AllowAll };

struct Limits {
  std::uint64_t timeout_ms = 0;
  std::uint64_t output_bytes = 0;
  std::uint32_t processes = 0;
  std::uint64_t memory_bytes = 0;  // of each process; 0: none
  std::uint32_t open_files = 0;    // 0: as the session has it
  std::uint64_t file_bytes = 0;    // 0: none
  std::uint64_t tmp_bytes = 0;     // of each private file system: /tmp, /var/tmp, /dev/shm, home
  std::uint32_t stop_grace_ms = 0;
};

struct Profile {
  std::string name;
  Isolation isolation = Isolation::Sandbox;
  Network network = Network::None;
  WorkFolder work = WorkFolder::Hidden;
  Home home = Home::ReadOnly;
  Variables variables = Variables::Fewest;

  [[nodiscard]] bool sandboxed() const { return isolation == Isolation::Sandbox; }
};

}  // namespace rb::policy

#include "broker/grants.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "broker/broker.h"
#include "broker/withheld.h"
#include "common/folder.h"
#include "policy/builtin.h"
#include "policy/grants.h"
#include "protocol/folder_id.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::brk {
namespace {

using front::Reason;
using MaybeRefusal = std::optional<Refusal>;

// Opening by O_PATH alone: a FIFO, a device or a file that is being written isn't touched.
Fd open_place(const std::string& path) {
  return Fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
}

mode_t type_of(const Fd& place) {
  const auto facts = place_facts(place.get());
  return facts ? facts->type : 0;
}

// The kernel's places, and those of other programs' sockets.
bool is_of_others(const std::string& real) {
  constexpr std::array<std::string_view, 5> kOfOthers = {"/proc", "/sys", "/dev", "/run",
                                                         "/tmp/.X11-unix"};
  return real == "/tmp" || real == "/var/tmp" ||
         std::any_of(kOfOthers.begin(), kOfOthers.end(),
                     [&](std::string_view folder) { return is_beneath(real, folder); });
}

MaybeRefusal add(Grants& into, Grant grant) {
  if (into.places.size() == limits::kGrants) {
    return Refusal{Reason::LIMIT, "at most " + std::to_string(limits::kGrants) +
                                      " places can be granted: name a folder that holds several"};
  }
  into.places.push_back(std::move(grant));
  return std::nullopt;
}

MaybeRefusal add_socket(const policy::CredentialSet& set, const std::string& path, Grants& into) {
  const std::string name(set.name);
  Fd place = open_place(path);
  if (path.front() != '/' || !place || type_of(place) != S_IFSOCK) {
    return Refusal{Reason::BAD_INPUT, "$" + std::string(set.socket_variable) +
                                          " names no socket, so " + name + " can't be granted"};
  }
  into.variables.emplace_back(set.socket_variable);
  return add(into, {name, path, false, std::move(place)});
}

bool is_of_kernel(const std::string& path) {
  return is_beneath(path, "/proc") || is_beneath(path, "/sys") || is_beneath(path, "/dev");
}

// A system folder shows it already, or the sealed copy, or what was granted before.
bool is_shown(const Ground& ground, const Grants& grants, const std::string& path) {
  const auto folders = policy::system_folders();
  return std::any_of(folders.begin(), folders.end(),
                     [&](std::string_view folder) {
                       return is_beneath(path, "/" + std::string(folder));
                     }) ||
         is_beneath(path, ground.runbook) ||
         std::any_of(grants.places.begin(), grants.places.end(),
                     [&](const Grant& grant) { return is_beneath(path, grant.path); });
}

// Shows what a variable says lies at `path`, there. "" or why not; what isn't there is none.
std::string show_named(const Ground& ground, const std::string& set, std::string path,
                       Grants& into) {
  constexpr std::string_view kWithheld =
      ", which is or holds home, / or the record, or is the system's";
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  const std::filesystem::path words(path);
  if (!words.is_absolute() || words.lexically_normal() != words) {
    return path + ", which is no absolute path";
  }
  if (is_of_kernel(path)) {  // it may be one of our own descriptors
    return path + std::string(kWithheld);
  }
  if (is_beneath(path, "/var/run")) {  // a link to /run, inside too
    path.erase(0, 4);
  }
  if (is_shown(ground, into, path)) {
    return "";
  }
  Fd place = open_place(path);
  const mode_t type = type_of(place);
  if (type != S_IFDIR && type != S_IFREG) {
    return "";
  }
  const std::string real = place_of(place.get());
  if (is_withheld(ground.broker, ground.session, place) || is_of_kernel(real) ||
      (type == S_IFDIR && is_of_others(real))) {
    return path + std::string(kWithheld);
  }
  const MaybeRefusal refused = add(into, {set, path, false, std::move(place)});
  return refused ? path + ": " + refused->text : "";
}

// The places that variables of the set name. "" or which can't be shown, and why; the others are.
std::string show_all_named(const Ground& ground, const policy::CredentialSet& set, Grants& into) {
  std::string why;
  for (const policy::NamedPlace& named : set.named) {
    std::string_view rest = ground.session.value(named.variable);
    while (!rest.empty()) {
      const std::size_t end = named.list ? std::min(rest.find(':'), rest.size()) : rest.size();
      const std::string path(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const std::string not_shown =
          path.empty()
              ? ""
              : show_named(ground, std::string(set.name), path + std::string(named.below), into);
      if (why.empty() && !not_shown.empty()) {
        why = "$" + std::string(named.variable) + " names " + not_shown;
      }
    }
  }
  return why;
}

// Its files lie inside where programs look for them, wherever a link of the operator's leads.
MaybeRefusal add_files(const Ground& ground, const policy::CredentialSet& set, Grants& into) {
  const std::string home(ground.session.value("HOME"));
  for (const std::string_view file : set.files) {
    const std::string path = home + "/" + std::string(file);
    Fd place = open_place(path);
    if (home.size() < 2 || !place || is_withheld(ground.broker, ground.session, place) ||
        (type_of(place) != S_IFDIR && type_of(place) != S_IFREG)) {
      continue;
    }
    if (MaybeRefusal refused = add(into, {std::string(set.name), path, false, std::move(place)})) {
      return refused;
    }
  }
  return std::nullopt;
}

MaybeRefusal add_set(const Ground& ground, const policy::CredentialSet& set, Grants& into) {
  const Environment& session = ground.session;
  const std::string name(set.name);
  const std::size_t before = into.places.size();
  if (MaybeRefusal refused = add_files(ground, set, into)) {
    return refused;
  }
  bool any = into.places.size() > before;
  for (const std::string_view variable : set.variables) {
    any = any || !session.value(variable).empty();
    into.variables.emplace_back(variable);
  }
  for (const policy::NamedPlace& named : set.named) {
    any = any || !session.value(named.variable).empty();
    into.variables.emplace_back(named.variable);
  }
  if (const std::string why = show_all_named(ground, set, into); !why.empty()) {
    return Refusal{Reason::BAD_INPUT, why + ": " + name + " can't be granted"};
  }
  if (const std::string path(session.value(set.socket_variable)); !path.empty()) {
    any = true;
    if (MaybeRefusal refused = add_socket(set, path, into)) {
      return refused;
    }
  }
  return any ? std::nullopt
             : MaybeRefusal(Refusal{Reason::BAD_INPUT, "there is nothing of " + name +
                                                           " here: no file of it below home and "
                                                           "no variable in the session"});
}

// Why this place, as the kernel has it, can't be granted; "" when it can.
std::string why_not(const Ground& ground, const Fd& place, const std::string& real, bool writable) {
  const mode_t type = type_of(place);
  if (type != S_IFDIR && type != S_IFREG) {
    return type == S_IFSOCK ? " is a socket: give it with --socket"
                            : " is neither a folder nor a file: only the profile `host` reaches it";
  }
  if (is_withheld(ground.broker, ground.session, place) || is_of_others(real)) {
    return " can't be granted: it is or holds home, / or the record, or it is the system's. Name a "
           "folder below it";
  }
  if (writable && real != ground.runbook &&
      is_beneath(real, ground.runbook)) {  // it would lie over what was vetted
    return " lies in the runbook's own folder, which scripts see as a sealed copy: nothing in it "
           "can be written to";
  }
  return "";
}

std::string why_no_socket(const Ground& ground, const Fd& place, const std::string& real) {
  if (type_of(place) != S_IFSOCK) {
    return " isn't a socket: give it with --read or --write";
  }
  if (is_withheld(ground.broker, ground.session, place)) {
    return " is the daemon's own: scripts never reach it";
  }
  return policy::equals_host(real) ? " gives who reaches it what the profile `host` gives: if that "
                                     "is meant, run the block with --profile host"
                                   : "";
}

enum class Kind : std::uint8_t { Read, Write, Socket };

// Places that the client opened: no path of a message is opened here.
MaybeRefusal add_places(const Ground& ground, capnp::List<front::FolderId>::Reader said, Kind kind,
                        std::span<Fd> opened, Grants& into) {
  for (unsigned i = 0; i < said.size(); ++i) {
    Fd& place = opened[i];
    std::string real = place_of(place.get());
    if (!is_place(said[i], place.get()) || real.empty() || real.front() != '/') {
      return Refusal{Reason::MALFORMED, "a descriptor isn't of the place that is to be granted"};
    }
    const std::string why = kind == Kind::Socket
                                ? why_no_socket(ground, place, real)
                                : why_not(ground, place, real, kind == Kind::Write);
    if (!why.empty()) {
      return Refusal{Reason::BAD_INPUT, real + why};
    }
    if (MaybeRefusal refused =
            add(into, {"", std::move(real), kind == Kind::Write, std::move(place)})) {
      return refused;
    }
  }
  return std::nullopt;
}

Refusal no_such_set(const std::string& name) {
  std::string all;
  for (const policy::CredentialSet& known : policy::credential_sets()) {
    all += (all.empty() ? "" : ", ") + std::string(known.name);
  }
  return Refusal{Reason::BAD_INPUT, "there is no credential set " + name + ": they are " + all};
}

MaybeRefusal add_all(const Ground& ground, front::Start::Reader from, std::span<Fd> places,
                     Grants& into) {
  for (const auto name : from.getWith()) {
    const policy::CredentialSet* set = policy::find_credential_set(wire::text(name));
    if (set == nullptr) {
      return no_such_set(wire::text(name));
    }
    if (MaybeRefusal refused = add_set(ground, *set, into)) {
      return refused;
    }
  }
  for (const auto& [said, kind] :
       {std::pair{from.getRead(), Kind::Read}, std::pair{from.getWrite(), Kind::Write},
        std::pair{from.getSockets(), Kind::Socket}}) {
    if (MaybeRefusal refused = add_places(ground, said, kind, places.first(said.size()), into)) {
      return refused;
    }
    places = places.subspan(said.size());
  }
  return std::nullopt;
}

// What the filter won't let a script connect to isn't granted, and isn't recorded as if it were.
MaybeRefusal refuse_sockets(const Broker& broker, const policy::Profile& profile,
                            const Grants& grants) {
  const auto is_socket = [](const Grant& grant) { return type_of(grant.fd) == S_IFSOCK; };
  const auto socket = std::find_if(grants.places.begin(), grants.places.end(), is_socket);
  if (socket == grants.places.end() || broker.facts.of(profile.name).unix_sockets) {
    return std::nullopt;
  }
  return Refusal{Reason::REFUSED_PROFILE,
                 socket->set + " can't be granted on this kernel in " + profile.name +
                     ": its Landlock can't keep a script from other sockets, so scripts open none; "
                     "it takes Linux 6.12, or the profile sealed, which has a network of its own, "
                     "or the profile host"};
}

}  // namespace

std::string why_not_granted(const Ground& ground, const Fd& place, bool writable) {
  return why_not(ground, place, place_of(place.get()), writable);
}

std::variant<Grants, Refusal> resolve_grants(const Ground& ground, const policy::Profile& profile,
                                             front::Start::Reader from, std::span<Fd> places) {
  Grants out;
  if (!profile.sandboxed()) {
    return out;  // it reaches all of them
  }
  if (from.getWrite().size() > 0 && profile.work != policy::WorkFolder::AllowWrite) {
    return Refusal{Reason::REFUSED_PROFILE, "nothing can be granted to write to in the profile " +
                                                profile.name + ": use workspace"};
  }
  if (from.getWith().size() > limits::kGrants) {
    return Refusal{Reason::LIMIT, "too many grants are asked for"};
  }
  if (MaybeRefusal refused = add_all(ground, from, places, out)) {
    return *refused;
  }
  if (MaybeRefusal refused = refuse_sockets(ground.broker, profile, out)) {
    return *refused;
  }
  if (profile.network != policy::Network::None) {
    (void)show_all_named(ground, policy::certificates(), out);  // else as without them
  }
  return out;
}

}  // namespace rb::brk

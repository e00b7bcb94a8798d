// opening.h — from a folder descriptor to a sealed registry.   [TRUSTED: broker]
// Steps: load (a process that parses nothing) → check and hash the tree → read (a process without
// files) → seal the registry → seal the folder's copy → record → answer. A few at a time.
// Source: DESIGN §5.
#pragma once

#include <deque>
#include <memory>

#include "broker/reading.h"
#include "broker/requests.h"

namespace rb::brk {

class Opener {
 public:
  explicit Opener(Broker& broker) : broker_(broker) {}

  struct Asked {
    std::string name;         // file in the folder, or ""
    std::string shown_path;   // for people
    std::string folder_path;  // as the kernel says
    Fd folder;
  };
  void open(const CallPtr& call, Asked asked);
  // Opens the sealed copy again that an earlier broker made; where it isn't whole the record says
  // so.
  void restore(const SessionPtr& session, const Record& opened);
  // Restoring is under way: nothing is served before it has ended.
  [[nodiscard]] bool restoring() const { return restoring_ > 0; }

 private:
  struct Opening {
    SessionPtr session;
    CallPtr call;  // none: restored for `name` with the tree `wanted`
    Asked asked;
    std::string name;
    std::optional<Digest> wanted;
    bool wanted_bound = true;
    std::vector<std::string> only;  // not empty: these files of a folder that isn't bound
    bool again = false;             // the files that blocks name were asked for
    Packet loaded;
    Tree tree;
  };
  using OpeningPtr = std::shared_ptr<Opening>;

  void next();
  void load(const OpeningPtr& opening);
  void on_loaded(const OpeningPtr& opening, Result<Packet> answer);
  void read(const OpeningPtr& opening);
  void on_read(const OpeningPtr& opening, Result<Packet> answer);
  void conclude(const OpeningPtr& opening, Packet answer);
  [[nodiscard]] Status keep(const OpeningPtr& opening, Registry registry, ByteView content,
                            Packet& answer, std::string& name);
  void record(const OpeningPtr& opening, const Runbook* runbook, const Receipt& receipt);
  void leave(const Opening& opening);
  static void say_lost(Session& session, const std::string& runbook, const std::string& why);
  void fail(const OpeningPtr& opening, front::Reason reason, const std::string& text);

  Broker& broker_;
  std::deque<OpeningPtr> waiting_;
  std::size_t active_ = 0;
  std::size_t restoring_ = 0;
};

}  // namespace rb::brk

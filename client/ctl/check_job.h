// check_job.h — vets one runbook without a daemon: a jailed loader, then a jailed reader.
// In:     a candidate. We open its folder and parse nothing; both children are runbook-reader,
//         one request each, killed when they take too long.
// Out:    once, from the loop: what the reader said, or why it couldn't be checked.
// Source: DESIGN §5, §9.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/ctl/check_walk.h"
#include "client/lib/model.h"
#include "common/loop.h"
#include "common/packet.h"
#include "protocol/reader.capnp.h"

namespace rb::ctl {

struct CheckedBlock {
  std::string id;
  std::string type;
  std::uint32_t line = 0;
  std::string kind;
  std::string language;
  std::vector<std::string> flags;
  bool executable = false;
  std::string script_sha256;  // hex; "" for none
  std::string digest;         // hex; "" for none
};

struct Checked {
  std::string path;
  std::string failure;  // not empty: it couldn't be checked at all
  bool vetted = false;
  std::string format;
  std::vector<CheckedBlock> blocks;
  std::vector<client::Problem> problems;

  [[nodiscard]] bool any(client::Severity severity) const;
};

class CheckJob {
 public:
  using Then = std::function<void(Checked)>;

  // `programs` is the folder that holds runbook-reader. Starts at once.
  CheckJob(Loop& loop, std::string programs, Candidate candidate, Then then);
  CheckJob(const CheckJob&) = delete;
  CheckJob& operator=(const CheckJob&) = delete;
  CheckJob(CheckJob&&) = delete;
  CheckJob& operator=(CheckJob&&) = delete;
  ~CheckJob();

 private:
  void ask(const char* mode, Bytes request, Fd descriptor, Nanos within);
  void on_answer(Packet packet);
  void load();
  [[nodiscard]] Status on_loaded(Packet& packet);
  [[nodiscard]] Status on_read(const Packet& packet);
  [[nodiscard]] Bytes script_of(rb::reader::Block::Reader block) const;
  [[nodiscard]] CheckedBlock block_from(rb::reader::Block::Reader from) const;
  void refuse_load(rb::reader::Failed::Reader failed);
  void fail(const std::string& why);
  void end_child();
  void conclude();

  struct File {
    std::string path;
    std::uint64_t offset;
    std::uint64_t length;
  };

  Loop& loop_;
  std::string programs_;
  Candidate candidate_;
  Then then_;
  Checked result_;
  bool reading_ = false;   // the second child
  bool answered_ = false;  // by the present child: its link may end now
  Fd content_;
  std::vector<File> files_;
  int child_ = -1;
  std::unique_ptr<PacketLink> link_;
  Timer deadline_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace rb::ctl

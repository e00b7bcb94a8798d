// runner.h — goes through the steps of a run: starts each block, shows it, counts how it ended.
// Ctrl-C once stops the running execution politely, twice at once; the third leaves. The exit
// status is that of the first step that didn't pass.
#pragma once

#include <string>
#include <vector>

#include "client/ctl/context.h"
#include "client/ctl/follow.h"
#include "client/ctl/inputs.h"
#include "client/ctl/run_plan.h"

namespace rb::ctl {

struct RunOptions {
  std::string profile;
  std::uint64_t timeout_ms = 0;
  bool new_run = false;
  bool keep_going = false;
  bool verbatim = false;
  Fd work;  // --work DIR
  std::string work_path;
  std::vector<std::string> with;  // credential sets
  std::vector<Fd> read;           // O_PATH
  std::vector<Fd> write;
  std::vector<Fd> sockets;
};

class Runner {
 public:
  Runner(Context& context, client::Client& daemon, const client::Opened& opened,
         const RunOptions& options, const Inputs& inputs);

  [[nodiscard]] int run(const std::vector<Step>& steps);
  // Starts one block and prints its execution's id alone.
  [[nodiscard]] int detach(const client::BlockInfo& block);

 private:
  [[nodiscard]] Got<client::Started> start(const client::BlockInfo& block);
  [[nodiscard]] client::Operation start_operation(const client::BlockInfo& block);
  void run_step(const Step& step, std::size_t number, std::size_t of);
  void pass_over(const Step& step, std::size_t number, std::size_t of);
  void watch(const client::BlockInfo& block, Got<client::Started> started);
  void count(const client::BlockInfo& block, const client::Ended& ended);
  void settle_status(int status);
  void on_interrupt();
  void send_stop(std::uint32_t grace_ms);
  void say_header(const client::BlockInfo& block, const std::string& profile, std::size_t number,
                  std::size_t of);
  void say_ending(const client::Ended& ended);
  void explain_refusals(const client::Started& started, int output);
  void say_total();
  void json_started(const client::BlockInfo& block, const client::Started& started);
  void json_finished(const client::BlockInfo& block, const client::Started& started,
                     const client::Ended& ended);
  void json_refused(const client::BlockInfo& block, const std::string& reason,
                    const std::string& text);
  void json_total();

  Context& context_;
  client::Client& daemon_;
  const client::Opened& opened_;
  const RunOptions& options_;
  const Inputs& inputs_;
  Follow follow_;
  Signal interrupt_;
  client::RunInfo run_;
  std::string session_;    // of the first start, or as asked for
  std::string executing_;  // the execution under way, or ""
  unsigned interrupts_ = 0;
  bool begun_ = false;  // a start was accepted: the run is open
  bool ends_ = false;   // no further step
  int status_ = kYes;
  unsigned passed_ = 0;
  unsigned failed_ = 0;
  unsigned refused_ = 0;
  unsigned not_run_ = 0;
  std::string first_bad_;  // "migrate: exit 3"
};

}  // namespace rb::ctl

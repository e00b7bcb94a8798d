// bench_client.cpp — the measuring client: our daemon and a peer in alternating rounds.   [bench]
// Prints one JSON object a line: {"name":…,"ours":[…],"peer":[…]}; units in bench.py, which calls
// it.
//   bench_client launch  FOLDER ROUNDS COUNT PEER-ARGV…   one start after the other, microseconds
//   bench_client rate    FOLDER ROUNDS COUNT PEER-ARGV…   two at once, microseconds for all COUNT
//   bench_client requests COUNT                           queries with 64 in flight, a second
//   bench_client output  FOLDER BLOCK ROUNDS PEER-ARGV…   one execution of BLOCK, microseconds
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "client/lib/client.h"
#include "client/lib/events.h"
#include "common/folder.h"
#include "protocol/folder_id.h"
#include "protocol/wire.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to us

namespace {

using namespace rb;

[[noreturn]] void die(const std::string& why) {
  std::fprintf(stderr, "bench_client: %s\n", why.c_str());
  std::exit(1);
}

template <typename T>
T must(Result<client::Answer> answer, const char* what) {
  if (!answer) {
    die(std::string(what) + ": " + answer.failure().text());
  }
  if (const auto* refusal = std::get_if<client::Refusal>(&answer->value)) {
    die(std::string(what) + " refused: " + refusal->text);
  }
  auto* value = std::get_if<T>(&answer->value);
  if (value == nullptr) {
    die(std::string(what) + ": an answer of another kind");
  }
  return std::move(*value);
}

double since(Nanos start) {
  return std::chrono::duration<double, std::micro>(boot_now() - start).count();
}

class Bench {
 public:
  Bench() {
    client::Client::Options options{"bench_client", true};
    auto connected = client::Client::connect(loop_, options);
    if (!connected) {
      die(connected.failure().text());
    }
    client_ = std::move(*connected);
  }

  void begin() {
    client::Operation operation;
    operation.fill = [](front::Operation::Builder into, const client::Greeting& greeting) {
      auto start = into.initStartSession();
      start.setWho("bench");
      start.setWhy("measuring");
      client::fill_environment(start.initEnvironment(), greeting);
    };
    session_ = must<client::SessionInfo>(client_->act(std::move(operation)), "session").id;
    client::Subscription subscription;
    subscription.session = session_;
    subscription.on_event = [this](const client::EventLine& line) { on_event(line); };
    client_->subscribe(std::move(subscription));
  }

  void open(const std::string& folder) {
    client::Operation operation;
    operation.session = session_;
    Fd descriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    const int number = descriptor.get();
    operation.fill = [folder, number](front::Operation::Builder into, const client::Greeting&) {
      auto open = into.initOpen();
      say_place(open.initFolder(), number);
      open.setShownPath(folder);
      open.setFolderPath(folder);
    };
    operation.fds.push_back(std::move(descriptor));
    book_ = must<client::Opened>(client_->act(std::move(operation)), "open").info;
  }

  // Sends one start; `over` runs when its end line came.
  void start(const std::string& block, std::function<void()> over) {
    const auto found = std::find_if(book_.blocks.begin(), book_.blocks.end(),
                                    [&](const auto& b) { return b.id == block; });
    if (found == book_.blocks.end()) {
      die("no block " + block);
    }
    client::Operation operation;
    operation.session = session_;
    operation.fill = [this, block, digest = found->digest](front::Operation::Builder into,
                                                           const client::Greeting&) {
      auto start = into.initStart();
      start.setRunbook(book_.name);
      start.setBlock(block);
      start.setDigest(wire::data(digest));
    };
    client_->send(std::move(operation), [this, over](Result<client::Answer> answer) {
      const auto started = must<client::Started>(std::move(answer), "start");
      const auto early = std::find(ended_.begin(), ended_.end(), started.execution);
      if (early != ended_.end()) {
        ended_.erase(early);
        over();
      } else {
        waiting_.emplace_back(started.execution, over);
      }
    });
  }

  // COUNT starts of "a", `wide` at once; each one's time when one at once, else the whole.
  std::vector<double> starts(unsigned count, unsigned wide, const std::string& block = "a") {
    std::vector<double> times;
    unsigned sent = 0;
    unsigned over = 0;
    const Nanos all = boot_now();
    std::function<void()> next = [&] {
      const Nanos began = boot_now();
      ++sent;
      start(block, [&, began] {
        times.push_back(since(began));
        ++over;
        if (sent < count) {
          next();
        }
      });
    };
    for (unsigned i = 0; i < wide && sent < count; ++i) {
      next();
    }
    while (over < count) {
      loop_.turn(true);
    }
    return wide == 1 ? times : std::vector<double>{since(all)};
  }

  double requests(unsigned count) {
    unsigned answered = 0;
    unsigned sent = 0;
    const Nanos began = boot_now();
    std::function<void()> next = [&] {
      ++sent;
      client::Query query;
      query.fill = [](front::Query::Builder into) { into.setStatus(); };
      client_->send(query, [&](Result<client::Answer> answer) {
        (void)must<client::DaemonStatus>(std::move(answer), "status");
        ++answered;
        if (sent < count) {
          next();
        }
      });
    };
    while (sent < 64) {
      next();
    }
    while (answered < count) {
      loop_.turn(true);
    }
    return count / (since(began) / 1e6);
  }

  void end() {
    client::Operation operation;
    operation.session = session_;
    operation.fill = [](front::Operation::Builder into, const client::Greeting&) {
      into.setEndSession();
    };
    (void)client_->act(std::move(operation));
  }

 private:
  void on_event(const client::EventLine& line) {
    const auto event = client::parse_event(line.json);
    if (!event || event->type != "finished") {
      return;
    }
    const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                    [&](const auto& w) { return w.first == event->execution; });
    if (found == waiting_.end()) {
      ended_.push_back(event->execution);
      return;
    }
    const auto over = found->second;
    waiting_.erase(found);
    over();
  }

  Loop loop_;
  std::unique_ptr<client::Client> client_;
  std::string session_;
  client::RunbookInfo book_;
  std::vector<std::pair<std::string, std::function<void()>>> waiting_;
  std::vector<std::string> ended_;
};

pid_t spawn(char** argv) {
  pid_t pid = -1;
  if (posix_spawnp(&pid, argv[0], nullptr, nullptr, argv, environ) != 0) {
    die(std::string("can't start ") + argv[0]);
  }
  return pid;
}

void wait_for(pid_t pid) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid || status != 0) {
    die("the peer failed");
  }
}

std::vector<double> peer_starts(char** argv, unsigned count, unsigned wide) {
  std::vector<double> times;
  const Nanos all = boot_now();
  if (wide == 1) {
    for (unsigned i = 0; i < count; ++i) {
      const Nanos began = boot_now();
      wait_for(spawn(argv));
      times.push_back(since(began));
    }
    return times;
  }
  unsigned running = 0;
  for (unsigned sent = 0; sent < count || running > 0;) {
    if (sent < count && running < wide) {
      (void)spawn(argv);
      ++sent;
      ++running;
      continue;
    }
    int status = 0;
    if (waitpid(-1, &status, 0) < 0 || status != 0) {
      die("the peer failed");
    }
    --running;
  }
  return {since(all)};
}

void print(const std::vector<double>& ours, const std::vector<double>& peer) {
  const auto list = [](const std::vector<double>& values) {
    std::string out;
    for (const double value : values) {
      out += (out.empty() ? "" : ",") + std::to_string(value);
    }
    return out;
  };
  std::printf("{\"ours\":[%s],\"peer\":[%s]}\n", list(ours).c_str(), list(peer).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  Bench bench;
  if (what == "requests" && argc == 3) {
    print({bench.requests(static_cast<unsigned>(std::atoi(argv[2])))}, {});
    return 0;
  }
  if (argc < 6) {
    die("see the head of bench_client.cpp");
  }
  bench.begin();
  bench.open(argv[2]);
  std::vector<double> ours;
  std::vector<double> peer;
  const auto add = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  const bool output = what == "output";
  const unsigned wide = what == "rate" ? 2 : 1;
  const unsigned rounds = static_cast<unsigned>(std::atoi(argv[output ? 4 : 3]));
  const unsigned count = output ? 1 : static_cast<unsigned>(std::atoi(argv[4]));
  const std::string block = output ? argv[3] : "a";
  if (!output) {
    (void)bench.starts(10, wide);
    (void)peer_starts(argv + 5, 10, wide);
  }
  for (unsigned round = 0; round < rounds; ++round) {
    add(ours, bench.starts(count, wide, block));
    add(peer, peer_starts(argv + 5, count, wide));
  }
  print(ours, peer);
  bench.end();
  return 0;
}

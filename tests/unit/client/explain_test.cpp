#include "client/ctl/explain.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "policy/builtin.h"

namespace rb::ctl {
namespace {

Ground ground_of(const char* profile) {
  Ground out;
  out.profile = *policy::find_profile(profile);
  out.home = "/home/anna";
  out.runbook_folder = "/home/anna/ops/db";
  out.record = "/home/anna/.local/state/runbookd";
  out.work = out.record + "/sessions/s/runs/db-1/work";
  out.cwd = out.work;
  return out;
}

struct Case {
  const char* line;
  const char* what;
  const char* why;
  const char* advice;
};

const std::vector<Case> kRefusals = {
    {"bash: line 3: /etc/billing/a.conf: Read-only file system", "write /etc/billing/a.conf",
     "workspace: system folders are read-only", "--write /etc/billing"},
    {"touch: cannot touch '/etc/x': Read-only file system", "write /etc/x",
     "workspace: system folders are read-only", "--profile host"},
    {"OSError: [Errno 30] Read-only file system: '/usr/local/lib/x'", "write /usr/local/lib/x",
     "workspace: system folders are read-only", "--write /usr/local/lib"},
    {"Error: EROFS: read-only file system, open '/opt/app/log'", "write /opt/app/log",
     "workspace: system folders are read-only", "--write /opt/app"},
    {"open /etc/app/x.toml: read-only file system", "write /etc/app/x.toml",
     "workspace: system folders are read-only", "--write /etc/app"},
    {"mkdir: cannot create directory ‘/srv’: Read-only file system", "write /srv",
     "workspace: the work folder, home, /tmp and what was granted can be written to",
     "--profile host"},
    {"cp: cannot create regular file '/home/anna/ops/db/out': Read-only file system",
     "write /home/anna/ops/db/out", "workspace: the runbook's folder is a sealed copy",
     "write to $RUNBOOK_WORK"},
    {"/home/anna/.cargo/bin/x: Read-only file system", "write /home/anna/.cargo/bin/x",
     "workspace: tool folders are read-only", "--write /home/anna/.cargo/bin"},
    {"cat: /home/anna/.aws/credentials: No such file or directory",
     "read /home/anna/.aws/credentials", "workspace: home shows tool folders and what was granted",
     "--with aws"},
    {"error: stat /home/anna/.kube/config: no such file or directory",
     "read /home/anna/.kube/config", "workspace: home shows tool folders and what was granted",
     "--with kube"},
    {"FileNotFoundError: [Errno 2] No such file or directory: '/home/anna/src/app/a.py'",
     "read /home/anna/src/app/a.py", "workspace: home shows tool folders and what was granted",
     "--read /home/anna/src/app"},
    {"grep: /home/anna/notes.txt: No such file or directory", "read /home/anna/notes.txt",
     "workspace: home shows tool folders and what was granted", "--read /home/anna/notes.txt"},
    {"ls: cannot access '/var/log/nginx/access.log': No such file or directory",
     "read /var/log/nginx/access.log", "workspace: it isn't among the folders that are shown",
     "--read /var/log/nginx"},
    {"ls: cannot access '/srv/data': No such file or directory", "read /srv/data",
     "workspace: it isn't among the folders that are shown", "--read /srv"},
    {"tail: cannot open '/mnt/a/b' for reading: No such file or directory", "read /mnt/a/b",
     "workspace: it isn't among the folders that are shown", "--read /mnt/a"},
    {"connect: /run/postgresql/.s.PGSQL.5432: No such file or directory",
     "reach /run/postgresql/.s.PGSQL.5432", "workspace: /run is the sandbox's own",
     "--socket /run/postgresql/.s.PGSQL.5432"},
    {"connect: /run/user/1000/bus: No such file or directory", "reach /run/user/1000/bus",
     "workspace: /run is the sandbox's own", "--profile host"},
    {"sudo: The \"no new privileges\" flag is set, which prevents sudo from running as root.",
     "sudo", "workspace: no program gains privileges", "--profile host"},
    {"sudo: /usr/bin/sudo must be owned by uid 0 and have the setuid bit set", "sudo",
     "workspace: no program gains privileges", "--profile host"},
    {"Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is it running?",
     "reach docker", "workspace: /run is the sandbox's own", "--profile host"},
    {"Failed to connect to bus: No such file or directory", "reach the bus of systemd",
     "workspace: /run is the sandbox's own", "--profile host"},
    {"System has not been booted with systemd as init system (PID 1). Can't operate.",
     "reach systemd", "workspace: /run is the sandbox's own", "--profile host"},
};

TEST_CASE("explain: refusals that the profile's text names are named exactly") {
  for (const Case& one : kRefusals) {
    CAPTURE(one.line);
    const auto found =
        explain(std::string("first line\n") + one.line + "\n", ground_of("workspace"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].what == one.what);
    CHECK(found[0].why == one.why);
    CHECK(found[0].advice == one.advice);
  }
}

TEST_CASE("explain: look-alikes have other causes, and nothing is claimed") {
  for (const char* line :
       {"cat: nothing: No such file or directory",
        "cat: ./a/b: No such file or directory",
        "cat: /etc/nothing: No such file or directory",
        "ls: /usr/nothing: No such file or directory",
        "cat: /tmp/x: No such file or directory",
        "cat: /var/tmp/x: No such file or directory",
        "cat: /dev/nothing: No such file or directory",
        "cat: /proc/99999/stat: No such file or directory",
        "cat: /home/anna/ops/db/missing.sh: No such file or directory",
        "bash: /home/anna/.cargo/bin/nothing: No such file or directory",
        "cat: /home/anna/.local/state/runbookd/sessions/s/runs/db-1/work/x: No such file or "
        "directory",
        "cat: /home/anna/.local/state/runbookd/sessions/s/executions/e1/generated/x: No such file "
        "or directory",
        "cat: /etc/shadow: Permission denied",
        "bash: ./x.sh: Permission denied",
        "mkdir: cannot create directory '/etc/x': Permission denied",
        "curl: (6) Could not resolve host: api.example.org",
        "getaddrinfo: Temporary failure in name resolution",
        "ping: connect: Network is unreachable",
        "connect to 10.0.0.1 port 22: Connection refused",
        "bash: kubectl: command not found",
        "rm: cannot remove '/etc': Is a directory",
        "write: No space left on device",
        "a read-only file system is what we want",
        "No such file or directory",
        "sudo: a password is required",
        "Cannot connect to the Docker daemon at tcp://10.0.0.2:2375. Is it running?"}) {
    CAPTURE(line);
    CHECK(explain(std::string(line) + "\n", ground_of("workspace")).empty());
  }
}

TEST_CASE("explain: what was granted isn't explained away, and what it lacks is") {
  Ground ground = ground_of("workspace");
  ground.sets = {"aws"};
  ground.read = {"/srv/data"};
  ground.written = {"/home/anna/src"};
  const auto one = [&](const char* line) {
    const auto found = explain(line, ground);
    return found.empty() ? std::string() : found[0].why + " → " + found[0].advice;
  };
  CHECK(one("cat: /home/anna/.aws/x: No such file or directory").empty());
  CHECK(one("cat: /srv/data/x: No such file or directory").empty());
  CHECK(one("cat: /home/anna/src/x: No such file or directory").empty());
  CHECK(one("touch: cannot touch '/srv/data/x': Read-only file system") ==
        "workspace: it was granted to be read → --write /srv/data");
  CHECK(one("touch: cannot touch '/home/anna/.aws/x': Read-only file system") ==
        "workspace: it was granted to be read → --write /home/anna/.aws");
  CHECK(one("touch: cannot touch '/home/anna/src/.git/x': Read-only file system") ==
        "workspace: what tools execute by themselves stays as it is → --profile host");
}

TEST_CASE("explain: other profiles in their own words, host in none") {
  const auto inspect =
      explain("touch: cannot touch 'x': Read-only file system\n", ground_of("inspect"));
  REQUIRE(inspect.size() == 1);
  CHECK(inspect[0].why == "inspect: nothing but /tmp can be written to");
  CHECK(inspect[0].advice == "--profile workspace");
  for (const char* line :
       {"bash: connect: Network is unreachable", "curl: (6) Could not resolve host: example.org",
        "ssh: Could not resolve hostname h: Temporary failure in name resolution",
        "Error: connect ENETUNREACH 10.0.0.1:80", "Error: getaddrinfo EAI_AGAIN example.org",
        "wget: unable to resolve host address 'example.org'"}) {
    CAPTURE(line);
    const auto cut_off = explain(std::string(line) + "\n", ground_of("sealed"));
    REQUIRE(cut_off.size() == 1);
    CHECK(cut_off[0].what == "reach the network");
    CHECK(cut_off[0].why == "sealed: it has none");
    CHECK(cut_off[0].advice == "--profile workspace");
    CHECK(explain(std::string(line) + "\n", ground_of("workspace")).empty());
  }
  CHECK(explain("curl: (7) Failed to connect to localhost port 1: Connection refused\n",
                ground_of("sealed"))
            .empty());
  const auto tool =
      explain("bash: /home/anna/.cargo/bin/x: No such file or directory\n", ground_of("sealed"));
  REQUIRE(tool.size() == 1);
  CHECK(tool[0].advice == "--read /home/anna/.cargo/bin");
  CHECK(explain("bash: /etc/x: Read-only file system\n", ground_of("host")).empty());
}

TEST_CASE("explain: each once, three at most, and hostile text stays text") {
  std::string output;
  for (int i = 0; i < 100; ++i) {
    output +=
        "touch: cannot touch '/etc/a" + std::to_string(i / 40) + "': Read-only file system\r\n";
  }
  CHECK(explain(output, ground_of("workspace")).size() == 3);
  CHECK(explain("x: /etc/\x1b[2J: Read-only file system\n", ground_of("workspace")).empty());
  CHECK(explain("'' : Read-only file system", ground_of("workspace")).empty());
  CHECK(explain(std::string(1 << 20, '\''), ground_of("workspace")).empty());
  const auto up =
      explain("cat: /etc/../home/anna/.aws/x: No such file or directory", ground_of("workspace"));
  REQUIRE(up.size() == 1);
  CHECK(up[0].advice == "--with aws");
}

}  // namespace
}  // namespace rb::ctl

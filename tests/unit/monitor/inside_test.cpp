// What a script finds inside its sandbox: terminal, files, folders, limits of what it may write.
#include <doctest/doctest.h>
#include <pwd.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/support/monitor_driver.h"

namespace rb::testing {
namespace {

namespace fs = std::filesystem;
using Which = monitor::FromMonitor::Which;
using event::Outcome;

const std::string kMonitor = MONITOR;

Order script(const std::string& text, const std::string& profile = "workspace") {
  Order order;
  order.script = text;
  order.profile = profile;
  return order;
}

std::string own_home() {
  return ::getpwuid(::geteuid())->pw_dir;
}

}  // namespace

TEST_CASE("sandbox: a terminal is one, with its own end of file") {
  for (const char* profile : {"workspace", "host"}) {
    CAPTURE(profile);
    Execution execution(kMonitor);
    Order order = script("test -t 0 && test -t 1 && tty && echo on a terminal", profile);
    order.pty = true;
    const Message end = execution.run(order);
    CHECK(end.outcome == Outcome::PASSED);
    CHECK(execution.output().find("/dev/pts/") != std::string::npos);
    CHECK(execution.output().find("on a terminal\r\n") != std::string::npos);
  }
}

TEST_CASE("sandbox: without a terminal there is none to be had") {
  Execution execution(kMonitor);
  const Message end =
      execution.run(script("exec 2>&1; (: < /dev/tty) && exit 9; read x && exit 8; exit 0"));
  CHECK(end.exit == 0);
  CHECK(execution.output().find("No such device or address") != std::string::npos);
}

TEST_CASE("sandbox: interpreters that need a file get one that can't be changed") {
  Execution execution(kMonitor);
  Order order = script("echo \"$0\"; echo no >> \"$0\" || echo kept; cat \"$0\" | head -c 4");
  order.script_as = monitor::ScriptAs::FILE;
  order.script_name = "check.sh";
  CHECK(execution.run(order).exit == 0);
  const std::string output = execution.output();
  CHECK(output.find("/run/runbook/check.sh\n") == 0);
  CHECK(output.find("kept\necho") != std::string::npos);
}

TEST_CASE("sandbox: without a sandbox the script's file is the execution's own") {
  Execution execution(kMonitor);
  Order order = script("echo \"$0\"", "host");
  order.script_as = monitor::ScriptAs::FILE;
  CHECK(execution.run(order).exit == 0);
  CHECK(execution.output() == execution.folder() + "/script\n");
}

TEST_CASE("sandbox: a script in the tree lies at its own place with its siblings") {
  Execution execution(kMonitor);
  const std::string tree = execution.base() + "/state/tree";
  fs::create_directories(tree + "/lib");
  write_file(tree + "/lib/run.sh", "echo the file as it was opened");
  write_file(tree + "/helper.sh", "echo sourced helper");
  Order order = script(". \"$(dirname \"$0\")/../helper.sh\"; echo \"$0\"; echo x > ../new");
  order.script_as = monitor::ScriptAs::IN_TREE;
  order.script_name = "lib/run.sh";
  order.tree = tree;
  order.tree_path = "/home/anna/runbooks/db";
  order.cwd = "/home/anna/runbooks/db/lib";
  const Message end = execution.run(order);
  CHECK(end.exit == 1);
  CHECK(execution.output().find("sourced helper\n/home/anna/runbooks/db/lib/run.sh\n") == 0);
  CHECK(execution.output().find("Read-only file system") != std::string::npos);
  CHECK(read_file(tree + "/lib/run.sh") == "echo the file as it was opened");
}

TEST_CASE("sandbox: only what the profile lists can be written") {
  for (const char* profile : {"workspace", "inspect"}) {
    CAPTURE(profile);
    const bool writes = std::string(profile) == "workspace";
    Execution execution(kMonitor, own_home());
    Order order = script(
        "for p in \"$W\" \"$G\" ~ /tmp /var/tmp /dev/shm / /usr /etc /proc /run /dev /sys/devices "
        "\"$W/..\"; do "
        "if (: > \"$p/rbtest\") 2>/dev/null; then echo \"w $p\"; fi; done",
        profile);
    order.generated = true;
    order.environment.push_back("W=" + execution.work());
    order.environment.push_back("G=" + execution.folder() + "/generated");
    order.environment.push_back("HOME=" + execution.base() + "/home");
    CHECK(execution.run(order).exit == 0);
    std::string wanted;
    if (writes) {
      wanted = "w " + execution.work() + "\nw " + execution.folder() + "/generated\nw " +
               execution.base() + "/home\n";
    }
    // `work/..` is a skeleton on the frozen root
    CHECK(execution.output() == wanted + "w /tmp\nw /var/tmp\nw /dev/shm\n");
    CHECK(fs::exists(execution.work() + "/rbtest") == writes);
    CHECK_FALSE(fs::exists(execution.base() + "/home/rbtest"));
    CHECK_FALSE(fs::exists("/tmp/rbtest"));
  }
}

TEST_CASE("sandbox: what must be hidden isn't there, and host sees it") {
  for (const char* profile : {"workspace", "inspect", "host"}) {
    const bool host = std::string(profile) == "host";
    Execution execution(kMonitor);
    write_file(execution.base() + "/state/ledger", "canary");
    write_file(execution.base() + "/runtime/operator.sock", "canary");
    write_file(execution.base() + "/home/.netrc", "canary");
    Order order = script(
        "cat $B/state/ledger $B/runtime/operator.sock ~/.netrc 2>/dev/null; "
        "find $B -name ledger -o -name operator.sock -o -name .netrc",
        profile);
    order.environment.push_back("B=" + execution.base());
    order.environment.push_back("HOME=" + execution.base() + "/home");
    (void)execution.run(order);
    CHECK((execution.output().find("canary") != std::string::npos) == host);
    CHECK(execution.output().empty() == !host);
  }
}

TEST_CASE("sandbox: tool folders below home are shown read-only, links aren't followed") {
  Execution execution(kMonitor);
  const std::string home = execution.base() + "/home";
  fs::create_directories(home + "/.local/bin");
  fs::create_directories(home + "/secret");
  write_file(home + "/.local/bin/tool", "#!/bin/sh\necho tool ran\n");
  write_file(home + "/secret/key", "canary");
  fs::permissions(home + "/.local/bin/tool", fs::perms::owner_all);
  fs::create_directory_symlink(home + "/secret", home + "/.nvm");
  Order order = script(
      "~/.local/bin/tool; echo x > ~/.local/bin/new || echo kept; cat ~/.nvm/key ~/secret/key");
  order.tools = {".local/bin", ".nvm", ".cargo/bin"};
  order.environment.push_back("HOME=" + home);
  (void)execution.run(order);
  CHECK(execution.output().find("tool ran\n") == 0);
  CHECK(execution.output().find("kept\n") != std::string::npos);
  CHECK(execution.output().find("canary") == std::string::npos);
}

TEST_CASE("sandbox: a given work folder keeps what tools would execute as it is") {
  Execution execution(kMonitor);
  const std::string given = execution.base() + "/project";
  fs::create_directories(given + "/.git");
  write_file(given + "/.git/config", "clean");
  write_file(given + "/.envrc", "clean");
  Order order = script(
      "echo bad > .git/config; echo bad > .envrc; mv .git elsewhere; rm -rf .envrc; echo fine > "
      "result");
  order.work = given;
  (void)execution.run(order);
  CHECK(read_file(given + "/.git/config") == "clean");
  CHECK(read_file(given + "/.envrc") == "clean");
  CHECK(read_file(given + "/result") == "fine\n");
}

TEST_CASE("sandbox: repositories below a given work folder are kept too, and their place") {
  Execution execution(kMonitor);
  const std::string given = execution.base() + "/project";
  for (const char* repository : {"", "/a", "/a/b/c", "/a/b/c/d"}) {
    fs::create_directories(given + repository);
    write_file(given + repository + "/.envrc", "clean");
  }
  fs::create_directories(given + "/a/b/worktree/src");
  write_file(given + "/a/b/worktree/.git", "gitdir: elsewhere");
  write_file(given + "/a/b/worktree/src/file", "old");
  Order order = script(
      "for f in .envrc a/.envrc a/b/c/.envrc a/b/c/d/.envrc a/b/worktree/.git; do echo bad >$f; "
      "true; done\n"
      "mv a aa; mv a/b a/bb; mv a/b/worktree a/b/moved && mkdir a/b/worktree\n"
      "ln -s /etc/passwd a/b/worktree/link\n"
      "echo new >a/b/worktree/src/file; mv a/b/worktree/src a/b/worktree/source; echo x >a/b/made");
  order.work = given;
  (void)execution.run(order);
  for (const char* kept : {"/.envrc", "/a/.envrc", "/a/b/c/.envrc"}) {
    CAPTURE(kept);
    CHECK(read_file(given + kept) == "clean");
  }
  CHECK(read_file(given + "/a/b/c/d/.envrc") == "bad\n");  // too deep, as docs/SECURITY.md says
  CHECK(read_file(given + "/a/b/worktree/.git") == "gitdir: elsewhere");
  CHECK(read_file(given + "/a/b/worktree/source/file") == "new\n");
  CHECK(read_file(given + "/a/b/made") == "x\n");
}

TEST_CASE("sandbox: a work folder that holds home, state or everything is refused by name") {
  Execution execution(kMonitor);
  Order order = script("touch ran");
  SUBCASE("home") {
    order.work = execution.base() + "/home";
  }
  SUBCASE("above home and state") {
    order.work = execution.base();
  }
  SUBCASE("state") {
    order.work = execution.base() + "/state";
  }
  SUBCASE("everything") {
    order.work = "/";
  }
  const Message end = execution.run(order);
  CHECK(end.kind == Which::SETUP_FAILED);
  CHECK(end.text.find("work folder") != std::string::npos);
}

TEST_CASE("sandbox: a missing interpreter or folder is told before anything runs") {
  for (const char* profile : {"workspace", "host"}) {
    CAPTURE(profile);
    Execution execution(kMonitor);
    Order order = script("touch ran", profile);
    order.cwd = "/nonexistent";
    const Message end = execution.run(order);
    CHECK(end.kind == Which::SETUP_FAILED);
    CHECK(end.number == ENOENT);
  }
  Execution execution(kMonitor);
  Order order = script("touch ran");
  order.argv = {"/nonexistent/bash"};
  const Message end = execution.run(order);
  CHECK(end.kind == Which::SETUP_FAILED);
  CHECK(end.text == "find the interpreter");
}

TEST_CASE("sandbox: what exec itself refuses is an error with its reason, durable") {
  Execution execution(kMonitor);
  Order order = script("touch ran");
  order.environment.push_back("BIG=" + std::string(200'000, 'x'));
  const Message end = execution.run(order);
  CHECK(end.kind == Which::FINISHED);
  CHECK(end.outcome == Outcome::ERROR);
  CHECK(end.text == "arguments and environment are too large");
  CHECK(fs::exists(execution.folder() + "/outcome.bin"));
}

}  // namespace rb::testing

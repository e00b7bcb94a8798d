#include "broker/monitor/plan.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <algorithm>

#include "common/folder.h"
#include "policy/builtin.h"

namespace rb::mon {
namespace {

RootView usual() {
  RootView view;
  view.folders = {{"usr", ""}, {"etc", ""}, {"bin", "usr/bin"}, {"lib", "usr/lib"}, {"opt", ""}};
  view.named = {{"/run/systemd/resolve/stub-resolv.conf", "/run/systemd/resolve/stub-resolv.conf"},
                {"/usr/share/zoneinfo/UTC", "/usr/share/zoneinfo/UTC"}};
  return view;
}

Launch launch_of(const char* profile) {
  Launch launch;
  launch.profile = *policy::find_profile(profile);
  launch.argv = {"/bin/bash"};
  launch.home = "/home/anna";
  launch.work_path = "/home/anna/.local/state/runbookd/sessions/s/runs/db-1/work";
  launch.tree_path = "/home/anna/runbooks/db";
  launch.cwd = launch.work_path;
  launch.hidden = {"/home/anna/.local/state/runbookd", "/run/user/1000/runbookd"};
  launch.tool_folders = {".local/bin"};
  launch.work = Fd(::open("/", O_PATH | O_CLOEXEC));
  launch.tree = Fd(::open("/", O_PATH | O_CLOEXEC));
  launch.limits.tmp_bytes = 1 << 20;
  return launch;
}

std::vector<Step> planned(const Launch& launch) {
  Result<std::vector<Step>> steps = plan_launch(launch, usual());
  REQUIRE(steps.ok());
  return std::move(*steps);
}

const Step* find(const std::vector<Step>& steps, Do what, const std::string& to) {
  const auto at = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
    return step.what == what && step.to == to;
  });
  return at == steps.end() ? nullptr : &*at;
}

std::size_t place_of(const std::vector<Step>& steps, const std::string& to) {
  return static_cast<std::size_t>(
      std::find_if(steps.begin(), steps.end(), [&](const Step& s) { return s.to == to; }) -
      steps.begin());
}

}  // namespace

TEST_CASE("plan: nothing in the base is writable but devices and what the kernel makes") {
  for (const Step& step : plan_base(usual())) {
    CAPTURE(step.name);
    if (step.writable) {
      const bool kernel = step.what == Do::NewFileSystem;
      CHECK((kernel || step.devices));
    }
  }
}

TEST_CASE("plan: of the root's own file system the place for outputs alone can be written to") {
  for (const char* profile : {"inspect", "workspace"}) {
    const std::vector<Step> steps = planned(launch_of(profile));
    const Step* const results = find(steps, Do::Bind, "run/runbook/results");
    REQUIRE(results != nullptr);
    CHECK(results->writable);
    CHECK(results->base == "run/runbook");
    CHECK(place_of(steps, "run/runbook/results") < place_of(steps, "."));  // before the freeze
    for (const Step& step : steps) {
      CHECK((step.what != Do::Bind || !step.writable || &step == results));
    }
  }
}

TEST_CASE("plan: links of the root stay links, folders are mounted, resolv.conf comes by name") {
  const std::vector<Step> base = plan_base(usual());
  CHECK(find(base, Do::Bind, "usr") != nullptr);
  REQUIRE(find(base, Do::Link, "bin") != nullptr);
  CHECK(find(base, Do::Link, "bin")->from == "usr/bin");
  for (const char* place : {"home", "srv", "mnt", "media", "var/cache", "var/spool"}) {
    CHECK(find(base, Do::Folder, place) != nullptr);
  }
  REQUIRE(find(base, Do::Link, "run/lock") != nullptr);
  CHECK(find(base, Do::Link, "run/lock")->from == "/tmp");
  // With the launch: the file may be replaced while a base waits for one.
  CHECK(find(base, Do::Bind, "run/systemd/resolve/stub-resolv.conf") == nullptr);
  const std::vector<Step> launched = planned(launch_of("workspace"));
  CHECK(find(launched, Do::Bind, "run/systemd/resolve/stub-resolv.conf") != nullptr);
  CHECK(find(launched, Do::Bind, "usr/share/zoneinfo/UTC") == nullptr);  // shown already
}

TEST_CASE("plan: root gets what only root could write in /proc read-only") {
  RootView view = usual();
  CHECK(find(plan_base(view), Do::Bind, "proc/sys") == nullptr);
  view.root = true;
  REQUIRE(find(plan_base(view), Do::Bind, "proc/sys") != nullptr);
  CHECK_FALSE(find(plan_base(view), Do::Bind, "proc/sys")->writable);
}

TEST_CASE("plan: only workspace and sealed write, only sealed has a network of its own") {
  for (const char* name : {"inspect", "workspace", "sealed"}) {
    CAPTURE(name);
    const Launch launch = launch_of(name);
    const std::vector<Step> steps = planned(launch);
    const Step* work = find(steps, Do::BindDescriptor, launch.work_path.substr(1));
    REQUIRE(work != nullptr);
    CHECK(work->writable == (std::string(name) != "inspect"));
    const Step* tree = find(steps, Do::BindDescriptor, launch.tree_path.substr(1));
    REQUIRE(tree != nullptr);
    CHECK_FALSE(tree->writable);
    const bool network = std::any_of(steps.begin(), steps.end(),
                                     [](const Step& step) { return step.what == Do::OwnNetwork; });
    CHECK(network == (std::string(name) == "sealed"));
    CHECK((find(steps, Do::Freeze, "home/anna") != nullptr) == (std::string(name) == "inspect"));
  }
}

TEST_CASE("plan: the root is frozen and entered after everything that is mounted") {
  const std::vector<Step> steps = planned(launch_of("workspace"));
  const std::size_t frozen = place_of(steps, ".");
  REQUIRE(frozen < steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool mounts = steps[i].what == Do::Folder || steps[i].what == Do::Bind ||
                        steps[i].what == Do::BindDescriptor || steps[i].what == Do::NewFileSystem ||
                        steps[i].what == Do::CopyFile;
    CHECK(mounts == (i < frozen));
  }
}

TEST_CASE("plan: outer folders are mounted before inner ones, whichever is which") {
  Launch launch = launch_of("workspace");
  launch.hidden.clear();
  launch.tree_path = "/srv/project/runbooks";
  launch.work_path = "/srv/project";
  std::vector<Step> steps = planned(launch);
  CHECK(place_of(steps, "srv/project") < place_of(steps, "srv/project/runbooks"));
  launch.tree_path = "/srv/project";
  launch.work_path = "/srv/project/out";
  steps = planned(launch);
  CHECK(place_of(steps, "srv/project") < place_of(steps, "srv/project/out"));
}

TEST_CASE("plan: a work folder is refused when it is or holds what must not be writable") {
  Launch launch = launch_of("workspace");
  for (const char* path : {"/", "/home", "/home/anna", "/home/anna/.local", "/run/user/1000",
                           "/home/anna/.local/state/runbookd", "/home/anna/runbooks/db"}) {
    CAPTURE(path);
    launch.work_path = path;
    const Result<std::vector<Step>> steps = plan_launch(launch, usual());
    REQUIRE_FALSE(steps.ok());
    CHECK(steps.failure().code == Code::Refused);
  }
  for (const char* path : {"/home/annabel", "/home/anna/project", "/run/user/10"}) {
    CAPTURE(path);
    launch.work_path = path;
    CHECK(plan_launch(launch, usual()).ok());
  }
}

TEST_CASE("plan: hidden folders below shown ones are covered, before anything is mounted there") {
  Launch launch = launch_of("workspace");
  launch.hidden = {"/opt/runbookd/state", "/home/anna/.local/bin/private", "/run/user/1000"};
  launch.work_path = "/opt/runbookd/state/run/work";
  const std::vector<Step> steps = planned(launch);
  CHECK(find(steps, Do::NewFileSystem, "opt/runbookd/state") != nullptr);
  CHECK(find(steps, Do::NewFileSystem, "home/anna/.local/bin/private") != nullptr);
  CHECK(find(steps, Do::NewFileSystem, "run/user/1000") == nullptr);
  CHECK(place_of(steps, "opt/runbookd/state") < place_of(steps, "opt/runbookd/state/run/work"));
}

TEST_CASE("plan: what tools execute by themselves is kept in a given work folder only") {
  Launch launch = launch_of("workspace");
  CHECK(find(planned(launch), Do::Protect, launch.work_path.substr(1)) == nullptr);
  launch.work_path = "/srv/project";
  const std::vector<Step> steps = planned(launch);
  const Step* step = find(steps, Do::Protect, "srv/project");
  REQUIRE(step != nullptr);
  CHECK_FALSE(step->writable);
  CHECK_FALSE(step->optional);
}

TEST_CASE("paths: clean ones are told from all others") {
  for (const char* good : {"/", "/a", "/a/b.c/..d"}) {
    CHECK(is_clean_path(good));
  }
  for (const char* bad : {"", "a", "/a/", "//a", "/a//b", "/./a", "/a/..", "/../a", "/a/."}) {
    CAPTURE(bad);
    CHECK_FALSE(is_clean_path(bad));
  }
  CHECK_FALSE(is_clean_path(std::string_view("/a\0b", 4)));
  CHECK(is_beneath("/a/b", "/a"));
  CHECK(is_beneath("/a", "/a"));
  CHECK(is_beneath("/a", "/"));
  CHECK_FALSE(is_beneath("/ab", "/a"));
}

TEST_CASE(
    "plan: grants lie at their places, outer before inner, and the runbook's copy over them") {
  Launch launch = launch_of("workspace");
  launch.grants.push_back({"/home/anna/runbooks/db/deep/er", true, Fd(::open("/", O_PATH))});
  launch.grants.push_back({"/home/anna/runbooks", true, Fd(::open("/", O_PATH))});
  launch.grants.push_back({"/home/anna/.aws", false, Fd(::open("/dev/null", O_PATH))});
  const auto steps = planned(launch);
  const Step* outer = find(steps, Do::BindDescriptor, "home/anna/runbooks");
  const Step* shown = find(steps, Do::BindDescriptor, "home/anna/.aws");
  REQUIRE(outer != nullptr);
  REQUIRE(shown != nullptr);
  CHECK(outer->writable);
  CHECK_FALSE(shown->writable);
  CHECK(place_of(steps, "home/anna/runbooks") < place_of(steps, "home/anna/runbooks/db"));
  CHECK(place_of(steps, "home/anna/runbooks/db") <
        place_of(steps, "home/anna/runbooks/db/deep/er"));
  CHECK(find(steps, Do::Protect, "home/anna/runbooks") != nullptr);
  launch.grants.push_back({launch.tree_path, true, Fd(::open("/", O_PATH))});
  const auto again = planned(launch);
  const auto last = std::find_if(again.rbegin(), again.rend(), [](const Step& step) {
    return step.what == Do::BindDescriptor && step.to == "home/anna/runbooks/db";
  });
  CHECK_FALSE(last->writable);
  CHECK(find(steps, Do::Protect, "home/anna/.aws") == nullptr);
}

TEST_CASE("plan: a grant that is or holds home or what is hidden is refused by name") {
  for (const char* path : {"/", "/home", "/home/anna", "/home/anna/.local", "/run/user/1000"}) {
    Launch launch = launch_of("workspace");
    launch.grants.push_back({path, false, Fd(::open("/", O_PATH))});
    const Result<std::vector<Step>> steps = plan_launch(launch, usual());
    CAPTURE(path);
    REQUIRE_FALSE(steps.ok());
    CHECK(steps.failure().code == Code::Refused);
    CHECK(steps.failure().what.find(path) != std::string::npos);
  }
}

}  // namespace rb::mon

#include "policy/decide.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "policy/builtin.h"
#include "policy/grants.h"

namespace rb::policy {
namespace {

// "allow workspace", "refuse NotPermitted", ...
std::string decided(const Request& request) {
  const Decision decision = decide(request);
  if (const auto* allow = std::get_if<Allow>(&decision)) {
    return "allow " + allow->profile.name;
  }
  const auto& refuse = std::get<Refuse>(decision);
  CHECK_FALSE(refuse.text.empty());
  return refuse.why == Why::NotPermitted ? "not permitted" : "unknown";
}

Request request(Role role, std::string_view type, std::string_view block, std::string_view asked) {
  return {role, type, block, asked};
}

}  // namespace

TEST_CASE("decide: role, type, the block's profile and the person's, as a table") {
  struct Row {
    Role role;
    const char* type;
    const char* block;
    const char* asked;
    const char* answer;
  };
  constexpr Role kOperator = Role::Operator, kAgent = Role::Agent;
  for (const Row& row : {Row{kOperator, "check", "", "", "allow inspect"},
                         Row{kOperator, "command", "", "", "allow workspace"},
                         Row{kOperator, "run", "", "", "allow workspace"},
                         Row{kOperator, "destructive", "", "", "allow workspace"},
                         Row{kOperator, "check", "", "workspace", "allow workspace"},
                         Row{kOperator, "command", "", "inspect", "allow inspect"},
                         Row{kOperator, "command", "", "host", "allow host"},
                         Row{kOperator, "command", "host", "", "not permitted"},
                         Row{kOperator, "command", "host", "host", "allow host"},
                         Row{kOperator, "command", "host", "workspace", "allow workspace"},
                         Row{kOperator, "command", "inspect", "", "allow inspect"},
                         Row{kOperator, "command", "", "sealed", "allow sealed"},
                         Row{kOperator, "command", "sealed", "", "allow sealed"},
                         Row{kOperator, "command", "", "root", "unknown"},
                         Row{kOperator, "command", "", "HOST", "unknown"},
                         Row{kAgent, "check", "", "", "not permitted"},
                         Row{kAgent, "command", "", "inspect", "not permitted"},
                         Row{kAgent, "command", "", "host", "not permitted"}}) {
    CAPTURE(row.type);
    CAPTURE(row.block);
    CAPTURE(row.asked);
    CHECK(decided(request(row.role, row.type, row.block, row.asked)) == row.answer);
  }
}

TEST_CASE("profiles: one narrower than the next, and only host is unsandboxed") {
  for (const Profile& profile : builtin_profiles()) {
    CHECK(profile.sandboxed() == (profile.name != "host"));
    CHECK((profile.variables == Variables::AllowAll) == (profile.name == "host"));
    CHECK((profile.network == Network::None) == (profile.name == "sealed"));
    CHECK((profile.variables == Variables::Fewest) == (profile.name == "sealed"));
  }
  CHECK(find_profile("inspect")->work == WorkFolder::ReadOnly);
  CHECK(find_profile("inspect")->home == Home::ReadOnly);
  CHECK(find_profile("workspace")->work == WorkFolder::AllowWrite);
  CHECK_FALSE(find_profile("").has_value());
}

TEST_CASE("profiles: a value made from nothing weakens nothing") {
  const Profile nothing;
  CHECK(nothing.sandboxed());
  CHECK(nothing.network == Network::None);
  CHECK(nothing.work == WorkFolder::Hidden);
  CHECK(nothing.home == Home::ReadOnly);
  CHECK(nothing.variables == Variables::Fewest);
}

TEST_CASE("variables: credentials never pass a list, whatever they are called") {
  const std::vector<std::string> session{"PATH=/bin",
                                         "HOME=/home/a",
                                         "LANG=C",
                                         "LC_ALL=C",
                                         "TERM=xterm",
                                         "AWS_PROFILE=x",
                                         "DATABASE_URL=x",
                                         "REDIS_URL=x",
                                         "SENTRY_DSN=x",
                                         "KUBECONFIG=x",
                                         "GIT_ASKPASS=x",
                                         "DOCKER_HOST=x",
                                         "GITHUB_TOKEN=",
                                         "SSH_AUTH_SOCK=x",
                                         "HTTPS_PROXY=http://a:secret@proxy:80",
                                         "http_proxy=http://proxy:80",
                                         "DBUS_SESSION_BUS_ADDRESS=x",
                                         "DISPLAY=:0",
                                         "XDG_RUNTIME_DIR=x",
                                         "NOTIFY_SOCKET=",
                                         "LD_PRELOAD=x",
                                         "BASH_ENV=x",
                                         "BASH_FUNC_a%%=() {}",
                                         "=x",
                                         "nothing",
                                         "PATHX=1",
                                         "LISTEN_FDS=1",
                                         "INVOCATION_ID=",
                                         "PYTHONPATH=x"};
  const std::vector<std::string> wanted{"PATH=/bin", "HOME=/home/a", "LANG=C",
                                        "LC_ALL=C",  "TERM=xterm",   "http_proxy=http://proxy:80"};
  CHECK(pass_variables(*find_profile("workspace"), session) == wanted);
  CHECK(pass_variables(*find_profile("inspect"), session) == wanted);
  CHECK(pass_variables(*find_profile("host"), session).size() == session.size() - 2);
  CHECK(pass_variables(*find_profile("sealed"), session) ==
        std::vector<std::string>{"PATH=/bin", "HOME=/home/a", "TERM=xterm", "LANG=C.UTF-8",
                                 "LC_ALL=C.UTF-8"});
  CHECK(umask_of(*find_profile("sealed"), 022) == 077);
  CHECK(umask_of(*find_profile("workspace"), 022) == 022);
}

TEST_CASE("variables: every loader variable of threat 14 is known by name") {
  for (const char* name :
       {"BASH_ENV", "ENV", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "PATH", "IFS", "SHELLOPTS",
        "PS4", "PYTHONSTARTUP", "PYTHONPATH", "PERL5OPT", "RUBYOPT", "NODE_OPTIONS",
        "GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "BASH_FUNC_x%%", "GLIBC_TUNABLES"}) {
    CAPTURE(name);
    CHECK_FALSE(may_be_input(name));
    CHECK(is_loader_variable(name) == (std::string_view(name) != "PATH"));
  }
  for (const char* name : {"NAME", "REGION", "ENVIRONMENT", "IFSX", "LD", "USER"}) {
    CHECK(may_be_input(name));
    CHECK_FALSE(is_loader_variable(name));
  }
  for (const char* name : {"GIT_DIR", "GIT_AUTHOR_NAME", "PYTHONUNBUFFERED", "BASH_XTRACEFD"}) {
    CHECK_FALSE(may_be_input(name));  // a person's own, and no runbook's
    CHECK_FALSE(is_loader_variable(name));
  }
}

TEST_CASE(
    "sets: named once and in order; no place that holds others, no variable that makes code") {
  std::string_view before;
  for (const CredentialSet& set : credential_sets()) {
    CAPTURE(set.name);
    CHECK(before < set.name);
    before = set.name;
    CHECK(find_credential_set(set.name) == &set);
    CHECK(set.name != certificates().name);
    for (const std::string_view file : set.files) {
      CHECK((file.size() > 2 && file.front() == '.' && file.back() != '/'));
      for (const std::string_view whole : {".", ".config", ".ssh", ".docker", ".local"}) {
        CHECK(file != whole);
      }
    }
    std::vector<std::string_view> variables = set.variables;
    for (const NamedPlace& named : set.named) {
      variables.push_back(named.variable);
    }
    for (const std::string_view variable : variables) {
      CHECK_FALSE(is_loader_variable(variable));
      const std::string entry = std::string(variable) + "=x";
      CHECK(pass_variables(*find_profile("workspace"), {entry}).empty());  // control: not by itself
    }
  }
  for (const NamedPlace& named : certificates().named) {
    const std::string entry = std::string(named.variable) + "=/x";
    CHECK(pass_variables(*find_profile("workspace"), {entry}).size() == 1);
  }
}

TEST_CASE("tools: no listed folder is or holds a place of credentials") {
  CHECK(tool_folders(*find_profile("sealed")).empty());
  for (const std::string_view tool : tool_folders(*find_profile("workspace"))) {
    CAPTURE(tool);
    CHECK(tool.front() != '/');
    CHECK(tool.find("..") == std::string_view::npos);
    for (const std::string_view secret :
         {".ssh", ".aws", ".kube", ".config", ".gnupg", ".docker", ".netrc", ".cargo/credentials",
          ".npmrc", ".azure", ".terraform.d", ".password-store", ".local/share/keyrings",
          ".local/state/runbookd", ".git-credentials", ".pypirc", ".gem/credentials",
          ".pulumi/credentials.json", ".local/share/runbookd"}) {
      CHECK(secret.substr(0, tool.size()) != tool);
    }
  }
}

}  // namespace rb::policy

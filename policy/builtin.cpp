#include "policy/builtin.h"

#include <algorithm>
#include <array>

namespace rb::policy {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// Names that say where and how, never who: nothing here holds a credential or points to one, and
// nothing makes a loader act. A trailing '*' fits every ending.
// clang-format off
constexpr std::array<std::string_view, 43> kVariables{
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM",
    "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "COLUMNS", "LINES", "EDITOR", "VISUAL",
    "PAGER", "HOSTNAME", "MANPATH", "INFOPATH", "GOPATH", "GOROOT", "GOBIN", "CARGO_HOME",
    "RUSTUP_HOME", "NVM_DIR", "NVM_BIN", "PYENV_ROOT", "RBENV_ROOT", "ASDF_DIR", "ASDF_DATA_DIR",
    "SDKMAN_DIR", "JAVA_HOME", "VOLTA_HOME", "PNPM_HOME", "KREW_ROOT", "SSL_CERT_FILE",
    "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"};

constexpr std::array<std::string_view, 7> kFewest{"PATH",  "HOME", "USER", "LOGNAME",
                                                  "SHELL", "TERM", "TZ"};

// Behind a proxy nothing is reached without them. They pass where they hold no password.
constexpr std::array<std::string_view, 10> kProxies{
    "http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy",
    "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY"};

constexpr std::array<std::string_view, 37> kToolFolders{
    ".local/bin", ".local/lib", ".local/share/fnm", ".local/share/mise", ".local/share/pipx",
    ".local/share/pnpm", ".local/share/uv/tools", ".local/share/uv/python", ".asdf", ".bun/bin",
    ".cargo/bin", ".deno/bin", ".fnm", ".goenv", ".jenv", ".krew/bin", ".krew/store",
    ".linkerd2/bin", ".nodenv", ".npm-global", ".nvm", ".opam", ".poetry/bin", ".pulumi/bin",
    ".pyenv", ".rbenv", ".rustup/toolchains", ".sdkman/bin", ".sdkman/candidates", ".tfenv",
    ".volta/bin", ".volta/tools", ".yarn/bin", "bin", "go/bin", "google-cloud-sdk", "miniconda3"};
// clang-format on

constexpr std::array<std::string_view, 12> kSystemFolders{"usr",
                                                          "etc",
                                                          "bin",
                                                          "sbin",
                                                          "lib",
                                                          "lib32",
                                                          "lib64",
                                                          "libx32",
                                                          "opt",
                                                          "nix",
                                                          "var/lib/ca-certificates",
                                                          "var/lib/dpkg"};

// Threat 14. A trailing '*' fits every ending.
// clang-format off
constexpr std::array<std::string_view, 42> kLoaderVariables{
    "LD_*", "DYLD_*", "GCONV_PATH", "NLSPATH", "LOCPATH", "GLIBC_TUNABLES", "MALLOC_*", "BASH_ENV",
    "BASH_FUNC_*", "BASHOPTS", "ENV", "IFS", "SHELLOPTS", "PS4", "PROMPT_COMMAND", "CDPATH",
    "GLOBIGNORE", "ZDOTDIR", "FPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONPATH", "PYTHONINSPECT",
    "PYTHONBREAKPOINT", "PERL5OPT", "PERL5LIB", "PERL5DB", "PERLLIB", "RUBYOPT", "RUBYLIB",
    "NODE_OPTIONS", "NODE_PATH", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS",
    "LUA_INIT*", "GIT_EXEC_PATH", "GIT_SSH*", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND",
    "GIT_CONFIG*", "GIT_TEMPLATE_DIR"};
// Of an input nothing comes near them.
constexpr std::array<std::string_view, 4> kNeverInputs{"PATH", "BASH_*", "PYTHON*", "GIT_*"};
// clang-format on

template <std::size_t N>
bool listed(const std::array<std::string_view, N>& list, std::string_view name) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view entry) {
    if (entry.back() == '*') {
      entry.remove_suffix(1);
      return name.substr(0, entry.size()) == entry;
    }
    return name == entry;
  });
}

bool passes(const Profile& profile, std::string_view name, std::string_view value) {
  switch (profile.variables) {
    case Variables::AllowAll:
      return true;
    case Variables::AllowListed:
      return listed(kVariables, name) ||
             (listed(kProxies, name) && value.find('@') == std::string_view::npos);
    case Variables::Fewest:
      break;
  }
  return listed(kFewest, name);
}

}  // namespace

std::vector<Profile> builtin_profiles() {
  Profile inspect{"inspect"};
  inspect.network = Network::AllowHostNetwork;
  inspect.work = WorkFolder::ReadOnly;
  inspect.variables = Variables::AllowListed;

  Profile workspace{"workspace"};
  workspace.network = Network::AllowHostNetwork;
  workspace.work = WorkFolder::AllowWrite;
  workspace.home = Home::AllowPrivateWrite;
  workspace.variables = Variables::AllowListed;

  Profile sealed{"sealed"};
  sealed.work = WorkFolder::AllowWrite;
  sealed.home = Home::AllowPrivateWrite;

  Profile host{"host"};
  host.isolation = Isolation::AllowHost;
  host.network = Network::AllowHostNetwork;
  host.work = WorkFolder::AllowWrite;
  host.home = Home::AllowPrivateWrite;
  host.variables = Variables::AllowAll;

  return {inspect, workspace, sealed, host};
}

std::optional<Profile> find_profile(std::string_view name) {
  for (Profile& profile : builtin_profiles()) {
    if (profile.name == name) {
      return std::move(profile);
    }
  }
  return std::nullopt;
}

std::string what_does_not_bind(const Profile& profile, bool root) {
  if (!profile.sandboxed()) {
    return "host: reaches everything the operator reaches";
  }
  if (root) {  // measured: 400 of 400 children under RLIMIT_NPROC 32
    return "running as root: the limit on processes doesn't bind, and system folders show what "
           "only "
           "root may read";
  }
  return "";
}

Limits default_limits(const Profile& profile, bool markdown) {
  Limits limits;
  limits.timeout_ms = (markdown ? 10U : 60U) * 60U * 1000U;
  limits.output_bytes = 1024 * kMiB;
  limits.stop_grace_ms = 5000;
  if (profile.sandboxed()) {
    limits.processes = 4096;
    limits.open_files = 1024;
    limits.tmp_bytes = 1024 * kMiB;
  }
  return limits;
}

std::span<const std::string_view> system_folders() {
  return kSystemFolders;
}

std::span<const std::string_view> tool_folders(const Profile& profile) {
  return profile.variables == Variables::Fewest ? std::span<const std::string_view>()
                                                : std::span<const std::string_view>(kToolFolders);
}

std::uint32_t umask_of(const Profile& profile, std::uint32_t session) {
  return profile.variables == Variables::Fewest ? 077 : session;
}

std::span<const std::string_view> protected_names() {
  static constexpr std::array<std::string_view, 10> kNames = {
      ".git",    ".envrc",    ".vscode", ".idea",  ".zed",
      ".claude", ".mcp.json", ".cursor", ".husky", ".devcontainer"};
  return kNames;
}

std::vector<std::string> pass_variables(const Profile& profile,
                                        const std::vector<std::string>& session) {
  std::vector<std::string> out;
  for (const std::string& entry : session) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) {
      continue;
    }
    const std::string_view whole = entry;
    if (passes(profile, whole.substr(0, equals), whole.substr(equals + 1))) {
      out.push_back(entry);
    }
  }
  if (profile.variables == Variables::Fewest) {
    out.insert(out.end(), {"LANG=C.UTF-8", "LC_ALL=C.UTF-8"});
  }
  return out;
}

bool is_loader_variable(std::string_view name) {
  return listed(kLoaderVariables, name);
}

bool may_be_input(std::string_view name) {
  return !is_loader_variable(name) && !listed(kNeverInputs, name);
}

}  // namespace rb::policy

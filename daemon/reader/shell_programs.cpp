#include "daemon/reader/shell_programs.h"

#include <algorithm>
#include <array>

namespace rb::rdr {
namespace {

// Shells and interpreters: arguments and input are code, and so they are behind `docker exec c sh`.
constexpr std::string_view kInterpreters[] = {
    "R",       "Rscript", "ash",          "awk",       "bash",    "bc",   "bun",    "busybox",
    "cmd",     "csh",     "dash",         "dc",        "deno",    "ed",   "elixir", "elvish",
    "emacs",   "erl",     "ex",           "expect",    "fish",    "gawk", "gdb",    "ghci",
    "gnuplot", "groovy",  "guile",        "iex",       "ipython", "irb",  "java",   "jruby",
    "jshell",  "julia",   "kotlin",       "ksh",       "lldb",    "lua",  "luajit", "m4",
    "mawk",    "mksh",    "nawk",         "node",      "nodejs",  "nu",   "nvim",   "ocaml",
    "octave",  "oksh",    "original-awk", "osascript", "perl",    "php",  "posh",   "powershell",
    "pwsh",    "pypy",    "python",       "racket",    "rbash",   "ruby", "runghc", "runhaskell",
    "sbcl",    "scala",   "sh",           "swipl",     "tclsh",   "tcsh", "toybox", "vi",
    "view",    "vim",     "wish",         "xonsh",     "yash",    "zsh"};

// Clients of databases and services: their input is a language too.
constexpr std::string_view kClients[] = {"clickhouse",  "clickhouse-client",
                                         "cqlsh",       "cypher-shell",
                                         "duckdb",      "etcdctl",
                                         "gitlab-psql", "gitlab-rails",
                                         "influx",      "kubectl",
                                         "ldapmodify",  "mariadb",
                                         "mongo",       "mongosh",
                                         "mysql",       "mysqladmin",
                                         "nft",         "oc",
                                         "psql",        "rails",
                                         "rake",        "redis-cli",
                                         "sqlcmd",      "sqlite",
                                         "sqlite3",     "sqlplus",
                                         "usql",        "valkey-cli"};

// Programs that start what their arguments say, here or elsewhere.
constexpr std::string_view kStarters[] = {"ansible",
                                          "at",
                                          "autossh",
                                          "batch",
                                          "bwrap",
                                          "chpst",
                                          "chroot",
                                          "chrt",
                                          "clush",
                                          "cpulimit",
                                          "crontab",
                                          "daemonize",
                                          "dbus-run-session",
                                          "doas",
                                          "dsh",
                                          "entr",
                                          "env",
                                          "fakeroot",
                                          "faketime",
                                          "firejail",
                                          "flock",
                                          "hyperfine",
                                          "ionice",
                                          "linux32",
                                          "linux64",
                                          "ltrace",
                                          "machinectl",
                                          "mosh",
                                          "mpirun",
                                          "nice",
                                          "nohup",
                                          "npx",
                                          "nsenter",
                                          "numactl",
                                          "parallel",
                                          "pdsh",
                                          "perf",
                                          "pkexec",
                                          "prlimit",
                                          "proot",
                                          "rexec",
                                          "rlogin",
                                          "rsh",
                                          "run-parts",
                                          "runuser",
                                          "salt",
                                          "screen",
                                          "script",
                                          "setarch",
                                          "setpriv",
                                          "setsid",
                                          "slogin",
                                          "ssh",
                                          "sshpass",
                                          "stdbuf",
                                          "strace",
                                          "su",
                                          "sudo",
                                          "systemd-nspawn",
                                          "systemd-run",
                                          "taskset",
                                          "time",
                                          "timeout",
                                          "tmux",
                                          "torify",
                                          "torsocks",
                                          "tsocks",
                                          "unbuffer",
                                          "unshare",
                                          "uvx",
                                          "valgrind",
                                          "watch",
                                          "watchexec",
                                          "xargs",
                                          "xvfb-run"};

// Starters whose input is code for a shell, or becomes somebody's arguments.
constexpr std::string_view kStartersFed[] = {
    "at",  "autossh", "batch",  "chroot", "crontab", "mosh", "nsenter", "parallel", "pkexec",
    "rsh", "runuser", "slogin", "ssh",    "sshpass", "su",   "unshare", "xargs"};

// Programs of which an argument can be code or start a program, whatever else they do.
constexpr std::string_view kArguments[] = {"bsdtar",
                                           "buildah",
                                           "cpio",
                                           "crictl",
                                           "ctr",
                                           "docker",
                                           "docker-compose",
                                           "fd",
                                           "fdfind",
                                           "find",
                                           "ftp",
                                           "git",
                                           "gmake",
                                           "gojq",
                                           "gsed",
                                           "helm",
                                           "hg",
                                           "incus",
                                           "jq",
                                           "k3s",
                                           "k9s",
                                           "kustomize",
                                           "less",
                                           "lftp",
                                           "lxc",
                                           "make",
                                           "man",
                                           "mail",
                                           "mailx",
                                           "minikube",
                                           "more",
                                           "mutt",
                                           "nc",
                                           "ncat",
                                           "nerdctl",
                                           "netcat",
                                           "ninja",
                                           "nmap",
                                           "npm",
                                           "packer",
                                           "pnpm",
                                           "podman",
                                           "pssh",
                                           "rsync",
                                           "runc",
                                           "scp",
                                           "sed",
                                           "sftp",
                                           "skopeo",
                                           "socat",
                                           "split",
                                           "ssed",
                                           "start-stop-daemon",
                                           "svn",
                                           "tar",
                                           "tcpdump",
                                           "telnet",
                                           "terraform",
                                           "tofu",
                                           "tshark",
                                           "vagrant",
                                           "wg-quick",
                                           "xmlstarlet",
                                           "xsltproc",
                                           "yarn",
                                           "yq",
                                           "zip"};

// The shell's own words that evaluate what they are given.
constexpr std::string_view kBuiltins[] = {".",       "alias",    "bind",   "builtin", "command",
                                          "compgen", "complete", "coproc", "enable",  "eval",
                                          "exec",    "fc",       "let",    "source",  "trap"};
constexpr std::string_view kBuiltinsFed[] = {".", "builtin", "command", "eval", "exec", "source"};

template <std::size_t N>
bool holds(const std::string_view (&list)[N], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// python3.11 → python, gawk-5.2 → gawk; names that end in digits on their own stay.
std::string_view without_version(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789.-");
  return end == std::string_view::npos ? name : name.substr(0, end + 1);
}

ProgramTraits look_up(std::string_view name) {
  ProgramTraits out;
  if (holds(kInterpreters, name) || holds(kClients, name)) {
    return {true, true, true};
  }
  if (holds(kStarters, name)) {
    return {true, holds(kStartersFed, name), true};
  }
  out.code_arguments = holds(kArguments, name) || holds(kBuiltins, name);
  out.code_input = holds(kBuiltinsFed, name);
  out.runs_others = holds(kBuiltins, name) && name != "." && name != "alias";
  return out;
}

}  // namespace

ProgramTraits traits_of(std::string_view program) {
  ProgramTraits out = look_up(program);
  const std::string_view plain = without_version(program);
  return out.code_arguments || plain == program ? out : look_up(plain);
}

bool is_declaration(std::string_view program) {
  constexpr std::string_view kNames[] = {"declare", "export", "local", "readonly", "typeset"};
  return holds(kNames, program);
}

bool takes_names(std::string_view program) {
  constexpr std::string_view kNames[] = {"getopts", "mapfile", "read", "readarray", "unset"};
  return holds(kNames, program);
}

std::string base_of(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace rb::rdr

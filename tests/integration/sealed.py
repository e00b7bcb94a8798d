"""The profile `sealed`: one folder to work in, the system, a network of its own, and nothing else."""
import json
import os
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon  # noqa: E402

WITHHOLD = Path(__file__).resolve().parents[1] / "support" / "withhold.py"
ENVIRONMENT = {"LANG": "de_DE.UTF-8", "LC_TIME": "fr_FR.UTF-8", "EDITOR": "vim", "GOPATH": "/nowhere", "TZ": "Asia/Tokyo",
               "https_proxy": "http://127.0.0.1:1", "NO_COLOR": "1"}


def book_of(d, command, name="s", shebang="#!/bin/bash"):
    d.write(f"{name}/run.sh", f"{shebang}\n{command}\n", 0o755)
    return d.write(f"{name}/runbook.mdx", '# Sealed\n\n<Command id="x" path="run.sh" />\n')


def test_loopback_of_its_own_works_and_nothing_else_answers():
    server = """
import errno, http.server, socket, threading, urllib.request
for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    with socket.socket(family) as s:
        try:
            s.bind((address, 0))
        except OSError as why:
            print("no", address, why)
served = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=served.serve_forever, daemon=True).start()
print(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
    f"http://127.0.0.1:{served.server_port}/").status)
a, b = socket.socketpair()
with socket.socket(socket.AF_UNIX) as s:
    s.bind("/tmp/own.sock")
print(socket.if_nameindex())
for address in ("192.0.2.1", "10.0.0.1"):
    with socket.socket() as s:
        print(errno.errorcode[s.connect_ex((address, 80))])
with socket.socket() as s:
    print(errno.errorcode[s.connect_ex(("127.0.0.1", OUTSIDE))])
"""
    listener = socket.create_server(("127.0.0.1", 0))
    with Daemon("network") as d:
        book = book_of(d, server.replace("OUTSIDE", str(listener.getsockname()[1])), shebang="#!/usr/bin/env python3")
        seen = d.ok("run", book, "--profile", "sealed").text().split("\n")
        lines = [line for line in seen if line and "GET /" not in line]
        assert lines == ["200", "[(1, 'lo')]", "ENETUNREACH", "ENETUNREACH", "ECONNREFUSED"], seen
        with socket.create_connection(listener.getsockname()):  # the control: the service is there
            pass
        d.end_sessions()
    listener.close()


def test_work_folder_and_nothing_else_of_home():
    with Daemon("place", env=ENVIRONMENT) as d:
        for path in (".local/bin/tool", "src/a.c"):
            target = d.home / path
            target.parent.mkdir(parents=True)
            target.write_text("#!/bin/sh\necho tool\n")
            target.chmod(0o755)
        for root in (d.home / ".local", d.home / "src"):
            for made in (root, *root.rglob("*")):
                harness.give(made)
        checkout = d.home / "src"
        script = ("cd; ls -A; \"$HOME/.local/bin/tool\"; umask; locale 2>/dev/null | grep -c C.UTF-8; env | cut -d= -f1 | sort | "
                  "tr '\\n' ' '; echo; echo new >\"$RUNBOOK_WORK/made\" && cat \"$RUNBOOK_WORK/a.c\"; echo x >/etc/x")
        book = book_of(d, script)
        done = d.ctl("run", book, "--profile", "sealed", "--work", checkout)
        said = done.text()
        assert done.rc == 1 and "src\n" in said and ".local" in said and "Read-only file system" in said, repr(done)
        assert "\n0077\n" in said and "tool: No such file" in said, said
        assert (checkout / "made").read_text() == "new\n" and (checkout / "made").stat().st_mode & 0o777 == 0o600
        names = set(next(line for line in said.splitlines() if "RUNBOOK_WORK " in line).split())
        assert {"PATH", "HOME", "LANG", "LC_ALL", "TZ"} <= names, names
        assert not names & {"LC_TIME", "EDITOR", "GOPATH", "https_proxy", "NO_COLOR", "LANGUAGE"}, names
        # the control: what the operator has, workspace shows
        wide = d.ctl("run", book, "--new", "--profile", "workspace").text()
        assert "\ntool\n" in wide and "EDITOR" in wide and "https_proxy" in wide, wide
        d.end_sessions()


def test_a_block_may_ask_for_it_and_the_record_says_so():
    with Daemon("asked") as d:
        book = book_of(d, "echo in; ls /sys/class/net 2>&1; cat /proc/net/dev | tail -n +3 | cut -d: -f1")
        done = d.ok("run", book, "--profile", "sealed", "--json")
        last = [json.loads(line) for line in done.text().splitlines() if '"finished"' in line][0]
        assert last["profile"] == "sealed" and last["outcome"] == "passed", last
        lines = [json.loads(line) for journal in d.state.rglob("journal-*.jsonl")
                 for line in journal.read_text().splitlines()]
        assert [line["profile"] for line in lines if line.get("type") == "started"] == ["sealed"]
        d.end_sessions()


def test_what_the_missing_network_refused_is_explained():
    with Daemon("explained") as d:
        for name, command in (("route", "exec 3<>/dev/tcp/192.0.2.1/80"),
                              ("name", "python3 -c 'import socket; socket.getaddrinfo(\"host.example\", 80)'")):
            done = d.ctl("run", book_of(d, command, name), "--profile", "sealed")
            assert done.rc == 1 and "refused while it ran: reach the network  (sealed: it has none)" in done.err, repr(done)
        alone = d.ctl("run", book_of(d, "exec 3<>/dev/tcp/127.0.0.1/1", "alone"), "--profile", "sealed")
        assert alone.rc == 1 and "refused while" not in alone.err, repr(alone)
        d.end_sessions()


def test_below_abi_6_a_socket_is_refused_by_name_and_sealed_may_have_it():
    with Daemon("abi") as d:
        path = d.folder / "agent.sock"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen(8)
        harness.give(path)
        d.env["SSH_AUTH_SOCK"] = str(path)
        book = book_of(d, "python3 -c \"import os, socket; s = socket.socket(socket.AF_UNIX); "
                          "s.connect(os.environ['SSH_AUTH_SOCK']); print('connected')\"")

        def run(*words):
            return d.run([sys.executable, WITHHOLD, "landlock-5", d.bin / "runbookctl", "run", book, *words])

        without = run()
        assert without.rc == 1 and "Address family not supported" in without.text() or "KeyError" in without.text(), repr(without)
        for profile in ("workspace", "inspect"):
            done = run("--with", "ssh-agent", "--profile", profile)
            assert done.rc == 126 and f"ssh-agent can't be granted on this kernel in {profile}" in done.err and "sealed" in done.err, repr(done)
        done = run("--with", "ssh-agent", "--profile", "sealed")
        assert done.rc == 0 and "connected" in done.text(), repr(done)
        listener.close()
        d.end_sessions()


if __name__ == "__main__":
    harness.main(globals())

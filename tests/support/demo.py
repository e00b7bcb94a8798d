"""demo.py — the bundled tour from nothing: opens it, runs it block by block, verifies the record.
[./dev demo, as an ordinary user, after ./dev build]

A private daemon in folders of its own; the record stays, to be looked at. Exit 0 only if everything
went as the tour says: each block ends as EXPECTED has it.
"""
import json
import os
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("RUNBOOKD_BUILD") or ROOT / "build").resolve() / "bin"
TOUR = "docs/examples/tour"
EXPECTED = {"fails": 3}  # block: exit status, where it isn't 0
# A value that would be trouble if it were pasted into the script.
INPUTS = {"greet": ['Name=Ada $(reboot) "O\'Brien"', "Times=2"]}
BOLD, DIM, OFF = ("\033[1m", "\033[2m", "\033[0m") if sys.stdout.isatty() and "NO_COLOR" not in os.environ \
    else ("", "", "")


class Demo:
    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="runbookd-demo-"))
        (self.folder / "run").mkdir(mode=0o700)
        self.env = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder / "run"),
                    "XDG_STATE_HOME": str(self.folder / "state"),
                    "PATH": f"{BIN}:{os.environ['PATH']}"}
        for variable in ("RUNBOOKD_SESSION", "NOTIFY_SOCKET", "LISTEN_FDS"):
            self.env.pop(variable, None)
        self.problems = []

    def show(self, *words, expect=0):
        """Runs runbookctl as a person would, before their eyes."""
        print(f"\n{BOLD}$ runbookctl {shlex.join(words)}{OFF}", flush=True)
        done = subprocess.run([BIN / "runbookctl", *words], env=self.env, cwd=ROOT,
                              stderr=sys.stdout, check=False)  # in order, also in a log
        if done.returncode != expect:
            self.problems.append(f"runbookctl {' '.join(words)}: status {done.returncode}, not {expect}")
        elif expect:
            print(f"{DIM}  (status {expect}: that is what this block is there to show){OFF}", flush=True)

    def ask(self, *words):
        done = subprocess.run([BIN / "runbookctl", *words, "--json"], env=self.env, cwd=ROOT,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"runbookctl {' '.join(words)}: {done.stderr}")
        return json.loads(done.stdout)

    def broker(self):
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(self.folder / "run/runbookd/operator.sock"))
            except OSError:
                return None
            raw = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            return struct.unpack("3i", raw)[0]

    def stop(self):
        pid = self.broker()
        if pid is None:
            return
        os.kill(pid, signal.SIGTERM)
        for _ in range(100):
            if not Path(f"/proc/{pid}").exists():
                return
            time.sleep(0.1)
        os.kill(pid, signal.SIGKILL)
        self.problems.append("the daemon didn't stop when asked")

    def tour(self):
        self.show("session", "start", "--as", os.environ.get("USER", "you"), "--why", "first look")
        self.show("open", TOUR)
        blocks = [block for block in self.ask("show", "tour")["blocks"]
                  if block.get("executable", block.get("digest"))]
        if not blocks:
            self.problems.append("the tour has no block that runs")
        self.show("show", "tour", "greet")
        for block in blocks:
            given = [word for value in INPUTS.get(block["id"], []) for word in ("--input", value)]
            self.show("run", "tour", block["id"], *given, expect=EXPECTED.get(block["id"], 0))
        self.show("session", "end")
        self.show("record", "verify")

    def record(self):
        return sorted((self.folder / "state/runbookd/sessions").glob("*/runs/*/run.md"))


def main():
    demo = Demo()
    try:
        demo.tour()
    finally:
        demo.stop()
    views = demo.record()
    if not views:
        demo.problems.append("no record was made")
    for view in views:
        print(f"\nThe record, verified: {BOLD}{view}{OFF}")
        print(f"  {DIM}with the journal, every output and every script beside it; remove {demo.folder} "
              f"when you have seen enough{OFF}")
    for problem in demo.problems:
        print(f"demo: {problem}", file=sys.stderr)
    if not views:
        shutil.rmtree(demo.folder, ignore_errors=True)
    sys.exit(1 if demo.problems else 0)


if __name__ == "__main__":
    main()

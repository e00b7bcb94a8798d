"""Ordinary scripts, each run without us and in the sandbox: what it prints, how it ends and what it leaves
in its folder are equal.

ordinary/NN_name.* is the script of one block. It runs as it is in an empty folder, then with the profiles
`workspace` and `host` in a run's work folder. Only the folder's own path may differ. Lines at its head:

    # needs: PROGRAM...     skipped where one isn't installed
    # normalise: REGEX      this too may differ
    # grant: WHAT, or WHAT  reaches what `workspace` keeps back: must differ there, and with each of these
                            options of `run`, or in the profile named, must not
    # says: REGEX           with `grant`: how the script's own words name what it couldn't reach
    # differs: PROFILE: WHY a known defect: fails when it no longer differs
"""
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections import namedtuple
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402

HERE = Path(__file__).resolve().parent
SCRIPTS = sorted((HERE / "ordinary").glob("[0-9][0-9]_*"))
LIBRARY = HERE / "ordinary" / "library.sh"
MOST_GRANTS = 10
# What ./dev deps brings: elsewhere a missing program is nobody's failure.
BROUGHT = {"git", "python3", "gcc", "g++", "cmake", "ninja", "strace", "flock", "setsid", "script", "ps", "free"}
HOME_FILES = {
    ".ssh/config": "Host web\n  HostName web.example\n", ".gitconfig": "[user]\n  name = Op\n  email = op@example\n",
    ".kube/config": "current-context: blue\n", ".aws/config": "[default]\nregion = eu-central-1\n",
}
Seen = namedtuple("Seen", "status output files")


def header(script, key):
    return re.findall(rf"^(?:#|//) {key}: (.+)$", script.read_text(), re.M)


class Bench:
    """One daemon, one runbook with a block for each script, and what grants would reach."""

    def __init__(self):
        self.daemon = harness.Daemon("ordinary", env={
            "AWS_REGION": "eu-central-1", "https_proxy": "http://127.0.0.1:1", "no_proxy": "localhost"})
        d = self.daemon
        self.project = d.folder / "project"
        self.docker = socket.socket(socket.AF_UNIX)
        self.docker.bind(str(d.folder / "run" / "docker.sock"))
        self.docker.listen(64)
        harness.give(d.folder / "run" / "docker.sock")
        blocks = ["# Ordinary\n"]
        d.write("ordinary/library.sh", LIBRARY.read_text())
        for script in SCRIPTS:
            d.write(f"ordinary/{script.name}", script.read_bytes().replace(b"@PROJECT@", bytes(self.project)), 0o755)
            blocks.append(f'<Command id="{block_of(script)}" path="{script.name}" />\n')
        self.book = d.write("ordinary/runbook.mdx", "\n".join(blocks))
        d.start_broker()

    def renew(self):
        """Home and the project as they were before any script."""
        for folder in (self.daemon.home, self.project):
            harness.remove_tree(folder)
            folder.mkdir()
            harness.give(folder)
        for path, text in HOME_FILES.items():
            target = self.daemon.home / path
            if not target.parent.exists():
                target.parent.mkdir(mode=0o700)
                harness.give(target.parent)
            target.write_text(text)
            harness.give(target)

    def plain(self, script):
        self.renew()
        folder = self.daemon.folder / "plain"
        folder.mkdir(mode=0o700)
        harness.give(folder)
        ours, theirs = os.pipe()
        if os.geteuid() == 0:  # whoever opens /dev/stdout must own it
            os.fchown(theirs, harness.account().uid, harness.account().gid)
        process = self.daemon.popen([self.daemon.books / "ordinary" / script.name], cwd=folder, stdout=theirs,
                                    stderr=theirs, start_new_session=True)
        os.close(theirs)
        late = threading.Timer(30 * harness.SLOWER, os.killpg, (process.pid, signal.SIGKILL))
        late.start()
        try:
            with os.fdopen(ours, "rb") as pipe:
                output = pipe.read()
            process.wait(30 * harness.SLOWER)
            status = process.returncode if process.returncode >= 0 else 128 - process.returncode
            return self.seen(script, status, output, folder)
        finally:
            late.cancel()
            process.kill()
            harness.remove_tree(folder)

    def within(self, script, profile, *options):
        self.renew()
        done = self.daemon.ctl("run", self.book, block_of(script), "--new", "--profile", profile, *options, timeout=30)
        runs = self.daemon.session_folder().glob("runs/*/work")
        work = max(runs, key=lambda folder: int(folder.parent.name.split("-")[-1]))
        return self.seen(script, done.rc, done.out, work), done.err

    def seen(self, script, status, output, folder):
        changes = [(re.escape(bytes(folder)), b"FOLDER")]
        changes += [(regex.encode(), b"...") for regex in header(script, "normalise")]

        def normal(text):
            for regex, instead in changes:
                text = re.sub(regex, instead, text)
            return text

        files = {}
        for path in sorted(folder.rglob("*")):
            facts = path.lstat()
            content = b""
            if stat.S_ISLNK(facts.st_mode):
                content = os.readlink(path).encode()
            elif stat.S_ISREG(facts.st_mode):
                content = path.read_bytes()
            files[str(path.relative_to(folder))] = (oct(facts.st_mode), normal(content))
        return Seen(status, normal(output).decode("utf-8", "replace"), files)

    def options(self, grant):
        """The options that `grant:` lists, each as words; none where only another profile gives it."""
        places = {"~": str(self.daemon.home), "PROJECT": str(self.project)}
        return [[re.sub(r"^~|^PROJECT$", lambda found: places[found.group()], word) for word in one.split()]
                for one in grant.split(", or ") if one.startswith("--")]

    def close(self):
        self.docker.close()
        self.daemon.close()  # by TERM: to end a session of so many runs takes half a minute


def block_of(script):
    return "s" + script.stem.replace("_", "-")


def difference(plain, other):
    """"" where both are equal."""
    found = []
    if plain.status != other.status:
        found.append(f"exit status: {plain.status} without us, {other.status}")
    if plain.output != other.output:
        found.append(f"output without us:\n{plain.output[-1500:]}output:\n{other.output[-1500:]}")
    for name in sorted(plain.files.keys() | other.files.keys()):
        one, two = plain.files.get(name), other.files.get(name)
        if one != two:
            found.append(f"file {name}: {str(one)[:300]} without us, {str(two)[:300]}")
    return "\n".join(found[:8])


_bench = None


def bench():
    global _bench
    if _bench is None:
        _bench = Bench()
    return _bench


def need(script):
    for name in " ".join(header(script, "needs")).split():
        if shutil.which(name, path="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin") is not None:
            continue
        if name in BROUGHT:
            harness.skip(f"{name} isn't installed")
        raise harness.Skipped(f"not installed here: {name}")


def make(script):
    def test():
        need(script)
        b = bench()
        plain = b.plain(script)
        defects = dict(line.split(": ", 1) for line in header(script, "differs"))
        grant = " ".join(header(script, "grant"))
        for profile in ("workspace", "host"):
            other, told = b.within(script, profile)
            found = difference(plain, other)
            if grant and profile == "workspace":
                assert plain.status == 0, f"the script doesn't work without us either:\n{plain.output}"
                assert found, f"needs no grant of {grant}"
                assert other.status != 0, f"goes on as if it had reached it:\n{found}"
                said = header(script, "says")[0]
                assert re.search(said, other.output), f"doesn't say what is missing ({said}):\n{other.output}"
                options = b.options(grant)
                assert options or grant == "the profile host", f"a grant that nothing gives: {grant}"
                for words in options:
                    cured, told = b.within(script, profile, *words)
                    found = difference(plain, cured)
                    assert not found, f"{' '.join(words)} doesn't give it: {found}\n{told[-600:]}"
            elif profile in defects:
                assert found, f"no longer differs in {profile}: {defects[profile]}"
                print(f"differs in {profile}: {defects[profile]}")
            else:
                assert not found, f"{profile}: {found}\n{told[-600:]}"
    return test


for _script in SCRIPTS:
    globals()[f"test_{_script.stem}"] = make(_script)


def test_few_need_a_grant():
    grants = [script.stem for script in SCRIPTS if header(script, "grant")]
    assert len(SCRIPTS) - len(grants) >= 40, "fewer than 40 that need none"
    assert len(grants) <= MOST_GRANTS, grants


if __name__ == "__main__":
    for _number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        signal.signal(_number, signal.SIG_DFL)  # a nohup above us would be heard by the plain runs
    try:
        harness.main(globals())
    finally:
        if _bench is not None:
            _bench.close()

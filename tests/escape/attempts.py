"""Escapes, each named for its number in the threat model, each with a positive control.

attempts/NNN_name.py is the script of one block. It says "escaped: …" and exits 0, or "held: …" and
exits 3. Run with each profile of SANDBOXES (`# profiles: NAME...` in the file: with those) it must be
held. Run with the profile `host` it must escape: that shows that the attempt would notice. Where
`host` holds too (`# control: self` in the file), the same script with the hole made by itself must
escape in each of them.
"""
import os
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402

HERE = Path(__file__).resolve().parent
PRELUDE = (HERE / "prelude.py").read_text()
ATTEMPTS = sorted((HERE / "attempts").glob("*.py"))
SANDBOXES = "workspace inspect sealed"
CANARY = "canary-7f3a91c2d8"
HOME_CANARIES = """
.ssh/id_ed25519 .ssh/id_rsa .ssh/config .aws/credentials .aws/config .kube/config .netrc .pgpass .my.cnf
.docker/config.json .config/gh/hosts.yml .config/gcloud/credentials.db .azure/accessTokens.json .npmrc .pypirc
.gnupg/private-keys-v1.d/a.key .password-store/a.gpg .git-credentials .gitconfig .bash_history .zsh_history
.python_history .psql_history .vault-token .terraform.d/credentials.tfrc.json .cargo/credentials.toml
.local/share/keyrings/login.keyring .mozilla/firefox/a/logins.json .config/rclone/rclone.conf .s3cfg .boto
.config/doctl/config.yaml .helm/repository/repositories.yaml .m2/settings.xml .gradle/gradle.properties
.config/op/config .wget-hsts .irssi/config .config/hub .databrickscfg .snowsql/config .dotfiles/aws
.config/systemd/user/a.service .profile .envrc project/.env project/secrets.yml Documents/notes.txt
""".split()
DESKTOP = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "GPG_AGENT_INFO",
           "PULSE_SERVER", "PIPEWIRE_REMOTE", "AT_SPI_BUS_ADDRESS", "NOTIFY_SOCKET", "LISTEN_FDS", "WATCHDOG_USEC"]
VARIABLES = """
AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN GITHUB_TOKEN GH_TOKEN DATABASE_URL REDIS_URL SENTRY_DSN VAULT_TOKEN
NPM_TOKEN DOCKER_HOST KUBECONFIG GIT_ASKPASS PGPASSWORD SSH_AUTH_SOCK OPENAI_API_KEY SLACK_WEBHOOK MYSQL_PWD
""".split()
LOADER = ["BASH_ENV", "ENV", "SHELLOPTS", "PS4", "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "NODE_OPTIONS"]


class Field:
    """One daemon with everything an escape could reach, and both outcomes of every attempt."""

    def __init__(self):
        environment = {variable: CANARY for variable in VARIABLES}
        environment.update({variable: "/nonexistent-" + variable for variable in LOADER})
        environment.update({variable: "unix:path=/nonexistent" for variable in DESKTOP})
        self.daemon = harness.Daemon("escape", env=environment)
        self.outside = self.daemon.popen(["sleep", "3600"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.listeners = []
        self.marker = f"rb-other-{os.getpid()}"
        self.fixtures = self._fixtures()
        self.book = self._write_book()
        self.other = self._start_other()

    def _start_other(self):
        """Another execution, which runs while attempts are made."""
        self.daemon.write("other/other.sh", f"#!/bin/bash\necho up\nexec -a {self.marker} sleep 3600\n", 0o755)
        book = self.daemon.write("other/runbook.mdx", '# Other\n\n<Command id="o" path="other.sh" />\n')
        client = self.daemon.ctl_popen("run", book, "o")
        assert client.stdout.readline() == b"up\n"
        return client

    def _fixtures(self):
        d = self.daemon
        for path in HOME_CANARIES:
            target = d.home / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(CANARY + "\n")
        subprocess.run(["chown", "-R", str(harness.account().uid), str(d.home)], check=True)
        d.start_broker()
        sockets = []
        for path in ("bus", "gnupg/S.gpg-agent", "wayland-0"):
            sockets.append(str(self._listen(d.folder / "run" / path)))
        services = self._serve_loopback()
        abstract = f"rb-escape-{os.getpid()}"
        self._listen("\0" + abstract)
        segment = self._as_user("import ctypes;c=ctypes.CDLL(None);"
                                f"print(c.shmget({os.getpid()},64,0o1600))")
        self.segment = int(segment)
        self.marks = [Path(f"/dev/shm/rb-{os.getpid()}"), Path(f"/tmp/rb-mark-{os.getpid()}")]
        for mark in self.marks:
            mark.write_text("x")
        return {
            "canary_value": CANARY, "canaries": [str(d.home / p) for p in HOME_CANARIES], "home": str(d.home),
            "loader_variables": LOADER, "desktop_variables": DESKTOP, "services": services, "sockets": sockets, "abstract": abstract, "shm_key": os.getpid(),
            "shm_name": self.marks[0].name, "tmp_name": self.marks[1].name, "runtime": str(d.runtime),
            "state": str(d.state), "other_marker": self.marker, "outside_pids": [self.outside.pid, d.broker_pid(), *d.front_pids()],
        }

    def _listen(self, path):
        listener = socket.socket(socket.AF_UNIX)
        if isinstance(path, Path):
            path.parent.mkdir(parents=True, exist_ok=True)
            harness.give(path.parent)
        listener.bind(str(path))
        listener.listen(8)
        if isinstance(path, Path):
            harness.give(path)
        self.listeners.append(listener)
        return path

    def _serve_loopback(self):
        """A service on every loopback address that there is: (family, type, address, port)."""
        services = []
        for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                listener = socket.socket(family, kind)
                try:
                    listener.bind((address, 0))
                except OSError:
                    continue
                self.listeners.append(listener)
                services.append((int(family), int(kind), address, listener.getsockname()[1]))
                if kind == socket.SOCK_STREAM:
                    listener.listen(8)
                else:
                    threading.Thread(target=self._echo, args=(listener,), daemon=True).start()
        return services

    @staticmethod
    def _echo(listener):
        while True:
            try:
                text, peer = listener.recvfrom(64)
                listener.sendto(text, peer)
            except OSError:
                return

    def _as_user(self, code):
        return self.daemon.run([sys.executable, "-c", code]).out

    def _write_book(self):
        blocks = ["# Escapes\n"]
        for attempt in ATTEMPTS:
            for control in (False, True):
                text = PRELUDE.replace("FIXTURES = {}", f"FIXTURES = {self.fixtures!r}")
                text = text.replace("CONTROL = False", f"CONTROL = {control}")
                block = attempt.stem.replace("_", "-") + ("-control" if control else "")
                self.daemon.write(f"escapes/{block}.py", text + attempt.read_text(), 0o755)
                blocks.append(f'<Command id="{block}" path="{block}.py" />\n')
        return self.daemon.write("escapes/runbook.mdx", "\n".join(blocks))

    def run(self, block, profile):
        done = self.daemon.ctl("run", self.book, block, "--profile", profile)
        said = re.search(r"^(escaped|held): .*$", done.text(), re.M)
        assert said and done.rc == (0 if said.group(1) == "escaped" else 3), f"{block} in {profile}: {done!r}"
        return said.group(1) == "escaped", said.group(0)

    def close(self):
        self.outside.kill()
        self.outside.wait()
        self.other.kill()
        self.other.communicate()
        for listener in self.listeners:
            listener.close()
        for mark in self.marks:
            mark.unlink(missing_ok=True)
        self._as_user(f"import ctypes;ctypes.CDLL(None).shmctl({self.segment},0,None)")
        self.daemon.end_sessions()
        self.daemon.close()


_field = None


def field():
    global _field
    if _field is None:
        _field = Field()
    return _field


def make(attempt):
    text = attempt.read_text()
    own_control = "# control: self" in text
    profiles = (re.findall(r"^# profiles: (.+)$", text, re.M) or [SANDBOXES])[0].split()

    def test():
        block = attempt.stem.replace("_", "-")
        for profile in profiles:
            escaped, said = field().run(block, profile)
            assert not escaped, f"{profile}: {said}"
            if own_control:
                noticed, said = field().run(block + "-control", profile)
                assert noticed, f"{profile}: the attempt notices nothing: {said}"
        if not own_control:
            noticed, said = field().run(block, "host")
            assert noticed or attempt.stem == "080_start_up_files", f"the attempt notices nothing: {said}"
    return test


for _attempt in ATTEMPTS:
    globals()[f"test_{_attempt.stem}"] = make(_attempt)


def test_080_start_up_files():  # judged by the file itself
    f = field()
    mark = f.daemon.home / ".bashrc"
    for profile in SANDBOXES.split():
        f.run("080-start-up-files", profile)
        assert not mark.exists(), f"{profile}: a script rewrote the operator's ~/.bashrc"
    f.run("080-start-up-files", "host")
    assert "escaped" in mark.read_text(), "the attempt notices nothing"


if __name__ == "__main__":
    try:
        harness.main(globals())
    finally:
        if _field is not None:
            _field.close()

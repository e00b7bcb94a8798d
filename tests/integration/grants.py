"""What an operator adds to a sandbox: credential sets, folders and files. Each comes with its control:
without the grant the same script doesn't reach it.
"""
import json
import os
import socket
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon  # noqa: E402

SECRET = "key-5d1c"


def book_of(d, command, name="g"):
    # In a file: what the command says isn't a template.
    d.write(f"{name}/run.sh", "#!/bin/bash\n" + command + "\n", 0o755)
    return d.write(f"{name}/runbook.mdx", '# Grants\n\n<Command id="x" path="run.sh" />\n')


def home_file(d, path, text=SECRET + "\n"):
    target = d.home / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    for made in (target, *target.parents):
        if made == d.home:
            break
        harness.give(made)
    return target


def folder(d, name):
    out = d.home / name
    out.mkdir(parents=True)
    harness.give(out)
    return out


def grants_of(d):
    lines = [json.loads(line) for journal in d.state.rglob("journal-*.jsonl")
             for line in journal.read_text().splitlines()]
    return [line["grants"] for line in lines if line.get("type") == "started"]


def test_a_credential_set_is_shown_and_nothing_else_of_home():
    sets = {"aws": ".aws/credentials", "kube": ".kube/config", "gcloud": ".config/gcloud/credentials.db",
            "gh": ".config/gh/hosts.yml", "docker-config": ".docker/config.json"}
    with Daemon("sets", env={"AWS_PROFILE": "prod", "GH_TOKEN": SECRET}) as d:
        for path in (*sets.values(), ".ssh/id_ed25519", ".docker/other"):
            home_file(d, path)
        look = book_of(d, "cd; find . -type f | sort; echo \"$AWS_PROFILE $GH_TOKEN\"; "
                          "for f in $(find . -type f); do echo x >>$f && echo wrote $f; done 2>/dev/null; true")
        bare = d.ok("run", look).text()
        assert "./" not in bare and "prod" not in bare and SECRET not in bare, bare
        for name, path in sets.items():
            seen = d.ok("run", look, "--with", name).text()
            assert f"./{path}" in seen and "wrote" not in seen, (name, seen)
            assert [line for line in seen.splitlines() if line.startswith("./")] == [f"./{path}"], seen
            assert ("prod" in seen) == (name == "aws") and (SECRET in seen) == (name == "gh"), seen
        both = d.ok("run", look, "--with", "aws,kube", "--with", "gh").text()
        assert both.count("./") == 3, both
        for name in sets:
            assert (d.home / sets[name]).read_text() == SECRET + "\n", "a granted file was changed"
        assert [len(grants) for grants in grants_of(d)] == [0, 1, 1, 1, 1, 1, 3]
        assert grants_of(d)[1][0] == {"set": "aws", "path": str(d.home / ".aws"), "writable": False}
        assert d.ok("record", "verify").rc == 0
        d.end_sessions()


def test_a_set_lies_where_programs_look_whatever_links_lead_there():
    with Daemon("linked") as d:
        home_file(d, "dotfiles/kube/config")
        (d.home / ".kube").symlink_to("dotfiles/kube")
        (d.home / ".aws").symlink_to(d.state)  # the record is no credential
        look = book_of(d, "cat ~/.kube/config; ls ~/dotfiles")
        seen = d.ctl("run", look, "--with", "kube")
        assert SECRET in seen.text() and "cannot access" in seen.text(), repr(seen)
        done = d.ctl("run", look, "--with", "aws")
        assert done.rc == 126 and "nothing of aws" in done.err, repr(done)
        d.end_sessions()


def test_what_variables_name_lies_where_they_say():
    with Daemon("named") as d:
        shown = {"KUBECONFIG": ("kube", ["clusters/a", "clusters/b"]), "AWS_CONFIG_FILE": ("aws", ["else/aws-config"]),
                 "AWS_SHARED_CREDENTIALS_FILE": ("aws", ["else/aws-keys"]), "GH_CONFIG_DIR": ("gh", ["else/gh"]),
                 "GOOGLE_APPLICATION_CREDENTIALS": ("gcloud", ["else/key.json"]), "CLOUDSDK_CONFIG": ("gcloud", ["else/gcloud"]),
                 "DOCKER_CONFIG": ("docker-config", ["else/docker"]), "NETRC": ("netrc", ["else/netrc"]),
                 "NPM_CONFIG_USERCONFIG": ("npm", ["else/npmrc"]), "PIP_CONFIG_FILE": ("pip", ["else/pip.conf"]),
                 "PGPASSFILE": ("postgres", ["else/pgpass"]), "PGSSLKEY": ("postgres", ["else/pg.key"])}
        folders = {"else/gcloud": "credentials.db", "else/gh": "hosts.yml", "else/docker": "config.json"}
        for variable, (_, places) in shown.items():
            for place in places:
                home_file(d, f"{place}/{folders[place]}" if place in folders else place)
            d.env[variable] = ":".join(str(d.home / place) for place in places)
        home_file(d, "else/docker/key.pem")
        home_file(d, "clusters/other")
        d.env["KUBECONFIG"] += f"::{d.home}/clusters/missing"
        d.env["CLOUDSDK_CONFIG"] += "/"
        look = book_of(d, "cd; find . -type f | sort; for f in $(find . -type f); do cat $f; echo x >>$f && echo wrote; "
                          "done 2>/dev/null; env")
        bare = d.ok("run", look).text()
        assert "./" not in bare and SECRET not in bare and not any(name + "=" in bare for name in shown), bare
        for one in sorted({name for name, _ in shown.values()}):
            seen = d.ok("run", look, "--with", one).text()
            wanted = sorted(f"./{place}/{folders[place]}" if place in folders else f"./{place}"
                            for name, places in shown.values() if name == one for place in places)
            assert [line for line in seen.splitlines() if line.startswith("./")] == wanted, (one, seen)
            assert seen.count(SECRET) == len(wanted) and "wrote" not in seen, (one, seen)
            for variable, (name, _) in shown.items():
                assert (f"{variable}={d.env[variable]}" in seen) == (name == one), (one, variable)
        assert {grant["set"] for grants in grants_of(d) for grant in grants} == {name for name, _ in shown.values()}
        d.end_sessions()


def test_a_cache_below_a_set_is_given_by_its_folder():
    with Daemon("cache") as d:
        home_file(d, ".kube/config")
        cache = folder(d, ".kube/cache")
        harness.give(d.home / ".kube")
        look = book_of(d, "exec 2>/dev/null; cat ~/.kube/config; echo x >~/.kube/cache/x && echo kept; "
                          "echo x >>~/.kube/config && echo wrote; true")
        assert d.ok("run", look, "--with", "kube").text() == SECRET + "\n"
        assert d.ok("run", look, "--with", "kube", "--write", cache).text() == SECRET + "\nkept\n"
        assert (cache / "x").exists()
        d.end_sessions()


def test_variables_that_name_what_is_withheld_give_nothing():
    with Daemon("misnamed") as d:
        home_file(d, ".aws/credentials")
        d.ok("run", book_of(d, "true"))
        for value, said in ((d.home, "holds home"), ("/", "holds home"), (d.state, "the record"), (d.state / "lock", "the record"),
                            ("/proc/self/fd/5", "the system's"), ("/dev/fd/4", "the system's"), ("/run", "the system's"),
                            ("else/config", "no absolute path"), (f"{d.home}/x/../..", "no absolute path"),
                            ("~/config", "no absolute path")):
            d.env["AWS_CONFIG_FILE"] = str(value)
            d.ok("session", "env", "--from-here")
            done = d.ctl("run", book_of(d, f"cat {value}"), "--with", "aws")
            assert done.rc == 126 and said in done.err and "$AWS_CONFIG_FILE" in done.err, (value, done)
        for value in (d.home / "nothing", "/etc/hosts"):  # there isn't any, or it is shown anyhow
            d.env["AWS_CONFIG_FILE"] = str(value)
            d.ok("session", "env", "--from-here")
            assert d.ok("run", book_of(d, "cat ~/.aws/credentials; echo $AWS_CONFIG_FILE"), "--with", "aws").text() == \
                SECRET + f"\n{value}\n"
        assert all(len(grants) <= 1 for grants in grants_of(d)), grants_of(d)
        d.end_sessions()


def test_more_sets_and_nothing_beside_them():
    sets = {"git": [".gitconfig", ".config/git/ignore", ".git-credentials"], "npm": [".npmrc"], "netrc": [".netrc"],
            "pip": [".config/pip/pip.conf", ".pypirc"], "postgres": [".pgpass", ".postgresql/postgresql.key"]}
    with Daemon("more", env={"PGPASSWORD": "pg-" + SECRET, "NPM_TOKEN": "npm-" + SECRET}) as d:
        for path in (path for paths in sets.values() for path in paths):
            home_file(d, path).chmod(0o600)
        look = book_of(d, "cd; find . -type f | sort; echo $PGPASSWORD $NPM_TOKEN; cat .pgpass; stat -c %a .pgpass")
        for name, paths in sets.items():
            seen = d.ok("run", look, "--with", name).text() if name == "postgres" else d.ctl("run", look, "--with", name).text()
            assert [line for line in seen.splitlines() if line.startswith("./")] == sorted("./" + path for path in paths), seen
            assert ("pg-" in seen) == (name == "postgres") and ("npm-" in seen) == (name == "npm"), (name, seen)
        d.end_sessions()


def test_certificates_are_shown_without_a_grant_and_nothing_withheld_is():
    with Daemon("certificates") as d:
        ca, folder_of_ca = home_file(d, "company/ca.pem", "the ca\n"), folder(d, "cas")
        home_file(d, "cas/one.pem", "one\n")
        home_file(d, "company/key", SECRET)
        d.env.update(SSL_CERT_FILE=str(ca), NODE_EXTRA_CA_CERTS=str(ca), SSL_CERT_DIR=f"{folder_of_ca}:/etc/ssl/certs",
                     REQUESTS_CA_BUNDLE=str(d.state / "ledger"), CURL_CA_BUNDLE="/var/run/no/such/file")
        look = book_of(d, 'cat "$SSL_CERT_FILE" "$NODE_EXTRA_CA_CERTS" "${SSL_CERT_DIR%%:*}/one.pem"; cat "$REQUESTS_CA_BUNDLE"; '
                          'echo x >>"$SSL_CERT_FILE" && echo wrote; find ~ -type f | sort')
        for profile in ("workspace", "inspect"):
            seen = d.ok("run", look, "--profile", profile).text()
            assert seen.startswith("the ca\nthe ca\none\ncat: "), seen
            assert seen.count("No such file") == 1 and "wrote" not in seen and "key" not in seen, seen
        assert [[(grant["set"], grant["path"]) for grant in grants] for grants in grants_of(d)] == 2 * [
            [("certificates", str(ca)), ("certificates", str(folder_of_ca))]], grants_of(d)
        assert ca.read_text() == "the ca\n"
        d.end_sessions()


def test_the_agent_socket_answers_whom_it_was_granted_to():
    with Daemon("agent") as d:
        path = d.folder / "agent.sock"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen(4)
        harness.give(path)

        def serve():
            while True:
                try:
                    peer, _ = listener.accept()
                except OSError:
                    return
                peer.sendall(b"agent\n")
                peer.close()

        threading.Thread(target=serve, daemon=True).start()
        d.env["SSH_AUTH_SOCK"] = str(path)
        ask = book_of(d, f"python3 -c \"import os,socket; s=socket.socket(socket.AF_UNIX); "
                         f"s.connect(os.environ.get('SSH_AUTH_SOCK', '{path}')); print(s.recv(9).decode())\"")
        assert d.ctl("run", ask).rc == 1
        assert d.ok("run", ask, "--with", "ssh-agent").text().strip() == "agent"
        listener.close()
        d.end_sessions()


def test_a_folder_can_be_shown_and_written_to_and_what_tools_execute_stays():
    with Daemon("write") as d:
        repo = folder(d, "repo")
        for path in ("repo/.git/config", "repo/.envrc", "repo/src/a.c", "repo/.vscode/tasks.json"):
            home_file(d, path, "old\n")
        script = book_of(d, f"cd {repo} && cat src/a.c; for f in src/a.c new .git/config .git/hooks .envrc "
                            ".vscode/tasks.json; do echo new >$f && echo wrote $f; done 2>/dev/null; true")
        assert "old" not in d.ctl("run", script).text()
        shown = d.ok("run", script, "--read", repo).text()
        assert "old" in shown and "wrote" not in shown, shown
        written = d.ok("run", script, "--write", repo).text()
        assert written.split() == ["old", "wrote", "src/a.c", "wrote", "new"], written
        assert (repo / "new").read_text() == "new\n" and (repo / ".git/config").read_text() == "old\n"
        assert (repo / "new").stat().st_uid == harness.account().uid
        one = book_of(d, f"cd {repo}; echo more >>src/a.c && echo wrote; ls", "one")
        assert d.ok("run", one, "--write", repo / "src/a.c").text().split() == ["wrote", "src"]
        assert (repo / "src/a.c").read_text() == "new\nmore\n"
        d.end_sessions()


def test_a_runbook_below_a_writable_folder_stays_what_was_vetted():
    with Daemon("below") as d:
        script = book_of(d, "echo '#!/bin/bash\necho changed' >\"$0\"; echo x >$(dirname $0)/new; ls $(dirname $0)/..", "top/g")
        before = (d.books / "top/g/run.sh").read_text()
        for granted in ("top", "top/g"):  # a folder that holds it; its own
            d.ctl("run", script, "--write", d.books / granted)
            assert (d.books / "top/g/run.sh").read_text() == before and not (d.books / "top/g/new").exists()
        assert [len(grants) for grants in grants_of(d)] == [1, 1], "nothing was granted: this shows nothing"
        d.end_sessions()


def test_what_cannot_be_granted_is_refused_by_name():
    with Daemon("refused") as d:
        book = book_of(d, "true")
        fifo, sock = d.home / "fifo", d.home / "sock"
        os.mkfifo(fifo)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(sock))
        for made in (fifo, sock):
            harness.give(made)
        many = [word for i in range(17) for word in ("--read", folder(d, f"many/{i}"))]
        for words, said in (
                (("--with", "nix"), "they are aws"), (("--with", "kube"), "nothing of kube"),
                (("--read", d.home), "holds home"), (("--write", "/"), "holds home"), (("--read", "/"), "holds home"),
                (("--write", d.home.parent), "holds home"), (("--read", d.state), "the record"), (("--read", d.state.parent), "the record"),
                (("--read", d.state / "sessions"), "the record"),
                (("--write", d.runtime), "the record"), (("--read", "/proc"), "the system's"),
                (("--read", "/run"), "the system's"), (("--write", "/dev/shm"), "the system's"),
                (("--read", "/tmp"), "the system's"), (("--write", "/dev/null"), "neither a folder"), (("--read", fifo), "neither a folder"),
                (("--read", sock), "give it with --socket"), (many, "at most 16"),
                (("--socket", d.home / "w"), "isn't a socket"), (("--socket", d.runtime / "operator.sock"), "scripts never reach it"),
                (("--profile", "inspect", "--write", folder(d, "w")), "use workspace")):
            done = d.ctl("run", book, *words)
            assert done.rc == 126 and said in done.err, (words, done)
        missing = d.ctl("run", book, "--read", d.home / "nothing")
        assert missing.rc == 125 and "No such file" in missing.err, repr(missing)
        assert grants_of(d) == [], "something was started"
        assert d.ctl("run", book, "--profile", "inspect", "--read", d.home / "w").rc == 0
        listener.close()
        d.end_sessions()


def test_a_socket_is_reached_by_whom_it_was_granted_to():
    """One that equals the profile `host` isn't granted, whatever stands for its name."""
    with Daemon("socket") as d:
        listeners = {}
        for name in ("db/.s.PGSQL.5432", "docker.sock", "podman/podman.sock", "bus", "tmux-1000/default"):
            path = d.folder / "s" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            listeners[name] = socket.socket(socket.AF_UNIX)
            listeners[name].bind(str(path))
            listeners[name].listen(4)
            for made in (path, path.parent, d.folder / "s"):
                harness.give(made)
        path = d.folder / "s/db/.s.PGSQL.5432"
        ask = book_of(d, f"python3 -c \"import socket; s=socket.socket(socket.AF_UNIX); s.connect('{path}'); print('in')\"")
        assert d.ctl("run", ask).rc == 1
        assert d.ok("run", ask, "--socket", path).text() == "in\n"
        assert grants_of(d)[-1] == [{"set": "", "path": str(path), "writable": False}]
        for name in list(listeners)[1:]:
            done = d.ctl("run", ask, "--socket", d.folder / "s" / name)
            assert done.rc == 126 and "--profile host" in done.err, repr(done)
        d.end_sessions()


def test_a_link_that_somebody_left_grants_nothing():
    with Daemon("planted") as d:
        home_file(d, ".ssh/id_ed25519")
        out = folder(d, "out")
        leave = book_of(d, f"ln -s {d.home}/.ssh {out}/keys; ln -s {d.home}/.ssh/id_ed25519 {out}/key", "leave")
        d.ok("run", leave, "--write", out)
        look = book_of(d, f"cat {d.home}/.ssh/* 2>/dev/null; true")
        for option, path in (("--write", "keys"), ("--read", "keys"), ("--work", "keys"), ("--read", "key"),
                             ("--write", "keys/"), ("--read", "keys/id_ed25519"), ("--write", "../out/keys/.")):
            done = d.ctl("run", look, option, out / path)
            assert done.rc == 126 and "is a link, and it leads to" in done.err, (option, path, done)
            assert ".ssh" in done.err and SECRET not in done.text(), repr(done)
        assert SECRET in d.ok("run", look, "--read", d.home / ".ssh").text(), "the script tries nothing"
        d.end_sessions()


def test_links_out_of_a_granted_folder_lead_nowhere():
    with Daemon("links") as d:
        home_file(d, ".ssh/id_ed25519")
        shared = folder(d, "shared")
        (shared / "key").symlink_to(d.home / ".ssh/id_ed25519")
        (shared / "up").symlink_to("../.ssh")
        (shared / "root").symlink_to(f"/proc/{os.getpid()}/root")
        script = book_of(d, f"cd {shared}; cat key up/id_ed25519 root{d.home}/.ssh/id_ed25519; true")
        seen = d.ok("run", script, "--write", shared).text()
        assert SECRET not in seen, seen
        assert SECRET in d.ok("run", script, "--profile", "host").text(), "the script tries nothing"
        d.end_sessions()


def test_a_home_behind_a_link_is_home():
    """As on machines whose /home leads to /var/home: what the kernel calls a place counts."""
    with Daemon("behind") as d:
        real = d.folder / "real-home"
        d.home.rename(real)
        d.home.symlink_to(real)
        book = book_of(d, "true")
        os.chown(d.home, 0, 0, follow_symlinks=False) if os.geteuid() == 0 else None  # as /home is
        for words in (("--write", d.home), ("--write", real), ("--read", real), ("--read", real.parent),
                      ("--work", real), ("--work", d.home), ("--write", d.state)):
            done = d.ctl("run", book, *words)
            said = ("holds home",) if os.geteuid() == 0 else ("holds home", "is a link")
            assert done.rc == 126 and any(text in done.err for text in said), (words, done)
        home_file(d, ".aws/credentials")
        assert SECRET in d.ok("run", book_of(d, "cat ~/.aws/credentials"), "--with", "aws").text()
        d.end_sessions()


def test_a_launch_with_all_it_may_have_comes_through():
    with Daemon("full", env={"LANG": "C.UTF-8", "LC_LONG": "x" * 100_000}) as d:
        places = [folder(d, f"place{i}") for i in range(16)]
        words = [word for place in places for word in ("--write", place)]
        book = book_of(d, "for i in {0..15}; do echo x >~/place$i/file || exit 1; done; echo ${#LC_LONG}")
        assert d.ok("run", book, *words).text() == "100000\n"
        assert d.ok("run", book, *words, "--work", folder(d, "w")).text() == "100000\n"
        assert all((place / "file").exists() for place in places)
        d.end_sessions()


def test_what_lies_in_the_runbook_or_behind_a_protected_link_is_refused():
    with Daemon("inside") as d:
        inside = d.books / "g" / "lib"
        inside.mkdir(parents=True)
        for made in (inside.parent, inside):
            harness.give(made)
        book = book_of(d, "true")
        done = d.ctl("run", book, "--write", inside)
        assert done.rc == 126 and "the runbook's own folder" in done.err, repr(done)
        assert d.ok("run", book, "--read", inside).rc == 0
        linked = folder(d, "linked")
        (linked / "elsewhere").mkdir()
        (linked / ".git").symlink_to("elsewhere")
        refused = d.ctl("run", book_of(d, "echo ran"), "--write", linked)
        assert refused.rc != 0 and refused.out == b"" and ".git" in refused.err, repr(refused)
        d.end_sessions()


def test_a_runbook_beside_the_record_says_what_to_do():
    with Daemon("beside") as d:
        book = d.home / "notes.md"
        book.write_text("---\ntitle: n\n---\n\n```bash run\necho ran\n```\n")
        harness.give(book)
        state = Path(d.env["XDG_STATE_HOME"])
        if not str(state).startswith(str(d.home)):
            d.env["XDG_STATE_HOME"] = str(d.home / "state")
        done = d.ctl("run", book)
        assert done.rc == 126 and "a folder of its own" in done.err, repr(done)
        assert d.ok("run", book, "--profile", "host").text() == "ran\n"
        d.end_sessions()


def test_a_runbook_in_home_shows_its_scripts_no_home():
    with Daemon("athome") as d:
        home_file(d, ".ssh/id_ed25519")
        home_file(d, "bin/step.sh", "#!/bin/bash\ncat ~/.ssh/id_ed25519; ls -A ~ | tr '\\n' ' '\n").chmod(0o755)
        text = '# Home\n\n<Command id="x" path="bin/step.sh" />\n'
        home_file(d, "runbook.mdx", text)
        for book in (d.home, d.home / "runbook.mdx"):
            for profile in ("workspace", "inspect"):
                done = d.ok("run", book, "--profile", profile)
                assert SECRET not in done.text() and "bin" in done.text(), repr(done)
                assert "or home" in done.err, repr(done)
        (d.home / "sub").mkdir()
        home_file(d, "sub/runbook.mdx", text.replace("bin/step.sh", "step.sh"))
        home_file(d, "sub/step.sh", "#!/bin/bash\ncat ${0%/*}/key\n").chmod(0o755)
        home_file(d, "sub/key")
        assert SECRET in d.ok("run", d.home / "sub").text(), "a folder below home is sealed whole"
        d.end_sessions()


def test_a_folder_above_the_runbook_cannot_be_moved_away():
    with Daemon("above") as d:
        top = folder(d, "top")
        home_file(d, "top/x/y/plain")
        book = home_file(d, "top/x/book/runbook.mdx", '# B\n\n<Command id="x" path="a.sh" />\n')
        home_file(d, "top/x/book/a.sh", "#!/bin/bash\n"
                  f"cd {top}; mv x gone 2>/dev/null && mkdir -p x/book && echo evil >x/book/a.sh && echo moved\n"
                  "mv x/y x/z && echo inner; echo >x/new && echo made; true\n").chmod(0o755)
        before = (top / "x/book/a.sh").read_text()
        for option in ("--write", "--work"):
            done = d.ok("run", book, option, top)
            assert done.text().split() == ["inner", "made"], repr(done)
            (top / "x/z").rename(top / "x/y")
            assert (top / "x/book/a.sh").read_text() == before
        other = book_of(d, f"cd {top}; mv x gone && echo moved")
        assert d.ok("run", other, "--write", top).text() == "moved\n", "nothing could be moved at all"
        d.end_sessions()


def test_the_work_folder_is_refused_where_a_grant_would_be():
    with Daemon("workplaces") as d:
        book = book_of(d, "true")
        for path in ("/run", "/sys", "/dev/shm", "/tmp", "/var/tmp", "/proc/self", "/"):
            done = d.ctl("run", book, "--work", path)
            assert done.rc == 126 and "can't be granted" in done.err, (path, done)
        d.end_sessions()


def test_an_interpreter_is_one_that_scripts_cannot_change():
    with Daemon("interpreters") as d:
        given = folder(d, "given")
        own = home_file(d, "given/sh", "#!/bin/sh\nexec /bin/sh \"$@\"\n")
        own.chmod(0o755)
        huge = given / "huge"
        huge.touch(0o755)
        os.truncate(huge, 1 << 40)
        harness.give(huge)

        def book(name, interpreter):
            d.write(f"{name}/run.sh", f"#!{interpreter}\necho ran\n", 0o755)
            return d.write(f"{name}/runbook.mdx", '# I\n\n<Command id="x" path="run.sh" />\n')

        for number, (interpreter, words, rc, said) in enumerate((
                (own, (), 126, "profile host"), (own, ("--write", given), 126, "scripts may change"),
                (own, ("--work", given), 126, "profile host"), (own, ("--read", given), 0, ""),
                (own, ("--profile", "host"), 0, ""), (huge, ("--read", given), 126, "too large"),
                (huge, ("--profile", "host"), 126, "too large"),
                ("/usr/bin/../bin/bash", (), 126, "a plain absolute path"),
                ("/usr/bin/bash", (), 0, ""))):
            done = d.ctl("run", book(f"i{number}", interpreter), *words, timeout=20)
            assert done.rc == rc and said in done.err, (interpreter, words, done)
        (given / "env").mkdir()
        home_file(d, "given/env/bash", "#!/bin/sh\necho mine\n").chmod(0o755)
        d.end_sessions()
        d.env["PATH"] = f"{given}/env:" + d.env["PATH"]
        assert d.ok("run", book("path", "/usr/bin/env bash")).text() == "ran\n"
        assert d.ok("run", book("path", "/usr/bin/env bash"), "--profile", "host").text() == "mine\n"
        d.end_sessions()


def test_what_a_script_ran_into_is_explained_and_what_it_did_not_is_not():
    with Daemon("explained") as d:
        home_file(d, ".aws/credentials")
        for command, said in (
                ("touch /etc/rb-x", "write /etc/rb-x  (workspace: system folders are read-only)"),
                ("echo x >\"$(dirname $0)/new\"", "the runbook's folder is a sealed copy"),
                ("cat ~/.aws/credentials", "run it with --with aws"),
                ("cat ~/.kube/config", "run it with --with kube"),  # which isn't there: the same words
                ("ls /var/log/nothing-of-it", "it isn't among the folders that are shown"),
                ("python3 -c 'open(\"/usr/x\", \"w\")'", "write /usr/x  (workspace: system folders"),
                ("exec 3<>/run/nothing/socket", "reach /run/nothing/socket  (workspace: /run is the")):
            done = d.ctl("run", book_of(d, command + " || exit 3"))
            assert done.rc != 0 and said in done.err, (command, done)
            host = d.ctl("run", book_of(d, command + "; exit 3"), "--profile", "host")
            assert "refused while it ran" not in host.err, (command, host)
        for command in ("cat nothing", "cat /etc/nothing", "cat /etc/shadow", "touch /tmp/x; false",
                        "getent hosts nothing.invalid", "cat $GENERATED_FILES/nothing", "ls ~/.cargo/bin/nothing",
                        "cat $(dirname $0)/nothing", "echo /etc/x: Read-only file system; true"):
            done = d.ctl("run", book_of(d, command))
            assert "refused while it ran" not in done.err, (command, done)
        assert d.ok("run", book_of(d, "cat ~/.aws/credentials || exit 3"), "--with", "aws").err.count("refused") == 0
        d.end_sessions()


if __name__ == "__main__":
    harness.main(globals())

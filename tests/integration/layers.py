"""A machine that lacks a layer: `doctor` says which, by having tried, and what it says of each profile
is what a launch then does. Nothing runs weaker than it was asked to.
"""
import platform
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon  # noqa: E402

WITHHOLD = Path(__file__).resolve().parents[1] / "support" / "withhold.py"
PROFILES = ("inspect", "workspace", "sealed", "host")


def without(d, layer, *words):
    return d.run([sys.executable, WITHHOLD, layer, d.bin / "runbookctl", *words])


def facts_of(d, layer):
    done = without(d, layer, "doctor", "--json")
    told = done.json()
    return done, {fact["name"]: fact["ok"] for fact in told["machine"]}, told


def book_of(d):
    return d.write("l/runbook.mdx", f'# L\n\n<Command id="x" command="touch {d.books}/ran; echo ran" />\n')


def launches(d, layer, book, profiles=PROFILES):
    return {profile: without(d, layer, "run", book, "--profile", profile) for profile in profiles}


def test_profiles_are_what_doctor_says_of_them():
    with Daemon("whole") as d:
        done, facts, told = facts_of(d, "nothing")
        assert done.rc == 0 and facts["user namespaces"] and facts["seccomp"], told
        usable = {profile["name"]: profile["usable"] for profile in told["profiles"]}
        for profile, launched in launches(d, "nothing", book_of(d)).items():
            assert (launched.rc == 0) == usable[profile], (profile, launched)
        d.end_sessions()


def lacking(layer, fact, said):
    if platform.machine() != "x86_64":
        harness.skip("the filter's numbers are x86-64's")
    with Daemon(f"no-{layer}") as d:
        done, facts, told = facts_of(d, layer)
        assert done.rc == 125 and facts[fact] is False and told["daemon"] is None, told
        assert [name for name, ok in facts.items() if not ok and name not in ("cgroup v2", "systemd user manager")] \
            == [fact], facts
        for profile, launched in launches(d, layer, book_of(d), ("workspace", "host")).items():
            assert launched.rc == 125 and said in launched.err and launched.out == b"", (profile, launched)
        assert not (d.books / "ran").exists()


def test_without_user_namespaces():
    lacking("namespaces", "user namespaces", "unshare: Operation not permitted")


def test_without_landlock():
    lacking("landlock", "Landlock", "this kernel has no Landlock")


def test_landlock_of_every_age():
    """Rights and structure fit the ABI (threat 42), and sockets are there from the one that scopes them on."""
    if platform.machine() != "x86_64":
        harness.skip("the filter's numbers are x86-64's")
    tries = ("import os, socket\n"
             "try:\n    socket.socket(socket.AF_UNIX); print('sockets')\nexcept OSError: print('no sockets')\n"
             "open('made', 'w').write('x'); os.truncate('made', 0); os.mkdir('d'); os.rename('made', 'd/made')\n"
             "for path in ('/etc/made', '/usr/made'):\n"
             "    try:\n        open(path, 'w'); print('wrote')\n    except OSError: pass\n")
    for abi in (1, 2, 3, 4, 5, 6, 9):
        with Daemon(f"landlock-{abi}") as d:
            d.write("a/run.py", "#!/usr/bin/env python3\n" + tries, 0o755)
            book = d.write("a/runbook.mdx", '# A\n\n<Command id="x" path="run.py" />\n')
            facts = without(d, f"landlock-{abi}", "doctor", "--json").json()["machine"]
            assert any(f"ABI {abi}" in fact.get("text", str(fact)) for fact in facts), facts
            done = without(d, f"landlock-{abi}", "run", book)
            # Before ABI 2 a file can't be moved to another folder: programs copy it instead.
            assert done.text() == ("sockets\n" if abi >= 6 else "no sockets\n") or (abi == 1 and b"Errno 18" in done.out), \
                (abi, done)
            assert (done.rc == 0) == (abi > 1), (abi, done)
            d.end_sessions()


def test_without_the_newer_mount_calls():
    if platform.machine() != "x86_64":
        harness.skip("the filter's numbers are x86-64's")
    with Daemon("no-mounts") as d:
        assert without(d, "new-mounts", "doctor", "--json").json()["daemon"] is None
        for profile, launched in launches(d, "new-mounts", book_of(d)).items():
            assert launched.rc == 125 and launched.out == b"", (profile, launched)
            assert "Function not implemented" in launched.err, (profile, launched)
        assert not (d.books / "ran").exists()


if __name__ == "__main__":
    harness.main(globals())

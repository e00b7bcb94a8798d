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


def refused_by_name(d, run, why):
    """What `run` starts has a daemon that refuses every sandbox for this reason, and `host` goes on."""
    told = run("doctor", "--json").json()
    book = book_of(d)
    for profile in PROFILES:
        launched = run("run", book, "--profile", profile)
        said = {one["name"]: one for one in told["profiles"]}[profile]
        if profile == "host":
            assert said["usable"] and launched.rc == 0 and launched.text() == "ran\n", (said, launched)
            assert (d.books / "ran").exists()
            continue
        assert not said["usable"] and why in said["why"], said
        assert launched.rc == 126 and launched.out == b"", (profile, launched)
        assert f"can't enforce {profile}" in launched.err and why in launched.err, (profile, launched)
        assert not (d.books / "ran").exists()
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


def test_where_a_part_of_proc_is_covered():
    """As containers do it (threat 41): the kernel then gives no /proc to anybody below."""
    with Daemon("covered") as d:
        machine = ["unshare", "--user", "--map-current-user", "--keep-caps", "--mount", "sh", "-c",
                   'mount -t tmpfs none /proc/sys/fs && exec "$@"', "sh"]
        if d.run([*machine, "true"]).rc != 0:
            raise harness.Skipped("no user namespaces to mount in")
        refused_by_name(d, lambda *words: d.run([*machine, d.bin / "runbookctl", *words]),
                        "mount /proc: Operation not permitted")


if __name__ == "__main__":
    harness.main(globals())

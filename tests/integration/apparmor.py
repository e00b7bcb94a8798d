"""The AppArmor profile that is shipped is one that AppArmor's own parser takes. Whether it lets a restricted
machine make namespaces is for such a machine to say: none is tested.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402

PROFILE = harness.BUILD / "systemd" / "runbookd.apparmor"
# What AppArmor 4 brought; an older parser is shown the rest.
NEW = r"^abi <abi/4\.0>,\n|^  userns,\n"


def parser():
    found = os.environ.get("APPARMOR_PARSER") or shutil.which("apparmor_parser", path="/usr/sbin:/sbin:/usr/bin")
    if found is None:
        harness.skip("apparmor_parser isn't installed")
    said = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    return found, int(re.search(r"version (\d+)", said).group(1))


def parse(program, text):
    with tempfile.NamedTemporaryFile("w", suffix=".apparmor") as file:
        file.write(text)
        file.flush()
        return subprocess.run([program, "--skip-kernel-load", "--skip-cache", "--stdout", file.name],
                              capture_output=True, timeout=60)


def test_the_parser_takes_the_shipped_profile():
    program, version = parser()
    text = PROFILE.read_text()
    assert len(re.findall(NEW, text, re.M)) == 3, text
    if version < 4:
        text = re.sub(NEW, "", text, flags=re.M)
    done = parse(program, text)
    assert done.returncode == 0, done.stderr
    broken = parse(program, text.replace("flags=(unconfined)", "flags=(nothing)"))
    assert broken.returncode != 0, "it takes everything: this shows nothing"


def test_it_names_every_program_that_makes_namespaces():
    text = PROFILE.read_text()
    assert "@" not in re.sub(r"^#.*$", "", text, flags=re.M), text
    installed = {name for line in re.findall(r"^profile .*$", text, re.M) for name in harness.PROGRAMS if name in line}
    assert installed == set(harness.PROGRAMS), (installed, harness.PROGRAMS)


if __name__ == "__main__":
    harness.main(globals())

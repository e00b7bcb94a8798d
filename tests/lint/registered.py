"""registered.py — a test that nobody runs is no test: each test file is named in its meson.build.
[lint]
"""
from sources import ROOT, finish, name, ours

PATTERNS = ("tests/unit/*/*_test.cpp", "tests/golden/*.py", "tests/integration/*.py",
            "tests/escape/*_test.py", "tests/fuzz/*_fuzz.cpp")


def problems():
    for path in ours(".cpp", ".py"):
        if not any(path.relative_to(ROOT).match(pattern) for pattern in PATTERNS):
            continue
        build = next((folder / "meson.build" for folder in path.parents
                      if (folder / "meson.build").exists()), ROOT / "meson.build")
        text = build.read_text()
        stem = path.stem.removesuffix("_fuzz")
        if f"'{stem}'" not in text and path.name not in text:
            yield f"{name(path)}: not named in {name(build)}"


if __name__ == "__main__":
    finish(list(problems()), "every test file is registered")

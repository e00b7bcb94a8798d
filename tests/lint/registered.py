"""registered.py — a test that nobody runs is no test: each test file is named in its meson.build.
[lint]
"""
from sources import ROOT, finish, name, ours

SUITES = ("unit", "golden", "integration", "escape", "fuzz", "bench")


def problems():
    for path in ours(".cpp", ".py"):
        parts = name(path).split("/")
        if parts[0] != "tests" or parts[1] not in SUITES or "corpus" in parts:
            continue
        build = next((folder / "meson.build" for folder in path.parents
                      if (folder / "meson.build").exists()), ROOT / "meson.build")
        text = build.read_text()
        stem = path.stem.removesuffix("_fuzz")
        if f"'{stem}'" not in text and path.name not in text:
            yield f"{name(path)}: not named in {name(build)}"


if __name__ == "__main__":
    finish(list(problems()), "every test file is registered")

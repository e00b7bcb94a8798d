"""differential_test.py PROGRAM [--mutants N] [--seed S] — the reader's parser and vetting beside the
reference implementation, @mdx-js/mdx with remark-gfm, over whole documents and mutants of them:
accepted or refused, line and construct of the first refused construct, the tree.   [suite: differential]
Every difference is a failure unless docs/RUNBOOKS.md names it with the reason.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import compare
import documents

HERE = Path(__file__).resolve().parent
DOCS = documents.ROOT / "docs" / "RUNBOOKS.md"
SHOWN = 10  # differences printed


def skip_without_node():
    missing = None
    try:
        subprocess.run(["node", "--version"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        missing = "node isn't installed"
    if not missing and not (HERE / "node_modules" / "@mdx-js" / "mdx").is_dir():
        missing = "tests/differential/node_modules is missing (./dev deps fetches it)"
    if not missing:
        return
    if os.environ.get("RUNBOOKD_MUST_WORK") == "1":
        print(f"FAILED: RUNBOOKD_MUST_WORK=1, and {missing}")
        sys.exit(1)
    print(f"SKIPPED: {missing}")
    sys.exit(77)


def elements():
    """The allow-list as docs/RUNBOOKS.md has it: the document is compared with the product, too."""
    found = re.search(r"^## HTML\n.*?^```text\n(.*?)^```", DOCS.read_text(), re.MULTILINE | re.DOTALL)
    return found.group(1).split()


def answers(program, texts):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "elements").write_text("\n".join(elements()))
        with open(folder / "requests", "w", encoding="utf-8") as file:
            for _, dialect, text in texts:
                file.write(json.dumps({"dialect": dialect, "text": text}) + "\n")
        out = []
        for name, command in (("ours", [program]),
                              ("peer", ["node", "peer.mjs", f"--elements={folder / 'elements'}"])):
            with open(folder / "requests", encoding="utf-8") as requests, open(folder / name, "wb") as into:
                subprocess.run(command, cwd=HERE, stdin=requests, stdout=into, check=True)
            out.append([json.loads(line) for line in open(folder / name, encoding="utf-8")])
    assert len(out[0]) == len(out[1]) == len(texts)
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--mutants", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=20261130)
    given = parser.parse_args()
    program = str(Path(given.program).resolve())
    skip_without_node()
    texts = documents.whole()
    print(f"{len(texts)} whole documents, {given.mutants} mutants, seed {given.seed}")
    mutants = documents.Mutants(given.seed, [text for _, _, text in texts])
    texts += [(f"mutant {number}", *mutants.next()) for number in range(given.mutants)]
    ours, theirs = answers(program, texts)
    named, wrong, verdicts = collections.Counter(), 0, collections.Counter()
    for (name, dialect, text), mine, other in zip(texts, ours, theirs):
        verdicts[f"{dialect} {other['verdict']}"] += 1
        known, found = compare.difference(dialect, text, mine, other)
        named[known] += known is not None
        wrong += found is not None
        if found and wrong <= SHOWN:
            print(f"--- {name} ({dialect})\n{text!r}\n{found}")
    undocumented = [name for name in compare.NAMED if f"`{name}`" not in DOCS.read_text()]
    print("peer's verdicts: " + ", ".join(f"{what} {count}" for what, count in sorted(verdicts.items())))
    print("named disagreements: " + (", ".join(f"{name} {count}" for name, count in (+named).items()) or "none"))
    for name in undocumented:
        print(f"docs/RUNBOOKS.md doesn't name {name}")
    print(f"{len(texts) - wrong} of {len(texts)} alike")
    print(f"[cases] {len(texts) - wrong} passed, {wrong + len(undocumented)} failed, 0 skipped")
    sys.exit(1 if wrong or undocumented else 0)


if __name__ == "__main__":
    main()

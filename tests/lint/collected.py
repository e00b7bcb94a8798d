"""collected.py — the collected cases with right answers are read where they lie beside the tree; none of
them, neither its id nor its text, stands in the product or its tests.   [lint]
Short texts are nobody's. Without the collection: exit 77, or 1 with RUNBOOKD_MUST_WORK=1.
"""
import json
import os
import sys
from pathlib import Path

from sources import ROOT, finish, name, ours

LONG = 80  # characters of a case's text from which its like is no chance


def collection():
    folder = Path(os.environ.get("RUNBOOKD_SHARED") or ROOT.parent / "shared") / "conformance"
    return sorted(folder.glob("*.jsonl")) if folder.is_dir() else []


def forms(text):
    """A text as a file may hold it: as it is, and within the quotes of a language."""
    quoted = json.dumps(text, ensure_ascii=False)[1:-1]
    return {text.strip(), quoted, quoted.strip("\\n")}


def problems(files):
    ids, texts = set(), set()
    for path in files:
        for line in path.read_text(encoding="utf-8").strip("\n").split("\n"):
            case = json.loads(line)
            ids.add(case["id"])
            if len(case["source"]) >= LONG:
                texts |= forms(case["source"])
    for path in ours():
        content = path.read_text(encoding="utf-8", errors="replace")
        for found in sorted(one for one in ids if f'"{one}"' in content):
            yield f"{name(path)}: holds the id {found} of a collected case"
        for found in sorted(one for one in texts if one in content):
            yield f"{name(path)}: holds the text of a collected case: {found[:60]!r}"


def main():
    files = collection()
    if not files:
        print("SKIPPED: no collected cases beside the tree (RUNBOOKD_SHARED)")
        sys.exit(1 if os.environ.get("RUNBOOKD_MUST_WORK") == "1" else 77)
    finish(list(problems(files)), "no collected case stands in the tree")


if __name__ == "__main__":
    main()

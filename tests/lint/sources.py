"""sources.py — what every lint needs: our files, and C++ text without comments and strings."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = (".h", ".cpp")
PRODUCT = ("broker", "client", "common", "daemon", "policy", "protocol")


def ours(*suffixes):
    """Files of the tree with these suffixes, build folders left out; works without Git too."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"],
                            capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        paths = [ROOT / line for line in listed.stdout.splitlines()]
    else:
        paths = [p for p in ROOT.rglob("*")
                 if not any(part.startswith("build") or part == ".git"
                            for part in p.relative_to(ROOT).parts[:1])
                 and "node_modules" not in p.relative_to(ROOT).parts]
    return sorted(p for p in paths if p.is_file() and (not suffixes or p.suffix in suffixes))


def name(path):
    return path.relative_to(ROOT).as_posix()


def product(*suffixes):
    """Sources of the product, without tests."""
    return [p for p in ours(*(suffixes or CODE)) if name(p).split("/")[0] in PRODUCT]


_TOKEN = re.compile(
    r"""R"(?P<d>[^()\\\s]{0,16})\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|//[^\n]*|/\*.*?\*/""",
    re.DOTALL)


def _blank(match):
    text = match.group(0)
    if re.match(r"'[0-9A-Fa-f]", text) and not text.endswith("'"):
        return text
    return re.sub(r"[^\n]", " ", text)


def bare(text):
    """The same text, line for line, with comments and literals blanked out."""
    text = re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", "_", text)  # digit separators
    return _TOKEN.sub(_blank, text)


def includes(path):
    """(line number, what stands between the brackets or quotes, quoted?) of every #include."""
    out = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', line)
        if match:
            out.append((number, match.group(1) or match.group(2), match.group(1) is not None))
    return out


def finish(problems, good):
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems" if problems else good)
    sys.exit(1 if problems else 0)

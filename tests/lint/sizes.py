"""sizes.py — no file over 600 lines, no function over 60.   [lint]"""
import ast
import re

from sources import CODE, bare, finish, name, ours

FILE, FUNCTION = 600, 60
SCRIPT = 400  # ./dev and shell
DATA = ("tests/golden/", "tests/fuzz/corpus/", "tests/data/")
TABLES = re.compile(r"daemon/reader/\w*(entity|entities|unicode|table)\w*\.(h|cpp)$")  # generated data


def functions(text):
    """(first line, last line, name) of each function body in C++ text, lambdas in their function."""
    text = bare(text)
    text = re.sub(r"^[ \t]*#.*(?:\\\n.*)*", "", text, flags=re.MULTILINE)
    out, scopes, start = [], [], 0
    for at, char in enumerate(text):
        if char == ";" and not _in_function(scopes):
            start = at + 1
        elif char == "{":
            head = text[start:at]
            scopes.append((_kind(head, scopes), start + len(head) - len(head.lstrip()), head))
            start = at + 1
        elif char == "}" and scopes:
            kind, begin, head = scopes.pop()
            start = at + 1
            if kind == "function" and not _in_function(scopes):
                found = re.search(r"([~\w]+)\s*\(", head)
                out.append((text.count("\n", 0, begin) + 1, text.count("\n", 0, at) + 1,
                            found.group(1) if found else "?"))
    return out


def _in_function(scopes):
    return any(kind == "function" for kind, _, _ in scopes)


def _kind(head, scopes):
    head = " ".join(head.split())
    if _in_function(scopes):
        return "inner"
    if re.search(r"\b(namespace|extern)\b[^()]*$", head):
        return "namespace"
    if re.search(r"\b(class|struct|union|enum)\b[^()=]*$", head):
        return "type"
    if re.search(r"=\s*$", head) or "(" not in head:
        return "value"
    return "function"


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno, node.name


def problems():
    for path in ours():
        source = name(path)
        if source.startswith(DATA) or TABLES.search(source):
            continue
        is_script = source == "dev" or path.suffix == ".sh"
        if path.suffix not in (*CODE, ".py", ".capnp", ".build", ".md") and not is_script:
            continue
        text = path.read_text()
        count = text.count("\n")
        most = SCRIPT if is_script else FILE
        if count > most:
            yield f"{source}: {count} lines, at most {most}"
        if path.suffix in CODE:
            found = functions(text)
        elif path.suffix == ".py":
            found = python_functions(text)
        else:
            continue
        for first, last, what in found:
            if last - first + 1 > FUNCTION:
                yield f"{source}:{first}: {what} has {last - first + 1} lines, at most {FUNCTION}"


if __name__ == "__main__":
    finish(list(problems()), "files and functions are within their sizes")

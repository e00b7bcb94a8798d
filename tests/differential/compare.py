"""compare.py — one document's two answers: equal, or how they differ, or which named disagreement of
docs/RUNBOOKS.md it is.   [tests]
"""
import re

# Where these end nothing depends on: trailing blank lines and unterminated last lines are counted
# differently. Where they begin is compared.
BEGINS_ONLY = {"list", "listItem", "blockquote", "footnoteDefinition", "definition", "table", "html", "code", "break",
               "mdxjsEsm"}


def one_ending(value):
    """The product reads each line ending as LF; what a literal of JavaScript means is left alone."""
    if isinstance(value, str):
        return value.replace("\r\n", "\n").replace("\r", "\n")
    if isinstance(value, list):
        return value if value[:1] == ["expression"] else [one_ending(item) for item in value]
    if isinstance(value, dict):
        return {key: item if key == "literal" else one_ending(item) for key, item in value.items()}
    return value


def place(span, kind, before, fields):
    if kind == "tableCell":
        return ""  # with or without its bars
    begin, _, end = span.partition("-")
    if kind in BEGINS_ONLY or (kind == "text" and fields["value"].endswith("\n")):
        return begin
    if kind == "paragraph" and before and before[1] == "listItem" and before[3]["checked"] is not None:
        return end  # before or after the box
    return span


def comparable(tree):
    out, before = [], None
    for depth, kind, span, fields in tree:
        fields = one_ending(fields)
        if kind == "html":
            fields = {"value": re.sub(r"\n[ \t]*", "\n", fields["value"]).rstrip("\n")}
        elif kind == "code":
            fields = {**fields, "meta": fields["meta"].rstrip(" \t")}
        out.append([depth, kind, place(span, kind, before, fields), fields])
        before = out[-1]
    return out


def same(mine, other):
    """`closed` and `lines` stand in our nodes alone."""
    return mine and other and mine[:3] == other[:3] and \
        {key: value for key, value in mine[3].items() if key not in ("closed", "lines")} == other[3]


def first_difference(ours, theirs):
    for mine, other in zip([*ours, None], [*theirs, None]):
        if mine != other and not same(mine, other):
            return mine, other
    return None


def line_of(document, node):
    lines = re.split(r"\r\n|\r|\n", document)
    return lines[int(node[2].split(":")[0]) - 1] if node and node[2] else ""


def html_read_otherwise(dialect, document, mine, other):
    kinds = {node[1] for node in (mine, other) if node}
    lines = line_of(document, mine) + line_of(document, other) + next_lines(document, mine) + next_lines(document, other)
    return dialect == "markdown" and kinds & {"html", "paragraph", "text"} and re.search(r"<[A-Za-z/!?]", lines)


def next_lines(document, node):
    """The lines of a paragraph that begin with a tag may be lazy ones."""
    if not node or "-" not in node[2]:
        return ""
    first, last = (int(point.split(":")[0]) for point in node[2].split("-"))
    return "".join(re.split(r"\r\n|\r|\n", document)[first:last])


def blank_lines_of_cut_code(_dialect, _document, mine, other):
    return (mine and other and mine[1] == other[1] == "code" and not mine[3].get("closed") and
            mine[3]["value"].rstrip("\n\t ") == other[3]["value"].rstrip("\n\t "))


def empty_item_after_code(dialect, document, mine, other):
    return dialect == "markdown" and bool(mine and other) and mine[1] == "list" and other[1] in ("paragraph", "heading") and \
        re.fullmatch(r"[\s>]*([-+*]|\d+[.)])\s*.*", line_of(document, mine)) is not None


def looseness(_dialect, document, mine, other):
    """Within a quote alone."""
    return bool(mine and other) and mine[:3] == other[:3] and mine[1] in ("list", "listItem") and \
        ">" in line_of(document, mine)[:int(mine[2].split(":")[1]) - 1] and \
        {**mine[3], "spread": 0} == {**other[3], "spread": 0}


def code_cut_after_a_list(dialect, _document, mine, other):
    return dialect == "markdown" and bool(mine and other) and mine[:3] == other[:3] and mine[1] == "code" and \
        mine[3]["value"].startswith(other[3]["value"] + "\n")


def heading_begins_at_a_definition(_dialect, _document, mine, other):
    return bool(mine and other) and mine[1] == other[1] == "heading" and mine[3] == other[3] and \
        int(other[2].split(":")[0]) < int(mine[2].split(":")[0])


def addressed_links(dialect, document, mine, other):
    return dialect == "markdown" and bool(mine and other) and {mine[1], other[1]} <= {"text", "link"} and \
        re.search(r"(?i)(mailto|xmpp):", document)


def table_after_a_container(dialect, _document, mine, other):
    return dialect == "markdown" and bool(mine and other) and mine[1] == "table" and \
        other[1] in ("definition", "paragraph") and mine[2].split(":")[0] == other[2].split(":")[0]


def lazy_tag(_dialect, _document, mine, other):
    return bool(mine and other) and mine[1:] == other[1:] and mine[0] < other[0] and mine[1].startswith("mdx") and \
        mine[2].split("-")[0].split(":")[0] != mine[2].split("-")[1].split(":")[0]


def unended_reference(_dialect, _document, mine, other):
    """An attribute's value that holds &name; where no such name is, but a shorter one."""
    if not (mine and other and mine[:3] == other[:3] and "attributes" in mine[3] and "attributes" in other[3]):
        return False
    pairs = list(zip(mine[3]["attributes"], other[3]["attributes"]))
    return all(one == two or one[0] == two[0] == "string" and re.search(r"&[A-Za-z]+[A-Za-z0-9]*;", one[2])
               for one, two in pairs)


def task_box(_dialect, _document, mine, other):
    if not (mine and other and mine[1] == other[1] == "text"):
        return False
    left, right = mine[3]["value"], other[3]["value"]
    return re.fullmatch(r"\[[ xX]\]", left[:3]) and left[3:] == right or left.lstrip("\n") == right


def blank_lines_in_a_footnote(_dialect, document, mine, other):
    plain = lambda node: re.sub(r"(?m)^[ \t]+$", "", node[3]["value"])
    return bool(mine and other) and mine[1] == other[1] == "code" and "[^" in document and plain(mine) == plain(other)


def rule_of_three(_dialect, document, mine, other):
    kinds = {node[1] for node in (mine, other) if node}
    return kinds <= {"text", "emphasis", "strong"} and \
        re.search(r"[*_].*([*_])\1", line_of(document, mine) + next_lines(document, other) + line_of(document, other))


def symbol_beyond_16_bits(_dialect, document, mine, other):
    kinds = {node[1] for node in (mine, other) if node}
    lines = line_of(document, mine) + line_of(document, other) + next_lines(document, mine)
    return kinds <= {"text", "emphasis", "strong", "delete"} and any(ord(c) > 0xffff for c in lines)


def doubled_parentheses(document, ours, theirs):
    return (ours["verdict"], theirs["construct"]) in (("accept", "expression"), ("accept", "prop")) and \
        re.search(r"\(\s*\(", document)


# Name in docs/RUNBOOKS.md -> whether a difference is that one.
NAMED = {
    "html-read-otherwise": html_read_otherwise,
    "cut-code-blank-lines": blank_lines_of_cut_code,
    "empty-item-after-code": empty_item_after_code,
    "looseness": looseness,
    "code-after-list": code_cut_after_a_list,
    "heading-after-definition": heading_begins_at_a_definition,
    "mailto-and-xmpp": addressed_links,
    "table-after-container": table_after_a_container,
    "lazy-tag": lazy_tag,
    "unended-reference": unended_reference,
    "task-box": task_box,
    "footnote-blank-lines": blank_lines_in_a_footnote,
    "rule-of-three": rule_of_three,
    "wide-symbols": symbol_beyond_16_bits,
    "doubled-parentheses": lambda *_: False,  # a verdict's name
}


def verdict_difference(ours, theirs):
    if (ours["verdict"] == "accept") != (theirs["verdict"] == "accept"):
        return f"peer: {theirs['verdict']} {theirs['construct']} ({theirs.get('why', '')}) " \
               f"line {theirs['line']}, ours: {ours['verdict']} {ours['construct']} ({ours['why']}) line {ours['line']}"
    place_of = lambda answer: [answer["line"], answer["column"], answer["construct"]]
    if theirs["verdict"] == "reject" and place_of(ours) != place_of(theirs):
        return f"first refused, peer: {place_of(theirs)}, ours: {place_of(ours)} ({ours['why']})"
    return None


def difference(dialect, document, ours, theirs):
    """(None, None) for equal answers, (name, None) for a named disagreement, else (None, text)."""
    found = verdict_difference(ours, theirs)
    if found:
        return ("doubled-parentheses", None) if doubled_parentheses(document, ours, theirs) else (None, found)
    if "syntax" in (ours["verdict"], theirs["verdict"]):
        return None, None  # refused by both, and no tree to compare
    pair = first_difference(comparable(ours["tree"]), comparable(theirs["tree"]))
    if pair is None:
        return None, None
    for name, fits in NAMED.items():
        if fits(dialect, document, *pair):
            return name, None
    return None, f"peer: {pair[1]}\nours: {pair[0]}"

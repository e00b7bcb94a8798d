"""as_html.py — a tree as HTML, as the examples of the specifications want it. The product has no such
thing: it never makes markup.   [tests]
"""
import html
import string

SAFE = set(string.ascii_letters + string.digits + "-_.!~*'();/?:@&=+$,#%")


def escaped(text):
    return html.escape(text, quote=False).replace('"', "&quot;")


def address(url):
    return escaped("".join(c if c in SAFE else "".join(f"%{byte:02X}" for byte in c.encode()) for c in url))


class Node:
    def __init__(self, row):
        self.depth, self.kind, _, self.fields = row
        self.children = []


def nested(rows):
    root = Node([0, "root", "", {}])
    open_ = [root]
    for row in rows:
        node = Node(row)
        del open_[node.depth:]
        open_[-1].children.append(node)
        open_.append(node)
    return root


class Page:
    def __init__(self, rows):
        self.out = []
        self.root = nested(rows)
        self.links = {}
        for _, kind, _, fields in rows:
            if kind == "definition":
                self.links.setdefault(fields["identifier"], fields)

    def rendered(self):
        self.blocks(self.root)
        return "".join(self.out)

    def put(self, text):
        if text:
            self.out.append(text)

    def line(self):
        if self.out and not self.out[-1].endswith("\n"):
            self.out.append("\n")

    def block(self, begin, end, node, inner):
        self.line()
        self.put(begin)
        inner(node)
        self.put(end)
        self.line()

    def blocks(self, node, tight=False):
        for child in node.children:
            if child.kind == "paragraph":
                if tight:
                    self.inlines(child)
                else:
                    self.block("<p>", "</p>", child, self.inlines)
            else:
                getattr(self, child.kind, self.nothing)(child)

    def nothing(self, _node):
        """Definitions show nothing."""

    def heading(self, node):
        self.block(f"<h{node.fields['depth']}>", f"</h{node.fields['depth']}>", node, self.inlines)

    def thematicBreak(self, node):
        self.block("<hr />", "", node, self.nothing)

    def blockquote(self, node):
        def inner(quote):
            self.blocks(quote)
            self.line()
        self.block("<blockquote>\n", "</blockquote>", node, inner)

    def code(self, node):
        lang = node.fields["lang"]
        begin = f'<pre><code class="language-{escaped(lang)}">' if lang else "<pre><code>"
        value = node.fields["value"]
        ending = "\n" if node.fields["lines"] else ""
        self.block(begin + escaped(value) + ending, "</code></pre>", node, self.nothing)

    def html(self, node):
        self.block(node.fields["value"], "", node, self.nothing)

    def list(self, node):
        loose = node.fields["spread"] or any(item.fields["spread"] for item in node.children)
        start = node.fields["start"]
        begin = "<ul>" if not node.fields["ordered"] else "<ol>" if start == 1 else f'<ol start="{start}">'

        def items(_):
            for item in node.children:
                self.put("<li>")
                if item.fields["checked"] is not None:
                    checked = 'checked="" ' if item.fields["checked"] else ""
                    self.put(f'<input {checked}disabled="" type="checkbox"> ')
                self.blocks(item, tight=not loose)
                self.put("</li>\n")
        self.block(begin + "\n", begin[:3].replace("<", "</") + ">", node, items)

    def table(self, node):
        head = node.children[0]
        columns = len(head.children)

        def row(cells, name):
            self.put("<tr>\n")
            for i in range(columns):
                align = head.children[i].fields["align"]
                self.put(f'<{name} align="{align}">' if align else f"<{name}>")
                if i < len(cells):
                    self.inlines(cells[i])
                self.put(f"</{name}>\n")
            self.put("</tr>\n")

        def rows(_):
            row(head.children, "th")
            self.put("</thead>\n")
            if len(node.children) > 1:
                self.put("<tbody>\n")
                for one in node.children[1:]:
                    row(one.children, "td")
                self.put("</tbody>\n")
        self.block("<table>\n<thead>\n", "</table>", node, rows)

    def inlines(self, node):
        for child in node.children:
            self.inline(child)

    def inline(self, node):
        fields = node.fields
        simple = {"emphasis": "em", "strong": "strong", "delete": "del"}.get(node.kind)
        if simple:
            self.put(f"<{simple}>")
            self.inlines(node)
            self.put(f"</{simple}>")
        elif node.kind == "text":
            self.put(escaped(fields["value"]))
        elif node.kind == "inlineCode":
            self.put(f"<code>{escaped(fields['value'])}</code>")
        elif node.kind == "break":
            self.put("<br />\n")
        elif node.kind == "html":
            self.put(fields["value"])
        else:
            self.link_or_image(node)

    def link_or_image(self, node):
        fields = node.fields if "url" in node.fields else self.links[node.fields["identifier"]]
        title = f' title="{escaped(fields["title"])}"' if fields["title"] else ""
        if node.kind.startswith("image"):
            self.put(f'<img src="{address(fields["url"])}" alt="{escaped(node.fields["alt"])}"{title} />')
            return
        self.put(f'<a href="{address(fields["url"])}"{title}>')
        self.inlines(node)
        self.put("</a>")
